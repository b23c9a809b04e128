"""Soft thresholds as section 2.7 of the specification says, case by case and threshold by threshold."""

import math
from collections.abc import Sequence
from itertools import pairwise

from naive.release8_classify import predict
from naive.release8_grow import Node
from naive.release8_numbers import f

Bounds = tuple[float, float]


def soft_thresholds(root: Node, cases: Sequence[Sequence], classes: Sequence[int], n_classes: int) -> list[Bounds]:
    """The lower and upper bound of every threshold of a tree, each node before its branches."""
    result: list[Bounds] = []
    soften(root, list(zip(cases, classes, strict=True)), n_classes, result)
    return result


def soften(node: Node, cases: list[tuple], n_classes: int, result: list[Bounds]) -> None:
    """Add the bounds of a node and of all below it, with the cases that reach it."""
    if node.kind == "leaf":
        return
    if node.kind == "threshold":
        known = [(case, cls) for case, cls in cases if case[node.attribute] is not None]
        result.append(bounds(node, known, n_classes))
    for number, branch in enumerate(node.branches):
        passed = [(case, cls) for case, cls in cases if branch_of(node, case) == number]
        soften(branch, passed, n_classes, result)


def branch_of(node: Node, case: Sequence) -> int | None:
    value = case[node.attribute]
    return node.branch_of(f(value) if node.kind == "threshold" and value is not None else value)


def bounds(node: Node, cases: list[tuple], n_classes: int) -> Bounds:
    """The bounds of one threshold, from the cases that know its attribute."""
    cut = node.threshold
    if not cases:
        return cut, cut

    def errors(threshold: float) -> int:
        """Errors of the two branches with the threshold elsewhere."""
        return sum(
            predict(node.branches[0 if f(case[node.attribute]) <= threshold else 1], case, n_classes) != cls
            for case, cls in cases
        )

    n, base = len(cases), errors(cut + 1e-6)
    limit = f(base + f(math.sqrt((base + 0.5) * (n - base + 0.5) / (n + 1))))
    values = sorted({f(case[node.attribute]) for case, _ in cases})
    lower, upper = min(cut, values[0]), max(cut, values[-1])
    found = False
    for a, b in pairwise(values):
        error_a, error_b = errors(a), errors(b)
        if not found and error_a > limit >= error_b and b <= cut:
            found = True
            lower = f(b - f(f(f(b - a) * f(limit - error_b)) / (error_a - error_b)))
        if error_a <= limit < error_b and b > cut:
            upper = max(cut, f(a + f(f(f(b - a) * f(limit - error_a)) / (error_b - error_a))))
    return lower, upper
