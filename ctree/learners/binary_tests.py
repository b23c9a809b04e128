"""The tests that trees of bits may have: thresholds of continuous attributes, single values of discrete ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.tree.tree import Test

if TYPE_CHECKING:
    from ctree_ext.testgrid import TestGrid

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Levels:
    """The levels of one attribute that has tests.

    Parameters
    ----------
    attribute : int
    cuts : tuple of float
        Of a continuous attribute, the thresholds in order: level i is above i of them. Empty for a discrete one.
    codes : tuple of int
        Of a discrete attribute, the values that its cases have. Empty for a continuous one.
    fill : int
        The level of a case whose value is unknown: that of the middle one of the known numbers, or of the most frequent
        value.
    """

    attribute: int
    cuts: tuple[float, ...]
    codes: tuple[int, ...]
    fill: int

    @property
    def n_levels(self) -> int:
        return len(self.codes) or len(self.cuts) + 1

    @property
    def n_tests(self) -> int:
        """One for each cut, or for each value; of two values one test is enough."""
        return len(self.cuts) or (1 if len(self.codes) == 2 else len(self.codes))

    @property
    def is_ordered(self) -> bool:
        return bool(self.cuts)

    def of(self, column: npt.NDArray[Any]) -> Ints:
        """The level of each case; a value that no case had has the level -1, which no test asks for."""
        if self.is_ordered:
            levels = np.searchsorted(np.array(self.cuts), column, side="left").astype(np.int32)
            return np.where(np.isnan(column), np.int32(self.fill), levels)
        table = np.full(max(int(column.max(initial=-1)), *self.codes) + 2, -1, dtype=np.int32)
        table[list(self.codes)] = np.arange(len(self.codes))
        table[-1] = self.fill
        return np.asarray(table[column])


class BinaryTests:
    """All tests on the attributes of some cases, numbered attribute after attribute.

    Parameters
    ----------
    levels : sequence of Levels
        Those of the attributes that have a test at all.
    """

    def __init__(self, levels: Sequence[Levels]) -> None:
        self.levels = tuple(levels)
        self.ordered = np.array([entry.is_ordered for entry in self.levels], dtype=np.bool_)
        sizes = [entry.n_tests for entry in self.levels]
        self.attribute = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
        self.level = np.concatenate([[], *(np.arange(size) for size in sizes)]).astype(np.int32)

    @classmethod
    def of_cases(cls, data: Dataset) -> BinaryTests:
        """The tests that divide these cases. An attribute whose known values are all alike has none."""
        result = []
        for a, (attribute, column) in enumerate(zip(data.schema, data.columns, strict=True)):
            if column is None:
                continue
            known = column[~np.isnan(column)] if attribute.is_continuous else column[column >= 0]
            values, counts = np.unique(known, return_counts=True)
            if len(values) < 2:
                continue
            if attribute.is_continuous:
                middle = int(np.searchsorted(np.cumsum(counts), len(known) / 2))
                result.append(
                    Levels(a, tuple(_middle(low, high) for low, high in pairwise(values.tolist())), (), middle)
                )
            else:
                result.append(Levels(a, (), tuple(values.tolist()), int(counts.argmax())))
        return cls(result)

    def __len__(self) -> int:
        return len(self.attribute)

    def of(self, data: Dataset) -> Ints:
        """The levels of cases, (cases, attributes that have tests)."""
        result = np.zeros((data.n_cases, len(self.levels)), dtype=np.int32)
        for k, entry in enumerate(self.levels):
            column = data.columns[entry.attribute]
            assert column is not None
            result[:, k] = entry.of(column)
        return result

    def grid(self, data: Dataset) -> TestGrid:
        """The tests as bits of these cases."""
        from ctree_ext.testgrid import TestGrid

        assert data.classes is not None
        levels = self.of(data)
        return TestGrid(
            [np.ascontiguousarray(levels[:, k]) for k in range(len(self.levels))],
            [entry.n_levels for entry in self.levels],
            self.ordered.tolist(),
            np.ascontiguousarray(data.classes),
            data.schema.n_classes,
            data.weights,
        )

    def tree_arrays(self, schema: Schema, tests: Ints, counts: npt.NDArray[np.float64], alpha: float) -> dict[str, Any]:
        """The arrays of a `Tree`, from the tests of its nodes, each before its branches, and its leaves' counts."""
        order, children = _level_order(tests.tolist())
        n = len(order)
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        all_counts = np.zeros((n, schema.n_classes))
        all_counts[tests < 0] = counts
        errors = np.where(tests < 0, all_counts.sum(axis=1) - all_counts.max(axis=1, initial=0.0), 0.0)
        for node in range(n - 1, -1, -1):  # branches come after their node
            for child in children[node]:
                all_counts[node] += all_counts[child]
                errors[node] += errors[child]
        arrays: dict[str, Any] = {
            "test": np.zeros(n, dtype=np.int8),
            "attribute": np.full(n, -1, dtype=np.int32),
            "threshold": np.zeros(n),
            "first_branch": np.full(n, -1, dtype=np.int32),
            "n_branches": np.zeros(n, dtype=np.int32),
            "group_start": np.zeros(n, dtype=np.int64),
        }
        group: list[int] = []
        for node in order:
            if tests[node] < 0:
                continue
            i, entry = place[node], self.levels[self.attribute[tests[node]]]
            level = int(self.level[tests[node]])
            arrays["attribute"][i] = entry.attribute
            arrays["first_branch"][i] = place[children[node][0]]
            arrays["n_branches"][i] = 2
            arrays["test"][i] = Test.THRESHOLD if entry.is_ordered else Test.GROUPS
            if entry.is_ordered:
                arrays["threshold"][i] = entry.cuts[level]
            else:
                arrays["group_start"][i] = len(group)
                group += [int(code != entry.codes[level]) for code in range(len(schema[entry.attribute].values))]
        counts_in_order = all_counts[order]
        return arrays | {
            "group": np.array(group, dtype=np.int32),
            "counts": counts_in_order,
            "cases": counts_in_order.sum(axis=1),
            "best": counts_in_order.argmax(axis=1).astype(np.int32),
            "errors": errors[order],
            "probabilities": leaf_shares(counts_in_order, alpha),
        }


def leaf_shares(counts: npt.NDArray[np.float64], alpha: float) -> npt.NDArray[np.float64]:
    """The predictive probabilities of leaves: (n_c + alpha) / (n + C alpha)."""
    return np.asarray((counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha * counts.shape[1]))


def _middle(low: float, high: float) -> float:
    middle = low + (high - low) / 2
    return middle if middle < high else low


def _level_order(tests: list[int]) -> tuple[list[int], list[list[int]]]:
    """The nodes of a tree, given each before its branches, level by level; and the branches of each."""
    children: list[list[int]] = [[] for _ in tests]
    waiting: list[int] = []
    for node, test in enumerate(tests):
        if waiting:
            children[waiting[-1]].append(node)
            if len(children[waiting[-1]]) == 2:
                waiting.pop()
        if test >= 0:
            waiting.append(node)
    order = [0]
    for node in order:
        order += children[node]
    return order, children
