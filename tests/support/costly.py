"""Cases whose errors cost something, with learners and cost matrices for them."""

from __future__ import annotations

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from support.sklearn_learners import LEARNERS


def cases(seed, n=60, unknown=0.15):
    """Three classes that two numbers and a value tell a little of; some values are unknown."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(3, n, p=[0.55, 0.3, 0.15]).astype(np.int32)
    numbers = [np.round(classes + rng.normal(0, 1.2, n), 1) for _ in range(2)]
    value = np.where(rng.random(n) < 0.6, classes, rng.integers(0, 3, n)).astype(np.int32)
    for column in numbers:
        column[rng.random(n) < unknown] = np.nan
    value[rng.random(n) < unknown] = -1
    attributes = (
        Attribute("x", Kind.CONTINUOUS),
        Attribute("y", Kind.CONTINUOUS),
        Attribute("z", Kind.DISCRETE, ("a", "b", "c")),
    )
    return Dataset(Schema(attributes, ("good", "fair", "bad")), (*numbers, value), classes)


def costs_of(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.choice([0.5, 1, 2, 5, 12], (3, 3)) * (1 - np.eye(3))
    return matrix if seed % 2 else {("good", "bad"): 3, ("bad", "good"): 20, ("fair", "good"): 2.5}


def learner(name, **settings):
    made = LEARNERS[name]
    return type(made)(**{**made.get_params(deep=False), **settings})
