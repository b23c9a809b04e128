"""Committees of trees from one table of cases: bagging, random forests and boosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.learners.base.classifier import Floats
from ctree.learners.base.common_parameters import Seed, WithProgress, seed_of
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.committee.bagged_members import BaggedMembers
from ctree.learners.committee.boosted_members import BoostedMembers
from ctree.learners.committee.case_fields import fields_of, restored
from ctree.learners.committee.case_training import CaseTraining, check_learner
from ctree.learners.committee.domains import FROM_TABLES, WHOLE, TreeLearner
from ctree.learners.committee.out_of_bag import share_right
from ctree.learners.committee.runs import MAX_MEMBERS
from ctree.learners.committee.settings import MEMBERS, check_member, default_learner, n_chosen, voting_of
from ctree.learners.committee.voting_members import VotingMembers
from ctree.learners.committee.weighing_cases import weighing_cases
from ctree.progress import ProgressCallback

WITHOUT_EFFECT = ("n_jobs", "unseen", "verbose", "categorical_features")
"""Parameters of the learner that do not change what is learned."""

OF_A_FIT = (
    "method", "learner", "sample_share", "max_attributes", "algorithm", "voting", "calibration_folds", "keep_unpruned",
)  # fmt: skip
"""Parameters that all members have been learned with."""


class CommitteeClassifier(WithWinnowing, WithProgress, VotingMembers):
    """Many trees that decide together, by bagging, as a random forest, or by boosting.

    Bagging learns each tree from cases drawn with replacement, as many as there are, and averages their class
    probabilities. A forest moreover offers each node only some attributes, drawn at random, so that its trees differ
    more. Boosting learns one tree after the other, each with more weight on the cases that the one before predicts
    wrong, and lets them vote.

    Notes
    -----
    Members are what `learner` learns by itself from the same cases: of bags, from the cases drawn, each as often as it
    was drawn; with weights that are not whole numbers, from those cases with their weights. The cases are coded once
    and every column is sorted once, for all members.

    With n cases that weigh more than 0, the stream of member k, from 0, is ``np.random.default_rng`` of
    ``np.random.SeedSequence(seed_).spawn(k + 1)[k]``, and its ``integers(n, size=max(1, round(sample_share * n)))`` are
    the cases that it draws. So the first 50 of 100 members are those of a committee of 50. The attributes that a node
    of a forest is offered depend on the seed, the member and the path to the node. If none of them has a test that
    could be made, it is offered others.

    Boosting is AdaBoost.M1. The weights of the cases add up to their number, or to their given weights. The error e of
    a member is the share of weight that it predicts wrong; the weights of the others are multiplied by e / (1 - e) and
    all are scaled to add up again; and its vote counts log((1 - e) / e), times what its leaf is sure of. It ends after
    a member without errors, whose vote counts as if it had made half an error, and before one with an error of a half,
    unless that is the first. SAMME is content with less than 1 - 1/C of the C classes that cases have, and multiplies
    by e / (1 - e) / (C - 1), which leaves a C-th of the weight to all cases that are predicted right: for C4.5, to
    which weights are numbers of cases, that is too little if there are many classes.

    Quinlan's boosting has ``members=10``, ``learner=C45Classifier()`` and ``voting="error"``, or
    ``voting="confidence"`` in his second experiment.

    Class probabilities by boosting are in proportion to ``exp(slope_ * share)``, with the share of the votes that a
    class has. `slope_` is found by maximal likelihood on folds: `calibration_folds` more committees are boosted at the
    same time, each without one fold, and say what they think of it.

    ``learner.n_jobs``, ``learner.verbose`` and ``learner.unseen`` have no effect. Ctrl-C ends `fit` within a moment:
    KeyboardInterrupt is raised, but the model is fitted by the members that were done, if there are any, and goes on
    from there if `warm_start` is set.

    References
    ----------
    Breiman: Bagging predictors. Machine Learning 24, 1996; Random forests. Machine Learning 45, 2001.
    Quinlan: Bagging, boosting, and C4.5. AAAI 1996.
    Freund, Schapire: Experiments with a new boosting algorithm. ICML 1996.
    Zhu, Zou, Rosset, Hastie: Multi-class AdaBoost. Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> model = ctree.CommitteeClassifier(method="forest", members=50, random_state=1).fit(iris)
    >>> len(model.members_), round(model.oob_score_, 2)
    (50, 0.95)
    >>> boosted = ctree.CommitteeClassifier(method="boosting", random_state=1).fit(iris)
    >>> len(boosted.members_), boosted.score(iris)
    (25, 1.0)
    """

    method: str = parameter(
        "bagging",
        Choice(*MEMBERS),
        'How members differ. ``"bagging"``: by the cases that each is learned from, which are drawn with replacement. '
        '``"forest"``: also by the attributes that each node is offered. ``"boosting"``: by the weights of the cases, '
        "which follow from the errors of the members before.",
    )
    learner: Any = parameter(
        None,
        AnyOf(Nothing(), TreeLearner(FROM_TABLES)),
        "What learns each member. None: a `C45Classifier`, for boosting with ``binary_splits=True``; for a forest a "
        "`ProbabilityTreeClassifier` with ``estimate='m-branch'`` and ``m=0.5``, which is not pruned.",
        on_command_line=False,
    )
    members: int | None = parameter(
        None,
        AnyOf(Integer(least=1, most=MAX_MEMBERS), Nothing()),
        "Number of trees; by boosting at most. None: 100, by boosting 50.",
    )
    sample_share: float = parameter(
        1.0,
        Number(above=0, most=1),
        "How many cases are drawn for each tree, as a share of all.",
        only_if={"method": ("bagging", "forest")},
    )
    max_attributes: int | float | str | None = parameter(
        "sqrt",
        AnyOf(Number(above=0, most=1), Integer(least=1), Choice("sqrt", "log2"), Nothing()),
        "How many attributes each node is offered: a whole number, a share of all, or their square root or "
        "binary logarithm. None: all.",
        only_if={"method": ("forest",)},
    )
    algorithm: str = parameter(
        "m1",
        Choice("m1", "samme"),
        'Which kind of boosting. ``"m1"``: AdaBoost.M1, whose members have to be right for more than half the weight. '
        '``"samme"``: for weak learners of many classes, whose members have to be better than a guess among these.',
        only_if={"method": ("boosting",)},
    )
    voting: str | None = parameter(
        None,
        AnyOf(Choice("error", "confidence", "both"), Nothing()),
        'What the vote of a member counts. ``"error"``: the more, the fewer errors it makes in training. '
        '``"confidence"``: what its leaf is sure of, by the Laplace ratio of the weights there, as Quinlan proposes. '
        '``"both"``: the product of the two. None: both; by rules and optimal trees error.',
        only_if={"method": ("boosting",)},
    )
    calibration_folds: int | None = parameter(
        3,
        AnyOf(Integer(least=2), Nothing()),
        "On how many folds to find out what a share of votes is worth as a probability. None: on none, the shares are "
        "the probabilities.",
        only_if={"method": ("boosting",)},
    )
    keep_unpruned: bool = parameter(
        False,
        Flag(),
        "Whether members keep their trees as they were before pruning, so that ``members_[0].pruned`` can prune them "
        "in other ways.",
        on_command_line=False,
    )
    warm_start: bool = parameter(
        False,
        Flag(),
        "Whether `fit` with the same cases adds members to those that there are, until there are `members`, rather "
        "than start again.",
        on_command_line=False,
    )
    random_state: Any = parameter(None, Seed(), "Random seed; None for a new one each time.", aliases=("--seed",))

    seed_: int = fitted("int", "The seed that `random_state` came to.")
    _fingerprint: str = fitted()

    @winnowed
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
    ) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`.

        `progress` is called ten times a second with a `Progress`, or True to show it.
        """
        self._check_parameters()
        learner, wanted = self._tree_learner(), self._wanted()
        check_member(learner, self.method, self.voting)
        check_learner(learner, self.method)
        data, places, n_given = weighing_cases(self, X, y, sample_weight)
        goes_on = self.warm_start and hasattr(self, "members_")
        seed = self.seed_ if goes_on else seed_of(self.random_state)
        chosen = n_chosen(self.max_attributes, data) if self.method == "forest" else 0
        training = CaseTraining(
            learner, data, places, n_given, n_chosen=chosen, seed=seed, keep_unpruned=self.keep_unpruned
        )
        fingerprint = training.digest()
        before: tuple[Any, ...] = ()
        if goes_on:
            before = self._members_to_keep(
                wanted, self._settings_then_and_now(learner), fingerprint == self._fingerprint
            )
        grown = self._growing(training, wanted, seed, before)

        def become() -> None:
            # a copy, as the parameters of the learner may be set anew
            then = type(learner)(**learner.get_params(deep=False))
            begun = {**{name: getattr(self, name) for name in OF_A_FIT}, "learner": then}
            results = {"seed_": seed, "_fingerprint": fingerprint, "_begun": begun, "members_": grown.members}
            self._become(data.schema, **results, **_results(grown, training))

        self._grow(grown, progress, become)
        return self

    def _wanted(self) -> int:
        """How many members there should be."""
        return MEMBERS[self.method] if self.members is None else int(self.members)

    def _growing(
        self, training: CaseTraining, wanted: int, seed: int, before: Sequence[Any]
    ) -> BaggedMembers | BoostedMembers:
        """The members to be."""
        if self.method != "boosting":
            return BaggedMembers(training, seed, float(self.sample_share), wanted, before)
        return BoostedMembers(
            training,
            wanted,
            before,
            seed=seed,
            n_folds=int(self.calibration_folds or 0),
            samme=self.algorithm == "samme",
            voting=voting_of(self.voting, self._tree_learner()),
            by_drawing=type(self._tree_learner()).__name__ in WHOLE,
        )

    def _winnowing_learner(self) -> Any:
        """A single tree of the learner, with the costs and weights of the committee."""
        learner = self._tree_learner()
        own = {name: getattr(self, name) for name in ("costs", "class_weight", "n_jobs")}
        return type(learner)(**{**learner.get_params(deep=False), **own})

    def _tree_learner(self) -> Any:
        return default_learner(self.method) if self.learner is None else self.learner

    def _settings_then_and_now(self, learner: Any) -> list[tuple[str, Any, Any]]:
        """Parameters: their names, with what the members were learned, and what they are now."""
        then, now = self._begun["learner"].get_params(deep=False), learner.get_params(deep=False)
        pairs = [(name, self._begun[name], getattr(self, name)) for name in OF_A_FIT if name != "learner"]
        pairs.append(("learner", type(self._begun["learner"]).__name__, type(learner).__name__))
        return pairs + [(f"learner__{name}", then.get(name), now[name]) for name in now if name not in WITHOUT_EFFECT]

    def _fitted_parameters(self) -> dict[str, Any]:
        begun = dict(self._begun)
        if self.learner is None and repr(begun["learner"]) == repr(default_learner(begun["method"])):
            begun["learner"] = None
        return {**self.get_params(deep=False), **begun}

    def _fitted_fields(self) -> dict[str, Any]:
        return fields_of(self)

    def _restore(self, fields: Fields, schema: Schema) -> None:
        found = restored(self, fields, schema)
        begun = {**{name: getattr(self, name) for name in OF_A_FIT}, "learner": self._tree_learner()}
        self.__dict__ |= {**found, "_begun": begun}


def _results(grown: BaggedMembers | BoostedMembers, training: CaseTraining) -> dict[str, Any]:
    """What follows from the members."""
    errors: Floats | None = None
    slope: float | None = None
    if isinstance(grown, BoostedMembers):
        votes = np.array([verdict.vote for verdict in grown.verdicts])
        errors = np.array([verdict.error for verdict in grown.verdicts])
        slope, proba = grown.calibrated()
    else:
        votes, proba = np.ones(len(grown.members)), grown.said.means()
    score = share_right(proba[training.places], training.classes, training.data.weights)
    return {
        "vote_weights_": votes,
        "member_errors_": errors,
        "slope_": slope,
        "oob_proba_": proba,
        "oob_score_": score,
    }
