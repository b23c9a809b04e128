"""How important each column of linked tables is to a relational tree."""

from __future__ import annotations

import numpy as np

from ctree.tree.relational_arrays import QueryTest
from ctree.tree.relational_tree import RelationalTree
from ctree_ext.base.elementary import xlog2y
from ctree_ext.base.node_arrays import Floats


def relational_importances(tree: RelationalTree) -> Floats:
    """Per column of the schema what its tests save of the entropy of the classes, in shares of all that is saved.

    A test belongs to the column that it compares. One that only asks if there is a linked row, or counts such rows,
    belongs to the foreign key by which they are linked; one that asks if two rows are the same, to the last foreign key
    that leads to the first of them. Zeros for a tree without tests.
    """
    counts = tree.counts
    shares = counts / counts.sum(axis=1, keepdims=True)
    bits = -xlog2y(np.where(shares > 0, counts, 0.0), shares).sum(axis=1)
    below = np.bincount(tree.arrays.parents()[1:], weights=bits[1:], minlength=tree.n_nodes)
    saved = np.maximum(bits - below, 0.0)
    links, names = tree.variable_links, list(tree.schema.column_names)
    result = np.zeros(len(names))
    for node, test in enumerate(tree.tests):
        if test is not None:
            result[names.index(column_of(tree, test, links[node]))] += saved[node]
    total = result.sum()
    return np.asarray(result / total if total > 0 else result)


def column_of(tree: RelationalTree, test: QueryTest, links: tuple[int, ...]) -> str:
    """The full name of the column that a test belongs to."""
    keys, condition = tree.schema.foreign_keys, test.condition
    if condition is None:
        return keys[test.steps[-1].link].name
    if condition.op == "is":
        known = (*links, *(step.link for step in test.steps))
        return keys[condition.path[-1] if condition.path else known[condition.variable - 1]].name
    aggregate = tree.aggregate(condition)
    if aggregate is not None and aggregate.column < 0:
        return keys[aggregate.link].name
    return ".".join(tree.column_name(condition.column if aggregate is None else aggregate.column))
