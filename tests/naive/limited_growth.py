"""Trees within limits, grown by the naive growers: a depth, a number of leaves, a least gain, and a word on attributes.

Probability trees and Bayesian trees are grown best first in the plain sense: again and again the leaf is looked for
whose test saves most bits. Release 8 passes one list of cases on from node to node, so its trees and J48's grow as
ever, and the same is done with what has grown.
"""

import math
from dataclasses import dataclass, field

from naive import bayesian_tree, j48_grow, probability_tree, release8_grow
from naive.bayes_criteria import information, log_bayes_factor, n_gain, nonuniform_priors, uniform_priors
from naive.bayesian_averages import Node as BayesianNode
from naive.candidate_tests import Node, Test, candidates, divide, matrix_of
from naive.j48_numbers import eq, sm
from naive.release8_numbers import EPSILON, f, float_sum

# Bits that differ by less are equal.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Limits:
    """What a tree may not exceed. `not_below`: for an attribute, those below whose tests it is not tested.
    `first_tests`: attributes that are tested first, with a threshold or None.

    >>> Limits(max_leaves=4).deepest, Limits(max_depth=2, max_leaves=4).deepest, Limits().deepest
    (3, 2, inf)
    """

    max_depth: float = math.inf
    max_leaves: float = math.inf
    min_gain: float = -math.inf
    not_below: dict[int, set[int]] = field(default_factory=dict)
    first_tests: tuple[tuple[int, float | None], ...] = ()

    @property
    def deepest(self) -> float:
        return min(self.max_depth, self.max_leaves - 1)

    def allows(self, attribute: int, path: tuple[int, ...]) -> bool:
        """Whether an attribute may be tested below tests of others."""
        return not self.not_below.get(attribute, set()) & set(path)


@dataclass
class Open:
    """A leaf that may be divided: its cases, the branches that lead to it, and the attributes tested above."""

    node: Node
    cases: list
    place: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    step: int = 0


class BestFirst:
    """Grows a tree leaf by leaf. A child says what a node tests, by `best_of`, and makes nodes, by `leaf`."""

    def best_first(self, cases: list) -> Node:
        root = self.leaf(cases, None)
        leaves = [self.opened(Open(root, cases))]
        while True:
            # in the order of levels, so that the first of equals is the first there
            leaves.sort(key=lambda leaf: (len(leaf.place), leaf.place))
            best, most, parts = None, -math.inf, []
            for leaf in leaves:
                if leaf.node.wanted is None:
                    continue
                found = divide(self.data, leaf.node.wanted, leaf.cases)
                if len(leaves) - 1 + len(found) > self.limits.max_leaves:
                    continue
                saved = information(leaf.node.counts) - math.fsum(information(self.data.counts(f)) for f in found)
                saved = math.inf if leaf.node.forced else saved
                if saved > most + TOLERANCE:
                    best, most, parts = leaf, saved, found
            if best is None:
                return root
            leaves.remove(best)
            node = best.node
            node.test = node.wanted
            node.branches = [self.leaf(part, node) for part in parts]
            for number, (branch, part) in enumerate(zip(node.branches, parts, strict=True)):
                below = Open(branch, part, (*best.place, number), (*best.path, node.test.attribute), best.step)
                leaves.append(self.opened(below))

    def opened(self, leaf: Open) -> Open:
        """The leaf, which knows what it would test."""
        leaf.node.wanted = self.forced_test(leaf)
        leaf.node.forced = leaf.node.wanted is not None
        if leaf.node.forced:
            leaf.node.n_tests = 1
            return leaf
        if len(leaf.place) < self.limits.max_depth and sum(n > 0 for n in leaf.node.counts) >= 2:
            leaf.node.wanted = self.best_of(leaf)
        return leaf

    def forced_test(self, leaf: Open) -> Test | None:
        """The next of the tests that come first which sends cases to two branches; None where none is left."""
        for attribute, cut in self.limits.first_tests[leaf.step :]:
            leaf.step += 1
            n = self.data.n_values[attribute]
            if n:
                tests = [Test("values", attribute, n)]
            elif cut is not None:
                tests = [Test("threshold", attribute, 0, cut=cut)]
            else:
                found = candidates(self.data, leaf.cases, True, getattr(self, "min_cases", 0.0))
                tests = [test for test, _ in found if test.attribute == attribute]
            best, most = None, -math.inf
            for test in tests:
                matrix = matrix_of(self.data, test, leaf.cases)
                if sum(math.fsum(row) > 0 for row in matrix) >= 2 and self.score(matrix, leaf.node) > most + TOLERANCE:
                    best, most = test, self.score(matrix, leaf.node)
            if best is not None:
                return best
        return None

    def allowed(self, leaf: Open, binary: bool, min_cases: float) -> list:
        found = candidates(self.data, leaf.cases, binary, min_cases)
        return [(test, matrix) for test, matrix in found if self.limits.allows(test.attribute, leaf.path)]

    def gains_enough(self, bits: float, node: Node) -> bool:
        return bits / node.size >= self.limits.min_gain - 1e-6


