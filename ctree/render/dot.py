"""A tree in the language of Graphviz."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.render.colours import class_colours, paler
from ctree.render.labels import clipped, format_cases, leaves_below, visible_nodes
from ctree.render.view import TreeView, view_of
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree

WIDEST, MOST_ROWS = 36, 5
"""Of a question, in characters and rows."""

PALEST = 0.12
"""How much of its colour a class has in a node where it is as probable as all others."""


def tree_dot(
    tree: Tree | RelationalTree, max_depth: int | None = None, weights: npt.NDArray[np.float64] | None = None
) -> str:
    """The tree as a graph in Graphviz's language, with a statement a line.

    A node has the colour of its class, the stronger the more probable it is. What lies below `max_depth` is folded into
    its root, which has a dashed line and says how many leaves it stands for.

    Parameters
    ----------
    tree : Tree or RelationalTree
    max_depth : int, optional
    weights : array (nodes,), optional
        What each node counts in an average, to be shown in it.
    """
    below = leaves_below(tree)
    view = view_of(tree)
    colours = class_colours(len(view.classes))
    nodes = visible_nodes(tree, max_depth)
    shown = set(nodes)
    lines = [
        "digraph tree {",
        '  graph [ordering="out", ranksep="0.45", nodesep="0.2"];',
        '  node [shape="box", style="filled,rounded", fontname="Helvetica", fontsize="11", color="#5b6570"];',
        '  edge [fontname="Helvetica", fontsize="10", color="#5b6570", arrowsize="0.6"];',
    ]
    for node in nodes:
        folded = not view.is_leaf(node) and tree.branches(node).start not in shown
        lines.append(f"  n{node} [{_node(view, node, folded, int(below[node]), colours, weights)}];")
        if not folded:
            labels = dict(zip(tree.branches(node), view.branch_labels(node), strict=True))
            for branch in view.shown_branches(node):
                lines.append(f"  n{node} -> n{branch} [label={quoted(f' {labels[branch]} ')}];")
    return "\n".join([*lines, "}"])


def _node(
    view: TreeView, node: int, folded: bool, below: int, colours: list[str], weights: npt.NDArray[np.float64] | None
) -> str:
    best = int(view.best[node])
    probability = float(view.probabilities[node, best])
    cases = f"{format_cases(float(view.cases[node]))} {view.noun}" + ("" if view.cases[node] == 1 else "s")
    # "\n" in a label of Graphviz's is two signs; `quoted` doubles those of names only.
    if view.is_leaf(node):
        rows = [clipped(str(view.classes[best])), f"p = {probability:.3f}, {cases}", f"leaf {view.numbers[node]}"]
    else:
        rows = [*view.question(node, WIDEST, MOST_ROWS), cases]
        if folded:
            rows.append(f"… {below} leaves")
    if weights is not None:
        rows.append(f"weight {float(weights[node]):.3f}")
    even = 1 / max(len(view.classes), 1)
    sure = 1.0 if even == 1 else max(0.0, (probability - even) / (1 - even))
    counts = zip(view.classes, view.counts[node].tolist(), view.probabilities[node].tolist(), strict=True)
    tooltip = "; ".join(f"{clipped(str(label))}: {n:g} ({p:.3f})" for label, n, p in counts)
    style = "filled,rounded,dashed" if folded else "filled" if view.is_leaf(node) else "filled,rounded"
    # Black text stands on it, so that the strongest is not the full colour.
    fill = paler(colours[best], PALEST + 0.5 * sure)
    return f'label={quoted(*rows)}, style="{style}", fillcolor="{fill}", tooltip={quoted(tooltip)}'


def quoted(*rows: str) -> str:
    """A string of Graphviz's, of one or several rows.

    Examples
    --------
    >>> print(quoted('say "yes"', "back\\\\slash"))
    "say \\"yes\\"\\nback\\\\slash"
    """
    return '"' + "\\n".join(row.replace("\\", "\\\\").replace('"', '\\"') for row in rows) + '"'
