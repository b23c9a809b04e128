"""Out of bag: what the members of a committee say of examples that they were not learned from."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class OutOfBag:
    """The mean of what members say of each example, which is added up in their order, whoever is done first.

    Parameters
    ----------
    n : int
        How many examples there are.
    n_classes : int

    Examples
    --------
    >>> said = OutOfBag(3, 2)
    >>> said.add(1, np.array([2]), np.array([[1.0, 0.0]]))
    >>> said.n_members  # the first one is still missing
    0
    >>> said.add(0, np.array([0, 2]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> said.n_members, said.means().tolist()
    (2, [[1.0, 0.0], [nan, nan], [0.75, 0.25]])
    """

    def __init__(self, n: int, n_classes: int) -> None:
        self._total, self._number = np.zeros((n, n_classes)), np.zeros((n, 1))
        self._waiting: dict[int, tuple[Places, Floats]] = {}
        self._lock = threading.Lock()
        self.n_members = 0

    def add(self, member: int, places: Places, probabilities: Floats) -> None:
        """What a member says of the examples at some places. Several threads may call it."""
        with self._lock:
            self._waiting[member] = places, probabilities
            while self.n_members in self._waiting:
                here, said = self._waiting.pop(self.n_members)
                self._total[here] += said
                self._number[here] += 1
                self.n_members += 1

    def means(self) -> Floats:
        """A row for each example, of the members from the first to the last before one that is missing; or NaN."""
        unsaid = np.full_like(self._total, np.nan)
        return np.divide(self._total, self._number, out=unsaid, where=self._number > 0)


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
