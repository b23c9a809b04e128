"""A tree as text, line for line as C4.5 release 8 prints it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ctree.data.worded import Worded
from ctree.render.labels import leaves_below
from ctree.tree.shown_order import leaf_numbers
from ctree.tree.tree import Test, Tree

WIDTH = 80
WRAP = 70  # a list of values is broken before this column, counted from the name of the attribute
MAX_SUBTREES = 99
WIDEST_CUT = 26  # of a timestamp


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
    return "".join(_Printer(tree, width, most_subtrees, max_depth, numbered).parts())


def tree_text_parts(tree: Tree) -> Iterator[str]:
    """What `tree_text` gives, a few lines at a time, so that the text of a large tree is never in memory."""
    return _Printer(tree, WIDTH, MAX_SUBTREES, None).parts()


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
        # Views give Python's numbers as lists do, faster than arrays, and copy nothing.
        self.test = tree.test.data
        self.attribute = tree.attribute.data
        self.threshold = tree.threshold.data
        self.bounds: tuple[memoryview, memoryview] | None = None  # with soft thresholds
        if tree.lower is not None and tree.upper is not None:
            self.bounds = tree.lower.data, tree.upper.data
        self.first_branch = tree.arrays.first_branch.data
        self.n_branches = tree.arrays.n_branches.data
        self.best = tree.best.data
        self.cases = tree.cases.data
        self.errors = tree.errors.data
        self.classes = [str(c) for c in tree.schema.classes]
        self.schema = tree.schema
        self.names = [a.name for a in tree.schema]
        self.values = [[str(v) for v in a.values] for a in tree.schema]
        self.equalities: dict[int, list[str]] = {}  # what the branches of an attribute with one for each value say
        widest = max(map(len, self.classes)) + 7
        self.most_widths = [
            len(name) + 4 + max([WIDEST_CUT, *map(len, values)]) + widest
            for name, values in zip(self.names, self.values, strict=True)
        ]
        self.subtrees: list[int] = []

    def parts(self) -> Iterator[str]:
        yield from self.parts_from(0)
        for number, node in enumerate(self.subtrees, 1):  # which grow on the way
            yield f"\n\n\nSubtree [S{number}]\n"
            yield from self.parts_from(node)
        yield "\n"

    def parts_from(self, root: int) -> Iterator[str]:
        """One tree or subtree; a stack in place of recursion, for a tree can be very deep."""
        if self.test[root] == Test.LEAF or root in self.folded:
            yield self.leaf(root)
            return
        waiting = [("", root, 0)]
        while waiting:
            text, node, depth = waiting.pop()
            if node in self.folded:
                yield text + self.leaf(node)
            elif depth and self.too_wide(node, depth):
                yield text + self.set_aside(node)
            else:
                lines, subtrees = self.lines_of(node, depth)
                yield text + "".join(lines)
                waiting += reversed(subtrees)

    def lines_of(self, node: int, depth: int) -> tuple[list[str], list[tuple[str, int, int]]]:
        """The branches of a node that are leaves, and the others with the texts that introduce them."""
        indent = "\n" + "|   " * depth
        test, leaf = self.test, self.leaf
        lines, subtrees = [], []
        branch = self.first_branch[node]
        for condition in self.conditions(node, indent):
            if condition:
                if test[branch] != Test.LEAF:
                    subtrees.append((indent + condition, branch, depth + 1))
                else:
                    lines.append(indent + condition + leaf(branch))
            branch += 1
        return lines, subtrees

    def conditions(self, node: int, indent: str) -> list[str]:
        """What leads to each branch of a node; nothing for an empty group of values."""
        attribute = self.attribute[node]
        name = self.names[attribute]
        if self.test[node] == Test.THRESHOLD:
            bound = self.schema[attribute].bound
            cut = f"{bound(self.threshold[node]):g}"
            if self.bounds is not None:
                lower, upper = bound(self.bounds[0][node]), bound(self.bounds[1][node])
                return [f"{name} {sign} {cut} [{lower:g},{upper:g}]:" for sign in ("<=", ">")]
            return [f"{name} <= {cut} :", f"{name} > {cut} :"]
        values = self.values[attribute]
        if self.test[node] == Test.VALUES:
            if attribute not in self.equalities:
                self.equalities[attribute] = [f"{name} = {value}:" for value in values]
            return self.equalities[attribute]
        return [_membership(name, [values[v] for v in group], indent) for group in self.tree.groups(node)]

    def leaf(self, node: int) -> str:
        errors = self.errors[node]
        text = f" {self.classes[self.best[node]]} ({self.cases[node]:.1f}"
        text += f"/{errors:.1f})" if errors > 0 else ")"
        if node in self.folded:
            return f"{text} [{self.folded[node]} leaves]"
        return text if self.numbers is None else f"{text} [leaf {self.numbers[node]}]"

    def too_wide(self, node: int, depth: int) -> bool:
        attribute = self.attribute[node]
        if 4 * depth + self.most_widths[attribute] <= self.width:
            return False
        values = self.values[attribute]
        widest = 0
        for b in range(self.n_branches[node]):
            branch = self.first_branch[node] + b
            if self.test[node] != Test.THRESHOLD:
                width = len(values[b])
            else:  # release 8 takes all numbers for four characters
                cut = self.schema[attribute].bound(self.threshold[node])
                width = len(str(cut)) if isinstance(cut, Worded) else 4
            width += 1
            if self.test[branch] == Test.LEAF:
                width += len(self.classes[self.best[branch]]) + 6
            widest = max(widest, width)
        return 4 * depth + len(self.names[attribute]) + 4 + widest > self.width

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
        return f"{name} = {values[0]}:"
    text = f"{name} in {{"
    margin = len(name) + len(" in {")
    column = margin
    for i, value in enumerate(values):
        if column + len(value) + 1 > WRAP:
            text += indent + " " * margin
            column = margin
        text += value + ("," if i < len(values) - 1 else "}:")
        column += len(value) + 1
    return text
