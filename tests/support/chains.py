"""Trees that are one long chain of tests: deeper than any stack, and as wide in columns."""

from __future__ import annotations

import numpy as np

from ctree import Attribute, Kind, Schema
from ctree.tree.tree import Tree


def chain(levels: int, columns: int = 1) -> Tree:
    """A threshold at each level, of one column after the other; the first branch is a leaf, the second goes on.

    The thresholds of a column rise from level to level, so that a number stops at the first that is not below it.
    """
    n = 2 * levels + 1
    level = np.arange(levels)
    inner = np.r_[0, 2 * level[:-1] + 2]  # the second branch of the node above
    arrays = {
        "test": np.zeros(n, dtype=np.int8),
        "attribute": np.full(n, -1, dtype=np.int32),
        "threshold": np.zeros(n),
        "first_branch": np.full(n, -1, dtype=np.int32),
        "n_branches": np.zeros(n, dtype=np.int32),
        "group_start": np.full(n, -1, dtype=np.int64),
        "group": np.zeros(0, dtype=np.int32),
        "best": np.arange(n, dtype=np.int32) % 2,
        "errors": np.zeros(n),
    }
    arrays["test"][inner] = 1
    arrays["attribute"][inner] = level % columns
    arrays["threshold"][inner] = level // columns
    arrays["first_branch"][inner] = 2 * level + 1
    arrays["n_branches"][inner] = 2
    cases = np.ones(n)
    cases[inner] = levels - level + 1.0
    p = (np.arange(n) % 7 + 1) / 9
    arrays.update(cases=cases, counts=np.outer(cases, [0.5, 0.5]), probabilities=np.column_stack([p, 1 - p]))
    attributes = tuple(Attribute(f"a{a}", Kind.CONTINUOUS) for a in range(columns))
    return Tree(Schema(attributes, ("no", "yes")), arrays)
