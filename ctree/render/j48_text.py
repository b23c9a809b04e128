"""A tree as text, line for line as Weka's J48 prints it."""

from __future__ import annotations

import math
from decimal import Decimal

from ctree.data.worded import Worded
from ctree.learners.c45.variants import SMALL
from ctree.tree.tree import Test, Tree


def j48_text(tree: Tree, *, pruned: bool = True, full_cuts: bool = False) -> str:
    """The heading, the tree, and its size.

    ``(n/e)`` are the cases at a leaf and its training errors. J48 prints thresholds with all their digits where it
    tests one value against the others (`full_cuts`), else with at most six decimals.
    """
    lines = [f"J48 {'pruned' if pruned else 'unpruned'} tree", "------------------", ""]
    if tree.test[0] == Test.LEAF:
        lines.append(f": {_leaf(tree, 0)}")
    # a stack in place of recursion, for a tree can be very deep
    waiting = _branches(tree, 0, 0, full_cuts)
    while waiting:
        text, node, depth = waiting.pop()
        if tree.test[node] == Test.LEAF:
            lines.append(f"{text}: {_leaf(tree, node)}")
        else:
            lines.append(text)
            waiting.extend(_branches(tree, node, depth + 1, full_cuts))
    n_leaves = int((tree.test == Test.LEAF).sum())
    lines += ["", f"Number of Leaves  : \t{n_leaves}", "", f"Size of the tree : \t{len(tree)}", ""]
    return "\n".join(lines)


def _branches(tree: Tree, node: int, depth: int, full_cuts: bool) -> list[tuple[str, int, int]]:
    """The branches of a node with the texts that introduce them, the last first."""
    if tree.test[node] == Test.LEAF:
        return []
    outcomes = ["|   " * depth + text for text in _outcomes(tree, node, full_cuts)]
    pairs = zip(outcomes, tree.branches(node), strict=True)
    return [(text, branch, depth) for text, branch in pairs][::-1]


def _outcomes(tree: Tree, node: int, full_cuts: bool) -> list[str]:
    attribute = tree.schema[int(tree.attribute[node])]
    name, values = attribute.name, [str(value) for value in attribute.values]
    if tree.test[node] == Test.THRESHOLD:
        cut = attribute.bound(float(tree.threshold[node]))
        text = str(cut) if isinstance(cut, Worded) else java_double(cut) if full_cuts else _six_decimals(cut)
        return [f"{name} <= {text}", f"{name} > {text}"]
    if tree.test[node] == Test.VALUES:
        return [f"{name} = {value}" for value in values]
    groups = [[values[v] for v in group] for group in tree.groups(node)]
    if len(groups) == 2 and len(groups[0]) == 1:
        return [f"{name} = {groups[0][0]}", f"{name} != {groups[0][0]}"]
    return [f"{name} in {{{','.join(group)}}}" for group in groups]  # which J48 never asks


def _leaf(tree: Tree, node: int) -> str:
    label = tree.schema.classes[int(tree.best[node])]
    if tree.cases[node] <= SMALL:
        return f"{label} (0.0)"
    errors = float(tree.errors[node])
    return f"{label} ({_two_decimals(float(tree.cases[node]))}{f'/{_two_decimals(errors)}' if errors > SMALL else ''})"


def _two_decimals(x: float) -> str:
    """Rounded to two decimals, halves up."""
    return java_double(math.floor(x * 100 + 0.5) / 100)


def _six_decimals(x: float) -> str:
    """With at most six decimals."""
    text = f"{x:.6f}"
    return text.rstrip("0").rstrip(".")


def java_double(x: float) -> str:
    """As Java writes a double: with at least one decimal; as a power of ten from 10 million on, and below 0.001.

    Examples
    --------
    >>> [java_double(x) for x in (4.0, 15.27, 12345678.0, 0.00025)]
    ['4.0', '15.27', '1.2345678E7', '2.5E-4']
    """
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        return f"{Decimal(repr(x)):f}" if "e" in repr(x) else repr(x)
    sign, digits, exponent = Decimal(repr(x)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{int(exponent) + len(digits) - 1}"
