"""Whether arrays are a tree of a schema: what is not is refused before any kernel sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.errors import DataError, ModelError
from ctree.wording import abbreviated
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
    if (arrays.attribute[~is_inner] != -1).any():
        raise ModelError("a leaf of the tree names an attribute, where -1 should stand")
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
    continuous = np.array([a.has_order for a in schema], dtype=bool)
    discrete = np.array([a.is_discrete for a in schema], dtype=bool)
    attribute, test, branches = arrays.attribute[inner], arrays.test[inner], arrays.n_branches[inner]
    good = np.where(test == Test.THRESHOLD, continuous[attribute] & (branches == 2), discrete[attribute])
    good &= (test != Test.VALUES) | (branches == n_values[attribute])
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        name = schema[int(attribute[at])].name
        raise ModelError(f"the test of node {inner[at]} does not fit the attribute '{abbreviated(name)}'")
    grouped = test == Test.GROUPS
    _check_groups(schema, arrays, inner[grouped], n_values[attribute[grouped]])


def _check_groups(
    schema: Schema, arrays: NodeArrays, nodes: npt.NDArray[np.intp], n_values: npt.NDArray[np.int64]
) -> None:
    """Refuse maps from values to branches that do not follow each other, or have a value without branch or -1.

    Kernels take the length of a map from where the next one begins.
    """
    ends = np.cumsum(n_values)
    if (arrays.group_start[nodes] != ends - n_values).any() or len(arrays.group) != n_values.sum():
        raise ModelError("the groups of values of the tree do not follow each other in the order of its nodes")
    wrong = (arrays.group < -1) | (arrays.group >= np.repeat(arrays.n_branches[nodes], n_values))
    if wrong.any():
        node = nodes[np.searchsorted(ends, np.flatnonzero(wrong)[0], side="right")]
        name = schema[int(arrays.attribute[node])].name
        raise ModelError(f"the test of node {node} does not fit the attribute '{abbreviated(name)}'")


def check_cases(schema: Schema, data: Dataset) -> None:
    """Refuse cases that are not in the codes of this schema, as far as kernels would read beyond their columns."""
    if data.schema is schema:
        return
    kinds = [(a.kind, len(a.values)) for a in schema]
    given = [(a.kind, len(a.values)) for a in data.schema]
    if len(given) != len(kinds):
        raise DataError(f"the cases have {len(given)} attributes, but the model has {len(kinds)}")
    for attribute, (kind, n_values), (own_kind, n_own) in zip(schema, given, kinds, strict=True):
        name = abbreviated(attribute.name)
        if kind is not own_kind:
            raise DataError(f"attribute '{name}' of the model is {own_kind.value}, but that of the cases {kind.value}")
        if n_values > n_own:
            raise DataError(f"attribute '{name}' of the model has {n_own} values, but that of the cases {n_values}")
