"""Quinlan's release 8: what it does otherwise than J48, and its trees from cases in small columns.

`ctree c4.5` needs no more than this, and so does not wait for what else `C45Classifier` is made of.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ctree.data.compact import CompactCases
from ctree.data.dataset import Dataset
from ctree.data.schema import Kind, Schema
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.tree import Tree
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.error_estimate import pessimistic_errors
from ctree_ext.prune.release8 import Pruner, collapse, drop_impossible_values
from ctree_ext.prune.shared_pruning import prune_shared

MAX_FLOAT32_CASES = 2**24
"""Up to here a 32-bit float counts by ones; beyond, the arithmetic is done in 64 bits."""

Floats = npt.NDArray[np.float64]


class Release8:
    """Quinlan's C4.5, release 8."""

    growing: ClassVar[dict[str, Any]] = {}
    takes_unknown_class = False
    collapses_at_once = True  # as it grows

    @staticmethod
    def is_single(data: Dataset) -> bool:
        """Whether the arithmetic is in 32 bits, as far as these count the cases, and times, exactly."""
        if any(a.kind in (Kind.TIME, Kind.TIMESTAMP) for a in data.schema):
            return False  # a year has more microseconds than 32 bits hold
        if data.weights is None:
            return data.n_cases <= MAX_FLOAT32_CASES
        return bool((data.weights == np.floor(data.weights)).all() and data.weights.sum() <= MAX_FLOAT32_CASES)

    @staticmethod
    def collapsed(arrays: NodeArrays, n_classes: int, single: bool) -> NodeArrays:
        """Without the tests that save no training errors, from the leaves up."""
        return collapse(arrays, n_classes, single)

    @staticmethod
    def pruned(
        arrays: NodeArrays,
        table: CaseTable,
        confidence: float,
        subtree_raising: bool,
        order: Any,
        leaf_rows: Any,
        n_threads: int,
    ) -> NodeArrays:
        """Pruned by estimated errors, which the tree then shows; sums go on in the order in which growing left it."""
        pruner = Pruner(table, confidence=confidence, subtree_raising=subtree_raising)
        return prune_shared(pruner, arrays, order, n_threads, leaf_rows)

    @staticmethod
    def expected_errors(cases: Floats, errors: Floats, confidence: float) -> Floats:
        """The estimate that pruning goes by, of nodes with these cases and training errors."""
        pairs = zip(cases.tolist(), errors.tolist(), strict=True)
        return np.array([pessimistic_errors(n, e, confidence) for n, e in pairs])

    @staticmethod
    def probabilities(arrays: NodeArrays, estimate: str, m: float, prior_weight: float | str = 2.0) -> Floats:
        """Of every node; by frequency a leaf without cases is sure of its parent's class."""
        parent = arrays.parents() if estimate == "m-branch" else None
        return leaf_probabilities(arrays.counts, arrays.best, estimate, m, parent=parent, prior_weight=prior_weight)

    @staticmethod
    def choices(probabilities: Floats) -> npt.NDArray[np.intp]:
        """The first of the most probable classes of each case."""
        return np.asarray(probabilities.argmax(axis=1), dtype=np.intp)


def compact_trees(
    cases: CompactCases, *, gain_only: bool, min_cases: float, confidence: float, group_values: bool
) -> tuple[Tree, Tree]:
    """The tree of these cases as it is grown, and pruned: those of `C45Classifier` with the same parameters."""
    schema, table = cases.schema, cases.table
    grower = GainRatioGrower(
        table, min_cases=min_cases, gain_only=gain_only, group_values=group_values, collapse=True, **Release8.growing
    )
    grown = grower.grow()
    pruned = Release8.pruned(grown, table, confidence, True, grower.order, grower.leaf_rows, 1)
    if group_values:
        pruned = tidied(schema, pruned)
    return _with_probabilities(schema, grown), _with_probabilities(schema, pruned)


def _with_probabilities(schema: Schema, arrays: NodeArrays) -> Tree:
    probabilities = Release8.probabilities(arrays, "frequency", 0.0)
    return Tree(schema, arrays.replace(probabilities=probabilities), float32=True)


def release8_predictions(tree: Tree, data: Dataset | CompactCases) -> npt.NDArray[np.int32]:
    """Class codes as release 8 predicts them: sums over leaves in 32 bits, the first of equals."""
    return np.asarray(tree.frequency_sums(data).argmax(axis=1), dtype=np.int32)


def tidied(schema: Schema, arrays: NodeArrays) -> NodeArrays:
    """The arrays of a tree with grouped values, less the values that cannot occur where they stand."""
    if not len(arrays.group):
        return arrays
    n_values = np.array([len(a.values) for a in schema], dtype=np.int32)
    return drop_impossible_values(arrays, schema.n_classes, n_values)
