"""The one best tree of all: that of least error, or the most probable one."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Nothing
from ctree.domains.numeric import Integer
from ctree.learners.base.classifier import Floats
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.lattice.fields import bound_from_fields, finite_or_none
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.tree.answers import Answer, Range, Shares
from ctree.tree.binary_tree import tree_of_tests
from ctree.tree.interface import TreeInterface
from ctree.tree.tree import Tree

OBJECTIVES = {"error": "errors", "posterior": "posterior"}

OF_THE_POSTERIOR: dict[str, tuple[Any, ...]] = {"objective": ("posterior",)}
"""Errors are counted whatever the prior is."""

PRIOR_BINS = 4
"""Bins of equal frequency where thresholds have a prior."""


class OptimalTreeClassifier(TreeClassifier, LatticeClassifier):
    """The best of all trees of bounded depth: the fewest training errors (DL8), or the greatest posterior (MAP).

    Notes
    -----
    An unknown value is taken as the most frequent value of its attribute among the training cases, or as their median,
    in learning and in predicting. Weights of cases have to be whole numbers. Of equally good trees, the one whose tests
    look best at once is given.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.OptimalTreeClassifier(max_depth=2).fit(ctree.load_golf())
    >>> model.objective_, model.optimal_
    (1.0, True)
    >>> print(model.tree_.to_text())
    outlook = rain:
    |   windy = true: Don't Play (2.0)
    |   windy = false: Play (3.0)
    outlook in {sunny,overcast}:
    |   humidity <= 79 : Play (5.0)
    |   humidity > 79 : Don't Play (4.0/1.0)
    """

    objective: str = parameter(
        "error",
        Choice(*OBJECTIVES),
        "What makes a tree the best: the fewest errors on the training cases; or prior times likelihood, which "
        "balances size and fit.",
    )
    bins: int | str | None = changed(
        "auto",
        domain=AnyOf(Integer(least=2), Nothing(), Choice("auto", "boundaries", "binary")),
        help="Number of bins of about equal frequency for a continuous attribute, which is tested at their bounds. "
        'None: at all values that divide the cases. ``"boundaries"``: where the classes change, at 4 to 16 thresholds '
        'each. ``"binary"``: every attribute has to be 0 or 1. ``"auto"``: boundaries for the fewest errors, 4 bins '
        "for the posterior, whose prior must not depend on the classes.",
    )
    time_limit: float | None = changed(
        help="Seconds that `fit` may take, or all of `ctree learn`. None: no limit. At the limit there is a "
        "`LimitWarning`, and the best tree so far is given; `bound_` says how much better another may be. Some of the "
        "time goes to searches of less depth: the tree is no worse than the best one of the greatest depth that was "
        "searched completely."
    )
    memory_limit: int | None = changed(
        1 << 30,
        help="Bytes for the cases and what the search remembers; at the limit as with `time_limit`. None: no limit.",
    )
    tree_prior: str = changed(only_if=OF_THE_POSTERIOR)
    gamma: float = changed(only_if={**OF_THE_POSTERIOR, "tree_prior": ("chipman",)})
    delta: float = changed(only_if={**OF_THE_POSTERIOR, "tree_prior": ("chipman",)})
    test_prior: str = changed(only_if={**OF_THE_POSTERIOR, "tree_prior": ("chipman",)})
    alpha: float = changed(
        1.0, help="Dirichlet parameter of each class in a leaf, whose probabilities are (n_c + alpha) / (n + alpha C)."
    )

    tree_: Tree = fitted("Tree", "The best tree.")
    objective_: float = fitted("float", "The training errors of the tree, or ln of its prior times likelihood.")
    bound_: float = fitted("float", "No tree has fewer errors, or a greater posterior.")
    optimal_: bool = fitted("bool", "Whether the tree is proved to be the best: `objective_` is `bound_`.")

    def _bins(self) -> int | str | None:
        if self.bins != "auto":
            return self.bins
        return "boundaries" if self.objective == "error" else PRIOR_BINS

    def _bracket(self, low: float, high: float) -> dict[str, float]:
        if self.objective == "error":
            return {"errors so far": -low, "bound": -high + 0.0}
        return super()._bracket(low, high)

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, search_time: float | None) -> None:
        self._check_parameters()
        search = self._start(X, y, sample_weight, OBJECTIVES[self.objective], search_time)
        search.run()
        self.tree_ = self._decided(tree_of_tests(self.tests_, search.best_tree(), self.alpha), self._worths())
        sign = -1.0 if self.objective == "error" else 1.0
        self.objective_, self.bound_ = sign * search.low + 0.0, sign * search.high + 0.0
        self.optimal_ = search.low == search.high
        self.n_states_ = search.full.n_states
        if not self.optimal_:
            if self.objective == "error":
                sentence = f"the tree has {self.objective_:g} errors, and no tree has fewer than {self.bound_:g}"
            else:
                sentence = (
                    f"the ln posterior of the tree is {self.objective_:g}, and none has more than {self.bound_:g}"
                )
            self._warn(search.full, sentence, search_time)
        del self._columns, self._codes

    @of_one_model
    def size_text(self) -> str:
        """How large the tree is, and how good."""
        what = "errors" if self.objective == "error" else "ln of prior times likelihood"
        return f"{super().size_text()}; {what} {self.objective_:.7g}"

    @property
    @of_one_model
    def proof_(self) -> str:
        """What is proved of the tree, in words: of which trees it is the best, or that this is not known."""
        self._check_fitted()
        trees = "all trees" if self.max_depth is None else f"all trees of depth {self.max_depth} or less"
        if self.min_cases > 1:
            trees += f", with {self.min_cases} cases or more in each leaf,"
        covered = f"the best of {trees} with these tests: {self.tests_.described()}"
        return covered if self.optimal_ else f"none that it is {covered}; bound {self.bound_:.7g}"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data; a bound that is infinite is None."""
        return {
            **super().summary(),
            "objective": self.objective_,
            "bound": finite_or_none(self.bound_),
            "optimal": self.optimal_,
            "proof": self.proof_,
            "states": self.n_states_,
        }

    def _tree_answer(self, attribute: int, answer: Answer) -> Answer:
        """What a person answered about an attribute; what stands for an unknown value if that was the answer."""
        value = self.tests_.fill[attribute]
        if answer is not None or value is None:
            return answer
        n_values = len(self.schema_[attribute].values)
        if not self.schema_[attribute].is_discrete:
            return Range(value, value)
        return Shares(tuple(float(code == value) for code in range(n_values)))

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            **LatticeClassifier._fitted_fields(self),
            **TreeClassifier._fitted_fields(self),
            "objective": finite_or_none(self.objective_),
            "bound": finite_or_none(self.bound_),
            "optimal": self.optimal_,
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        LatticeClassifier._restore(self, fields, schema)
        TreeClassifier._restore(self, fields, schema)
        self.objective_ = bound_from_fields(fields.value("objective"), fields.place_of("objective"))
        self.bound_ = bound_from_fields(fields.value("bound"), fields.place_of("bound"))
        self.optimal_ = fields.get("optimal", bool)

    def _interface(self) -> TreeInterface:
        """What this learner does with a case before the tree gets it."""
        self._check_fitted()
        return TreeInterface(self.schema_, fill=self.tests_.fill).by_costs(self.tree_.probabilities, self._worths())

    def _tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them: unknown values replaced."""
        return self.tests_.filled(self._cases(X))

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(self.tests_.filled(data))
