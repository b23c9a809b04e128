"""Mixed data for the benchmarks: 10 continuous and 10 discrete attributes, 3 classes, a depth-7 concept, noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import ctree

CONTINUOUS = 10
N_VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 2)
CLASSES = 3
DEPTH = 7


def mixed_table(
    n: int, seed: int = 0, noise: float = 0.1, unknown: float = 0.0
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The ordinal-coded table (n, 20) with NaN for unknown, and the classes.

    The concept is one random binary tree of depth 7, the same for every `n`: a threshold on a continuous attribute or
    one value of a discrete attribute against the rest, leaves of random class. A share `noise` of the cases gets a
    random class instead.
    """
    rng = np.random.default_rng(seed)
    concept = np.random.default_rng(12345)
    X = np.empty((n, CONTINUOUS + len(N_VALUES)))
    X[:, :CONTINUOUS] = rng.normal(size=(n, CONTINUOUS))
    for j, k in enumerate(N_VALUES):
        X[:, CONTINUOUS + j] = rng.integers(0, k, n)
    y = np.empty(n, dtype=np.int64)

    def grow(rows: npt.NDArray[np.intp], depth: int) -> None:
        if depth == DEPTH:
            y[rows] = concept.integers(0, CLASSES)
            return
        attribute = int(concept.integers(0, X.shape[1]))
        if attribute < CONTINUOUS:
            low = X[rows, attribute] <= concept.normal(scale=0.5)
        else:
            low = X[rows, attribute] == concept.integers(0, N_VALUES[attribute - CONTINUOUS])
        grow(rows[low], depth + 1)
        grow(rows[~low], depth + 1)

    grow(np.arange(n), 0)
    noisy = rng.random(n) < noise
    y[noisy] = rng.integers(0, CLASSES, int(noisy.sum()))
    if unknown:
        X[rng.random(X.shape) < unknown] = np.nan
    return X, y


def mixed_dataset(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> ctree.Dataset:
    """The same table as a `ctree.Dataset`, its last ten attributes discrete."""
    return coded(X, y, CONTINUOUS, N_VALUES, CLASSES)


def coded(
    X: npt.NDArray[np.float64], y: npt.NDArray[np.int64], continuous: int, n_values: tuple[int, ...], classes: int
) -> ctree.Dataset:
    """An ordinal-coded table as a `ctree.Dataset`: continuous attributes first, then those with so many values."""
    attributes = [ctree.Attribute(f"x{j}", ctree.Kind.CONTINUOUS) for j in range(continuous)]
    attributes += [
        ctree.Attribute(f"d{j}", ctree.Kind.DISCRETE, tuple(f"v{v}" for v in range(k))) for j, k in enumerate(n_values)
    ]
    columns: list[npt.ArrayLike] = [X[:, j].copy() for j in range(continuous)]
    for j in range(len(n_values)):
        column = X[:, continuous + j]
        columns.append(np.where(np.isnan(column), -1, column).astype(np.int32))
    return ctree.Dataset(ctree.Schema(tuple(attributes), tuple(f"c{c}" for c in range(classes))), columns, y)
