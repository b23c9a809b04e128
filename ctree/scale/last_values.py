"""The pass that finds, below each of some numbers, the nearest value that a case has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.source import Bins
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.last_values import note_last


def by_bins(bins: Bins, limits: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The greatest value up to each limit as far as bins tell, and where it may be a greater one.

    Examples
    --------
    >>> three = Bins(np.array([2.0, 5.0]), np.array([1.0, 3.0, 6.0]), np.array([2.0, 5.0, 6.0]))
    >>> [part.tolist() for part in by_bins(three, np.array([0.0, 2.5, 4.0, 9.0]))]
    [[-inf, 2.0, 3.0, 6.0], [False, False, True, False]]
    """
    place = np.searchsorted(bins.cuts, limits, side="left")
    before = np.concatenate([[-np.inf], np.maximum.accumulate(bins.most)])[place]
    inside = (bins.least[place] <= limits) & (limits < bins.most[place])
    values = np.where(bins.most[place] <= limits, np.maximum(before, bins.most[place]), before)
    return np.where(inside, bins.least[place], values), inside


@dataclass(frozen=True)
class LastTask:
    """Finds in parts, for limits in ascending order, the greatest number up to each that is above the one before.

    Parameters
    ----------
    limits : dict of int to float64 array
        For attributes some of whose bins have several values.
    near : dict of int to int32 array (codes, 2)
        Of each code, the unknown one first, how many limits are below its bin, and how many with those that are in it.
    """

    limits: dict[int, Floats]
    near: dict[int, npt.NDArray[np.int32]]

    def __call__(self, parts: Iterable[CodedPart]) -> dict[int, Floats]:
        """The numbers found in these parts; -inf where there is none."""
        result = {a: np.full(len(limits) + 1, -np.inf) for a, limits in self.limits.items()}
        for part in parts:
            for a, limits in self.limits.items():
                codes, numbers = part.codes[a], part.numbers[a]
                if codes is None or numbers is None:
                    raise ValueError(f"attribute {a} has no numbers")
                note_last(codes, numbers, limits, self.near[a], result[a], a)
        return {a: found[:-1] for a, found in result.items()}


def greatest(results: Sequence[Mapping[int, Floats]]) -> dict[int, Floats]:
    """Of all results the greatest numbers."""
    return {a: np.maximum.reduce([result[a] for result in results]) for a in results[0]}


def planned(bins: Sequence[Bins | None], limits: Mapping[int, Floats]) -> tuple[dict[int, Floats], LastTask]:
    """What bins tell of the greatest values up to limits of attributes, and the pass that tells the rest."""
    known, wanted, near = {}, {}, {}
    for a, numbers in limits.items():
        one = bins[a]
        if one is None:
            raise ValueError(f"attribute {a} has no bins")
        known[a], inside = by_bins(one, numbers)
        if inside.any():
            wanted[a] = np.unique(numbers[inside])
            # a limit on a cut is in the bin below it
            below = np.searchsorted(wanted[a], one.cuts, side="right")
            edges = np.concatenate([[0], below, [len(wanted[a])]])
            near[a] = np.stack([np.append(0, edges[:-1]), np.append(0, edges[1:])], axis=1).astype(np.int32)
    return known, LastTask(wanted, near)


def joined(
    known: Mapping[int, Floats], found: Mapping[int, Floats], task: LastTask, limits: Mapping[int, Floats]
) -> dict[int, Floats]:
    """The greatest values, by what bins tell and what a pass has found."""
    result = dict(known)
    for a, values in found.items():
        places = np.searchsorted(task.limits[a], limits[a], side="right")
        up_to = np.concatenate([[-np.inf], np.maximum.accumulate(values)])
        result[a] = np.maximum(known[a], up_to[places])
    return result