class LimitedProbabilityTree(BestFirst, probability_tree.ProbabilityTree):
    """A probability tree within limits."""

    def __init__(self, data, method, limits, **how):
        self.limits = limits
        super().__init__(data, method, **how)

    def grow(self, cases):
        return self.best_first(cases)

    def leaf(self, cases, parent):
        return Node(self.data.counts(cases))

    def score(self, matrix, node):
        return self.figure(matrix)

    def prune(self, node):
        if not getattr(node, "forced", False) or node.test is None:
            return super().prune(node)
        for branch in node.branches:
            self.prune(branch)
        return None

    def best_of(self, leaf):
        tests = self.allowed(leaf, self.binary, self.min_cases)
        leaf.node.n_tests = len(tests)
        best = self.best_test(tests)
        if best is None or self.is_hopeless(leaf.node, tests):
            return None
        return best if self.gains_enough(n_gain(matrix_of(self.data, best, leaf.cases)), leaf.node) else None


class LimitedBayesianTree(BestFirst, bayesian_tree.BayesianTree):
    """A Bayesian tree within limits."""

    def __init__(self, data, limits, **how):
        self.limits = limits
        super().__init__(data, **how)

    def grow(self, cases, alphas):
        return self.best_first(cases)

    def leaf(self, cases, parent):
        if parent is None:
            alphas = uniform_priors(self.data.n_classes, self.prior_weight)
        else:
            alphas = nonuniform_priors(parent.counts, self.prior_weight) if self.nonuniform else parent.alphas
        return BayesianNode(self.data.counts(cases), alphas=alphas)

    def score(self, matrix, node):
        below = nonuniform_priors(node.counts, self.prior_weight) if self.nonuniform else node.alphas
        return log_bayes_factor(matrix, priors=node.alphas, branch_priors=below)

    def best_of(self, leaf):
        node = leaf.node
        below = nonuniform_priors(node.counts, self.prior_weight) if self.nonuniform else node.alphas
        tests = self.allowed(leaf, False, 0.0)
        node.n_tests = len(tests)
        best, best_factor, bits = None, 0.0, 0.0
        for test, matrix in tests:
            choices = sum(other.attribute == test.attribute for other, _ in tests) if self.shares_prior else 1
            factor = log_bayes_factor(matrix, priors=node.alphas, branch_priors=below)
            if factor - math.log(choices) > best_factor + TOLERANCE:
                best, best_factor, bits, node.choices = test, factor - math.log(choices), factor / math.log(2), choices
        return best if best is not None and self.gains_enough(bits, node) else None


class WithPath:
    """Keeps the attributes tested above, where a grower goes down and comes back."""

    limits: Limits
    path: tuple[int, ...] = ()

    def within(self, test):
        """The test, unless it gains too little."""
        return None if test is None or test.gain < self.limits.min_gain - 1e-6 else test


