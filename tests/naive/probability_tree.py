"""The seven approaches to probability trees that Fierens et al. compare, every test weighed the long way.

All choose the test of greatest N·gain, but for `chi2`, where it is the one of greatest chi-square. They differ in what
that figure has to reach, and in what is pruned afterwards:

=========  =================  ==========================
method     figure to reach    pruning
=========  =================  ==========================
c4.5       none               by estimated errors, CF 25%
c4.4       none               none
mdl-stop   MDL threshold      none
mdl-prune  none (early stop)  by description length
bic-stop   BIC threshold      none
bic-prune  none (early stop)  by BIC
chi2       chi-square cutoff  none
=========  =================  ==========================

Where no figure has to be reached, a test that gains nothing is as good as another (exclusive-or needs one), unless all
cases are of one class. Of unknown values the report says nothing; here they are as in C4.5: figures are those of the
known cases, and a case of unknown value goes down every branch in parts.
"""

import copy
import math
from collections.abc import Sequence

from naive.bayes_criteria import (
    Matrix,
    bic_threshold,
    chi_square,
    chi_square_cutoff,
    information,
    mdl_threshold,
    n_branches,
    n_gain,
)
from naive.candidate_tests import Data, Node, Share, Test, candidates, divide, paths
from naive.leaf_estimates import estimate
from naive.release8_grow import Node as Release8Node
from naive.release8_prune import Pruner

