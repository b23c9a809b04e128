"""Pruning a tree as C4.5 release 8 does: by estimated errors, with a branch put in the place of its parent."""

import copy
import math
from collections.abc import Sequence

from naive.release8_grow import Column, Node, class_sums, count, for_each_branch, rounded
from naive.release8_numbers import add_errs, f


def prune(
    node: Node,
    columns: Sequence[Column],
    n_values: Sequence[int],
    classes: Sequence[int],
    n_classes: int,
    confidence: float = 0.25,
    cases: list[int] | None = None,
    weights: Sequence[float] | None = None,
) -> Node:
    """A pruned copy of a tree; its nodes have estimated errors in place of those seen.

    `cases` is the list of all cases in the order in which growing left them (`Grower.cases`); it may decide between
    what is all but equal. It is reordered further. `weights` are those of the cases, 1 if not given.
    """
    return prune_and_tell(node, columns, n_values, classes, n_classes, confidence, cases, weights)[0]


def prune_and_tell(
    node: Node,
    columns: Sequence[Column],
    n_values: Sequence[int],
    classes: Sequence[int],
    n_classes: int,
    confidence: float = 0.25,
    cases: list[int] | None = None,
    weights: Sequence[float] | None = None,
) -> tuple[Node, bool]:
    """The same, and whether a test has been replaced; dropping values that cannot occur does not count as a change."""
    pruner = Pruner(columns, n_values, classes, n_classes, confidence)
    if cases is not None:
        pruner.cases = cases
    if weights is not None:
        pruner.weights = [f(weight) for weight in weights]
    pruned = copy.deepcopy(node)
    pruner.estimate(pruned, 0, len(classes), True, weights is None)
    drop_impossible_values(pruned, [frozenset(range(n)) for n in n_values])
    return pruned, pruner.changed


class Pruner:
    """What stays the same all over a tree while it is pruned; without `raising`, tests only become leaves."""

    def __init__(self, columns, n_values, classes, n_classes, confidence, raising=True):
        self.columns = rounded(columns, n_values)
        self.cases = list(range(len(classes)))
        self.classes = classes
        self.n_classes = n_classes
        self.confidence = f(confidence)
        self.raising = raising
        self.weights = [1.0] * len(classes)
        self.changed = False

    def estimate(self, node: Node, start: int, end: int, update: bool, all_known: bool) -> float:
        """Errors expected of the tree on cases like these; with `update` it is pruned in place."""
        cases = self.cases[start:end]
        total = count(cases, self.weights, all_known)
        class_weights = class_sums(cases, self.classes, self.weights, self.n_classes)
        best = node.cls
        for cls, weight in enumerate(class_weights):
            if weight > class_weights[best]:
                best = cls
        errors = f(total - class_weights[best])
        as_leaf = f(errors + add_errs(total, errors, self.confidence))
        if update:
            node.cases, node.cls, node.counts = total, best, class_weights
        if node.kind == "leaf":
            if update:
                node.errors = as_leaf
            return as_leaf

        as_tree = 0.0
        largest, largest_share = 0, 0.0

        def estimate_branch(number: int, start: int, end: int, share: float, all_known: bool) -> None:
            nonlocal as_tree, largest, largest_share
            if share >= largest_share:
                largest, largest_share = number, share
            as_tree = f(as_tree + self.estimate(node.branches[number], start, end, update, all_known))

        column = self.columns[node.attribute]
        for_each_branch(node, column, self.cases, start, end, self.weights, all_known, None, estimate_branch)
        if not update:
            return as_tree

        branch = node.branches[largest]
        as_branch = self.estimate(branch, start, end, False, all_known) if self.raising else math.inf
        if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
            self.replace(node, Node("leaf", node.cls, node.counts, node.cases, as_leaf))
        elif as_branch <= as_tree + 0.1:
            self.estimate(branch, start, end, True, all_known)
            self.replace(node, branch)
        else:
            node.errors = as_tree
        return node.errors

    def replace(self, node: Node, other: Node) -> None:
        """Put another node in the place of this one."""
        vars(node).update(vars(other))
        self.changed = True


def drop_impossible_values(node: Node, possible: list[frozenset[int]]) -> None:
    """Drop from the last group of a test the values that tests above exclude, and the branch if no value is left."""
    if node.kind == "groups":
        kept = tuple(value for value in node.groups[-1] if value in possible[node.attribute])
        node.groups = [*node.groups[:-1], kept] if kept else node.groups[:-1]
        node.branches = node.branches[: len(node.groups)]
    for number, branch in enumerate(node.branches):
        if node.kind == "groups":
            below = list(possible)
            below[node.attribute] = frozenset(node.groups[number])
            drop_impossible_values(branch, below)
        else:
            drop_impossible_values(branch, possible)
