"""ScoreSettings: how a learner grows its trees by a score, whatever holds the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctree.data.dataset import Dataset
from ctree.learners.base.kernels import case_table, most_in_class
from ctree.learners.base.limits import NO_LIMITS, Limits
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.own_criterion import OwnCriterion
from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule


@dataclass(frozen=True)
class ScoreSettings:
    """What tests are compared by and held to.

    Parameters
    ----------
    measure : {"n_gain", "chi_square", "bayes", "own"}
        See `SplitScore`.
    stopping, pruning : str
        See `StoppingRule`.
    n_cases : int
        How many cases the whole training set has.
    weight : float
        What they weigh.
    n_classes : int
    unit : float
        Of which what a case counts is a whole number; 0: any number.
    own : OwnCriterion, optional
        What scores, if the measure is ``"own"``.
    limits : Limits
        Up to where a tree grows. That it has too many leaves is the learner's to mend, when it has grown.
    """

    measure: str
    stopping: str
    n_cases: int
    weight: float
    n_classes: int
    pruning: str = "never"
    significance: float = 0.1
    present_classes: bool = False
    prior_weight: float = 2.0
    nonuniform: bool = False
    min_cases: float = 2.0
    binary_splits: bool = False
    listed_thresholds: bool = False
    unit: float = 0.0
    own: OwnCriterion | None = None
    limits: Limits = NO_LIMITS

    def rule(self) -> StoppingRule:
        """Whether a test is good enough."""
        return StoppingRule(
            self.stopping,
            self.weight,
            self.n_classes,
            pruning=self.pruning,
            significance=self.significance,
            present_classes=self.present_classes,
        )

    def score(self, max_in_class: int | None = None, tabled: int | None = None) -> SplitScore:
        """What tests are compared by, with tables for so many cases of one class, and in all."""
        return SplitScore(
            self.measure,
            self.n_cases,
            self.n_classes,
            prior_weight=self.prior_weight,
            nonuniform=self.nonuniform,
            max_in_class=max_in_class,
            weight=self.weight,
            tabled=tabled,
            own=self.own,
        )

    def grow(
        self, data: Dataset, n_threads: int = 1, *, tested: Sequence[int] = (), present_above: int = 0
    ) -> NodeArrays:
        """The tree of these cases, or the subtree of them at a node below tests of some attributes."""
        return ScoreGrower(
            case_table(data, single=False, unit=self.unit),
            self.score(most_in_class(data), data.n_cases),
            self.rule(),
            min_cases=self.min_cases,
            binary_splits=self.binary_splits,
            listed_thresholds=self.listed_thresholds,
            n_threads=n_threads,
        ).grow(tested=tested, present_above=present_above, limits=self.limits.of_growing())