METHODS = ("c4.5", "c4.4", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2")

# Figures that differ by less are equal: the sums behind them may have been made in another order.
TOLERANCE = 1e-9


class ProbabilityTree:
    """Learns a tree from `data` at once; `grown` is it before pruning, `root` the final one.

    `binary`: one value against the others, in place of a branch for each value. `choose_by` matters only without it,
    where thresholds differ from test to test of a node: the greatest "figure", or the greatest "excess" over what it
    has to reach. `present_df`: degrees of freedom of chi-square from the classes present at the node, not from all.

    >>> data = Data([[0, 0, 1, 1] * 5, [0, 1, 0, 1] * 5], [2, 2], [0, 1, 1, 0] * 5, 2)
    >>> [(method, leaves(ProbabilityTree(data, method).root)) for method in METHODS]  # exclusive-or
    [('c4.5', 4), ('c4.4', 4), ('mdl-stop', 1), ('mdl-prune', 4), ('bic-stop', 1), ('bic-prune', 4), ('chi2', 1)]
    """

    def __init__(
        self,
        data: Data,
        method: str,
        *,
        binary: bool = True,
        min_cases: float = 0.0,
        confidence: float = 0.25,
        raising: bool = True,
        level: float = 0.1,
        present_df: bool = False,
        early_stop: bool = True,
        choose_by: str = "excess",
    ):
        if method not in METHODS:
            raise ValueError(f"no method {method!r}, only {', '.join(METHODS)}")
        self.data = data
        self.method = method
        self.binary = binary
        self.min_cases = min_cases
        self.level = level
        self.present_df = present_df
        self.early_stop = early_stop
        self.choose_by = choose_by
        cases = data.all_cases()
        self.n = math.fsum(weight for _, weight in cases)
        self.grown = self.grow(cases)
        self.root = copy.deepcopy(self.grown)
        if method == "c4.5":
            self.root = prune_by_errors(self.root, data, confidence, raising)
        elif method.endswith("prune"):
            self.prune(self.root)

    def grow(self, cases: Share) -> Node:
        node = Node(self.data.counts(cases))
        if sum(n > 0 for n in node.counts) < 2:
            return node
        tests = candidates(self.data, cases, self.binary, self.min_cases)
        node.n_tests = len(tests)
        best = self.best_test(tests)
        if best is None or self.is_hopeless(node, tests):
            return node
        node.test = best
        node.branches = [self.grow(part) for part in divide(self.data, best, cases)]
        return node

    def figure(self, matrix: Matrix) -> float:
        """What a test is worth."""
        return chi_square(matrix) if self.method == "chi2" else n_gain(matrix)

    def threshold(self, matrix: Matrix, n_tests: int) -> float:
        """What the figure of the best test has to reach, if it is one of `n_tests`."""
        branches = n_branches(matrix)
        if self.method == "mdl-stop":
            return mdl_threshold(self.n, self.data.n_classes, n_tests, branches)
        if self.method == "bic-stop":
            return bic_threshold(self.n, self.data.n_classes, branches)
        if self.method == "chi2":
            present = sum(any(column) for column in zip(*matrix, strict=True))
            n_classes = present if self.present_df else self.data.n_classes
            return chi_square_cutoff(n_tests, n_classes, branches, self.level)
        return -math.inf

    def best_test(self, tests: list[tuple[Test, Matrix]]) -> Test | None:
        """The best test, the first of equals; None if it is not good enough."""
        best, best_worth, accepted = None, -math.inf, False
        for test, matrix in tests:
            figure, threshold = self.figure(matrix), self.threshold(matrix, len(tests))
            worth = figure - self.price(matrix, len(tests)) if self.choose_by == "excess" else figure
            if best is None or worth > best_worth + TOLERANCE:
                best, best_worth, accepted = test, worth, figure >= threshold - TOLERANCE
        return best if accepted else None

    def price(self, matrix: Matrix, n_tests: int) -> float:
        """What a test has to reach to be made, or to outlast pruning."""
        if self.method.endswith("prune"):
            return self.split_cost(n_branches(matrix), n_tests)
        threshold = self.threshold(matrix, n_tests)
        return threshold if threshold > -math.inf else 0.0

    def is_hopeless(self, node: Node, tests: list[tuple[Test, Matrix]]) -> bool:
        """Would the pruning methods undo every test here? They would if even one that left no doubt could not pay."""
        if not self.early_stop or not self.method.endswith("prune"):
            return False
        fewest = min(n_branches(matrix) for _, matrix in tests)
        return information(node.counts) < self.split_cost(fewest, len(tests)) - TOLERANCE

    def split_cost(self, branches: int, n_tests: int) -> float:
        """Bits that a test with leaves costs more than a leaf."""
        if self.method.startswith("mdl"):
            return mdl_threshold(self.n, self.data.n_classes, n_tests, branches)
        return bic_threshold(self.n, self.data.n_classes, branches)

    def cost(self, node: Node) -> float:
        """Bits that a tree costs more than a leaf: for each test as much as if its branches were leaves.

        With two branches each, L leaves in all, this is (L-1)·½(C-1)·log2 N + Σ log2 NbTests + 2L-2.
        """
        if node.test is None:
            return 0.0
        branches = sum(branch.size > 0 for branch in node.branches)
        return self.split_cost(branches, node.n_tests) + sum(self.cost(branch) for branch in node.branches)

    def prune(self, node: Node) -> None:
        """Make leaves of the tests that cost more bits than they save, the lowest first."""
        for branch in node.branches:
            self.prune(branch)
        if node.test is not None and saving(node) < self.cost(node) - TOLERANCE:
            node.test, node.branches = None, []

    def probabilities(self, case: Sequence, leaf_estimate: str = "laplace", **how) -> list[float]:
        """Of each class, for a case that is a list of values; it goes in parts where one is unknown."""
        result = [0.0] * self.data.n_classes
        for share, path in paths(self.root, case):
            for c, p in enumerate(estimate([node.counts for node in path], leaf_estimate, **how)):
                result[c] += share * p
        return result


def saving(node: Node) -> float:
    """Bits that the classes take less with a tree than with a leaf."""
    return information(node.counts) - remaining(node)


def remaining(node: Node) -> float:
    """Bits that the classes take in the leaves."""
    if node.test is None:
        return information(node.counts)
    return math.fsum(remaining(branch) for branch in node.branches)


def leaves(node: Node) -> int:
    return 1 if node.test is None else sum(leaves(branch) for branch in node.branches)


def placed_tests(node: Node, path: tuple = ()) -> dict[tuple, Test]:
    """The tests of a tree by their place. Trees nest if all the tests of one are those of the other, at its places."""
    if node.test is None:
        return {}
    result = {path: node.test}
    for number, branch in enumerate(node.branches):
        result |= placed_tests(branch, (*path, number))
    return result


def prune_by_errors(node: Node, data: Data, confidence: float = 0.25, raising: bool = True) -> Node:
    """The tree as release 8 prunes it, if `raising` with a branch in the place of its parent where that is better."""
    pruner = Pruner(data.columns, data.n_values, data.classes, data.n_classes, confidence, raising)
    pruned = to_release8(node)
    if data.weights is not None:
        pruner.weights = [float(weight) for weight in data.weights]
        pruner.cases = [case for case, weight in enumerate(data.weights) if weight > 0]
    pruner.estimate(pruned, 0, len(pruner.cases), True, data.weights is None)
    return from_release8(pruned, data.n_values)


def to_release8(node: Node) -> Release8Node:
    cls = node.counts.index(max(node.counts))
    result = Release8Node("leaf", cls, node.counts, node.size, node.size - node.counts[cls])
    test = node.test
    if test is not None:
        result.kind = "groups" if test.kind == "one value" else test.kind
        result.attribute, result.threshold = test.attribute, test.cut
        if test.kind == "one value":
            result.groups = [(test.value,), tuple(v for v in range(test.n_values) if v != test.value)]
        result.branches = [to_release8(branch) for branch in node.branches]
    return result


def from_release8(node: Release8Node, n_values: Sequence[int]) -> Node:
    result = Node([float(n) for n in node.counts])
    if node.kind != "leaf":
        kind = "one value" if node.kind == "groups" else node.kind
        value = node.groups[0][0] if node.kind == "groups" else None
        result.test = Test(kind, node.attribute, n_values[node.attribute], node.threshold, value)
        result.branches = [from_release8(branch, n_values) for branch in node.branches]
    return result
