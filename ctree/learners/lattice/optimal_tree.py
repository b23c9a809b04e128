"""The one best tree of all: that of least error, or the most probable one."""

from __future__ import annotations

from typing import Any, Self

import numpy.typing as npt

from ctree.checks import check_name
from ctree.data.dataset import Dataset
from ctree.learners.base.classifier import Floats
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.tree.binary_tree import tree_of_tests
from ctree.tree.interface import TreeInterface
from ctree.tree.tree import Tree

OBJECTIVES = {"error": "errors", "posterior": "posterior"}


class OptimalTreeClassifier(TreeClassifier, LatticeClassifier):
    """The best of all trees of bounded depth: the fewest training errors (DL8), or the greatest posterior (MAP).

    Parameters
    ----------
    objective : {"error", "posterior"}
        What is best: few errors on the training cases; or prior times likelihood, which balances size and fit.
    min_support : int
        At least so many cases in every leaf.
    max_depth : int or None
        At most so many tests one after the other; None for no limit (but 500).
    prior : {"size", "uniform"}
        For the posterior, see `BayesOptimalClassifier`; so are `gamma`, `delta`, `alpha` and `test_prior`. `alpha` also
        makes the probabilities of leaves: (n_c + alpha) / (n + alpha C).
    bins : int, None or "binary"
        Continuous attributes are tested at the bounds of so many bins of about as many cases each; at all values that
        divide the cases (None); or every attribute has to be 0 or 1 ("binary").
    time_limit, memory_limit : float, int or None
        Seconds, and bytes for the cases and for states. When one is reached, the best tree so far is given, with a
        `LimitWarning`; `bound_` says how much better another may be.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; the products have to be whole numbers, as cases are
        counted. ``"balanced"`` lets every class count the same in sum, which seldom comes out whole.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.

    Attributes
    ----------
    tree_ : Tree
    objective_ : float
        The training errors of the tree, or ln of its prior times likelihood.
    bound_ : float
        No tree has fewer errors, or a greater posterior.
    optimal_ : bool
        Whether the tree is proved to be the best: `objective_` is `bound_`.
    n_states_ : int
        Sets of cases that the search has visited.
    tests_ : BinaryTests
        The tests that trees are made of.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    schema_ : Schema
        The attributes and classes.
    n_features_in_ : int

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
    |   humidity <= 80 : Play (5.0)
    |   humidity > 80 : Don't Play (4.0/1.0)
    """

    tree_: Tree
    objective_: float
    bound_: float
    optimal_: bool

    def __init__(
        self,
        *,
        objective: str = "error",
        min_support: int = 1,
        max_depth: int | None = 4,
        prior: str = "size",
        gamma: float = 0.8,
        delta: float = 0.8,
        alpha: float = 1.0,
        test_prior: str = "auto",
        bins: int | str | None = 4,
        time_limit: float | None = None,
        memory_limit: int | None = 1 << 30,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
    ) -> None:
        super().__init__(
            min_support=min_support,
            max_depth=max_depth,
            prior=prior,
            gamma=gamma,
            delta=delta,
            alpha=alpha,
            test_prior=test_prior,
            bins=bins,
            time_limit=time_limit,
            memory_limit=memory_limit,
            categorical_features=categorical_features,
            class_weight=class_weight,
            unseen=unseen,
        )
        self.objective = objective

    def _bracket(self, low: float, high: float) -> dict[str, float]:
        if self.objective == "error":
            return {"errors so far": -low, "bound": -high + 0.0}
        return super()._bracket(low, high)

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Self:
        check_name("objective", self.objective, OBJECTIVES)
        lattice = self._start(X, y, sample_weight)
        low, high = lattice.search(OBJECTIVES[self.objective])
        self.tree_ = tree_of_tests(self.tests_, lattice.tree(OBJECTIVES[self.objective]), self.alpha)
        sign = -1.0 if self.objective == "error" else 1.0
        self.objective_, self.bound_ = sign * low + 0.0, sign * high + 0.0
        self.optimal_ = low == high
        self.n_states_ = lattice.n_states
        if not self.optimal_:
            if self.objective == "error":
                sentence = f"the tree has {self.objective_:g} errors, and no tree has fewer than {self.bound_:g}"
            else:
                sentence = (
                    f"the ln posterior of the tree is {self.objective_:g}, and none has more than {self.bound_:g}"
                )
            self._warn(lattice, sentence)
        del self._columns, self._codes
        return self

    def _interface(self) -> TreeInterface:
        """What this learner does with a case before the tree gets it."""
        self._check_fitted()
        return TreeInterface(self.schema_, fill=self.tests_.fill)

    def _tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them: unknown values replaced."""
        return self.tests_.filled(self._cases(X))

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(self.tests_.filled(data))
