"""Members that decide together: what a committee says of cases, and what there is to tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.common_parameters import InThreads, n_threads
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.committee.calibration import by_slope
from ctree.learners.committee.committee import Committee
from ctree.learners.committee.explanations import explain_by_members
from ctree.learners.committee.runs import in_turns
from ctree.learners.committee.settings import voting_of
from ctree.learners.committee.votes import ballots
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.importances import importances
from ctree.tree.outputs import Exported
from ctree.tree.rules import Rule


class VotingMembers(Committee, Exported, InThreads, Classifier):
    """Parent of the committee: all that it does once it is fitted."""

    members_: tuple[Any, ...] = fitted("tuple of learners", "The members, each fitted.")
    vote_weights_: Floats = fitted("array (members,)", "What the vote of each member counts; 1 but for boosting.")
    member_errors_: Floats | None = fitted(
        "array (members,) or None", "By boosting, the share of the weight that each member predicts wrong in training."
    )
    slope_: float | None = fitted("float or None", "By boosting, how much a share of votes is worth; None: as it is.")
    oob_proba_: Floats = fitted(
        "array (cases, classes)",
        "Of each training case the mean of the probabilities by those members that were not learned from it; by "
        "boosting those of the members for the calibration that were not. NaN where there are none.",
    )
    oob_score_: float = fitted(
        "float", "The share of training cases whose class is predicted right by `oob_proba_`; NaN if there are none."
    )
    _begun: dict[str, Any] = fitted()

    @property
    def _is_boosted(self) -> bool:
        return self.member_errors_ is not None

    def _asked(self, work: Callable[[Any, float], Any]) -> Iterator[Any]:
        """What work gives of each member and its vote, in their order; threads share it."""
        threads = n_threads(self.n_jobs)
        pairs = list(zip(self.members_, self.vote_weights_.tolist(), strict=True))
        return in_turns(len(pairs), lambda place: work(*pairs[place]), threads)

    def _probabilities(self, data: Dataset) -> Floats:
        if self._is_boosted:
            shares = self._shares_of_votes(data)
            return shares if self.slope_ is None else by_slope(shares, self.slope_)
        total: Any = 0.0
        for said in self._asked(lambda member, _: member._probabilities(data)):
            total = total + said
        return np.asarray(total / len(self.members_))

    def _shares_of_votes(self, data: Dataset) -> Floats:
        """What share of the votes each class has, (cases, classes)."""
        voting = voting_of(self._begun["voting"], self._begun["learner"]) if self._is_boosted else "error"
        total: Any = 0.0
        for said in self._asked(lambda member, vote: ballots(member, vote, data, voting)):
            total = total + said
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    @of_one_model
    def votes(self, X: Any) -> npt.NDArray[np.int32]:
        """The class that each member gives each case, as a place in ``classes_``: (members, cases)."""
        data = self._cases(X)
        return np.array(list(self._asked(lambda member, _: member.predict_codes(data))), dtype=np.int32)

    def _explanations(self, data: Dataset) -> Sequence[EnsembleExplanation]:
        shares, probabilities = self._shares_of_votes(data), self._probabilities(data)
        chosen = self._chosen(probabilities)
        return explain_by_members(self.members_, self.vote_weights_, data, probabilities, shares, chosen)

    @of_one_model
    def to_rules(self) -> tuple[tuple[Rule, ...], ...]:
        """The rules of each member: one for each leaf of a tree, or those of its list.

        Examples
        --------
        >>> import ctree
        >>> model = ctree.CommitteeClassifier(method="boosting", members=3, random_state=1).fit(ctree.load_iris())
        >>> [len(rules) for rules in model.to_rules()], str(model.to_rules()[0][0].conditions[0])
        ([5, 6, 8], 'petal_width <= 0.6')
        """
        self._check_fitted()
        found = [m.to_rules() if isinstance(m, TreeClassifier) else tuple(m.rules_) for m in self.members_]
        return tuple(found)

    @property
    @of_one_model
    def feature_importances_(self) -> Floats:
        """The mean of the importances of each attribute to the trees; by boosting weighed by what their votes count."""
        self._check_fitted()
        found = [importances(member.tree_, self.schema_) for member in self.members_]
        return np.asarray(np.average(found, axis=0, weights=self.vote_weights_))

    def _questions(self) -> dict[int, Sequence[float]]:
        thresholds: dict[int, set[float]] = {}
        for tree in (member.tree_ for member in self.members_):
            for attribute, threshold in zip(tree.attribute.tolist(), tree.threshold.tolist(), strict=True):
                if attribute >= 0:
                    numbers = {threshold} if self.schema_[attribute].has_order else set()
                    thresholds.setdefault(attribute, set()).update(numbers)
        order = np.argsort(-self.feature_importances_, kind="stable").tolist()
        return {attribute: sorted(thresholds[attribute]) for attribute in order if attribute in thresholds}

    def _judged(self) -> str:
        return "out of the fold" if self._is_boosted else "out of bag"

    def _more_figures(self) -> dict[str, Any]:
        return {} if self.member_errors_ is None else {"errors": self.member_errors_.tolist(), "slope": self.slope_}

    def _column_names(self) -> Sequence[str]:
        return self.schema_.names
