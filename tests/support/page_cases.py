"""Cases for the tests of pages: of every kind, with many values that are unknown or next to a threshold."""

from __future__ import annotations

import numpy as np

from ctree import Dataset, Kind
from ctree.learners.base.tree_classifier import TreeClassifier
from support.problems import random_problem


def mixed_data(seed=5, n=400, unknown=0.1, n_values=(0, 3, 0, 4, None, 2)):
    """Discrete attributes of 3, 4 and 2 values, continuous ones, an ignored one, and numbers that 32 bits round."""
    data = random_problem(seed, n, 3, list(n_values), unknown=unknown, noise=0.1).dataset()
    columns = [c if c is None or c.dtype.kind == "i" else c * 0.1 + 1e-9 * np.arange(n) for c in data.columns]
    return Dataset(data.schema, columns, data.classes)


def random_cases(model, n, seed=0):
    """Cases as the model takes them, a third of the values unknown, many numbers on or next to a threshold."""
    rng = np.random.default_rng(seed)
    tree = model.tree_ if isinstance(model, TreeClassifier) else model
    schema = model.schema_ if isinstance(model, TreeClassifier) else tree.schema
    columns = []
    for a, attribute in enumerate(schema):
        if attribute.kind is Kind.IGNORE:
            columns.append(None)
        elif attribute.is_discrete:
            columns.append(rng.integers(-1, len(attribute.values), size=n).astype(np.int32))
        else:
            at = tree.threshold[(tree.attribute == a) & (tree.test == 1)]
            cuts = getattr(model, "cuts_", None)
            at = np.concatenate([at, cuts[a] if cuts is not None and cuts[a] is not None else [], [0.0]])
            near = rng.choice(at, size=n) * (1 + rng.choice([0, 0, 1e-16, -1e-16, 3e-8, -3e-8, 0.01, -1], size=n))
            columns.append(np.where(rng.random(n) < 0.33, np.nan, near))
    return Dataset(schema, columns, n_cases=n)


def as_values(data):
    """The cases for the page: codes and numbers, None for unknown."""
    columns = []
    for column in data.columns:
        if column is None:
            columns.append([None] * data.n_cases)
        else:
            columns.append([None if value != value or (column.dtype.kind == "i" and value < 0) else value
                            for value in column.tolist()])  # fmt: skip
    return [list(case) for case in zip(*columns, strict=True)]
