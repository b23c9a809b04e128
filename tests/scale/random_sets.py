"""Random cases of every kind, random settings and random parts: what growing by levels is tested with."""

from __future__ import annotations

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.learners.base.score_settings import ScoreSettings


def random_set(rng, n=None):
    """Complete cases: mixed kinds, ties, few and many values, skewed classes, constant and identical columns."""
    n = int(rng.choice([2, 5, 20, 60, 150, 300])) if n is None else n
    n_classes = int(rng.choice([2, 2, 3, 5, 12, 40]))
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.2, 1.0, 10.0])))
    hidden = rng.random(n)
    attributes, columns = [], []
    for k in range(int(rng.integers(1, 6))):
        kind = str(rng.choice(["few", "many", "apart", "constant", "same", "discrete", "identifier", "sharp", "near"]))
        if kind in ("discrete", "identifier"):
            n_values = int(rng.integers(1, 6)) if kind == "discrete" else n
            codes = rng.integers(0, n_values, n) if rng.random() < 0.5 else (hidden * n_values).astype(int)
            attributes.append(Attribute(f"a{k}", Kind.DISCRETE, tuple(f"v{v}" for v in range(n_values))))
            columns.append(np.minimum(codes, n_values - 1).astype(np.int32))
            continue
        numbers = random_numbers(rng, kind, hidden, [c for c in columns if c.dtype == np.float64])
        attributes.append(Attribute(f"a{k}", Kind.CONTINUOUS))
        columns.append(np.where(numbers == 0, rng.choice([0.0, -0.0], n), numbers))
    if rng.random() < 0.2:
        attributes.append(Attribute("ignored", Kind.IGNORE))
        columns.append(None)
    cuts = np.cumsum(shares)
    classes = np.searchsorted(cuts, np.where(rng.random(n) < rng.choice([0.0, 0.3, 1.0]), rng.random(n), hidden))
    classes = np.minimum(classes, n_classes - 1).astype(np.int32)
    schema = Schema(tuple(attributes), tuple(f"c{c}" for c in range(n_classes)))
    return Dataset(schema, columns, classes)


def random_numbers(rng, kind, hidden, others):
    """A column of some kind, more or less like the hidden one that the classes come from."""
    noise = rng.normal(size=len(hidden))
    if kind == "few":
        return np.round(2 * hidden + noise * rng.choice([0.1, 1.0]))
    if kind == "many":
        return np.round(20 * (hidden + noise * rng.choice([0.05, 1.0]))) / 8
    if kind == "apart":
        return hidden + noise * rng.choice([0.01, 0.3, 3.0])
    if kind == "constant":
        return np.full(len(hidden), 7.0)
    if kind == "same":
        return (others[0] if others else noise).copy()
    if kind == "near":
        return 1.0 + np.round(hidden * 50) * 2.0**-52
    return hidden.copy()


def with_unknown(rng, data, rate=0.1):
    """The cases with some values unknown."""
    columns = []
    for column in data.columns:
        if column is not None:
            gone = rng.random(data.n_cases) < rate * rng.choice([0.0, 1.0, 2.0])
            column = np.where(gone, np.nan if column.dtype == np.float64 else -1, column).astype(column.dtype)
        columns.append(column)
    return Dataset(data.schema, columns, data.classes, data.weights)


def with_weights(rng, data):
    """The cases with weights, fractions among them."""
    return data.with_weights(rng.choice([0.5, 1.0, 1.25, 3.0, 0.1], data.n_cases))


def random_parts(rng, n):
    """Rows in parts, shuffled, some of them empty."""
    return list(np.array_split(rng.permutation(n), int(rng.integers(1, 18))))


RULES = {
    "c4.4": ("n_gain", "never", "never"),
    "bic-stop": ("n_gain", "bic", "never"),
    "bic-prune": ("n_gain", "never", "bic"),
    "mdl-stop": ("n_gain", "mdl", "never"),
    "mdl-prune": ("n_gain", "never", "mdl"),
    "chi2": ("chi_square", "chi_square", "never"),
    "bayes": ("bayes", "bayes", "never"),
    "bayes_shared": ("bayes", "bayes_shared", "never"),
}


def random_settings(rng, data, rule):
    """Settings of one of the `RULES` for these cases."""
    measure, stopping, pruning = RULES[rule]
    return ScoreSettings(
        measure,
        stopping,
        data.n_cases,
        float(data.n_cases if data.weights is None else data.weights.sum()),
        data.schema.n_classes,
        pruning=pruning,
        significance=float(rng.choice([0.1, 0.5, 0.9])),
        present_classes=bool(rng.random() < 0.5),
        prior_weight=float(rng.choice([1, 2, data.schema.n_classes, 150, 500])),
        nonuniform=bool(rng.random() < 0.5),
        min_cases=float(rng.choice([1, 2, 2.5, 5])),
        binary_splits=measure != "bayes" and bool(rng.random() < 0.5),
    )
