"""Classifying a case as C4.5 release 8 does: unknown values go down every branch."""

from collections.abc import Sequence

from naive.release8_grow import Node
from naive.release8_numbers import f


def classify(node: Node, case: Sequence, n_classes: int) -> list[float]:
    """What the tree says for each class about a case, the list of its values; the greatest wins, first of equals."""
    sums = [0.0] * n_classes
    add_votes(node, case, 1.0, sums)
    return sums


def add_votes(node: Node, case: Sequence, weight: float, sums: list[float]) -> None:
    """Add the votes of a tree for a case that reaches it with some weight."""
    if node.kind == "leaf":
        if node.cases <= 0:
            sums[node.cls] = f(sums[node.cls] + weight)
            return
        for cls, n in enumerate(node.counts):
            if n > 0:
                sums[cls] = f(sums[cls] + f(f(weight * n) / node.cases))
        return
    value = case[node.attribute]
    if value is not None and node.kind == "threshold":
        value = f(value)
    number = node.branch_of(value)
    if number is not None:
        add_votes(node.branches[number], case, weight, sums)
        return
    for branch in node.branches:
        add_votes(branch, case, f(f(weight * branch.cases) / node.cases), sums)


def predict(node: Node, case: Sequence, n_classes: int) -> int:
    """The class of a case."""
    sums = classify(node, case, n_classes)
    return sums.index(max(sums))
