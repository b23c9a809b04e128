"""Whether arrays are a tree of a schema: what is not is refused before any kernel sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Schema
from ctree.errors import ModelError
from ctree_ext.base.node_arrays import DTYPES, NodeArrays, Test

SOFT_ARRAYS = ("lower", "upper")
"""The arrays that a tree has only with soft thresholds, and then both."""

TREE_ARRAYS = tuple(name for name in DTYPES if name not in (*SOFT_ARRAYS, "n_tests"))
"""The arrays that every tree has."""


def tree_arrays(arrays: NodeArrays | Mapping[str, npt.ArrayLike]) -> NodeArrays:
    """The arrays of a tree, all that it has to have and none that it has not."""
    given = arrays.by_name() if isinstance(arrays, NodeArrays) else arrays
    needed = (*TREE_ARRAYS, *(SOFT_ARRAYS if any(name in given for name in SOFT_ARRAYS) else ()))
    missing = [name for name in needed if name not in given]
    if missing:
        raise ModelError(f"a tree needs the array '{missing[0]}'")
    if isinstance(arrays, NodeArrays):
        return arrays.replace(n_tests=None)
    taken: dict[str, Any] = {name: given[name] for name in needed}
    return NodeArrays(**taken)


def check_arrays(schema: Schema, arrays: NodeArrays) -> None:
    """Refuse arrays that are not a tree of this schema: no kernel may be led out of its memory by them."""
    n = len(arrays.test)
    if n == 0:
        raise ModelError("a tree has at least one node")
    for name, array in arrays.by_name().items():
        shape = (n, schema.n_classes) if name in ("counts", "probabilities") else (n,)
        if array.ndim != len(shape) or (name != "group" and array.shape != shape):
            raise ModelError(f"the array '{name}' of the tree has the shape {array.shape}, not {shape}")
    test, attribute, n_branches = arrays.test, arrays.attribute, arrays.n_branches
    leaf = test == Test.LEAF
    if not np.isin(test, list(Test)).all():
        raise ModelError("a node of the tree has an unknown kind of test")
    if (n_branches[leaf] != 0).any() or (n_branches[~leaf] < 1).any():
        raise ModelError("the numbers of branches of the tree do not fit its tests")
    if int(n_branches.sum(dtype=np.int64)) != n - 1:
        raise ModelError("the branches of the tree do not make up its nodes")
    first = 1 + np.cumsum(n_branches, dtype=np.int64) - n_branches
    level_order = np.array_equal(arrays.first_branch, np.where(leaf, -1, first))
    if not level_order or (first[~leaf] <= np.flatnonzero(~leaf)).any():
        raise ModelError("the nodes of the tree are not numbered level by level")
    if (attribute[~leaf] < 0).any() or (attribute[~leaf] >= len(schema)).any():
        raise ModelError("the tree tests an attribute that its schema does not have")
    if (arrays.best < 0).any() or (arrays.best >= schema.n_classes).any():
        raise ModelError("a node of the tree has a class that its schema does not have")
    _check_tests(schema, arrays, np.flatnonzero(~leaf))
    if arrays.lower is not None and arrays.upper is not None:
        cut = test == Test.THRESHOLD
        lower, threshold, upper = arrays.lower[cut], arrays.threshold[cut], arrays.upper[cut]
        if not ((lower <= threshold) & (threshold <= upper) & np.isfinite(lower) & np.isfinite(upper)).all():
            raise ModelError("a threshold of the tree does not lie between its bounds")


def _check_tests(schema: Schema, arrays: NodeArrays, inner: npt.NDArray[np.intp]) -> None:
    n_values = np.array([len(a.values) if a.is_discrete else 0 for a in schema], dtype=np.int64)
    continuous = np.array([a.is_continuous for a in schema], dtype=bool)
    discrete = np.array([a.is_discrete for a in schema], dtype=bool)
    attribute, test, branches = arrays.attribute[inner], arrays.test[inner], arrays.n_branches[inner]
    good = np.where(test == Test.THRESHOLD, continuous[attribute] & (branches == 2), discrete[attribute])
    good &= (test != Test.VALUES) | (branches == n_values[attribute])
    # Of groups every value has to have a branch, or -1: all maps from values to branches at once.
    grouped = np.flatnonzero(good & (test == Test.GROUPS))
    group, start, length = arrays.group, arrays.group_start[inner[grouped]], n_values[attribute[grouped]]
    inside = (start >= 0) & (start <= len(group) - length)
    good[grouped[~inside]] = False
    grouped, start, length = grouped[inside], start[inside], length[inside]
    ends = np.cumsum(length)
    place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start - (ends - length), length)
    node = np.repeat(grouped, length)
    good[node[(group[place] < -1) | (group[place] >= branches[node])]] = False
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        name = schema[int(attribute[at])].name
        raise ModelError(f"the test of node {inner[at]} does not fit the attribute '{name}'")
