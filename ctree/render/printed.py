"""What `print` shows of a tree: its text, up to a size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ctree.render.labels import Branching

MOST_NODES = 200
"""Of a tree that is printed whole."""


def printed(tree: Branching, text: Callable[[int | None], str]) -> str:
    """A tree as text: all of it, or as many levels as have not too many nodes, and what is left out.

    Parameters
    ----------
    tree : Tree or RelationalTree
    text : callable
        Its text down to a depth, or all of it for None.
    """
    if tree.n_nodes <= MOST_NODES:
        return text(None)
    rows = np.cumsum(np.bincount(tree.node_depth))
    depth = max(1, int(np.count_nonzero(rows <= MOST_NODES)) - 1)
    lines = text(depth).splitlines()
    left = tree.n_nodes - int(rows[depth])
    rest = f"… {left:,} of {tree.n_nodes:,} nodes are left out" if left else ""
    if len(lines) > MOST_NODES:  # of a test with very many branches
        rest = f"… {len(lines) - MOST_NODES:,} more lines" + (f", and {rest[2:]}" if left else "")
    return "\n".join([*lines[:MOST_NODES], f"{rest}: to_text() has all"])
