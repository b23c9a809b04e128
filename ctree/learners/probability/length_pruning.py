"""Pruning by description length: tests that cost more bits than they save become leaves, the lowest first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.tree.leaves import levels, parents
from ctree_ext.grow.split_scores import tie_tolerance

Arrays = dict[str, Any]
Floats = npt.NDArray[np.float64]


def prune_by_length(arrays: Arrays, rule: str, n_cases: float) -> Arrays:
    """The arrays of the pruned tree.

    A subtree with L leaves becomes a leaf where the bits that it saves, N H of the node less those of its leaves, are
    fewer than it costs. Each test with v branches that have cases costs (v - 1) ½ (C - 1) log2 N and, by MDL, log2 of
    the number of tests it was chosen from and v bits more. So two leaves are kept exactly where the stopping rule would
    have divided; where values are unknown only nearly, as that rule goes by the cases whose value is known, and the
    counts of the leaves have the others in parts.

    Parameters
    ----------
    arrays : dict
        A tree as `ScoreGrower` makes it, ``n_tests`` included.
    rule : {"bic", "mdl"}
    n_cases : float
        N, the weight of the whole training set.
    """
    counts, n_branches = arrays["counts"], arrays["n_branches"]
    n_nodes, n_classes = counts.shape
    parent = parents(n_branches)
    least = tie_tolerance(n_cases)
    filled = np.bincount(parent[1:][arrays["cases"][1:] > 0], minlength=n_nodes)
    cost = np.where(n_branches > 0, (filled - 1) * 0.5 * (n_classes - 1) * max(np.log2(n_cases), 0.0), 0.0)
    if rule == "mdl":
        cost += np.where(n_branches > 0, np.log2(np.maximum(arrays["n_tests"], 1)) + filled, 0.0)
    information = _information(counts)
    remaining = np.where(n_branches > 0, 0.0, information)
    collapsed = np.zeros(n_nodes, dtype=bool)
    for level in reversed([slice(0, 1), *levels(parent)]):
        inner = np.flatnonzero(n_branches[level]) + level.start
        saving = information[inner] - remaining[inner]
        useless = inner[saving < cost[inner] - least]
        collapsed[useless] = True
        cost[useless] = 0.0
        remaining[useless] = information[useless]
        if level.start:
            np.add.at(remaining, parent[level], remaining[level])
            np.add.at(cost, parent[level], cost[level])
    return without_branches(arrays, collapsed)


def _information(counts: Floats) -> Floats:
    """N H of each node, in bits."""
    total = counts.sum(axis=1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    whole = np.log2(total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(total * whole - (counts * logs).sum(axis=1))


def without_branches(arrays: Arrays, collapsed: npt.NDArray[np.bool_]) -> Arrays:
    """The tree in which the `collapsed` nodes are leaves."""
    if not collapsed.any():
        return arrays
    n_branches = arrays["n_branches"]
    parent = parents(n_branches)
    kept = np.ones(len(n_branches), dtype=bool)
    for level in levels(parent):
        kept[level] = kept[parent[level]] & ~collapsed[parent[level]]
    result = {name: np.array(array[kept]) for name, array in arrays.items() if name != "group"}
    leaf = collapsed[kept]
    result["test"][leaf] = 0
    result["attribute"][leaf] = -1
    result["threshold"][leaf] = 0.0
    result["n_branches"][leaf] = 0
    inner = result["n_branches"] > 0
    result["first_branch"] = np.where(inner, 1 + np.cumsum(result["n_branches"]) - result["n_branches"], -1).astype(
        np.int32
    )
    # the maps from values to branches, of the tests that are left
    starts = arrays["group_start"]
    lengths = _group_lengths(starts, len(arrays["group"]))
    stays = kept & ~collapsed & (starts >= 0)
    result["group"] = np.concatenate(
        [arrays["group"][s : s + n] for s, n in zip(starts[stays], lengths[stays], strict=True)]
        or [np.empty(0, dtype=np.int32)]
    )
    result["group_start"] = np.full(len(leaf), -1, dtype=np.int64)
    result["group_start"][stays[kept]] = np.cumsum(lengths[stays]) - lengths[stays]
    return result


def _group_lengths(group_start: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """How long the map of each node is; the maps stand in the order of the nodes."""
    lengths = np.zeros(len(group_start), dtype=np.int64)
    grouped = np.flatnonzero(group_start >= 0)
    lengths[grouped] = np.diff(np.append(group_start[grouped], size))
    return lengths
