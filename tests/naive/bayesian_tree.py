"""Bayesian trees of Cano, Masegosa and Moral: a test wherever it makes the classes likelier, the likeliest one.

The spec is for discrete attributes without unknown values. Of unknown values it is silent; here a test is chosen by the
known cases, as in C4.5, and the others go down every branch in parts. The averages take the counts of the nodes, parts
and all.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from naive.bayes_criteria import log_bayes_factor, nonuniform_priors, uniform_priors
from naive.bayesian_averages import Node, average_along, average_of_prunings
from naive.candidate_tests import Data, Share, bin_of, candidates, divide, equal_frequency_cuts, paths

# Figures that differ by less are equal: the sums behind them may have been made in another order.
TOLERANCE = 1e-9


class BayesianTree:
    """Learns a tree from `data` at once.

    `bins` is for continuous attributes: so many of about as many cases each, or None for thresholds chosen by score.
    With `threshold_prior` "shared" each of n thresholds of an attribute has one nth of the prior of a discrete test.
    `unknown` is "fractions", or "impute" for the mode or mean of the training cases.

    >>> data = Data([[0] * 7 + [1] * 3], [2], [0] * 6 + [1] * 4, 2)
    >>> root = BayesianTree(data).root
    >>> root.counts, [branch.counts for branch in root.branches], round(root.log_factor, 6)
    ([6.0, 4.0], [[6.0, 1.0], [0.0, 3.0]], 2.333357)
    """

    def __init__(
        self,
        data: Data,
        *,
        prior_weight: float | str = 2.0,
        nonuniform: bool = False,
        bins: int | None = 5,
        unknown: str = "fractions",
        threshold_prior: str = "each",
    ):
        self.prior_weight = prior_weight
        self.nonuniform = nonuniform
        self.shares_prior = threshold_prior == "shared"
        columns, n_values = list(data.columns), list(data.n_values)
        self.fillers = [None if unknown != "impute" else filler(data, a) for a in range(len(columns))]
        self.cuts: list[list[float] | None] = [None] * len(columns)
        for a, column in enumerate(columns):
            if column is None:
                continue
            columns[a] = [self.fillers[a] if value is None else value for value in column]
            if n_values[a] == 0 and bins is not None:
                self.cuts[a] = equal_frequency_cuts(columns[a], bins, data.weights)
                columns[a] = [bin_of(value, self.cuts[a]) for value in columns[a]]
                n_values[a] = len(self.cuts[a]) + 1
        self.data = replace(data, columns=columns, n_values=n_values)
        self.root = self.grow(self.data.all_cases(), uniform_priors(data.n_classes, prior_weight))

    def grow(self, cases: Share, alphas: list[float]) -> Node:
        """The tree for some cases; `alphas` are set by the parent's counts."""
        node = Node(self.data.counts(cases), alphas=alphas)
        # With uniform priors a test of cases of one class is never better. With others it can be, for the branches are
        # surer of that class than the node was; so can one that has all cases in one branch, which `candidates` leaves
        # out.
        if sum(n > 0 for n in node.counts) < 2:
            return node
        below = nonuniform_priors(node.counts, self.prior_weight) if self.nonuniform else alphas
        best, best_factor = None, 0.0
        tests = candidates(self.data, cases, binary=False)
        node.n_tests = len(tests)
        for test, matrix in tests:
            choices = sum(other.attribute == test.attribute for other, _ in tests) if self.shares_prior else 1
            factor = log_bayes_factor(matrix, priors=alphas, branch_priors=below) - math.log(choices)
            if factor > best_factor + TOLERANCE:
                best, best_factor, node.choices = test, factor, choices
        if best is not None:
            node.test = best
            node.branches = [self.grow(part, below) for part in divide(self.data, best, cases)]
        return node

    def probabilities(self, case: Sequence, averaging: bool | str = True, split_prior: float = 0.5) -> list[float]:
        """Of each class, for a case that is a list of values.

        `averaging` is True for that along the path, "prunings" for that over all prunings, or False for none.
        """
        case = [self.prepared(value, a) for a, value in enumerate(case)]
        if averaging == "prunings":
            return average_of_prunings(self.root, case, split_prior)
        result = [0.0] * self.data.n_classes
        for share, path in paths(self.root, case):
            # Without an average the leaf predicts; if it has no cases, the last node on the way that has some.
            last = [node for node in path if node.size > 0][-1]
            for c, p in enumerate(average_along(path) if averaging else last.predictive):
                result[c] += share * p
        return result

    def prepared(self, value, attribute: int):
        """A value as the tree knows it."""
        value = self.fillers[attribute] if value is None else value
        cuts = self.cuts[attribute]
        return value if cuts is None else bin_of(value, cuts)


def filler(data: Data, attribute: int) -> float | None:
    """What to take for an unknown value: the mode, first of equals, or the mean; by weight. None if all are unknown.

    >>> filler(Data([[2, 1, 1, 2, None]], [3], [0] * 5, 1), 0), filler(Data([[1.0, 2.0, None]], [0], [0] * 3, 1), 0)
    (1, 1.5)
    """
    column = data.columns[attribute]
    known = [(column[case], weight) for case, weight in data.all_cases() if column and column[case] is not None]
    if not known:
        return None
    if data.n_values[attribute] == 0:
        return math.fsum(value * weight for value, weight in known) / math.fsum(weight for _, weight in known)
    sums = [math.fsum(weight for value, weight in known if value == v) for v in range(data.n_values[attribute])]
    return sums.index(max(sums))
