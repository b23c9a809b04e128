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
        return arrays if arrays.n_tests is None else arrays.replace(n_tests=None)
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
    test, n_branches = arrays.test, arrays.n_branches
    if test.min() < Test.LEAF or test.max() > Test.GROUPS:
        raise ModelError("a node of the tree has an unknown kind of test")
    is_inner = test != Test.LEAF
    if n_branches.min() < 0 or ((n_branches > 0) != is_inner).any():
        raise ModelError("the numbers of branches of the tree do not fit its tests")
    after = np.cumsum(n_branches, dtype=np.int64)
    if after[-1] != n - 1:
        raise ModelError("the branches of the tree do not make up its nodes")
    first, inner = 1 + after - n_branches, np.flatnonzero(is_inner)
    level_order = (arrays.first_branch == np.where(is_inner, first, -1)).all()
    if not level_order or (first[inner] <= inner).any():
        raise ModelError("the nodes of the tree are not numbered level by level")
    tested = arrays.attribute[inner]
    if tested.size and (tested.min() < 0 or tested.max() >= len(schema)):
        raise ModelError("the tree tests an attribute that its schema does not have")
    if arrays.best.min() < 0 or arrays.best.max() >= schema.n_classes:
        raise ModelError("a node of the tree has a class that its schema does not have")
    _check_tests(schema, arrays, inner)
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
    grouped = np.flatnonzero(good & (test == Test.GROUPS))
    if grouped.size:
        _check_groups(arrays, inner[grouped], n_values[attribute[grouped]], good, grouped)
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        name = schema[int(attribute[at])].name
        raise ModelError(f"the test of node {inner[at]} does not fit the attribute '{name}'")


def _check_groups(
    arrays: NodeArrays,
    nodes: npt.NDArray[np.intp],
    n_values: npt.NDArray[np.int64],
    good: npt.NDArray[np.bool_],
    places: npt.NDArray[np.intp],
) -> None:
    """Mark the nodes, at their places in `good`, where a value has neither a branch nor -1: all maps at once."""
    group, start = arrays.group, arrays.group_start[nodes]
    inside = (start >= 0) & (start <= len(group) - n_values)
    good[places[~inside]] = False
    nodes, start, n_values, places = nodes[inside], start[inside], n_values[inside], places[inside]
    ends = np.cumsum(n_values)
    value = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start - (ends - n_values), n_values)
    n_branches = np.repeat(arrays.n_branches[nodes], n_values)
    wrong = (group[value] < -1) | (group[value] >= n_branches)
    good[np.repeat(places, n_values)[wrong]] = False
