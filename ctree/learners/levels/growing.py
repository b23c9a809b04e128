"""Cases wherever they are, in memory or in a source: what they weigh, their bins, their thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctree.data.bins import binned, equal_frequency_cuts, equal_width_cuts
from ctree.data.dataset import Dataset
from ctree.scale.binned_source import BinnedSource, class_weights, numbered
from ctree.scale.quantiles import frequency_cuts, width_cuts
from ctree.scale.source import Cases, CaseSource
from ctree.scale.unit import unit_of
from ctree_ext.base.node_arrays import Floats, NodeArrays, Test

CASE, NUMBER, CODE = 64, 32, 12
"""About how many bytes a case takes in memory while a tree is grown, and each of its numbers and discrete values."""


def total_weight(cases: Cases) -> float:
    """What all cases weigh."""
    if isinstance(cases, Dataset):
        return float(cases.n_cases if cases.weights is None else cases.weights.sum())
    return float(class_weights(cases).sum()) if cases.weighted else float(cases.n_cases)


def fraction_unit(cases: Cases) -> float:
    """Of what fractions of cases of unknown value are whole numbers; 0 where cases in memory have weights.

    Those are the user's, and are shown as they are.
    """
    if isinstance(cases, Dataset):
        return unit_of(cases) if cases.weights is None else 0.0
    return cases.unit


class AtValues:
    """Moves each threshold to the nearest value below it that a case has, at any node.

    Parameters
    ----------
    source : CaseSource
    arrays : NodeArrays
        A tree that has all the thresholds; one pass finds their values.
    """

    def __init__(self, source: CaseSource, arrays: NodeArrays) -> None:
        nodes = arrays.test == Test.THRESHOLD
        tested = np.unique(arrays.attribute[nodes]).tolist()
        self.limits = {a: np.unique(arrays.threshold[nodes & (arrays.attribute == a)]) for a in tested}
        self.values = source.last_up_to(self.limits) if self.limits else {}

    def __call__(self, arrays: NodeArrays) -> NodeArrays:
        """A tree with its thresholds moved; those that were moved before stay where they are."""
        threshold, nodes = arrays.threshold.copy(), arrays.test == Test.THRESHOLD
        for a, limits in self.limits.items():
            here = np.flatnonzero(nodes & (arrays.attribute == a))
            places = np.minimum(np.searchsorted(limits, threshold[here]), len(limits) - 1)
            known = limits[places] == threshold[here]
            threshold[here[known]] = self.values[a][places[known]]
        return arrays.replace(threshold=threshold)


def gathered(source: CaseSource) -> int:
    """How many cases half of a source's memory holds while a tree is grown from them."""
    size = CASE + sum(NUMBER if bins is not None else CODE for bins in source.bins)
    return max(1, source.memory // 2 // size)


def cuts_of(cases: Cases, bins: int, spacing: str = "frequency") -> list[Floats | None]:
    """For each continuous attribute the bounds of bins, of about as many cases each or of equal width."""
    if not isinstance(cases, Dataset):
        return width_cuts(cases, bins) if spacing == "width" else frequency_cuts(cases, bins)
    cuts: list[Floats | None] = []
    for attribute, column in zip(cases.schema, cases.columns, strict=True):
        if column is None or not attribute.has_order:
            cuts.append(None)
            continue
        numbers = np.asarray(column, dtype=np.float64)
        cuts.append(
            equal_width_cuts(numbers, bins)
            if spacing == "width"
            else equal_frequency_cuts(numbers, bins, cases.weights)
        )
    return cuts


def in_bins(cases: Cases, cuts: Sequence[Floats | None]) -> Cases:
    """The cases with each attribute that has cuts as a discrete one, whose values are the bins."""
    if isinstance(cases, Dataset):
        return binned(cases, cuts)
    return BinnedSource(cases, list(cuts), as_values=True) if any(c is not None for c in cuts) else cases


def in_numbered_bins(cases: Cases, cuts: Sequence[Floats | None]) -> Cases:
    """The cases with each number replaced by that of its bin, for thresholds that are listed."""
    return numbered(cases, cuts) if isinstance(cases, Dataset) else BinnedSource(cases, list(cuts), as_values=False)
