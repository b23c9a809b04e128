"""A tree in the language of Graphviz."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.render.colours import class_colours, paler
from ctree.render.labels import branch_labels, clipped, format_cases, leaves_below, visible_nodes
from ctree.tree.tree import Test, Tree

PALEST = 0.12
"""How much of its colour a class has in a node where it is as probable as all others."""


def tree_dot(tree: Tree, max_depth: int | None = None, weights: npt.NDArray[np.float64] | None = None) -> str:
    """The tree as a graph in Graphviz's language, with a statement a line.

    A node has the colour of its class, the stronger the more probable it is. What lies below `max_depth` is folded into
    its root, which has a dashed line and says how many leaves it stands for.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
    weights : array (nodes,), optional
        What each node counts in an average, to be shown in it.
    """
    below = leaves_below(tree)
    colours = class_colours(tree.schema.n_classes)
    nodes = visible_nodes(tree, max_depth)
    shown = set(nodes)
    lines = [
        "digraph tree {",
        '  graph [ordering="out", ranksep="0.45", nodesep="0.2"];',
        '  node [shape="box", style="filled,rounded", fontname="Helvetica", fontsize="11", color="#5b6570"];',
        '  edge [fontname="Helvetica", fontsize="10", color="#5b6570", arrowsize="0.6"];',
    ]
    for node in nodes:
        folded = tree.test[node] != Test.LEAF and tree.branches(node).start not in shown
        lines.append(f"  n{node} [{_node(tree, node, folded, int(below[node]), colours, weights)}];")
        if not folded:
            for branch, words in zip(tree.branches(node), branch_labels(tree, node), strict=True):
                lines.append(f"  n{node} -> n{branch} [label={quoted(f' {words} ')}];")
    return "\n".join([*lines, "}"])


def _node(
    tree: Tree, node: int, folded: bool, below: int, colours: list[str], weights: npt.NDArray[np.float64] | None
) -> str:
    schema = tree.schema
    best = int(tree.best[node])
    probability = float(tree.probabilities[node, best])
    cases = f"{format_cases(float(tree.cases[node]))} case" + ("" if tree.cases[node] == 1 else "s")
    # "\n" in a label of Graphviz's is two signs; `quoted` doubles those of names only.
    if tree.test[node] == Test.LEAF:
        rows = [clipped(str(schema.classes[best])), f"p = {probability:.3f}, {cases}"]
    else:
        rows = [clipped(schema[int(tree.attribute[node])].name), cases]
        if folded:
            rows.append(f"… {below} leaves")
    if weights is not None:
        rows.append(f"weight {float(weights[node]):.3f}")
    even = 1 / max(schema.n_classes, 1)
    sure = 1.0 if even == 1 else max(0.0, (probability - even) / (1 - even))
    counts = zip(schema.classes, tree.class_counts[node].tolist(), tree.probabilities[node].tolist(), strict=True)
    tooltip = "; ".join(f"{clipped(str(label))}: {n:g} ({p:.3f})" for label, n, p in counts)
    style = "filled,rounded,dashed" if folded else "filled" if tree.test[node] == Test.LEAF else "filled,rounded"
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
