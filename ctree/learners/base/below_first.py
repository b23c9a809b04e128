"""Pruning below the tests that come first, which stay: each subtree there by itself, with its own cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.base.first_tests import FirstTest
from ctree_ext.base.node_arrays import NodeArrays, Test

Nodes = npt.NDArray[np.bool_]


def first_nodes(arrays: NodeArrays, tests: Sequence[FirstTest]) -> Nodes:
    """Which nodes make tests that come first. Where one was passed over, no later test can be the same."""
    result = np.zeros(len(arrays), dtype=bool)
    waiting = [(0, 0)] if tests else []
    while waiting:
        node, step = waiting.pop()
        found = next((k for k in range(step, len(tests)) if tests[k].is_at(arrays, node)), None)
        if found is not None:
            result[node] = True
            first = int(arrays.first_branch[node])
            waiting += [(first + b, found + 1) for b in range(int(arrays.n_branches[node]))]
    return result


def changed_below(
    arrays: NodeArrays,
    tests: Sequence[FirstTest],
    change: Callable[[NodeArrays, Dataset | None], NodeArrays],
    data: Dataset | None = None,
    *,
    sum_errors: bool = False,
) -> NodeArrays:
    """The tree with each subtree below the tests that come first changed by a function of it and its cases.

    With `sum_errors`, the errors of the nodes above are those of their branches.
    """
    kept = first_nodes(arrays, tests)
    if not kept.any():
        return change(arrays, data)
    from ctree.learners.levels.assembled import joined, subtree  # which takes its time to load

    parent = arrays.parents()
    ends = np.flatnonzero(~kept & kept[np.maximum(parent, 0)] & (np.arange(len(arrays)) > 0))
    cases = dict(_cases_at(arrays, kept, data)) if data is not None else {}
    # leaves are estimated, too, where there are cases
    some = [n for n in ends.tolist() if arrays.n_branches[n] or n in cases]
    changed = {n: change(subtree(arrays, n), cases.get(n)) for n in some}
    is_end = np.zeros(len(arrays), dtype=bool)
    is_end[ends] = True
    top = arrays.collapsed(is_end & (arrays.n_branches > 0))
    numbers = np.cumsum(kept | is_end) - 1  # nodes of the top are in the same order
    tree, _ = joined(top, {int(numbers[node]): part for node, part in changed.items()})
    if sum_errors:
        errors = tree.errors.copy()
        for node in np.flatnonzero(first_nodes(tree, tests))[::-1].tolist():
            first = int(tree.first_branch[node])
            errors[node] = errors[first : first + int(tree.n_branches[node])].sum()
        tree = tree.replace(errors=errors)
    return tree


def _cases_at(arrays: NodeArrays, kept: Nodes, data: Dataset) -> Iterator[tuple[int, Dataset]]:
    """The cases of each node below the tests that come first; those of unknown outcome in parts."""
    weights = np.ones(data.n_cases) if data.weights is None else np.asarray(data.weights, dtype=np.float64)
    waiting = [(0, np.flatnonzero(weights > 0), weights[weights > 0], data.weights is not None)]
    while waiting:
        node, rows, weight, weighted = waiting.pop()
        if not kept[node]:
            part = data.take(rows)
            yield (
                node,
                Dataset(data.schema, part.columns, part.classes, weight if weighted else None, n_cases=len(rows)),
            )
            continue
        branch = _branches(arrays, node, data, rows)
        known = branch >= 0
        n_branches, first = int(arrays.n_branches[node]), int(arrays.first_branch[node])
        sizes = np.bincount(branch[known], weight[known], n_branches).astype(np.float64)
        for b in np.flatnonzero(sizes > 0).tolist():
            here = ~known | (branch == b)
            parts = np.where(known, weight, weight * sizes[b] / sizes.sum())[here]
            waiting.append((first + b, rows[here], parts, weighted or not known.all()))


def _branches(arrays: NodeArrays, node: int, data: Dataset, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """The branch that each case takes at a node; -1 where that is unknown."""
    column = data.columns[arrays.attribute[node]]
    assert column is not None
    values = np.asarray(column)[rows]
    if arrays.test[node] == Test.THRESHOLD:
        return np.where(np.isnan(values), -1, (values > arrays.threshold[node]).astype(np.int64))
    codes = values.astype(np.int64)
    if arrays.test[node] == Test.GROUPS:
        start = int(arrays.group_start[node])
        group = arrays.group[start : start + len(data.schema[int(arrays.attribute[node])].values)]
        return np.where(codes < 0, -1, group[codes])
    return codes
