"""CaseSource: what learners ask of cases that they cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree_ext.base.node_arrays import Floats

if TYPE_CHECKING:
    from ctree.scale.top_tree import Routing

Numbers = npt.NDArray[np.int64]
_R = TypeVar("_R")


@dataclass(frozen=True)
class Bins:
    """The bins of a continuous attribute, by which its numbers are counted.

    Bin b holds the numbers above ``cuts[b - 1]`` up to ``cuts[b]``; there is one more bin than cuts.

    Parameters
    ----------
    cuts : float64 array
        Ascending.
    least, most : float64 arrays
        The least and the greatest number of all cases in each bin: +inf and -inf in an empty one. Where both are the
        same, the bin has one value.
    """

    cuts: Floats
    least: Floats
    most: Floats

    def __len__(self) -> int:
        return len(self.least)

    def ends(self, ranges: Numbers) -> Floats:
        """The greatest number that ranges of bins may have, each from the first bin to before the second."""
        cuts: Floats = np.append(self.cuts, np.inf)
        return cuts[np.asarray(ranges, dtype=np.int64).reshape(-1, 2)[:, 1] - 1]

    def coarser(self, shift: int) -> Bins:
        """Each 2**shift bins as one."""
        step = 1 << shift
        starts = np.arange(0, len(self), step)
        return Bins(
            self.cuts[step - 1 :: step][: len(starts) - 1],
            np.minimum.reduceat(self.least, starts),
            np.maximum.reduceat(self.most, starts),
        )


@dataclass(frozen=True)
class Counts:
    """Class counts at some nodes.

    Parameters
    ----------
    classes : int64 array (nodes, classes)
        In units of `CaseSource.unit`.
    attributes : list of int64 arrays (nodes, 1 + values or bins, classes), or None
        For each attribute; row 0 is for unknown values. None where nobody asked.
    """

    classes: Numbers
    attributes: list[Numbers | None]


@dataclass(frozen=True)
class Opening:
    """Numbers to be looked at one by one: those at a node in some bins of an attribute.

    Parameters
    ----------
    node, attribute : int
    bins : int64 array (ranges, 2)
        Ascending ranges of bins, the finest ones, each from the first up to before the second.
    """

    node: int
    attribute: int
    bins: Numbers


@dataclass(frozen=True)
class Opened:
    """The distinct numbers of an `Opening`, ascending, and the class counts of each.

    Where numbers that are near to each other stay together, each run of them counts as one.

    Parameters
    ----------
    values, most : float64 arrays
        The least and the greatest number of each run; of a single one that one twice.
    counts : int64 array (runs, classes)
    """

    values: Floats
    most: Floats
    counts: Numbers


@dataclass(frozen=True)
class Distinct:
    """What is known of the numbers in each range of bins of an `Opening`.

    Parameters
    ----------
    cases : int64 array
        How many there are.
    values : int64 array
        How many of them are distinct: above the one before by more than the distance that was asked for.
    least, most : float64 arrays
        Infinite where there are none.
    """

    cases: Numbers
    values: Numbers
    least: Floats
    most: Floats


class CaseSource(Protocol):
    """Cases in parts, anywhere. Every method but `collect` is one pass over them.

    Results do not depend on how the cases are divided into parts, on their order, or on who makes the pass.
    """

    schema: Schema
    n_cases: int
    unit: float
    """What 1 in the integer arrays stands for: 1 where every case counts one and no value is unknown."""
    complete: bool
    """Whether no value is unknown."""
    weighted: bool
    """Whether some cases do not count one."""
    bins: list[Bins | None]
    """Of each continuous attribute."""
    memory: int
    """How many bytes a learner may take at a time."""
    n_workers: int
    """How many nodes can be finished at the same time."""

    def count(
        self,
        routing: Routing,
        nodes: Sequence[int],
        attributes: Sequence[int] | None = None,
        shifts: Mapping[int, int] | None = None,
    ) -> Counts:
        """Class counts at nodes, by values and by bins; those of an attribute in `shifts` in coarser bins."""
        ...

    def open(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Opened]:
        """The numbers in some bins.

        Those of a range that are not above the one before by more than `near` stay together with it.
        """
        ...

    def distinct(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Distinct]:
        """How many distinct numbers are in ranges of bins; ranges that touch are counted by themselves.

        Only those count that are above the one before by more than `near`, and the first.
        """
        ...

    def sizes(self, routing: Routing, nodes: Sequence[int]) -> dict[int, int]:
        """How many cases nodes have, or parts of cases; whatever they weigh."""
        ...

    def known(self, routing: Routing, wanted: Sequence[tuple[int, int]]) -> list[int]:
        """How many cases of a node, or parts of cases, have a number of an attribute, for pairs of the two."""
        ...

    def finish(self, routing: Routing, nodes: Mapping[int, int], grow: Callable[[int, Dataset], _R]) -> dict[int, _R]:
        """The subtrees of nodes, given how many cases each has, grown from all cases there by `grow(node, cases)`.

        `grow` is picklable. The cases of a node have weights if those are not 1.
        """
        ...

    def last_up_to(self, limits: Mapping[int, Floats]) -> dict[int, Floats]:
        """For each of some numbers of an attribute the greatest value of any case that is not above it, or -inf."""
        ...

    def collect(self) -> Dataset:
        """All cases, in memory."""
        ...


Cases = Dataset | CaseSource
"""Wherever they are, in memory or not."""
