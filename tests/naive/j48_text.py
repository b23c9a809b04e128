"""The tree as Weka's J48 prints it."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from naive.j48_grow import Node
from naive.j48_numbers import gr
from naive.release8_text import Names


def tree_text(tree: Node, names: Names, *, pruned: bool, binary: bool) -> str:
    """The heading, the tree, and its size."""
    text = f"J48 {'pruned' if pruned else 'unpruned'} tree\n------------------\n\n"
    if tree.test is None:
        text += f": {leaf_text(tree, tree, names)}\n"
    else:
        text += branches_text(tree, names, binary, 0)
    return f"{text}\nNumber of Leaves  : \t{n_leaves(tree)}\n\nSize of the tree : \t{n_nodes(tree)}\n"


def branches_text(node: Node, names: Names, binary: bool, depth: int) -> str:
    """The lines of the branches of a node, and of all below them."""
    text = ""
    for number, branch in enumerate(node.branches):
        text += "|   " * depth + outcome_text(node, number, names, binary)
        if branch.test is None:
            text += f": {leaf_text(branch, node, names)}\n"
        else:
            text += "\n" + branches_text(branch, names, binary, depth + 1)
    return text


def outcome_text(node: Node, number: int, names: Names, binary: bool) -> str:
    """The test of a node with the outcome of one of its branches."""
    test = node.test
    attribute = names.attributes[test.attribute]
    values = names.values[test.attribute]
    if test.kind == "threshold":
        cut = java_text(test.cut) if binary else short_text(test.cut)
        return f"{attribute} {'<=' if number == 0 else '>'} {cut}"
    if test.kind == "one value":
        return f"{attribute} {'=' if number == 0 else '!='} {values[test.value]}"
    return f"{attribute} = {values[number]}"


def leaf_text(leaf: Node, parent: Node, names: Names) -> str:
    """Class, weight and errors of a leaf; an empty one has the class of its parent."""
    if leaf.is_empty:
        return f"{names.classes[parent.cls]} (0.0)"
    errors = f"/{java_text(two_decimals(leaf.errors))}" if gr(leaf.errors, 0) else ""
    return f"{names.classes[leaf.cls]} ({java_text(two_decimals(leaf.cases))}{errors})"


def two_decimals(x: float) -> float:
    """Rounded to two decimals, halves up.

    >>> two_decimals(0.125), two_decimals(2.0), two_decimals(0.004)
    (0.13, 2.0, 0.0)
    """
    return math.floor(x * 100 + 0.5) / 100


def short_text(x: float) -> str:
    """With at most six decimals.

    >>> short_text(75.0), short_text(0.1234567), short_text(1e-7)
    ('75', '0.123457', '0')
    """
    text = f"{Decimal(x).quantize(Decimal('0.000001'), ROUND_HALF_EVEN):f}"
    return text.rstrip("0").rstrip(".")


def java_text(x: float) -> str:
    """As Java writes a double: with at least one decimal; as a power of ten from 10 million, and below 0.001.

    >>> [java_text(x) for x in (4.0, 15.27, 12345678.0, 0.00025, 1e10)]
    ['4.0', '15.27', '1.2345678E7', '2.5E-4', '1.0E10']
    """
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        return f"{Decimal(repr(x)):f}" if "e" in repr(x) else repr(x)
    sign, digits, exponent = Decimal(repr(x)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{exponent + len(digits) - 1}"


def n_leaves(node: Node) -> int:
    """Number of leaves, empty ones included."""
    return 1 if node.test is None else sum(n_leaves(branch) for branch in node.branches)


def n_nodes(node: Node) -> int:
    """Number of nodes, empty leaves included."""
    return 1 + sum(n_nodes(branch) for branch in node.branches)
