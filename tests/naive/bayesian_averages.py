"""Averages over the smaller trees within a tree: along the path of a case, and over all prunings.

Each is made twice, by its formula and by listing the trees one by one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from naive.bayes_criteria import beta, column_sums, uniform_priors
from naive.candidate_tests import Node as PlainNode
from naive.candidate_tests import Test, branch_shares, paths
from naive.leaf_estimates import dirichlet


@dataclass
class Node(PlainNode):
    """A node that has its own Dirichlet parameters; its test was chosen among `choices` that share the prior of one."""

    alphas: list[float] = field(default_factory=list)
    choices: int = 1

    @property
    def log_m(self) -> float:
        """ln β(M): how likely the classes are with no test here."""
        return beta(self.counts, priors=self.alphas)

    @property
    def log_factor(self) -> float:
        """ln B: how much likelier they are with the test of the node, its branches being leaves."""
        return math.fsum(branch.log_m for branch in self.branches) - self.log_m

    @property
    def predictive(self) -> list[float]:
        return dirichlet(self.counts, self.alphas)


def tree(counts: Sequence[float], *branches: Node, prior_weight: float = 2.0) -> Node:
    """A tree by hand, for examples: the class counts of its root, and the branches.

    >>> [round(p, 6) for p in tree([5, 0]).predictive]
    [0.857143, 0.142857]
    """
    test = Test("values", 0, len(branches)) if branches else None
    return Node([float(n) for n in counts], test, list(branches), alphas=uniform_priors(len(counts), prior_weight))


# The worked example; WORKED_PATH leads to its leaf LL.
WORKED = tree([6, 4], tree([6, 1], tree([5, 0]), tree([1, 1])), tree([0, 3]))
WORKED_PATH = [WORKED, WORKED.branches[0], WORKED.branches[0].branches[0]]


def path_weights(path: Sequence[Node]) -> list[float]:
    """Weights of the nodes of a path from the root to a leaf, in sum 1; in logs, for the factors may be huge.

    >>> [round(node.log_factor, 6) for node in WORKED_PATH[:-1]]
    [2.333357, 0.441833]
    >>> [round(w, 6) for w in path_weights(WORKED_PATH)]
    [0.036558, 0.376999, 0.586443]
    """
    logs = [math.fsum(node.log_factor - math.log(node.choices) for node in path[:i]) for i in range(len(path))]
    return normalised(logs)


def normalised(logs: Sequence[float]) -> list[float]:
    weights = [math.exp(x - max(logs)) for x in logs]
    return [w / math.fsum(weights) for w in weights]


def mixed(weights: Sequence[float], estimates: Sequence[Sequence[float]]) -> list[float]:
    return column_sums([[w * p for p in row] for w, row in zip(weights, estimates, strict=True)])


def average_along(path: Sequence[Node]) -> list[float]:
    """Bayesian model averaging along a path from the root to a leaf.

    >>> round(average_along(WORKED_PATH)[0], 6)
    0.817212
    """
    return mixed(path_weights(path), [node.predictive for node in path])


def average_along_by_listing(path: Sequence[Node]) -> list[float]:
    """The same: each tree that has tests only along the path, down to some node of it, weighed by its likelihood.

    >>> round(average_along_by_listing(WORKED_PATH)[0], 6)
    0.817212
    """
    likelihoods = []
    for depth in range(len(path)):
        # the leaves of that tree: the last node, and whatever branches off above it
        tree_leaves = [path[depth]]
        for node, below in pairwise(path[: depth + 1]):
            tree_leaves += [branch for branch in node.branches if branch is not below]
        prior = math.prod(node.choices for node in path[:depth])
        likelihoods.append(math.fsum(leaf.log_m for leaf in tree_leaves) - math.log(prior))
    return mixed(normalised(likelihoods), [node.predictive for node in path])


def log_u(node: Node, split_prior: float = 0.5) -> float:
    """ln u: how likely the classes are on the average over all prunings of a tree."""
    if node.test is None:
        return node.log_m
    stop, go = math.log(1 - split_prior), math.log(split_prior / node.choices)
    below = math.fsum(log_u(branch, split_prior) for branch in node.branches)
    a, b = sorted([stop + node.log_m, go + below])
    return b + math.log1p(math.exp(a - b))


def average_of_prunings(node: Node, case: Sequence, split_prior: float = 0.5) -> list[float]:
    """The average over all prunings of a tree of what they say of a case, by recursion.

    >>> round(average_of_prunings(WORKED, [0])[0], 6)
    0.808964
    """
    if node.test is None:
        return node.predictive
    stop = math.exp(math.log(1 - split_prior) + node.log_m - log_u(node, split_prior))
    result = [stop * p for p in node.predictive]
    for share, branch in zip(branch_shares(node, case), node.branches, strict=True):
        if share > 0:
            below = average_of_prunings(branch, case, split_prior)
            result = [r + (1 - stop) * share * p for r, p in zip(result, below, strict=True)]
    return result


def prunings(node: Node, split_prior: float = 0.5) -> Iterator[tuple[float, Node]]:
    """Every tree that pruning can make of this one, and its prior.

    The priors sum to 1, unless there were tests to choose from: then these have the rest.

    >>> [(p, len(list(all_leaves(t)))) for p, t in prunings(WORKED)]
    [(0.5, 1), (0.25, 2), (0.25, 3)]
    """
    if node.test is None:
        yield 1.0, node
        return
    yield 1 - split_prior, replace(node, test=None, branches=[])
    for choice in product(*(list(prunings(branch, split_prior)) for branch in node.branches)):
        prior = split_prior / node.choices * math.prod(p for p, _ in choice)
        yield prior, replace(node, branches=[branch for _, branch in choice])


def all_leaves(node: Node) -> Iterator[Node]:
    if node.test is None:
        yield node
    for branch in node.branches:
        yield from all_leaves(branch)


def average_of_prunings_by_listing(node: Node, case: Sequence, split_prior: float = 0.5) -> list[float]:
    """The same: the prunings one by one, each weighed by its prior and its likelihood.

    >>> round(average_of_prunings_by_listing(WORKED, [0])[0], 6)
    0.808964
    """
    trees = list(prunings(node, split_prior))
    logs = [math.log(prior) + math.fsum(leaf.log_m for leaf in all_leaves(tree)) for prior, tree in trees]
    estimates = [
        column_sums([[share * p for p in path[-1].predictive] for share, path in paths(tree, case)])
        for _, tree in trees
    ]
    return mixed(normalised(logs), estimates)
