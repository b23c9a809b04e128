"""What pictures of a tree say: the branches of a test in few words, and what is folded away."""

from __future__ import annotations

import textwrap
from numbers import Integral
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree.tree.shown_order import shown_branches
from ctree.tree.tree import Test, Tree
from ctree_ext.base.node_arrays import Ints

WIDEST = 28
"""Longer names are cut off here."""


def clipped(text: str, width: int = WIDEST) -> str:
    """A text on one line, no longer than so many characters.

    Examples
    --------
    >>> clipped("adoption-of-the-budget-resolution", 20), clipped("two\\nlines")
    ('adoption-of-the-bud…', 'two lines')
    """
    line = " ".join(text.split())
    line = "".join(sign if sign.isprintable() else "�" for sign in line)
    return line if len(line) <= width else line[: width - 1] + "…"


def with_signs(text: object) -> str:
    """Conditions as pages and pictures write them, with one sign for "at most".

    Examples
    --------
    >>> with_signs("humidity <= 75 (it is 70)")
    'humidity ≤ 75 (it is 70)'
    """
    return str(text).replace(" <= ", " ≤ ")


class Branching(Protocol):
    """A tree of any kind: nodes, numbered level by level, and their branches."""

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""

    @property
    def depth(self) -> int:
        """The greatest depth."""

    @property
    def parent(self) -> Ints:
        """The parent of each node, -1 for the root."""

    @property
    def node_depth(self) -> Ints:
        """The depth of each node."""

    def branches(self, node: int) -> range:
        """The branches of a node."""


def wrapped(text: str, width: int, most_rows: int) -> list[str]:
    """A text in rows, each no longer than so many characters, and no more than so many of them.

    Examples
    --------
    >>> wrapped("does the machine have a worn (worn 1)?", 20, 3), wrapped("one two three", 9, 1)
    (['does the machine', 'have a worn (worn', '1)?'], ['one two …'])
    """
    rows = textwrap.wrap(clipped(text, width * (most_rows + 1)), width) or [""]
    if len(rows) <= most_rows:
        return rows
    last = textwrap.wrap(rows[most_rows - 1], width - 2)[0]
    return [*rows[: most_rows - 1], f"{last} …"]


def branch_labels(tree: Tree, node: int, width: int = WIDEST) -> list[str]:
    """What leads to each branch of a node, without the name of the attribute.

    Of a group of values as many are named as there is room for.

    Examples
    --------
    >>> import ctree
    >>> tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_
    >>> branch_labels(tree, 0), branch_labels(tree, 1)
    (['sunny', 'overcast', 'rain'], ['≤ 75', '> 75'])
    """
    test = tree.test[node]
    if test == Test.LEAF:
        return []
    if test == Test.THRESHOLD:
        cut = f"{tree.schema[int(tree.attribute[node])].bound(float(tree.threshold[node])):g}"
        return [f"≤ {cut}", f"> {cut}"]
    values = tree.schema[int(tree.attribute[node])].values
    return [_listed([str(values[v]) for v in group], width) for group in tree.groups(node)]


def _listed(values: list[str], width: int) -> str:
    if len(values) <= 1:
        return clipped(values[0] if values else "no value", width)
    values = [clipped(value, width + 1) for value in values]  # not all of a text that will be cut off anyway
    text = ", ".join(values)
    if len(text) <= width:
        return text
    shown = ""
    for i, value in enumerate(values):
        more = f" +{len(values) - i - 1}" if i < len(values) - 1 else ""
        longer = f"{shown}, {value}" if shown else clipped(value, width - 4)
        if len(longer) + len(more) > width:
            return f"{shown} +{len(values) - i}"
        shown = longer
    return shown


def format_cases(cases: float) -> str:
    """A weight of cases: whole as it mostly is, else with one decimal.

    Examples
    --------
    >>> format_cases(20000.0), format_cases(7.63)
    ('20,000', '7.6')
    """
    return f"{cases:,.0f}" if cases == round(cases) else f"{cases:,.1f}"


def leaves_below(tree: Branching) -> npt.NDArray[np.int64]:
    """How many leaves each node has below it; a leaf has itself."""
    parent = tree.parent.tolist()
    below = [1] * len(parent)
    for node in parent[1:]:
        below[node] = 0
    for node in range(len(below) - 1, 0, -1):  # branches come after their node
        below[parent[node]] += below[node]
    return np.array(below, dtype=np.int64)


def visible_nodes(tree: Branching, max_depth: int | None) -> list[int]:
    """The nodes down to a depth, each before its branches; those at the depth that are no leaves are folded."""
    check_depth(max_depth)
    deepest = tree.n_nodes if max_depth is None else int(max_depth)
    depth = tree.node_depth.tolist()
    waiting, result = [0], []
    while waiting:
        node = waiting.pop()
        result.append(node)
        if depth[node] < deepest:
            waiting.extend(reversed(shown_branches(tree, node)))
    return result


def check_depth(max_depth: Any) -> None:
    """Refuse what is no depth."""
    if max_depth is None:
        return
    if isinstance(max_depth, bool) or not isinstance(max_depth, Integral) or int(max_depth) < 0:
        raise ParameterError(f"max_depth must be None or a whole number of at least 0, not {max_depth!r}")
