"""How important each attribute is to a tree."""

from __future__ import annotations

import numpy as np

from ctree.data.schema import Schema
from ctree.tree.tree import Test, Tree
from ctree_ext.base.elementary import xlog2y
from ctree_ext.base.node_arrays import Floats


def importances(tree: Tree, schema: Schema) -> Floats:
    """Per attribute what its tests save of the entropy of the classes, in shares of all that the tree saves.

    A test saves n H of its node less that of its branches, with n the weight of their cases. Zeros for a tree that
    tests nothing.
    """
    counts = tree.class_counts
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1.0)
    # A share may be too small for 64 bits, beside counts that are larger by far.
    bits = -xlog2y(np.where(shares > 0, counts, 0.0), shares).sum(axis=1)
    below = np.bincount(tree.parent[1:], weights=bits[1:], minlength=tree.n_nodes)
    inner = tree.test != Test.LEAF
    # Fractions of cases with unknown values do not add up to the last bit, so that a useless test may seem to cost.
    saved = np.maximum(bits[inner] - below[inner], 0.0)
    result = np.bincount(tree.attribute[inner], weights=saved, minlength=len(schema)).astype(np.float64)
    all_saved = result.sum()
    return np.asarray(result / all_saved if all_saved > 0 else result)
