"""What a tree says of a case that is told in probabilities and ranges, by section 4 of the specification.

A case has for each attribute None (unknown), a list of the probabilities of its values, or a pair of bounds.
"""

from collections.abc import Sequence
from itertools import pairwise

from naive.release8_grow import Node
from naive.release8_numbers import f

EPSILON = 0.001
STEPS = 8


def consult(root: Node, case: Sequence, n_classes: int, bounds: dict[int, tuple]) -> tuple[list[float], list[float]]:
    """For each class its central and its lowest sum; `bounds` are those of soft thresholds, by the id of the node."""
    central, low = [0.0] * n_classes, [0.0] * n_classes
    add(root, case, 1.0, bounds, central, low)
    return central, low


def add(node: Node, case: Sequence, weight: float, bounds: dict[int, tuple], central: list, low: list) -> None:
    if node.kind == "leaf":
        if node.cases <= 0:
            central[node.cls] += weight
            return
        for cls, n in enumerate(node.counts):
            central[cls] += weight * n / node.cases
        low[node.cls] += weight * (1 - node.errors / node.cases)
        return
    for branch, share in zip(node.branches, shares(node, case[node.attribute], bounds), strict=True):
        if share > 0:
            add(branch, case, weight * share, bounds, central, low)


def shares(node: Node, answer, bounds: dict[int, tuple]) -> list[float]:
    """How much of the case each branch gets."""
    by_cases = [branch.cases / node.cases for branch in node.branches]
    if answer is None:
        return by_cases
    if node.kind == "threshold":
        lower, upper = bounds.get(id(node), (node.threshold, node.threshold))
        first = mean_share(f(answer[0]), f(answer[1]), lower, node.threshold, upper)
        first = 0 if first <= 0.01 else 1 if first >= 0.99 else first
        return [first, 1 - first]
    result = [0.0] * len(node.branches)
    for value, probability in enumerate(answer):
        number = node.branch_of(value)
        for b in range(len(result)):
            result[b] += probability * (by_cases[b] if number is None else float(b == number))
    return result


def mean_share(low: float, high: float, lower: float, cut: float, upper: float) -> float:
    """The mean share of the first branch, at several places in each part of the range where it falls evenly."""
    if low == high:
        return share(low, lower, cut, upper)
    total = 0.0
    ends = sorted({low, high, *(x for x in (lower, cut, upper) if low < x < high)})
    for a, b in pairwise(ends):
        places = [a + (b - a) * (i + 0.5) / STEPS for i in range(STEPS)]
        total += (b - a) * sum(share(x, lower, cut, upper) for x in places) / STEPS
    return total / (high - low)


def share(x: float, lower: float, cut: float, upper: float) -> float:
    if x <= lower:
        return 1.0
    if x <= cut:
        return 1 - 0.5 * (x - lower) / (cut - lower + EPSILON)
    if x <= upper:
        return 0.5 - 0.5 * (x - cut) / (upper - cut + EPSILON)
    return 0.0
