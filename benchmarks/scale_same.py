"""Random sets in random parts and bins: every learner beside the one with all cases in memory."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

import ctree
from ctree.learners.levels import growing
from ctree.scale.coded_dataset import coded_from_dataset

BINS = (16, 256, 65_535)
LEARNERS: dict[str, Any] = {
    **{
        approach: ctree.ProbabilityTreeClassifier(approach=approach)
        for approach in ("c4.5", "c4.4", "bic-stop", "bic-prune", "mdl-stop", "mdl-prune", "chi2")
    },
    "bayesian": ctree.BayesianTreeClassifier(),
    "bayesian, bins": ctree.BayesianTreeClassifier(bins=5),
    "release 8": ctree.C45Classifier(arithmetic="double"),
    "j48": ctree.C45Classifier(variant="j48"),
    "naive Bayes": ctree.NaiveBayesClassifier(),
}


def compare(n_sets: int, seed: int = 0) -> None:
    """Print how many models of each learner are the same: to the bit, or with unknown values but for last bits."""
    print(f"| learner | complete, of {n_sets} | unknown: between parts | unknown: as in memory |")
    print("|---|---|---|---|", flush=True)
    for name, learner in LEARNERS.items():
        right: Counter[str] = Counter()
        for number in range(n_sets):
            rng = np.random.default_rng([seed, number])
            data = random_cases(rng)
            gather = int(rng.choice([1, 20, 300]))
            right["complete"] += _fields(learner, data) == _fields(learner, _divided(rng, data), gather)
            data = with_unknown(rng, data)
            one, other = (_fitted(learner, _divided(rng, data), gather) for _ in range(2))
            right["parts"] += repr(one._to_fields()) == repr(other._to_fields())
            right["memory"] += _alike(one._to_fields(), _fitted(learner, data)._to_fields())
        print(f"| {name} | {right['complete']} | {right['parts']} | {right['memory']} |", flush=True)


def random_cases(rng: np.random.Generator) -> ctree.Dataset:
    """A concept of two attributes among others, with noise; numbers of many kinds."""
    n, n_classes = int(rng.choice([30, 200, 1_000])), int(rng.integers(2, 5))
    attributes, columns = [], []
    for j in range(int(rng.integers(1, 8))):
        if rng.random() < 0.4:
            k = int(rng.integers(2, 8))
            attributes.append(ctree.Attribute(f"a{j}", ctree.Kind.DISCRETE, tuple(f"v{i}" for i in range(k))))
            columns.append(rng.integers(0, k, n).astype(np.int32))
        else:
            attributes.append(ctree.Attribute(f"a{j}", ctree.Kind.CONTINUOUS))
            numbers = rng.normal(size=n) if rng.random() < 0.6 else rng.gamma(1.0, 5.0, n)
            columns.append(np.round(numbers, int(rng.choice([0, 1, 3, 15]))) + 0.0)
    hidden = sum(np.asarray(column) > np.median(column) for column in columns[:2])
    classes = np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), hidden % n_classes)
    schema = ctree.Schema(tuple(attributes), tuple(f"c{i}" for i in range(n_classes)))
    return ctree.Dataset(schema, columns, classes)


def with_unknown(rng: np.random.Generator, data: ctree.Dataset) -> ctree.Dataset:
    """The cases with some values unknown."""
    columns: list[npt.NDArray[Any]] = []
    for column in data.columns:
        assert column is not None
        gone = rng.random(data.n_cases) < rng.choice([0.0, 0.05, 0.2])
        columns.append(np.where(gone, np.nan if column.dtype == np.float64 else -1, column).astype(column.dtype))
    return ctree.Dataset(data.schema, columns, data.classes)


def _divided(rng: np.random.Generator, data: ctree.Dataset) -> Any:
    """The cases in up to 17 parts, some empty, in any order."""
    cuts = np.sort(rng.integers(0, data.n_cases + 1, int(rng.integers(0, 17))))
    parts = np.split(rng.permutation(data.n_cases), cuts)
    source = coded_from_dataset(data, parts, bins=int(rng.choice(BINS)))
    source.collects = False
    return source


def _fitted(learner: Any, cases: Any, gather: int = 0) -> Any:
    """A learner, fitted; nodes of no more than so many cases are grown in memory."""
    with mock.patch.object(growing, "gathered", return_value=gather):
        return type(learner)(**learner.get_params()).fit(cases)


def _fields(learner: Any, cases: Any, gather: int = 0) -> str:
    return repr(_fitted(learner, cases, gather)._to_fields())


def _alike(one: Any, other: Any) -> bool:
    if isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in other)
    if isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(np.isclose(one, other, rtol=1e-8, atol=1e-8)) if isinstance(other, float) else bool(one == other)
