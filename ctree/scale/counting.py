"""The counting pass: class counts at nodes, by value and bin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.sized import Sized
from ctree.scale.way_down import WayDown
from ctree_ext.scale.tally import rows_of_counts, tally

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tallied(Sized):
    """Counts of the slots of a way down.

    Parameters
    ----------
    classes : int64 array (slots, classes)
    counts : list of int64 arrays (1 + values or bins, slots, classes)
        Of each attribute that was asked for; slots are in the middle, as one pass adds to all of them.
    """

    classes: Numbers
    counts: list[Numbers]

    def __reduce__(self) -> tuple[Any, ...]:
        """To be sent, in the fewest bytes that hold the greatest count: most bins have few cases."""
        return _received, (_shortened(self.classes), [_shortened(counts) for counts in self.counts])


def _shortened(counts: Numbers) -> npt.NDArray[Any]:
    return counts.astype(np.min_scalar_type(counts.max(initial=0)))


def _received(classes: npt.NDArray[Any], counts: list[npt.NDArray[Any]]) -> Tallied:
    return Tallied(classes.astype(np.int64), [some.astype(np.int64) for some in counts])


@dataclass(frozen=True)
class CountTask:
    """Counts some attributes of parts, 2**shift bins of each as one."""

    way: WayDown
    attributes: tuple[int, ...]
    shifts: tuple[int, ...]

    def __call__(self, parts: Iterable[CodedPart]) -> Tallied:
        """The counts of all these parts."""
        way, n_slots, n_classes = self.way, len(self.way.nodes), self.way.n_classes
        descent = way.descent()
        used = {*self.attributes, *descent.attributes_tested()}
        result = Tallied(
            np.zeros((n_slots, n_classes), dtype=np.int64),
            [
                np.zeros((rows_of_counts(int(way.n_values[a]), shift), n_slots, n_classes), dtype=np.int64)
                for a, shift in zip(self.attributes, self.shifts, strict=True)
            ],
        )
        for part in parts:
            tally(way.columns(part, used), descent, self.attributes, self.shifts, result.classes, result.counts)
        return result


def add_up(results: Sequence[Tallied]) -> Tallied:
    """The counts of all cases of some results."""
    return Tallied(
        _sum([result.classes for result in results]),
        [_sum(counts) for counts in zip(*(result.counts for result in results), strict=True)],
    )


def _sum(arrays: Sequence[Numbers]) -> Numbers:
    total = arrays[0].copy()
    for array in arrays[1:]:
        total += array
    return total
