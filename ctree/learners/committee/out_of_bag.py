"""Out of bag: what the members of a committee say of examples that they were not learned from."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def averages(said: Iterable[tuple[Places, Floats]], n: int, n_classes: int) -> Floats:
    """The mean of what is said of each of `n` examples; NaN where nothing is.

    Parameters
    ----------
    said : iterable of pairs
        Of each member the places of examples, and a row of probabilities for each of them.

    Examples
    --------
    >>> one = np.array([0, 2]), np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> other = np.array([2]), np.array([[1.0, 0.0]])
    >>> averages([one, other], 3, 2).tolist()
    [[1.0, 0.0], [nan, nan], [0.75, 0.25]]
    """
    total, number = np.zeros((n, n_classes)), np.zeros((n, 1))
    for places, probabilities in said:
        total[places] += probabilities
        number[places] += 1
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


def share_right(probabilities: Floats, classes: npt.NDArray[np.int32], weights: Floats | None) -> float:
    """The share of examples, by weight, whose class is the most probable one, of those of which something is said."""
    said = ~np.isnan(probabilities[:, 0])
    masses = said.astype(np.float64) if weights is None else np.where(said, weights, 0.0)
    total = float(masses.sum())
    if not total > 0:
        return float("nan")
    right = np.zeros(len(classes), dtype=bool)
    right[said] = probabilities[said].argmax(axis=1) == classes[said]
    return float(masses[right].sum()) / total
