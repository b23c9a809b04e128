"""Bagging: trees of bootstrap samples, whose probabilities are averaged (Breiman)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields
from ctree.data.relational.data import RelationalData
from ctree.domains.domain import AnyOf, Flag, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.learners.base.classifier import Floats, label_array
from ctree.learners.base.common_parameters import InThreads, Seed, WithProgress, n_threads, seed_of
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.committee.bagged_members import BaggedMembers
from ctree.learners.committee.committee import Committee
from ctree.learners.committee.domains import TreeLearner
from ctree.learners.committee.fields import committee_from_fields, committee_to_fields
from ctree.learners.committee.out_of_bag import OutOfBag, share_right
from ctree.learners.committee.relational_training import RelationalTraining
from ctree.learners.committee.runs import MAX_MEMBERS, in_turns
from ctree.learners.relational.classifier import RelationalTreeClassifier
from ctree.learners.relational.learner import RelationalLearner
from ctree.learners.relational.training import examples_of
from ctree.progress import ProgressCallback
from ctree.tree.explain.explanation import one_or_list
from ctree.tree.explain.relational_ensemble import explain_by_relational_trees
from ctree.tree.relational_importances import relational_importances
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.relational_trees import RelationalTrees
from ctree_ext.base.node_arrays import Ints

WITHOUT_EFFECT = ("data", "n_jobs", "unseen", "verbose")
"""Parameters of the learner that do not change what is learned."""


class BaggedTreesClassifier(Committee, RelationalLearner, InThreads, WithProgress):
    """The average of many trees, each learned from examples drawn with replacement (bagging).

    As many examples are drawn for each tree as there are, so that some are there several times and about a third not at
    all. The average ranks and predicts better than one tree, but cannot be read as one. The examples that a tree was
    not learned from show how good the average is, without further data: `oob_score_` and `oob_proba_`.

    Notes
    -----
    The trees are relational ones, and the examples a `RelationalData` or keys of its examples; committees from one
    table are those of `CommitteeClassifier`.

    With n examples that weigh more than 0, the stream of member k, from 0, is ``np.random.default_rng`` of
    ``np.random.SeedSequence(seed_).spawn(k + 1)[k]``, and its ``integers(n, size=max(1, round(sample_share * n)))`` are
    the examples that it draws. The member is what `learner` learns from all examples if each weighs its `sample_weight`
    times the number of times that it was drawn, but for what members share: the values of discrete columns and the cuts
    of ``thresholds`` are those of all examples. So the first 50 of 100 members are those of a committee of 50.

    Members are grown side by side by `n_jobs` threads, each by one; ``learner.n_jobs`` and ``learner.verbose`` have no
    effect.

    Ctrl-C ends `fit` within a moment: KeyboardInterrupt is raised, but the model is fitted by the members that were
    done, if there are any, and goes on from there if `warm_start` is set.

    References
    ----------
    Breiman: Bagging predictors. Machine Learning 24, 1996.
    Van Assche, Vens, Blockeel, Dzeroski: First order random forests: Learning relational classifiers with complex
    aggregates. Machine Learning 64, 2006.

    Examples
    --------
    >>> import ctree
    >>> parts = ["gear", "belt", "gear", "engine", "belt", "gear", "engine", "belt"]
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": list(range(8)), "action": ["fix", "ok", "fix", "ok", "ok", "fix", "ok", "ok"]},
    ...      "worn": {"machine": list(range(8)), "part": parts}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> model = ctree.BaggedTreesClassifier(members=20, random_state=1).fit(data)
    >>> model.predict(data).tolist()
    ['fix', 'ok', 'fix', 'ok', 'ok', 'fix', 'ok', 'ok']
    >>> len(model.members_), model.oob_score_
    (20, 1.0)
    >>> print(model.members_[0].to_text())
    does the machine have a worn (worn 1) with part = gear?
    |-- yes: fix  (4 examples: fix 0.83, ok 0.17)
    `-- no: ok  (4 examples: fix 0.17, ok 0.83)
    """

    cases_word, columns_word = "examples", "columns"

    learner: Any = parameter(
        None,
        AnyOf(Nothing(), TreeLearner()),
        "What learns each tree, a `RelationalTreeClassifier`. None: one with its defaults, whose trees are not pruned.",
        on_command_line=False,
    )
    members: int = parameter(100, Integer(least=1, most=MAX_MEMBERS), "Number of trees.")
    sample_share: float = parameter(
        1.0, Number(above=0, most=1), "How many examples are drawn for each tree, as a share of all."
    )
    warm_start: bool = parameter(
        False,
        Flag(),
        "Whether `fit` with the same examples adds trees to those that there are, until there are `members`, rather "
        "than start again.",
        on_command_line=False,
    )
    random_state: Any = parameter(None, Seed(), "Random seed; None for a new one each time.", aliases=("--seed",))

    members_: tuple[RelationalTreeClassifier, ...] = fitted(
        "tuple of RelationalTreeClassifier", "The members, each fitted to its bag."
    )
    oob_proba_: Floats = fitted(
        "array (examples, classes)",
        "Of each training example the mean of the probabilities by those members that were not learned from it; NaN "
        "where there are none.",
    )
    oob_score_: float = fitted(
        "float", "The share of training examples whose class is predicted right by `oob_proba_`; NaN if there are none."
    )
    seed_: int = fitted("int", "The seed that `random_state` came to.")
    _fingerprint: str = fitted()
    _fitted_share: float = fitted()
    _trees: RelationalTrees = fitted()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
    ) -> Self:
        """Learn from a `RelationalData`, which has the classes; or from keys of examples in ``learner.data``, and `y`.

        `progress` is called ten times a second with a `Progress`, or True to show it.
        """
        self._check_parameters()
        learner, wanted = self._tree_learner(), int(self.members)
        learner._check_parameters()
        training = RelationalTraining(learner, X, y, sample_weight)
        fingerprint = training.digest()
        goes_on = self.warm_start and hasattr(self, "members_")
        before: tuple[Any, ...] = ()
        if goes_on:
            before = self._members_to_keep(
                wanted, self._settings_then_and_now(learner), fingerprint == self._fingerprint
            )
        share, seed = float(self.sample_share), self.seed_ if goes_on else seed_of(self.random_state)
        grown = BaggedMembers(training, seed, share, wanted, before)

        def become() -> None:
            more = {"seed_": seed, "_fingerprint": fingerprint, "_fitted_share": share}
            self._become(training, grown.said, grown.members, **more)

        self._grow(grown, progress, become)
        learner._warn_of_skipped(sum(member.skipped_steps_ for member in self.members_[len(before) :]))
        return self

    def _tree_learner(self) -> RelationalTreeClassifier:
        return RelationalTreeClassifier() if self.learner is None else self.learner

    def _settings_then_and_now(self, learner: RelationalTreeClassifier) -> list[tuple[str, Any, Any]]:
        """Parameters: their names, with what the members were learned, and what they are now."""
        then, now = self.members_[0].get_params(deep=False), learner.get_params(deep=False)
        pairs = [(f"learner__{name}", then[name], now[name]) for name in now if name not in WITHOUT_EFFECT]
        return [*pairs, ("sample_share", self._fitted_share, float(self.sample_share))]

    def _become(self, training: RelationalTraining, said: OutOfBag, members: tuple[Any, ...], **more: Any) -> None:
        """Be fitted by these members, in one step."""
        schema, proba = training.schema, said.means()
        kept = {name: value for name, value in dict(self.__dict__).items() if name != "n_features_in_"}
        self.__dict__ = {
            **kept,
            **({"n_features_in_": 1} if training.with_keys else {}),
            **more,
            "members_": members,
            "costs_": members[0].costs_,
            "oob_proba_": proba,
            "oob_score_": share_right(proba, training.classes, training.weights),
            "schema_": schema,
            "classes_": label_array(schema.classes),
            "_trees": RelationalTrees([member.tree_ for member in members]),
        }

    def _routed(self, X: Any) -> Iterator[tuple[RelationalTree, Ints]]:
        """The trees in their order, each with the leaves of the examples, which are prepared once."""
        self._check_fitted()
        learner, threads = self._tree_learner(), n_threads(self.n_jobs)
        trees = self._trees.trees
        route = self._trees.routes(self._examples(X), learner.unseen)
        return zip(trees, in_turns(len(trees), route, threads), strict=True)

    @of_one_model
    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, the means of those of the members; the columns in the order of ``classes_``."""
        total: Any = 0.0
        for tree, leaves in self._routed(X):
            total = total + tree.probabilities[leaves]
        return np.asarray(total / len(self.members_))

    def _examples(self, X: Any) -> RelationalData:
        return examples_of(X, self._tree_learner().data)

    def _worths(self) -> Floats | None:
        """By the costs of the learner."""
        return self._trees.trees[0].worth

    def _costs_expected(self, probabilities: Floats) -> Floats:
        return self.members_[0]._costs_expected(probabilities)

    @of_one_model
    def votes(self, X: Any) -> npt.NDArray[np.int32]:
        """The class that each member gives each example, as a place in ``classes_``: (members, examples)."""
        found = [tree.best[leaves] for tree, leaves in self._routed(X)]
        return np.array(found, dtype=np.int32)

    @of_one_model
    def explain(self, X: Any) -> Any:
        """Why examples are given their classes: how many members vote for which, and which columns they ask for.

        Parameters
        ----------
        X : RelationalData, or keys of examples in the learner's `data`

        Returns
        -------
        EnsembleExplanation, or list of EnsembleExplanation
            Of a single example its explanation, of several a list. ``members_[0].explain(X)`` explains what one member
            says.
        """
        routed = list(self._routed(X))
        explained = explain_by_relational_trees([t for t, _ in routed], [leaves for _, leaves in routed])
        return one_or_list(self._with_costs(explained))

    @property
    @of_one_model
    def feature_importances_(self) -> Floats:
        """The mean of the importances of each column to the members, in the order of their names."""
        self._check_fitted()
        return np.asarray(np.mean([relational_importances(tree) for tree in self._trees.trees], axis=0))

    @of_one_model
    def to_sql(self, dialect: str = "duckdb") -> str:
        """The mean of the trees as an SQL query over the tables, with the columns of `RelationalTree.to_sql`.

        The target table needs a key. It is as long as the queries of all members; ``members_[0].to_sql()`` is that of
        one.
        """
        from ctree.export.committee_sql import committee_to_sql

        self._check_fitted()
        return committee_to_sql(self._trees.trees, dialect)

    def _column_names(self) -> Any:
        return self.feature_importance_names_

    def _to_fields(self) -> dict[str, Any]:
        """The fitted model as plain fields."""
        model = self._as_it_is()
        model._check_fitted()
        return committee_to_fields(model)

    @classmethod
    def _from_fields(cls, fields: Fields) -> Self:
        """The fitted model that plain fields describe."""
        model: Self = committee_from_fields(cls, fields)
        return model
