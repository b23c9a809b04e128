"""Classifying a case as Weka's J48 does: one of unknown value goes down every branch."""

from collections.abc import Sequence

import numpy as np

from naive.j48_grow import Node
from naive.j48_numbers import first_greatest, in_order


def probabilities(tree: Node, case: Sequence[float], *, laplace: bool = False) -> list[float]:
    """The probability of each class for a case, the list of its values (NaN: unknown)."""
    sums = [0.0] * len(tree.share.counts)
    add_probabilities(tree, tree.share.counts, case, 1.0, laplace, sums)
    return sums


def add_probabilities(
    node: Node, counts: Sequence[float], case: Sequence[float], weight: float, laplace: bool, sums: list[float]
) -> None:
    """Add what a tree says of a case that reaches it with some weight.

    `counts` are the class weights to go by if it is a leaf: its own, or its parent's if it is empty.
    """
    if node.test is None:
        n = in_order(counts)
        for cls, count in enumerate(counts):
            sums[cls] += weight * ((count + 1) / (n + len(counts)) if laplace else count / n)
        return
    number = int(node.test.branches_of(np.array([case[node.test.attribute]]))[0])
    if number != -1:
        branch = node.branches[number]
        counts = node.share.counts if branch.is_empty else branch.share.counts
        add_probabilities(branch, counts, case, weight, laplace, sums)
        return
    total = in_order([branch.cases for branch in node.branches])
    for branch in node.branches:
        if not branch.is_empty:
            add_probabilities(branch, branch.share.counts, case, weight * branch.cases / total, laplace, sums)


def predict(tree: Node, case: Sequence[float]) -> int:
    """The class of a case; it is the same with Laplace's rule, which is of no account here."""
    return first_greatest(probabilities(tree, case))
