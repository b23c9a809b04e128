"""The pass that opens bins: their numbers, one by one, with class counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.sized import Sized
from ctree.scale.source import Opened
from ctree.scale.way_down import WayDown
from ctree_ext.base.node_arrays import Floats, Ints
from ctree_ext.scale.pick import pick

Numbers = npt.NDArray[np.int64]

BYTES_PER_CASE = 4 + 8 + 2 + 8
"""Of a case in an open bin, while it is looked at."""

FEW = 1 << 16


@dataclass(frozen=True)
class Run(Sized):
    """Numbers of several openings with their classes, sorted, each of a class once.

    Parameters
    ----------
    which : int32 array
        Of each number its opening.
    values : float64 array
    classes : uint16 array
    weights : int64 array
        The cases of this number and class.
    """

    which: Ints
    values: Floats
    classes: npt.NDArray[np.uint16]
    weights: Numbers

    def __len__(self) -> int:
        return len(self.which)


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
    most : int
        If there are more numbers, they are counted only.
    """

    openings: Openings
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
            runs.append(Run(*found))
            waiting += len(found[0])
            # as often as what is new doubles what is there, so that little is sorted twice
            if waiting > max(FEW, len(runs[0])):
                runs, waiting = [merged(runs)], 0
                fits = len(runs[0]) <= self.most
        return within(Picked(sizes, merged(runs) if fits else None), self.most)


@dataclass(frozen=True)
class Join:
    """Combines what was found in different parts, unless it is too much."""

    most: int

    def __call__(self, results: Sequence[Picked]) -> Picked:
        """All numbers of these results."""
        sizes: Numbers = np.sum([result.sizes for result in results], axis=0, dtype=np.int64)
        runs = [result.run for result in results if result.run is not None]
        return within(Picked(sizes, merged(runs) if len(runs) == len(results) else None), self.most)


def within(picked: Picked, most: int) -> Picked:
    """The same, without numbers if there are too many."""
    return picked if picked.run is None or len(picked.run) <= most else Picked(picked.sizes, None)


def merged(runs: Sequence[Run]) -> Run:
    """Runs as one; those of one part need not be sorted.

    Examples
    --------
    >>> def run(*numbers): return Run(*(np.array(column) for column in zip(*numbers)))
    >>> run = merged([run((0, 2.5, 1, 4), (1, 1.5, 0, 1)), run((0, 2.5, 1, 3), (0, 2.5, 0, 2))])
    >>> list(zip(run.which.tolist(), run.values.tolist(), run.classes.tolist(), run.weights.tolist()))
    [(0, 2.5, 0, 2), (0, 2.5, 1, 7), (1, 1.5, 0, 1)]
    """
    if not runs:
        return Run(
            np.empty(0, dtype=np.int32),
            np.empty(0, dtype=np.float64),
            np.empty(0, dtype=np.uint16),
            np.empty(0, dtype=np.int64),
        )
    which = np.concatenate([run.which for run in runs])
    values = np.concatenate([run.values for run in runs])
    classes = np.concatenate([run.classes for run in runs])
    weights = np.concatenate([run.weights for run in runs])
    order = np.lexsort((classes, values, which))
    which, values, classes = which[order], values[order], classes[order]
    new = np.ones(len(which), dtype=bool)
    new[1:] = (which[1:] != which[:-1]) | (values[1:] != values[:-1]) | (classes[1:] != classes[:-1])
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(weights[order], starts) if len(starts) else np.empty(0, dtype=np.int64)
    return Run(which[starts], values[starts], classes[starts], sums)


def opened(run: Run, n_openings: int, n_classes: int) -> list[Opened]:
    """For each opening its distinct numbers with class counts."""
    ends = np.searchsorted(run.which, np.arange(n_openings + 1))
    result = []
    for first, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        values = run.values[first:end]
        new = np.ones(len(values), dtype=bool)
        new[1:] = values[1:] != values[:-1]
        counts = np.zeros((int(new.sum()), n_classes), dtype=np.int64)
        counts[np.cumsum(new) - 1, run.classes[first:end]] = run.weights[first:end]
        result.append(Opened(values[new], counts))
    return result
