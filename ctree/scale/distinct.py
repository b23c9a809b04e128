"""The pass that counts the distinct numbers in ranges of bins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.opening import Openings
from ctree.scale.source import Distinct, Opening
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.pick import pick, pick_numbers

Numbers = npt.NDArray[np.int64]

CHUNK = 1 << 16
"""Numbers that are held against the next at a time."""

BYTES_PER_NUMBER = 4 + 8 + 8 + 8 + 8 + 1
"""Of a number, while it is taken out of a part, put with those of other parts, sorted, and held against the next."""


@dataclass(frozen=True)
class SizesTask:
    """Counts the cases in openings."""

    openings: Openings

    def __call__(self, parts: Iterable[CodedPart]) -> Numbers:
        """How many cases of all these parts are in each."""
        some = self.openings
        descent = some.way.descent()
        used = {*some.attributes.tolist(), *descent.attributes_tested()}
        sizes = np.zeros(len(some.slots), dtype=np.int64)
        for part in parts:
            columns = some.way.columns(part, used)
            pick(columns, descent, some.slots, some.attributes, list(some.bits), list(some.values), sizes, 0)
        return sizes


@dataclass(frozen=True)
class NumbersOfPart:
    """Takes the numbers in openings out of a part."""

    openings: Openings

    def __call__(self, part: CodedPart) -> list[Floats]:
        """The numbers of each opening, in no order."""
        some = self.openings
        descent = some.way.descent()
        columns = some.way.columns(part, {*some.attributes.tolist(), *descent.attributes_tested()})
        sizes = np.zeros(len(some.slots), dtype=np.int64)
        which, values = pick_numbers(
            columns, descent, some.slots, some.attributes, list(some.bits), list(some.values), sizes
        )
        # they come in runs, one of each opening after the other, and again
        starts = np.flatnonzero(np.diff(which, prepend=-1))
        runs: list[list[Floats]] = [[] for _ in sizes]
        for opening, first, end in zip(
            which[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(which)], strict=False
        ):
            runs[opening].append(values[first:end])
        return [np.concatenate([np.empty(0), *some]) for some in runs]


@dataclass(frozen=True)
class CountDistinct:
    """Counts the numbers of an opening, given those of all parts."""

    ends: tuple[Floats, ...]
    """Of each opening the greatest number that each of its ranges may have."""
    near: float
    """By more than this a number has to be above the one before."""

    def __call__(self, key: int, pieces: list[Floats]) -> Distinct:
        """How many numbers are in each range."""
        numbers = np.concatenate(pieces)
        pieces.clear()
        numbers.sort()
        places = np.searchsorted(numbers, self.ends[key], side="right")
        new = np.empty(len(numbers), dtype=bool)
        new[:1] = True
        # in parts, as what is below each number by a distance would be as many numbers again
        for start in range(1, len(numbers), CHUNK):
            end = min(start + CHUNK, len(numbers))
            np.less(numbers[start - 1 : end - 1] + self.near, numbers[start:end], out=new[start:end])
        cases = np.diff(places, prepend=0)
        values = np.zeros(len(places), dtype=np.int64)
        least, most = np.full(len(places), np.inf), np.full(len(places), -np.inf)
        filled = np.flatnonzero(cases)
        starts = (places - cases)[filled]
        # the first number of each range counts, however near it is to the last of the range before
        new[starts] = True
        if len(filled):
            values[filled] = np.add.reduceat(new, starts, dtype=np.int64)
            least[filled], most[filled] = numbers[starts], numbers[places[filled] - 1]
        return Distinct(cases.astype(np.int64), values, least, most)


def halves(opening: Opening) -> list[Opening] | None:
    """An opening as two of as many ranges each, or as two halves of its one range; None for a single bin."""
    ranges = np.asarray(opening.bins, dtype=np.int64).reshape(-1, 2)
    if len(ranges) > 1:
        middle = len(ranges) // 2
        parts = [ranges[:middle], ranges[middle:]]
    else:
        first, end = ranges[0].tolist()
        if end - first <= 1:
            return None
        middle = (first + end) // 2
        parts = [np.array([[first, middle]]), np.array([[middle, end]])]
    return [Opening(opening.node, opening.attribute, part) for part in parts]


def joined(opening: Opening, results: Sequence[Distinct], near: float) -> Distinct:
    """What was found in the `halves` of an opening."""
    cases, values, least, most = (
        np.concatenate([getattr(r, name) for r in results]) for name in ("cases", "values", "least", "most")
    )
    if len(opening.bins) == 1:
        # the least number of the second half may be too near to the greatest of the first
        together = values.sum(keepdims=True)
        if cases.all() and not most[0] + near < least[1]:
            together -= 1
        return Distinct(cases.sum(keepdims=True), together, least.min(keepdims=True), most.max(keepdims=True))
    return Distinct(cases, values, least, most)
