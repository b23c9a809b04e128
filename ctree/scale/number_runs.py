"""Numbers of openings with class counts: those of many parts merged, near ones put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ctree.scale.sized import Sized
from ctree.scale.source import Numbers, Opened
from ctree_ext.base.node_arrays import Floats, Ints


@dataclass(frozen=True)
class Run(Sized):
    """Numbers of several openings with their classes, sorted, each of a class once.

    Parameters
    ----------
    which : int32 array
        Of each number its opening.
    least, most : float64 arrays
        The number; or where near ones stay together, the ends of those.
    classes : uint16 array
    weights : int64 array
        The cases of this number and class.
    """

    which: Ints
    least: Floats
    most: Floats
    classes: npt.NDArray[np.uint16]
    weights: Numbers

    def __len__(self) -> int:
        return len(self.which)


@dataclass(frozen=True)
class Merge:
    """Makes one run of several, of which those of one part need not be sorted.

    Numbers of a range stay together if none is above the one before by more than a distance. What other parts have
    between them can only bring them nearer: so it makes no difference in which order runs are merged.

    Parameters
    ----------
    near : float
    ends : tuple of float64 arrays
        Of each opening the greatest number that each of its ranges may have; not asked for if the distance is 0.

    Examples
    --------
    >>> def run(*numbers): return Run(*(np.array(column) for column in zip(*numbers)))
    >>> first, second = run((0, 2.5, 2.5, 1, 4), (1, 1.5, 1.5, 0, 1)), run((0, 2.5, 2.5, 1, 3), (0, 2.75, 2.75, 1, 2))
    >>> found = Merge()([first, second])
    >>> list(zip(found.which.tolist(), found.least.tolist(), found.weights.tolist()))
    [(0, 2.5, 7), (0, 2.75, 2), (1, 1.5, 1)]
    >>> found = Merge(0.5, (np.array([9.0]), np.array([9.0])))([first, second])
    >>> list(zip(found.which.tolist(), found.least.tolist(), found.most.tolist(), found.weights.tolist()))
    [(0, 2.5, 2.75, 9), (1, 1.5, 1.5, 1)]
    """

    near: float = 0.0
    ends: tuple[Floats, ...] = ()

    def __call__(self, runs: Sequence[Run]) -> Run:
        """All of these runs."""
        if not runs:
            return Run(
                np.empty(0, dtype=np.int32),
                np.empty(0, dtype=np.float64),
                np.empty(0, dtype=np.float64),
                np.empty(0, dtype=np.uint16),
                np.empty(0, dtype=np.int64),
            )
        which = np.concatenate([run.which for run in runs])
        least = np.concatenate([run.least for run in runs])
        classes = np.concatenate([run.classes for run in runs])
        weights = np.concatenate([run.weights for run in runs])
        order = _order(which, least, classes)
        which, least, classes = which[order], least[order], classes[order]
        if self.near:
            most = np.concatenate([run.most for run in runs])[order]
            starts = self._starts(which, least, most)
            lengths = np.diff(starts, append=len(which))
            least, most = np.repeat(least[starts], lengths), np.repeat(np.maximum.reduceat(most, starts), lengths)
            # classes are sorted within each number, and now within those that stay together
            again = np.argsort(_with_classes(np.repeat(np.arange(len(starts)), lengths), classes))
            order, classes = order[again], classes[again]
        new = np.ones(len(which), dtype=bool)
        new[1:] = (which[1:] != which[:-1]) | (least[1:] != least[:-1]) | (classes[1:] != classes[:-1])
        places = np.flatnonzero(new)
        sums = np.add.reduceat(weights[order], places)
        first = least[places]
        return Run(which[places], first, most[places] if self.near else first, classes[places], sums)

    def _starts(self, which: Ints, least: Floats, most: Floats) -> npt.NDArray[np.intp]:
        """Where numbers begin that do not stay together with those before, of sorted ones."""
        new = np.ones(len(which), dtype=bool)
        openings = [*np.flatnonzero(np.diff(which, prepend=-1)).tolist(), len(which)]
        for first, end in pairwise(openings):
            reach = np.maximum.accumulate(most[first:end])
            places = np.searchsorted(self.ends[which[first]], least[first:end])
            new[first + 1 : end] = (reach[:-1] + self.near < least[first + 1 : end]) | (places[1:] != places[:-1])
        return np.flatnonzero(new)


def _order(which: Ints, least: Floats, classes: npt.NDArray[np.uint16]) -> npt.NDArray[np.intp]:
    """The order of numbers by opening, number and class.

    Many times as fast as `numpy.lexsort`: the numbers of one opening are sorted by themselves, as numpy does it with
    the widest registers there are, and classes only where a number has several.
    """
    order = np.argsort(which.astype(np.uint16) if which.max(initial=0) < 1 << 16 else which, kind="stable")
    bounds = np.flatnonzero(np.diff(which[order], prepend=-1, append=-1))
    for first, end in pairwise(bounds.tolist()):
        some = order[first:end]
        order[first:end] = some[np.argsort(least[some])]
    new = np.ones(len(which), dtype=bool)
    new[1:] = np.diff(least[order]) != 0
    new[bounds[:-1]] = True
    if not new.all():
        order = order[np.argsort(_with_classes(np.cumsum(new), classes[order]))]
    return order


def _with_classes(places: npt.NDArray[np.intp], classes: npt.NDArray[np.uint16]) -> Numbers:
    """Numbers whose order is that of places, and in each that of classes."""
    return (places.astype(np.int64) << 16) | classes


def opened(run: Run, n_openings: int, n_classes: int) -> list[Opened]:
    """For each opening its distinct numbers with class counts."""
    ends = np.searchsorted(run.which, np.arange(n_openings + 1))
    result = []
    for first, end in pairwise(ends.tolist()):
        values = run.least[first:end]
        new = np.ones(len(values), dtype=bool)
        new[1:] = values[1:] != values[:-1]
        counts = np.zeros((int(new.sum()), n_classes), dtype=np.int64)
        counts[np.cumsum(new) - 1, run.classes[first:end]] = run.weights[first:end]
        result.append(Opened(values[new], run.most[first:end][new], counts))
    return result
