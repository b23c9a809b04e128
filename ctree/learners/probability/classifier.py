"""Probability trees: the seven approaches that Fierens, Ramon, Blockeel and Bruynooghe compare."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ctree.checks import check_flag, check_integer, check_name, check_number
from ctree.data.bins import bin_codes, equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.errors import ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.base.counted_tests import count_tests
from ctree.learners.base.kernels import case_table, most_in_class, n_threads
from ctree.learners.base.prunable_tree import PrunableTree
from ctree.tree.leaves import ESTIMATES, leaf_probabilities, prior_sum
from ctree.tree.length_pruning import prune_by_length
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule
from ctree_ext.prune.release8 import Pruner


class Approach(NamedTuple):
    """How an approach grows a tree and prunes it."""

    measure: str
    stopping: str
    pruning: str


METHODS = {
    "c4.5": Approach("n_gain", "never", "errors"),
    "c4.4": Approach("n_gain", "never", "never"),
    "mdl-stop": Approach("n_gain", "mdl", "never"),
    "mdl-prune": Approach("n_gain", "never", "mdl"),
    "bic-stop": Approach("n_gain", "bic", "never"),
    "bic-prune": Approach("n_gain", "never", "bic"),
    "chi2": Approach("chi_square", "chi_square", "never"),
}
"""The approaches of the report's Table 1."""


