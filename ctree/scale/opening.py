"""The pass that opens bins: their numbers, one by one, with class counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.number_runs import Merge, Run
from ctree.scale.sized import Sized
from ctree.scale.way_down import WayDown
from ctree_ext.base.node_arrays import Floats, Ints
from ctree_ext.scale.pick import pick

Numbers = npt.NDArray[np.int64]

BYTES_PER_CASE = 4 + 8 + 8 + 2 + 8
"""Of a case in an open bin, while it is looked at."""

FEW = 1 << 16


@dataclass(frozen=True)
class Picked(Sized):
    """What was found in openings.

    Parameters
    ----------
    sizes : int64 array
        How many cases are in each.
    run : Run or None
        None if there were too many.
    """

    sizes: Numbers
    run: Run | None


@dataclass(frozen=True)
class Openings:
    """Some openings as tasks have them.

    Parameters
    ----------
    way : WayDown
    slots, attributes : int32 arrays
    bits : tuple of uint64 arrays
        Of each its bins, a bit for each code.
    values : tuple of float64 arrays
        The number that each bin has, where it has one.
    """

    way: WayDown
    slots: Ints
    attributes: Ints
    bits: tuple[npt.NDArray[np.uint64], ...]
    values: tuple[Floats, ...]


@dataclass(frozen=True)
class OpenTask:
    """Looks into open bins.

    Parameters
    ----------
    openings : Openings
    merge : Merge
    most : int
        If there are more numbers, they are counted only.
    """

    openings: Openings
    merge: Merge
    most: int

    def __call__(self, parts: Iterable[CodedPart]) -> Picked:
        """The numbers of all these parts."""
        some, way = self.openings, self.openings.way
        descent = way.descent()
        asked = some.attributes.tolist()
        used = {*asked, *descent.attributes_tested()}
        sizes = np.zeros(len(asked), dtype=np.int64)
        # one opening alone cannot be divided: of its cases a part has not more than it has cases
        most_of_part = self.most if len(asked) > 1 else np.iinfo(np.int64).max
        runs: list[Run] = []
        waiting, fits = 0, True
        for part in parts:
            columns = way.columns(part, used)
            found = pick(
                columns,
                descent,
                some.slots,
                some.attributes,
                list(some.bits),
                list(some.values),
                sizes,
                most_of_part if fits else 0,
            )
            if found is None or not fits:
                fits, runs = False, []
                continue
            which, values, classes, weights = found
            runs.append(Run(which, values, values, classes, weights))
            waiting += len(found[0])
            # as often as what is new doubles what is there, so that little is sorted twice
            if waiting > max(FEW, len(runs[0])):
                runs, waiting = [self.merge(runs)], 0
                fits = len(runs[0]) <= self.most
        return within(Picked(sizes, self.merge(runs) if fits else None), self.most)


@dataclass(frozen=True)
class Join:
    """Combines what was found in different parts, unless it is too much."""

    merge: Merge
    most: int

    def __call__(self, results: Sequence[Picked]) -> Picked:
        """All numbers of these results."""
        sizes: Numbers = np.sum([result.sizes for result in results], axis=0, dtype=np.int64)
        runs = [result.run for result in results if result.run is not None]
        return within(Picked(sizes, self.merge(runs) if len(runs) == len(results) else None), self.most)


def within(picked: Picked, most: int) -> Picked:
    """The same, without numbers if there are too many."""
    return picked if picked.run is None or len(picked.run) <= most else Picked(picked.sizes, None)
