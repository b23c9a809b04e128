"""The column of the weights of cases, from numbers to whole units."""

from __future__ import annotations

import copy
import math
import threading
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.scan.reader import Floats, Place
from ctree.scale.exact_sum import as_float, exact_sum
from ctree.scale.unit import unit_of_weights, whole_units
from ctree.wording import abbreviated, shortened

Numbers = npt.NDArray[np.int64]

NO_WEIGHT = "no case has a weight greater than zero and a class"


class WeightCoder:
    """The weights of cases: first all are seen, then they are counted in a unit that fits their sum.

    Parameters
    ----------
    name : str
        Of the column.
    """

    def __init__(self, name: str) -> None:
        self.what = f"the weight '{abbreviated(name)}'"
        self._lock = threading.Lock()
        self._total = 0
        self._least = math.inf
        self.unit = 1.0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "_lock": threading.Lock()}

    def learn(self, weights: Floats, place: Place) -> None:
        """Take in some weights, each of which is a number of at least 0."""
        bad = ~(np.isfinite(weights) & (weights >= 0))
        if bad.any():
            row = int(np.argmax(bad))
            told = "unknown" if np.isnan(weights[row]) else shortened(float(weights[row]))
            raise place.error(f"{self.what} is {told}, but should be a finite number of at least 0", row)
        total = exact_sum(weights)
        least = float(np.min(weights, where=weights > 0, initial=math.inf))
        with self._lock:
            self._total += total
            self._least = min(self._least, least)

    def fresh(self) -> Self:
        """One that has seen no weights yet, with the same unit."""
        one = copy.copy(self)
        one._total, one._least = 0, math.inf
        return one

    def absorb(self, other: WeightCoder) -> None:
        """Take in what another process has seen."""
        self._total += other._total
        self._least = min(self._least, other._least)

    def settle(self) -> None:
        """Choose the unit, when all weights have been seen."""
        self.unit = unit_of_weights(as_float(self._total), self._least)

    def code(self, weights: Floats) -> Numbers:
        """Weights in units."""
        return whole_units(weights, self.unit).astype(np.int64)
