"""A tree as text, line for line as C4.5 release 8 prints it."""

from __future__ import annotations

import numpy as np

from ctree.render.labels import leaves_below
from ctree.tree.shown_order import leaf_numbers, shown_branches
from ctree.tree.tree import Test, Tree

WIDTH = 80
WRAP = 70  # a list of values is broken before this column, counted from the name of the attribute
MAX_SUBTREES = 99


def tree_text(
    tree: Tree,
    width: int = WIDTH,
    most_subtrees: float = MAX_SUBTREES,
    max_depth: int | None = None,
    numbered: bool = False,
) -> str:
    """The tree, then the subtrees that are too wide to stand in it, each under its number.

    In release 8 there are at most 99 of these, and further ones are left out.

    Leaves are printed before subtrees. ``(n/e)`` are the cases at a leaf and its errors: those made in training, or
    after pruning those to be expected. What has more than `max_depth` tests above it is not printed: the node above it
    is printed like a leaf, with the number of its leaves. With `numbered` leaves have their numbers.
    """
    return _Printer(tree, width, most_subtrees, max_depth, numbered).print_all()


class _Printer:
    def __init__(
        self, tree: Tree, width: int, most_subtrees: float, max_depth: int | None, numbered: bool = False
    ) -> None:
        self.tree = tree
        self.numbers: list[int] | None = leaf_numbers(tree).tolist() if numbered else None
        self.folded: dict[int, int] = {}  # the nodes in whose place a number of leaves is printed
        if max_depth is not None:
            below = leaves_below(tree)
            at_bottom = (tree.node_depth == max_depth) & (tree.test != Test.LEAF)
            self.folded = {int(node): int(below[node]) for node in np.flatnonzero(at_bottom)}
        self.width = width
        self.most_subtrees = most_subtrees
        self.test: list[int] = tree.test.tolist()
        self.attribute: list[int] = tree.attribute.tolist()
        self.threshold: list[float] = tree.threshold.tolist()
        self.bounds: list[tuple[float, float]] | None = None  # with soft thresholds
        if tree.lower is not None and tree.upper is not None:
            self.bounds = list(zip(tree.lower.tolist(), tree.upper.tolist(), strict=True))
        self.best: list[int] = tree.best.tolist()
        self.cases: list[float] = tree.cases.tolist()
        self.errors: list[float] = tree.errors.tolist()
        self.classes = [str(c) for c in tree.schema.classes]
        self.values = [[str(v) for v in a.values] for a in tree.schema]
        self.subtrees: list[int] = []
        self.parts: list[str] = []

    def print_all(self) -> str:
        self.print_from(0)
        number = 0
        while number < len(self.subtrees):
            self.parts.append(f"\n\n\nSubtree [S{number + 1}]\n")
            self.print_from(self.subtrees[number])
            number += 1
        return "".join(self.parts) + "\n"

    def print_from(self, root: int) -> None:
        """One tree or subtree; a stack in place of recursion, for a tree can be very deep."""
        if self.test[root] == Test.LEAF or root in self.folded:
            self.parts.append(self.leaf(root))
            return
        waiting = self.lines_of(root, 0)
        while waiting:
            text, node, depth = waiting.pop()
            self.parts.append(text)
            if self.test[node] == Test.LEAF or node in self.folded:
                self.parts.append(self.leaf(node))
            elif self.too_wide(node, depth + 1):
                self.parts.append(self.set_aside(node))
            else:
                waiting.extend(self.lines_of(node, depth + 1))

    def lines_of(self, node: int, depth: int) -> list[tuple[str, int, int]]:
        """The branches of a node with the texts that introduce them, the first to be printed last in the list."""
        indent = "\n" + "|   " * depth
        texts = dict(zip(self.tree.branches(node), self.conditions(node, indent), strict=True))
        shown = reversed(shown_branches(self.tree, node))
        return [(texts[branch], branch, depth) for branch in shown if texts[branch]]

    def conditions(self, node: int, indent: str) -> list[str]:
        name = self.tree.schema[self.attribute[node]].name
        if self.test[node] == Test.THRESHOLD:
            cut = f"{self.threshold[node]:g}"
            if self.bounds is not None:
                lower, upper = self.bounds[node]
                return [f"{indent}{name} {sign} {cut} [{lower:g},{upper:g}]:" for sign in ("<=", ">")]
            return [f"{indent}{name} <= {cut} :", f"{indent}{name} > {cut} :"]
        values = self.values[self.attribute[node]]
        if self.test[node] == Test.VALUES:
            return [f"{indent}{name} = {value}:" for value in values]
        return [_membership(name, [values[v] for v in group], indent) for group in self.tree.groups(node)]

    def leaf(self, node: int) -> str:
        errors = f"/{self.errors[node]:.1f}" if self.errors[node] > 0 else ""
        note = f" [{self.folded[node]} leaves]" if node in self.folded else ""
        if self.numbers is not None and not note:
            note = f" [leaf {self.numbers[node]}]"
        return f" {self.classes[self.best[node]]} ({self.cases[node]:.1f}{errors}){note}"

    def too_wide(self, node: int, depth: int) -> bool:
        values = self.values[self.attribute[node]]
        widest = 0
        for b, branch in enumerate(self.tree.branches(node)):
            width = 4 if self.test[node] == Test.THRESHOLD else len(values[b])
            width += 1
            if self.test[branch] == Test.LEAF:
                width += len(self.classes[self.best[branch]]) + 6
            widest = max(widest, width)
        return 4 * depth + len(self.tree.schema[self.attribute[node]].name) + 4 + widest > self.width

    def set_aside(self, node: int) -> str:
        if len(self.subtrees) >= self.most_subtrees:
            return "[S??]"
        self.subtrees.append(node)
        return f"[S{len(self.subtrees)}]"


def _membership(name: str, values: list[str], indent: str) -> str:
    """``name in {a,b}:``, broken over lines where it is long; nothing for an empty group."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{indent}{name} = {values[0]}:"
    text = f"{indent}{name} in {{"
    margin = len(name) + len(" in {")
    column = margin
    for i, value in enumerate(values):
        if column + len(value) + 1 > WRAP:
            text += indent + " " * margin
            column = margin
        text += value + ("," if i < len(values) - 1 else "}:")
        column += len(value) + 1
    return text
