"""Chains that have to become longer: what they keep of what they have drawn.

The draws of the first half become burn-in, and of the others every second stays; the chain then goes on with steps
twice as far apart, until it has as many samples as before. So the draws always span the later part of the chain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.learners.mcmc.sampled_trees import ChainRecord


def n_kept(n_draws: int) -> int:
    """How many of so many draws stay.

    >>> [n_kept(n) for n in (0, 1, 3, 4, 1000, 1001)]
    [0, 0, 0, 1, 250, 250]
    """
    return n_draws // 4


def lengthened(record: ChainRecord, levels: BinaryTests, thin: int) -> ChainRecord:
    """The record of a chain from which it goes on with steps twice as far apart; they are `thin` apart now."""
    # Which attributes the draws that stay test, nobody could say without their trees.
    kept = n_kept(record.n_draws) if record.n_trees else 0
    # counted from the last draw, which stays, so that the last tree of the bank is still the present one
    places = record.n_draws - 1 - 2 * np.arange(kept)[::-1]
    first = record.n_draws - 2 * kept
    together = {
        name: np.concatenate([record.burn_in_traces[name], trace[:first]]) for name, trace in record.traces.items()
    }
    burn_in = {name: np.ascontiguousarray(trace[1::2]) for name, trace in together.items()}
    burn_in["tree"] = np.full(len(burn_in["tree"]), -1, dtype=np.int64)
    traces = {name: np.ascontiguousarray(trace[places]) for name, trace in record.traces.items()}
    bank, traces["tree"] = _some_trees(record.bank, traces["tree"])
    steps = record.state["burnt_steps"] + record.state["drawn_steps"]
    state = {
        **record.state,
        "burnt_steps": steps - kept * 2 * thin,
        "drawn_steps": kept * 2 * thin,
        "used": _uses(bank, traces["tree"], levels),
    }
    if not kept:
        state["changed"] = True
    return ChainRecord(state, traces, burn_in, bank, record.moves)


def _some_trees(
    bank: dict[str, npt.NDArray[Any]], wanted: npt.NDArray[np.int64]
) -> tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.int64]]:
    """The bank of the wanted trees alone, and their places in it."""
    if not len(wanted):
        zero = np.zeros(1, dtype=np.int64)
        empty = {"node_start": zero, "leaf_start": zero, "tests": bank["tests"][:0], "counts": bank["counts"][:0]}
        return empty, wanted
    trees, places = np.unique(wanted, return_inverse=True)
    result = {}
    for start, content in (("node_start", "tests"), ("leaf_start", "counts")):
        sizes = np.diff(bank[start])[trees]
        result[start] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # the entries of each tree in a row
        offsets = np.repeat(bank[start][trees] - result[start][:-1], sizes)
        result[content] = np.ascontiguousarray(bank[content][offsets + np.arange(sizes.sum())])
    return result, places.astype(np.int64)


def _uses(bank: dict[str, npt.NDArray[Any]], drawn: npt.NDArray[np.int64], levels: BinaryTests) -> list[int]:
    """By attribute in how many of the draws it is tested."""
    n_attributes, n_trees = len(levels.levels), len(bank["node_start"]) - 1
    tests, tree = bank["tests"], np.repeat(np.arange(n_trees), np.diff(bank["node_start"]))
    inner = tests >= 0
    used = np.zeros((n_trees, n_attributes), dtype=np.int64)
    used[tree[inner], levels.attribute[tests[inner]]] = 1
    times = np.bincount(drawn, minlength=n_trees)
    return [int(n) for n in times @ used] if n_trees else [0] * n_attributes