class LimitedRelease8(WithPath, release8_grow.Grower):
    """Release 8's trees within limits, not collapsed: the errors of a node are those that it would make as a leaf."""

    step = 0

    def node(self, start, end, tested, all_known):
        before = self.step
        node = self.forced_node(start, end, tested, all_known) or super().node(start, end, tested, all_known)
        self.step = before
        return node

    def forced_node(self, start, end, tested, all_known):
        """The node with the next of the tests that come first which divides its cases; None where none is left."""
        for attribute, cut in self.limits.first_tests[self.step :]:
            self.step += 1
            known = {self.columns[attribute][case] for case in self.cases[start:end]} - {None}
            if len({value <= cut for value in known} if cut is not None else known) < 2:
                continue
            cases = self.cases[start:end]
            total = release8_grow.count(cases, self.weights, all_known)
            counts = release8_grow.class_sums(cases, self.classes, self.weights, self.n_classes)
            cls = counts.index(max(counts))
            leaf = release8_grow.Node("leaf", cls, counts, total, f(total - counts[cls]))
            test = release8_grow.Test(attribute, cut=cut)
            node = self.split(test, leaf, start, end, tested, all_known)
            node.threshold = cut
            return node
        return None

    def best_test(self, start, end, tested, total, all_known):
        if len(self.path) >= self.limits.deepest:
            return None
        return self.within(super().best_test(start, end, tested, total, all_known))

    def average_gain(self, tests):
        # columns are sorted though they may not be tested, as in release 8 each begins with the order of the last
        for test in tests:
            if not self.limits.allows(test.attribute, self.path):
                test.gain, test.info = release8_grow.NO_GAIN, 0.0
        return super().average_gain(tests)

    def split(self, test, *others):
        self.path = (*self.path, test.attribute)
        node = super().split(test, *others)
        self.path = self.path[:-1]
        node.errors = -math.inf  # less than any leaf's
        return node


class LimitedJ48(WithPath, j48_grow.Grower):
    """J48's trees within limits."""

    def node(self, share, path=()):
        self.path = path
        node = j48_grow.Node(share)
        if sm(node.cases, 2 * self.min_cases) or eq(node.errors, 0) or len(path) >= self.limits.deepest:
            return node
        test = self.within(self.best_test(share))
        if test is None:
            return node
        if test.cut is not None and self.actual_cut:
            test.cut = self.greatest_up_to(test.cut, test.attribute)
        below = (*path, test.attribute)
        return j48_grow.Node(share, test, [self.node(part, below) for part in j48_grow.divide(self.data, test, share)])

    def threshold_test(self, attribute, share):
        return super().threshold_test(attribute, share) if self.limits.allows(attribute, self.path) else None

    def values_test(self, attribute, share):
        return super().values_test(attribute, share) if self.limits.allows(attribute, self.path) else None

    def one_value_test(self, attribute, share):
        return super().one_value_test(attribute, share) if self.limits.allows(attribute, self.path) else None


def chosen(root, max_leaves: float, bits_of) -> None:
    """Make leaves of all nodes of a grown tree but those that are divided first, at most so many leaves in all."""
    leaves = [((), root)]
    while True:
        leaves.sort(key=lambda leaf: (len(leaf[0]), leaf[0]))
        best, most = None, -math.inf
        for place, node in leaves:
            if node.branches and len(leaves) - 1 + len(node.branches) <= max_leaves:
                saved = bits_of(node) - math.fsum(bits_of(branch) for branch in node.branches)
                if saved > most + TOLERANCE:
                    best, most = (place, node), saved
        if best is None:
            break
        leaves.remove(best)
        leaves += [((*best[0], number), branch) for number, branch in enumerate(best[1].branches)]
    for _, node in leaves:
        make_leaf(node)


def make_leaf(node) -> None:
    """Drop all below a node, of whatever kind."""
    node.branches = []
    if isinstance(node, release8_grow.Node):
        node.kind, node.attribute, node.threshold, node.groups = "leaf", None, None, None
    else:
        node.test = None


def collapse_release8(node: release8_grow.Node) -> None:
    """Release 8's own way, from the leaves up: a test that saves no training errors goes.

    The errors of a node that keeps its test are the sum of those of its branches, which a collapsed node shows as well.
    """
    for branch in node.branches:
        collapse_release8(branch)
    if node.branches:
        below = float_sum(branch.errors for branch in node.branches)
        as_leaf, node.errors = f(node.cases - node.counts[node.cls]), below
        if below >= as_leaf - EPSILON:
            make_leaf(node)
