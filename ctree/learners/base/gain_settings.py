"""GainSettings: how a learner grows its trees by gain ratio from a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctree.data.dataset import Dataset
from ctree.learners.base.kernels import case_table
from ctree.learners.base.limits import NO_LIMITS, Limits
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower


@dataclass(frozen=True)
class GainSettings:
    """What tests are compared by, in 64 bits.

    Parameters
    ----------
    weight : float
        What the whole training set weighs; of J48, how many cases it has.
    unit : float
        Of which what a case counts is a whole number; 0 if it may be any number, as with J48.
    min_cases, gain_only, group_values, binary_splits, mdl_correction, j48
        See `GainRatioGrower`.
    limits : Limits
        Up to where a tree grows. That it has too many leaves is the learner's to mend, when it has grown.
    """

    weight: float
    unit: float = 1.0
    min_cases: float = 2.0
    gain_only: bool = False
    group_values: bool = False
    binary_splits: bool = False
    mdl_correction: bool = True
    j48: bool = False
    limits: Limits = NO_LIMITS

    def grow(
        self, data: Dataset, n_threads: int = 1, *, tested: Sequence[int] = (), present_above: int = 0
    ) -> NodeArrays:
        """The tree of these cases, or their subtree below tests of some attributes; thresholds are midpoints."""
        return GainRatioGrower(
            case_table(data, single=False, unit=self.unit),
            min_cases=self.min_cases,
            gain_only=self.gain_only,
            group_values=self.group_values,
            binary_splits=self.binary_splits,
            mdl_correction=self.mdl_correction,
            j48=self.j48,
            actual_thresholds=False,
            n_threads=n_threads,
            whole=self.weight,
        ).grow(tested=tested, present_above=present_above, limits=self.limits.of_growing())
