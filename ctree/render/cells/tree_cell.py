"""A tree in a notebook: folded, searchable, and never too large for it."""

from __future__ import annotations

import numpy as np

from ctree.render.cells.cell import bar, cell, dot, legend, told
from ctree.render.colours import class_colours
from ctree.render.labels import Branching, format_cases, leaves_below
from ctree.render.view import TreeView, view_of
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree
from ctree.wording import plural
from ctree_ext.base.node_arrays import Floats

MOST_NODES = 500
"""Of a larger tree, the first so many nodes are shown, level by level."""
MOST_BRANCHES = 100
"""Of a node that are shown."""
MOST_LEVELS = 100
"""That are shown: browsers do not put elements into each other without end."""
OPEN_ROWS = 24
"""A tree is unfolded as deep as it has no more rows than this, and at least to its first branches."""


def tree_cell(tree: Tree | RelationalTree, weights: Floats | None = None, title: str = "") -> str:
    """A tree as a cell; with the weights of its nodes if they have such."""
    return cell(title or type(tree).__name__, _size(tree), tree_body(tree, weights), searched(tree))


def searched(tree: Tree | RelationalTree) -> str:
    """What can be searched for in `tree_body`; nothing where there is nothing to be found."""
    if tree.n_nodes == 1:
        return ""
    return "question or class" if isinstance(tree, RelationalTree) else "attribute, value or class"


def _size(tree: Branching) -> str:
    return f"{plural(tree.n_nodes, 'node')}, {plural(tree.n_leaves, 'leaf')}, depth {tree.depth}"


def tree_body(tree: Tree | RelationalTree, weights: Floats | None = None) -> str:
    """The nodes of a tree, each within the node above it, and how many are left out."""
    return _Body(view_of(tree), weights).text()


class _Body:
    def __init__(self, view: TreeView, weights: Floats | None) -> None:
        self.view = view
        self.tree = view.tree
        self.weights = weights
        self.colours = class_colours(len(view.classes))
        self.classes = [told(label, 40) for label in view.classes]
        self.depth: list[int] = self.tree.node_depth.tolist()
        self.below: list[int] = leaves_below(self.tree).tolist()
        self.shown = 0
        self.open_depth = self._open_depth()

    def _open_depth(self) -> int:
        rows = np.cumsum(np.bincount(self.tree.node_depth))
        return max(1, int(np.count_nonzero(rows <= OPEN_ROWS)) - 1)

    def text(self) -> str:
        parts: list[str] = []
        # Of each node what leads to it, or a text that closes what is around it: trees may be deeper than the stack.
        waiting: list[tuple[int, str] | str] = [(0, "")]
        while waiting:
            entry = waiting.pop()
            if isinstance(entry, str):
                parts.append(entry)
                continue
            node, label = entry
            self.shown += 1
            branches = self._branches(node)
            if not branches:
                parts.append(f"<div class='ctree-item ctree-leaf'>{self._row(node, label)}</div>")
                continue
            is_open = " open" if self.depth[node] < self.open_depth else ""
            row = self._row(node, label)
            parts.append(f"<details{is_open}><summary class='ctree-item'>{row}</summary><div class='ctree-below'>")
            labels = self.view.branch_labels(node)
            left = len(labels) - len(branches)
            waiting.append("</div></details>")
            if left:
                waiting.append(f"<div class='ctree-soft ctree-leaf'>… and {left:,} more branches</div>")
            shown = [branch for branch in self.view.shown_branches(node) if branch in branches]
            waiting += [(branch, labels[branch - branches.start]) for branch in reversed(shown)]
        return f"{legend(self.view.classes)}<div class='ctree-folding'>{''.join(parts)}</div>{self._left_out()}"

    def _branches(self, node: int) -> range:
        """The branches of a node that are shown: none if they come too late."""
        branches = self.view.branches(node)
        shown = branches[:MOST_BRANCHES]
        if not shown or shown[0] >= MOST_NODES or self.depth[node] >= MOST_LEVELS:
            return range(0)
        return shown

    def _row(self, node: int, label: str) -> str:
        branch = f"<span class='ctree-branch'>{told(label)}</span> " if label else ""
        best = int(self.view.best[node])
        figures = self._figures(node, best)
        if self.view.is_leaf(node):
            number = f"<span class='ctree-soft'>leaf {self.view.numbers[node]}</span>"
            return f"{branch}{dot(self.colours[best])}<b>{self.classes[best]}</b>{figures} {number}"
        question = told(" ".join(self.view.question(node, 200, 1)), 200)
        folded = ""
        if not self._branches(node):
            folded = f" <span class='ctree-soft'>… {self.below[node]:,} leaves, not shown</span>"
        return f"{branch}<b>{question}</b>{figures}{folded}"

    def _figures(self, node: int, best: int) -> str:
        probabilities = self.view.probabilities[node]
        parts = bar(probabilities.tolist(), self.colours)
        number = f"{format_cases(float(self.view.cases[node]))} {self.view.noun}s"
        if self.weights is not None:
            number += f", weight {self.weights[node]:.3f}"
        return f"{parts}<span class='ctree-soft'>{float(probabilities[best]):.3f}, {number}</span>"

    def _left_out(self) -> str:
        left = self.tree.n_nodes - self.shown
        if not left:
            return ""
        return (
            f"<p class='ctree-soft'>{left:,} of {self.tree.n_nodes:,} nodes are not shown. All of them: "
            "<code>to_html()</code>, a page for a browser, and <code>to_text()</code>.</p>"
        )
