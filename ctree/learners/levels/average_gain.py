"""AverageGain: between which ends the average gain of attributes is, with and without one of them.

Of thousands of attributes each is compared with the average of the others, so what all of them share is added up once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Gain(NamedTuple):
    """The two ends of a gain, and whether the attribute has a test for sure: without one it does not count."""

    least: float
    most: float
    certain: bool


class AverageGain:
    """The average gain of attributes that have a test.

    Parameters
    ----------
    gains : mapping of int to Gain
        By attribute.
    """

    def __init__(self, gains: Mapping[int, Gain]) -> None:
        self._gains = gains
        certain = [gain for gain in gains.values() if gain.certain]
        self._n_certain = len(certain)
        self._least = sum(gain.least for gain in certain)
        self._most = sum(gain.most for gain in certain)
        # Those that may not count make the average greatest in descending order, as long as each exceeds it so far.
        others = sorted((a for a in gains if not gains[a].certain), key=lambda a: -gains[a].most)
        self._rank = {a: rank for rank, a in enumerate(others)}
        ordered = np.array([gains[a].most for a in others])
        self._sums = np.concatenate([[0.0], np.cumsum(ordered)])
        # The next exceeds the average of n and of the first k if ordered[k] * (n + k) - sums[k] exceeds the sum of the
        # n. This descends with k. Negated, for bisection: with all that are certain, and with one attribute less.
        sizes = self._n_certain + np.arange(len(others))
        self._reach = self._sums[:-1] - ordered * sizes
        self._reach_without = self._reach + ordered

    def n_others(self, attribute: int) -> int:
        """How many attributes there are besides one."""
        return len(self._gains) - (attribute in self._gains)

    def counts_others(self, attribute: int) -> bool:
        """Whether one besides this has a test for sure."""
        gain = self._gains.get(attribute)
        return self._n_certain > (gain is not None and gain.certain)

    def of_others(self, attribute: int) -> tuple[float, float]:
        """The two ends of the average of all attributes but one, of which there must be some."""
        gain = self._gains.get(attribute)
        if gain is None:
            return self._least / len(self._gains), self._greatest()
        n = len(self._gains) - 1
        if gain.certain:
            places = int(np.searchsorted(self._reach_without, gain.most - self._most))
            places = max(places, 2 - self._n_certain)
            most = (self._most - gain.most + self._sums[places]) / (self._n_certain - 1 + places)
            return (self._least - gain.least) / n, float(most)
        if self._rank[attribute] >= self._n_greatest():
            return self._least / n, self._greatest()
        places = int(np.searchsorted(self._reach_without, gain.most - self._most))
        # behind the attribute, and not none
        places = max(places, self._rank[attribute] + 1, 2 - self._n_certain)
        most = (self._most + self._sums[places] - gain.most) / (self._n_certain + places - 1)
        return self._least / n, float(most)

    def _n_greatest(self) -> int:
        """How many of those that may not count make the average greatest."""
        return max(int(np.searchsorted(self._reach, -self._most)), 1 - self._n_certain)

    def _greatest(self) -> float:
        places = self._n_greatest()
        return float((self._most + self._sums[places]) / (self._n_certain + places))
