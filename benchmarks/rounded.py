"""Rounded data for the benchmarks: decimals, few values, skewed discrete values, a concept of value subsets, noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from mixed import coded

import ctree

DECIMALS = (5, 5, 5, 5, 2, 2, 1, 1, 0, 0)
"""Of each continuous attribute: from nearly all numbers different to a few values."""
N_VALUES = (2, 2, 3, 4, 6, 8, 12, 20, 40, 60)
CLASSES = 3
DEPTH = 8


def rounded_table(
    n: int, seed: int = 0, noise: float = 0.1, unknown: float = 0.0, classes: int = CLASSES
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The ordinal-coded table (n, 20) with NaN for unknown, and the classes.

    Numbers are of several scales, some skewed, all rounded; discrete values are the rarer the greater their code.
    The concept is one random binary tree of depth 8, the same for every `n` and `seed`: a threshold, or a random half
    of the values of a discrete attribute. A share `noise` of the cases gets a random class instead.
    """
    rng = np.random.default_rng(seed)
    concept = np.random.default_rng(54321)
    X = np.empty((n, len(DECIMALS) + len(N_VALUES)))
    for j, decimals in enumerate(DECIMALS):
        numbers = rng.gamma(2.0, 1.0, n) if j % 2 else rng.normal(scale=3.0, size=n)
        X[:, j] = np.round(numbers, decimals) + 0.0
    for j, k in enumerate(N_VALUES):
        weights = 1 / np.arange(1, k + 1)
        X[:, len(DECIMALS) + j] = rng.choice(k, n, p=weights / weights.sum())
    y = np.empty(n, dtype=np.int64)

    def grow(rows: npt.NDArray[np.intp], depth: int) -> None:
        if depth == DEPTH:
            y[rows] = concept.integers(0, classes)
            return
        attribute = int(concept.integers(0, X.shape[1]))
        if attribute < len(DECIMALS):
            cut = concept.gamma(2.0, 1.0) if attribute % 2 else concept.normal(scale=2.0)
            low = X[rows, attribute] <= cut
        else:
            k = N_VALUES[attribute - len(DECIMALS)]
            some = concept.permutation(k)[: (k + 1) // 2]
            low = np.isin(X[rows, attribute], some)
        grow(rows[low], depth + 1)
        grow(rows[~low], depth + 1)

    grow(np.arange(n), 0)
    noisy = rng.random(n) < noise
    y[noisy] = rng.integers(0, classes, int(noisy.sum()))
    if unknown:
        X[rng.random(X.shape) < unknown] = np.nan
    return X, y


def rounded_dataset(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> ctree.Dataset:
    """The same table as a `ctree.Dataset`, its last ten attributes discrete."""
    return coded(X, y, len(DECIMALS), N_VALUES, max(CLASSES, int(y.max(initial=0)) + 1))
