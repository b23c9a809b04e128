"""The exact average over all trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.checks import check_integer
from ctree.data.dataset import Dataset
from ctree.errors import ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.lattice.itemset_weights import Expansions, Item, LeafSearch
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.tree.binary_tree import Nested, condition_of, together, tree_of_tests
from ctree.tree.explain.itemsets import ItemsetExplanation, WeightedItemset
from ctree.tree.rules import Condition
from ctree.tree.tree import Tree
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior

MAX_PASSED = 1 << 27
"""Tests of cases that are predicted at once, a byte each."""


class BayesOptimalClassifier(LatticeClassifier):
    """The average over every decision tree of bounded depth, each weighted by its posterior probability.

    Not a sample of trees and not one tree, but all of them, exactly (Nijssen, 2008): the sum is made over the lattice
    of itemsets, where trees share what they have in common.

    Parameters
    ----------
    min_support : int
        At least so many cases in every leaf.
    max_depth : int or None
        At most so many tests one after the other; None for no limit (but 500), which is for small data only.
    prior : {"size", "uniform"}
        A node of depth d that can be divided is divided with probability gamma (1 + d)^-delta, each test being as
        likely as another ("size"); or every tree counts the same ("uniform").
    gamma, delta : float
    alpha : float
        Of the Dirichlet prior of the class probabilities in a leaf, for each class.
    test_prior : {"auto", "per_feature", "per_test"}
        What "each test being as likely" means: whether all tests of an attribute share the chance of one
        ("per_feature"), or each has its own, so that an attribute with many thresholds is chosen more often
        ("per_test", as in the paper). "auto": the thresholds of a continuous attribute share, the values of a discrete
        one do not.
    bins : int, None or "binary"
        Continuous attributes are tested at the bounds of so many bins of about as many cases each; at all values that
        divide the cases (None); or every attribute has to be 0 or 1 ("binary").
    time_limit, memory_limit : float, int or None
        For `fit`: seconds, and bytes for the cases and for states. When one is reached, there is a `LimitWarning`, and
        the average is over the trees that have been added up so far; `log_evidence_bounds_` brackets the sum over all.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; the products have to be whole numbers, as cases are
        counted. ``"balanced"`` lets every class count the same in sum, which seldom comes out whole.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.

    Attributes
    ----------
    log_evidence_ : float
        ln of the sum of prior times likelihood over all trees.
    log_evidence_bounds_ : tuple of float
        What it is between; both the same unless a limit was reached.
    complete_ : bool
        Whether all trees are in the average.
    feature_inclusion_ : array (attributes,)
        Per attribute, the posterior probability that it is tested anywhere in the tree.
    expected_tests_ : array (attributes,)
        Per attribute, how many nodes test it on average.
    expected_leaves_ : float
        The average number of leaves.
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
    A discrete attribute is tested for one value against the others. An unknown value is taken as the most frequent
    value of its attribute among the training cases, or as their median, in learning and in predicting. Weights of cases
    have to be whole numbers: a case of weight 2 is two cases. Tests at the greatest depth do not count, so the prior
    sums to 1 for any `max_depth`; evidences for different depths are those of different priors.

    Under the uniform prior `log_evidence_` is ln of the sum of the likelihoods, not divided by the number of trees, and
    `test_prior` has no effect.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.BayesOptimalClassifier(max_depth=3).fit(ctree.load_golf())
    >>> round(model.log_evidence_, 4)
    -9.9212
    >>> day = {"outlook": ["overcast"], "temperature": [70], "humidity": [80], "windy": ["true"]}
    >>> model.predict_proba(day).round(3)
    array([[0.695, 0.305]])
    >>> print(model.explain(day).itemsets[0])
     19.8%  outlook = overcast: Play [83.3%]
    """

    log_evidence_: float
    log_evidence_bounds_: tuple[float, float]
    complete_: bool
    _n_rows: int

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Self:
        lattice = self._start(X, y, sample_weight)
        for name in ("_search", "_marginals"):
            self.__dict__.pop(name, None)
        low, high = lattice.search("evidence")
        self._search = lattice
        self.log_evidence_, self.log_evidence_bounds_ = low, (low, high)
        self.complete_ = not lattice.stopped
        self.n_states_, self._n_rows = lattice.n_states, lattice.n_rows
        if not self.complete_:
            self._warn(
                lattice,
                f"ln of the evidence is between {low:.6g} and {high:.6g}; the average is over the trees found so far",
            )
        return self

    @property
    def feature_inclusion_(self) -> Floats:
        self._check_fitted()
        return self._by_attribute(self._marginals[1])

    @property
    def expected_tests_(self) -> Floats:
        self._check_fitted()
        return self._by_attribute(np.bincount(self.tests_.attributes, weights=self._marginals[0]).astype(np.float64))

    @property
    def expected_leaves_(self) -> float:
        self._check_fitted()
        return 1.0 + float(self._marginals[0].sum())

    def leaf_marginals(self, least: float = 0.01) -> list[WeightedItemset]:
        """The itemsets that are a leaf with at least this posterior probability, the most probable first."""
        self._check_fitted()
        _check_least(least)
        search = LeafSearch(self._lattice(), self._depth)
        return self._weighted(search, search.leaves(least))

    def explain(self, X: Any, *, least: float = 0.001) -> Any:
        """Why cases are given their classes: the itemsets that they meet, by their weight in the prediction.

        Parameters
        ----------
        X : one case, or several
            As for the other learners; see `Classifier.explain`.
        least : float
            Itemsets of a smaller weight than this are left out.

        Returns
        -------
        ItemsetExplanation, or a list of them for several cases
        """
        _check_least(least)
        return self._explained(X, lambda data: self._explanations(data, least))

    def _explanations(self, data: Dataset, least: float = 0.001) -> list[ItemsetExplanation]:
        labels = self.schema_.classes
        search = LeafSearch(self._lattice(), self._depth)
        result = []
        for p, sides in zip(self._probabilities(data), self.tests_.columns(data).T, strict=True):
            itemsets = tuple(self._weighted(search, search.leaves(least, sides)))
            by_class = dict(zip(labels, p.tolist(), strict=True))
            result.append(ItemsetExplanation(labels[int(p.argmax())], by_class, itemsets, least))
        return result

    def sample_trees(self, k: int, random_state: int | np.random.Generator | None = None) -> list[Tree]:
        """So many trees drawn from the posterior, each independent of the others."""
        self._check_fitted()
        check_integer("k", k, least=0)
        rng = np.random.default_rng(random_state)
        expansions = Expansions(self._lattice())
        shares: dict[frozenset[Item], Floats] = {}

        def drawn(path: tuple[Item, ...]) -> Nested:
            below = expansions.below(path)
            counts = tuple(below.class_counts.tolist())
            key = frozenset(path)
            if key not in shares:
                terms = np.append(below.chance + below.passed + below.failed, below.leaf)
                shares[key] = np.cumsum(np.exp(terms - terms.max()))
            chosen = int(np.searchsorted(shares[key], rng.random() * shares[key][-1], side="right"))
            if chosen >= len(below.tests):
                return counts, -1, None, None
            test = int(below.tests[chosen])
            return counts, test, drawn((*path, (test, True))), drawn((*path, (test, False)))

        return [tree_of_tests(self.tests_, drawn(()), self.alpha) for _ in range(k)]

    def most_probable_tree(self) -> Tree:
        """The tree with the greatest posterior of all; the sums over all trees make it quick to find."""
        self._check_fitted()
        lattice = self._lattice()
        low, high = lattice.search("posterior")
        if lattice.stopped:
            self._warn(lattice, f"the ln posterior of the tree is {low:g}, and none has more than {high:g}")
        return tree_of_tests(self.tests_, lattice.tree("posterior"), self.alpha)

    def _by_attribute(self, values: Floats) -> Floats:
        """Numbers for all attributes; those after the last attribute that has a test are 0."""
        return np.append(values, np.zeros(len(self.schema_) - len(values)))

    @property
    def _depth(self) -> int:
        return int(self._lattice().max_depth)

    @cached_property
    def _marginals(self) -> tuple[Floats, Floats]:
        return Posterior(self._lattice(), self._columns, self._codes, None, self.tests_.attributes).marginals()

    def _lattice(self) -> Lattice:
        """The lattice after its search. A model that was loaded makes the search again, up to the same state."""
        if "_search" not in self.__dict__:
            limits = {} if self.complete_ else {"state_limit": self.n_states_, "row_limit": self._n_rows}
            lattice = self._new_lattice(**limits)
            lattice.search("evidence")
            self._search = lattice
        return self._search

    def _weighted(self, search: LeafSearch, leaves: list[tuple[frozenset[Item], float]]) -> list[WeightedItemset]:
        """Leaves in the person's attributes and values; itemsets that say the same are one."""
        labels = self.schema_.classes
        result: dict[tuple[Condition, ...], WeightedItemset] = {}
        for itemset, weight in leaves:
            conditions = together([condition_of(self.tests_, test, passed) for test, passed in sorted(itemset)])
            if conditions in result:
                result[conditions] = replace(result[conditions], weight=result[conditions].weight + weight)
                continue
            counts = search.expansions.below(search.log_v(itemset)[1]).class_counts
            shares = (counts + self.alpha) / (counts.sum() + self.alpha * len(labels))
            result[conditions] = WeightedItemset(
                conditions,
                weight,
                dict(zip(labels, counts.tolist(), strict=True)),
                dict(zip(labels, shares.tolist(), strict=True)),
            )
        return sorted(result.values(), key=lambda itemset: -itemset.weight)

    def _probabilities(self, data: Dataset) -> Floats:
        columns = self.tests_.columns(data)
        # Cases that pass the same tests get the same answer.
        packed = np.packbits(columns, axis=0).T
        _, first, places = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        answers = np.empty((len(first), self.schema_.n_classes))
        # As many at once as there is room for all that each of them passes.
        room = max(MAX_PASSED // max(len(self.tests_), 1), 1)
        for start in range(0, len(first), room):
            others = np.ascontiguousarray(columns[:, first[start : start + room]])
            posterior = Posterior(self._lattice(), self._columns, self._codes, others)
            answers[start : start + room] = posterior.probabilities()
        return np.asarray(answers[places.reshape(-1)])


def _check_least(least: float) -> None:
    if not 0 < least <= 1:
        raise ParameterError(f"least must be a probability greater than 0, not {least!r}")