class ProbabilityTreeClassifier(PrunableTree):
    """Trees for class probabilities: seven approaches to when to stop and what to prune.

    All take the test of greatest gain times cases, but for ``"chi2"``, which takes that of greatest chi-square. Where
    tests have more than two branches, it is the greatest beyond what a test with so many has to reach, or is pruned by.

    Parameters
    ----------
    method : {"c4.4", "c4.5", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2"}
        ``"c4.4"`` grows as far as it can and prunes nothing. ``"c4.5"`` prunes that tree by estimated errors. The
        stopping rules divide a node only if the gain reaches the threshold of MDL or BIC, or chi-square is
        significant. The pruning rules grow the tree first and remove what costs more bits than it saves.
    binary : bool
        Test a discrete attribute for one value against the others; if not, with a branch for each value.
    thresholds : int or None
        For continuous attributes: None for every threshold between two values of a node, or so many for the whole
        training set, between bins of about as many cases each.
    min_cases : float
        Two branches of every test must have this weight of cases. While every case counts one and nothing is unknown, 1
        asks for no more than that they are not empty; with unknown values it keeps the tree from dividing ever
        smaller fractions of cases. Lower it where the weights of cases are small.
    confidence : float
        For ``"c4.5"``, in (0, 1]; the smaller, the more is pruned.
    level : float
        For ``"chi2"``: the level of significance, which the tests of a node share.
    present_classes : bool
        For ``"chi2"``: take the degrees of freedom from the classes that a node has, not from all as the report does.
    leaves : {"laplace", "frequency", "m", "dirichlet", "m-branch"}
        What a leaf makes of its class counts; see `ctree.tree.leaves`.
    m : float
        The weight of the priors for ``leaves="m"`` and ``"m-branch"``.
    prior_weight : float or "classes"
        The sum of the Dirichlet parameters for ``leaves="dirichlet"``.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; ``"balanced"`` lets every class count the same in sum.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.
    n_jobs : int or None
        Threads; None is 1, -1 all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_ : Tree
    unpruned_tree_ : Tree
        The tree as it was grown. Where a rule will prune, growing stops at nodes in which no test could survive it.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    schema_ : Schema
        The attributes and classes.
    n_features_in_ : int

    Notes
    -----
    The report says nothing of unknown values. Here a test is judged by the cases whose value is known, and the others
    go down every branch in parts, as in C4.5.

    C, the number of classes in the thresholds and estimates, is that of the schema: a class that is declared counts,
    even if no case has it. Leave such classes out of the `.names` file if they cannot occur.

    Its authors advise: BIC for up to five classes; for many classes ``"c4.4"`` if they are skewed, else ``"c4.5"``.

    References
    ----------
    Fierens, Ramon, Blockeel, Bruynooghe: A comparison of approaches for learning probability trees. ECML 2005, and the
    report of that name, Leuven.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.ProbabilityTreeClassifier(method="c4.4").fit(golf)
    >>> model.tree_.n_leaves
    6
    >>> ctree.ProbabilityTreeClassifier(method="mdl-stop").fit(golf).tree_.n_leaves
    1
    """

    tree_: Tree
    unpruned_tree_: Tree

    def __init__(
        self,
        *,
        method: str = "c4.4",
        binary: bool = True,
        thresholds: int | None = None,
        min_cases: float = 1.0,
        confidence: float = 0.25,
        level: float = 0.1,
        present_classes: bool = False,
        leaves: str = "laplace",
        m: float = 2.0,
        prior_weight: float | str = 2.0,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.binary = binary
        self.thresholds = thresholds
        self.min_cases = min_cases
        self.confidence = confidence
        self.level = level
        self.present_classes = present_classes
        self.leaves = leaves
        self.m = m
        self.prior_weight = prior_weight
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.unseen = unseen
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight)
        approach = METHODS[self.method]
        cases = float(data.n_cases if data.weights is None else data.weights.sum())
        grown = self._grow(data, approach, cases)
        pruned = grown
        if approach.pruning == "errors":
            pruned = Pruner(case_table(data, single=False), confidence=self.confidence).prune(grown)
        elif approach.pruning != "never":
            pruned = prune_by_length(grown, approach.pruning, cases)
        self.unpruned_tree_ = self._tree(data.schema, grown)
        self.tree_ = self.unpruned_tree_ if pruned is grown else self._tree(data.schema, pruned)
        self._set_schema(data.schema)
        return self

    def _grow(self, data: Dataset, approach: Approach, cases: float) -> NodeArrays:
        n_classes = data.schema.n_classes
        table = case_table(data if self.thresholds is None else with_listed_values(data, self.thresholds), single=False)
        stopping = StoppingRule(
            approach.stopping,
            cases,
            n_classes,
            pruning=approach.pruning if approach.pruning in ("bic", "mdl") else "never",
            level=self.level,
            present_classes=self.present_classes,
        )
        score = SplitScore(approach.measure, data.n_cases, n_classes, max_in_class=most_in_class(data), weight=cases)
        return ScoreGrower(
            table,
            score,
            stopping,
            min_cases=self.min_cases,
            binary_splits=self.binary,
            listed_thresholds=self.thresholds is not None,
            n_threads=n_threads(self.n_jobs),
        ).grow()

    def _grown_from(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """The training cases, given again."""
        data = self._training_cases(X, y, sample_weight)
        self._check_training(data)
        return data

    def _numbers_of_tests(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.int64]:
        data = self._grown_from(X, y, sample_weight)
        if self.thresholds is not None:
            data = with_listed_values(data, self.thresholds)
        return count_tests(self.unpruned_tree_, data, self.min_cases, self.binary, self.thresholds is not None)

    def _pruned_by_errors(self, X: Any, y: Any, sample_weight: Any, **settings: Any) -> Self:
        if "raising" in settings:
            raise ParameterError("raising is a setting of C45Classifier; here a branch may always be raised")
        method = self._method_of("error-based")
        model = self._copied(self.unpruned_tree_, method=method, **settings)
        model._check_parameters()
        data = self._grown_from(X, y, sample_weight)
        pruner = Pruner(case_table(data, single=False), confidence=model.confidence)
        model.tree_ = self._tree(data.schema, pruner.prune(self._grown_arrays()))
        return model

    def _with_tree(self, method: str, arrays: NodeArrays) -> Self:
        return self._copied(self._tree(self.schema_, arrays), method=self._method_of(method))

    def _method_of(self, pruning: str) -> str:
        """The method that grows as this model did and prunes so; that of this model if there is none."""
        if METHODS[self.method].stopping != "never":
            return self.method
        methods = {"error-based": "c4.5", "mdl": "mdl-prune", "bic": "bic-prune"}
        return methods.get(pruning, "c4.4") if METHODS[self.method].pruning in ("never", "errors") else self.method

    def _tree(self, schema: Schema, arrays: NodeArrays) -> Tree:
        probabilities = leaf_probabilities(
            arrays.counts,
            estimate=self.leaves,
            m=self.m,
            parent=arrays.parents(),
            prior_weight=self.prior_weight,
        )
        return Tree(schema, arrays.replace(probabilities=probabilities))

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(data)

    def _check_parameters(self) -> None:
        check_name("method", self.method, METHODS)
        check_name("leaves", self.leaves, ESTIMATES)
        for name in ("binary", "present_classes"):
            check_flag(name, getattr(self, name))
        for name in ("min_cases", "m"):
            check_number(name, getattr(self, name), above=0)
        check_number("confidence", self.confidence, above=0, most=1)
        check_number("level", self.level, above=0, below=1)
        check_integer("thresholds", self.thresholds, least=1, none=True)
        prior_sum(self.prior_weight, 2)


def with_listed_values(data: Dataset, thresholds: int) -> Dataset:
    """The cases with each number replaced by the upper bound of its bin, so that these are the only thresholds."""
    columns: list[npt.NDArray[Any] | None] = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if column is not None and attribute.is_continuous:
            column = np.asarray(column, dtype=np.float64)
            cuts = equal_frequency_cuts(column, thresholds + 1, data.weights)
            known = ~np.isnan(column)
            bounds = np.append(cuts, np.nextafter(cuts[-1], np.inf) if len(cuts) else 0.0)
            listed = np.full(len(column), np.nan)
            listed[known] = bounds[bin_codes(column, cuts)[known]]
            column = listed
        columns.append(column)
    return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)
