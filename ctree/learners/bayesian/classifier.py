"""Bayesian trees of Cano, Masegosa and Moral: tests that make the classes likelier, and averages of smaller trees."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.checks import check_flag, check_integer, check_name, check_number
from ctree.data.bins import bin_codes, binned, equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.data.impute import imputed, mode_or_mean
from ctree.errors import ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.base.kernels import case_table, most_in_class, n_threads
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.tree.answers import Answer, Range, Shares
from ctree.tree.averages import average_along_paths, average_over_prunings, log_marginals, node_alphas
from ctree.tree.interface import TreeInterface
from ctree.tree.leaves import ESTIMATES, leaf_probabilities, prior_sum
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule


class BayesianTreeClassifier(TreeClassifier):
    """Trees grown by Bayesian model selection, whose predictions average over the smaller trees within.

    A node is divided by the test of greatest marginal likelihood (the Dirichlet score β), and only if the classes are
    likelier with it than without. There is nothing to prune.

    Parameters
    ----------
    prior_weight : float or "classes"
        S, the sum of the Dirichlet parameters of a node; ``"classes"`` is the number of classes.
    averaging : bool or "prunings"
        True: the prediction is the average along the path of a case, of what its nodes would predict as leaves, each
        weighed by how likely it makes the classes. ``"prunings"``: the exact average over all prunings of the tree.
        False: what the leaf says alone.
    nonuniform : bool
        Whether classes of which a node has no case share the parameter of one class in its branches. It matters from
        three classes on.
    bins : int or None
        Continuous attributes are put into so many bins of about as many cases each, with a branch for every bin. None:
        they are divided at thresholds, chosen by β like any other test.
    unknown : {"fractions", "impute"}
        Cases of unknown value go down every branch in parts; or the value is taken to be the most frequent one, the
        mean of a continuous attribute, in training and later.
    min_cases : float
        Two branches of every test must have this weight of cases. While every case counts one and nothing is unknown, 1
        asks for no more than that they are not empty; with unknown values it keeps the tree from dividing ever
        smaller fractions of cases. Lower it where the weights of cases are small.
    split_prior : float
        For ``averaging="prunings"``: the prior probability that a node keeps its branches.
    leaves : {"dirichlet", "laplace", "frequency", "m", "m-branch"}
        What a node makes of its class counts; see `ctree.tree.leaves`. The paper's is the first.
    m : float
        The weight of the priors for ``leaves="m"`` and ``"m-branch"``.
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
        The tree with the averaged probabilities. Its schema has the bins of continuous attributes as values.
    node_weights_ : array
        Along the path: the weight of each node's own estimate in the average that ends with it. Over prunings: how
        probable it is that a node is a leaf, if it is there at all. Without averaging: 1 for leaves, else 0.
    cuts_ : list of array
        Per continuous attribute in bins the upper bounds of its bins but the last; None for others.
    fillers_ : list
        Per attribute what is taken for an unknown value: a code, a number; None for nothing.
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    schema_ : Schema
        The attributes and classes.
    n_features_in_ : int

    Notes
    -----
    A test is judged by the cases whose value is known; the averages take the counts of the nodes, parts of cases and
    all. A node whose cases are all of one class is not divided.

    References
    ----------
    Cano, Masegosa, Moral: A Bayesian approach to estimate probabilities in classification trees. PGM 2008.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.BayesianTreeClassifier(bins=None).fit(golf)
    >>> print(model.tree_.to_text())
    outlook = overcast: Play (4.0)
    outlook = sunny:
    |   humidity <= 77.5 : Play (2.0)
    |   humidity > 77.5 : Don't Play (3.0)
    outlook = rain:
    |   windy = true: Don't Play (2.0)
    |   windy = false: Play (3.0)
    >>> day = {"outlook": ["overcast"], "temperature": [70], "humidity": [80], "windy": ["true"]}
    >>> model.predict_proba(day).round(3)
    array([[0.755, 0.245]])
    """

    tree_: Tree
    node_weights_: Floats
    cuts_: list[Floats | None]
    fillers_: list[float | int | None]

    def __init__(
        self,
        *,
        prior_weight: float | str = 2.0,
        averaging: bool | str = True,
        nonuniform: bool = True,
        bins: int | None = 5,
        unknown: str = "fractions",
        min_cases: float = 1.0,
        split_prior: float = 0.5,
        leaves: str = "dirichlet",
        m: float = 2.0,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
        n_jobs: int | None = None,
    ) -> None:
        self.prior_weight = prior_weight
        self.averaging = averaging
        self.nonuniform = nonuniform
        self.bins = bins
        self.unknown = unknown
        self.min_cases = min_cases
        self.split_prior = split_prior
        self.leaves = leaves
        self.m = m
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.unseen = unseen
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight)
        fillers = [mode_or_mean(data, a) if self.unknown == "impute" else None for a in range(len(data.schema))]
        data = imputed(data, fillers)
        cuts: list[Floats | None] = [None] * len(data.schema)
        if self.bins is not None:
            for a, (attribute, column) in enumerate(zip(data.schema, data.columns, strict=True)):
                if attribute.is_continuous and column is not None:
                    cuts[a] = equal_frequency_cuts(np.asarray(column, dtype=np.float64), self.bins, data.weights)
        coded = binned(data, cuts)
        self.tree_, self.node_weights_ = self._averaged(coded, self._grow(coded))
        self.fillers_, self.cuts_ = fillers, cuts
        self._set_schema(data.schema)
        return self

    def _grow(self, data: Dataset) -> NodeArrays:
        n_classes = data.schema.n_classes
        weight = float(data.n_cases if data.weights is None else data.weights.sum())
        score = SplitScore(
            "bayes",
            data.n_cases,
            n_classes,
            prior_weight=prior_sum(self.prior_weight, n_classes),
            nonuniform=self.nonuniform,
            max_in_class=most_in_class(data),
            weight=weight,
        )
        return ScoreGrower(
            case_table(data, single=False),
            score,
            StoppingRule("bayes", weight, n_classes),
            min_cases=self.min_cases,
            n_threads=n_threads(self.n_jobs),
        ).grow()

    def _averaged(self, data: Dataset, arrays: NodeArrays) -> tuple[Tree, Floats]:
        """The tree with its averaged probabilities, and the weights of the nodes in them."""
        counts, parent = arrays.counts, arrays.parents()
        alphas = node_alphas(counts, parent, self.prior_weight, self.nonuniform)
        estimates = leaf_probabilities(counts, estimate=self.leaves, m=self.m, parent=parent, alphas=alphas)
        if self.averaging == "prunings":
            pruned = average_over_prunings(estimates, log_marginals(counts, alphas), parent, self.split_prior)
            probabilities, weights = pruned.probabilities, pruned.stop
        elif self.averaging:
            probabilities, weights = average_along_paths(estimates, log_marginals(counts, alphas), parent)
        else:
            probabilities, weights = estimates, (arrays.n_branches == 0).astype(np.float64)
        # sums of many small parts may miss 1 by a bit
        probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
        # The class of a node is what it predicts, which by an average need not be the most frequent one there.
        best = probabilities.argmax(axis=1)
        errors = np.maximum(arrays.cases - counts[np.arange(len(counts)), best], 0.0)
        return Tree(data.schema, arrays.replace(probabilities=probabilities, best=best, errors=errors)), weights

    def _tree_answer(self, attribute: int, answer: Answer) -> Answer:
        """What a person answered of an attribute, as `tree_` has it: unknown values replaced, numbers in their bins.

        Of a range every bin gets the part that lies in it.
        """
        value, cuts = self.fillers_[attribute], self.cuts_[attribute]
        discrete = self.schema_[attribute].is_discrete
        if answer is None and value is not None:
            n_values = len(self.schema_[attribute].values)
            answer = Shares(tuple(np.eye(n_values)[int(value)].tolist())) if discrete else Range(value, value)
        if cuts is None or not isinstance(answer, Range):
            return answer
        bounds = np.concatenate([[-np.inf], cuts, [np.inf]])
        if answer.low < answer.high:
            inside = np.clip(bounds, answer.low, answer.high)
            return Shares(tuple((np.diff(inside) / (answer.high - answer.low)).tolist()))
        code = int(bin_codes(np.array([answer.low]), cuts)[0])
        return Shares(tuple(np.eye(len(cuts) + 1)[code].tolist()))

    def _tree_cases(self, X: Any) -> Dataset:
        """Cases as `tree_` takes them: unknown values replaced if they are to be, numbers in their bins."""
        return binned(imputed(self._cases(X), self.fillers_), self.cuts_)

    def _interface(self) -> TreeInterface:
        """What this learner does with a case before the tree gets it, and what each node counts in the averages."""
        self._check_fitted()
        weighing = "prunings" if self.averaging == "prunings" else "path" if self.averaging else ""
        weights = self.node_weights_ if weighing else None
        return TreeInterface(self.schema_, fill=self.fillers_, cuts=self.cuts_, weights=weights, weighing=weighing)

    def _probabilities(self, data: Dataset) -> Floats:
        return self.tree_.predict_proba(binned(imputed(data, self.fillers_), self.cuts_))

    def _check_parameters(self) -> None:
        if self.averaging != "prunings" and not isinstance(self.averaging, bool):
            raise ParameterError(f"averaging must be True, False or 'prunings', not {self.averaging!r}")
        check_name("unknown", self.unknown, ("fractions", "impute"))
        check_name("leaves", self.leaves, ESTIMATES)
        check_flag("nonuniform", self.nonuniform)
        check_integer("bins", self.bins, least=1, none=True)
        for name in ("min_cases", "m"):
            check_number(name, getattr(self, name), above=0)
        check_number("split_prior", self.split_prior, above=0, below=1)
        prior_sum(self.prior_weight, 2)
