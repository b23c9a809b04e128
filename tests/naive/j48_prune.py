"""Making a grown tree smaller as Weka's J48 does: collapse, and two ways of pruning."""

import math
from collections.abc import Sequence

from naive.j48_grow import Data, Node, Share, divide
from naive.j48_numbers import extra_errors, gr_or_eq, in_order, sm_or_eq


def collapse(node: Node) -> None:
    """Make a leaf of each test that saves no error on the cases it was grown from; the upper ones are tried first."""
    if node.test is None:
        return
    if leaf_errors(node) >= node.errors - 1e-3:
        make_leaf(node)
    for branch in node.branches:
        collapse(branch)


def leaf_errors(node: Node) -> float:
    """Errors of all leaves of a tree."""
    if node.test is None:
        return node.errors
    return in_order([leaf_errors(branch) for branch in node.branches])


def make_leaf(node: Node) -> None:
    """Drop all below a node."""
    node.test, node.branches = None, []


class Pruner:
    """Prunes by estimated errors; with `raising`, a branch may take the place of its parent."""

    def __init__(self, data: Data, confidence: float = 0.25, raising: bool = True):
        self.data = data
        self.confidence = confidence
        self.raising = raising

    def prune(self, node: Node) -> None:
        """Prune a tree in place, the branches first."""
        if node.test is None:
            return
        for branch in node.branches:
            self.prune(branch)
        largest = node.branches[0]
        for branch in node.branches:
            if gr_or_eq(branch.cases, largest.cases):
                largest = branch
        as_leaf = self.leaf_estimate(node.share)
        as_tree = self.estimate(node)
        as_branch = self.estimate_on(largest, node.share) if self.raising else math.inf
        if sm_or_eq(as_leaf, as_tree + 0.1) and sm_or_eq(as_leaf, as_branch + 0.1):
            make_leaf(node)
        elif sm_or_eq(as_branch, as_tree + 0.1):
            node.test, node.branches = largest.test, largest.branches
            self.pass_down(node, node.share)
            self.prune(node)

    def leaf_estimate(self, share: Share) -> float:
        """Errors expected of a leaf with these cases."""
        if share.weight == 0:
            return 0.0
        errors = share.weight - max(share.counts)
        return errors + extra_errors(share.weight, errors, self.confidence)

    def estimate(self, node: Node) -> float:
        """Errors expected of a tree."""
        if node.test is None:
            return self.leaf_estimate(node.share)
        return in_order([self.estimate(branch) for branch in node.branches])

    def estimate_on(self, node: Node, share: Share) -> float:
        """Errors expected of a tree if these were its cases."""
        if node.test is None:
            return self.leaf_estimate(share)
        parts = divide(self.data, node.test, share)
        return in_order([self.estimate_on(branch, part) for branch, part in zip(node.branches, parts, strict=True)])

    def pass_down(self, node: Node, share: Share) -> None:
        """Give a tree other cases."""
        node.share = share
        if node.test is not None:
            parts = divide(self.data, node.test, share)
            for branch, part in zip(node.branches, parts, strict=True):
                self.pass_down(branch, part)


def prune_by_fold(node: Node, data: Data, fold: Share, cls: int | None = None) -> float:
    """Prune a tree in place by its errors on cases it was not grown from, the branches first; returns those errors.

    `cls` is the class of the parent, which is also that of a branch without cases.
    """
    if not node.is_empty or cls is None:
        cls = node.cls
    as_leaf = fold.weight - fold.counts[cls]
    if node.test is None:
        return as_leaf
    parts = divide(data, node.test, fold, [branch.cases for branch in node.branches])
    below = [prune_by_fold(branch, data, part, cls) for branch, part in zip(node.branches, parts, strict=True)]
    as_tree = in_order(below)
    if sm_or_eq(as_leaf, as_tree):
        make_leaf(node)
        return as_leaf
    return as_tree


def stratified(classes: Sequence[int], n_folds: int) -> list[list[int]]:
    """The numbers of the cases of each fold, the classes being dealt out evenly.

    Those of a class are brought together by swaps: behind the first case left, each of its class that is met changes
    places with the next in the way. Then each fold takes every n-th of that row.

    >>> stratified([0, 1, 2, 0, 1, 0, 1], 3)
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    row = list(range(len(classes)))
    place = 0
    while place < len(row):
        cls = classes[row[place]]
        place += 1
        for other in range(place, len(row)):
            if classes[row[other]] == cls:
                row[place], row[other] = row[other], row[place]
                place += 1
    return [row[fold::n_folds] for fold in range(n_folds)]
