"""Where C4.5's two programs part: Quinlan's release 8 and Weka's J48.

What they share is in the kernels; this page and that of release 8 have their differences. Those in growing follow from
one switch of `GainRatioGrower`: numbers nearer than a millionth are equal, a test has to gain something, a discrete
attribute may be tested again, a threshold needs enough cases instead of enough weight.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.c45.release8 import Release8
from ctree.tree.interface import first_best
from ctree.tree.leaves import leaf_probabilities
from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.j48 import J48Pruner
from ctree_ext.prune.j48 import collapse as collapse_from_root
from ctree_ext.prune.j48_estimate import pessimistic_errors as j48_pessimistic_errors

Floats = npt.NDArray[np.float64]
SMALL = 1e-6


class J48:
    """Weka's J48."""

    growing: ClassVar[dict[str, Any]] = {"j48": True}
    takes_unknown_class = True  # and leaves such cases out
    collapses_at_once = False

    @staticmethod
    def is_single(data: Dataset) -> bool:
        """Never: all is done in 64 bits."""
        return False

    @staticmethod
    def collapsed(arrays: NodeArrays, n_classes: int, single: bool) -> NodeArrays:
        """The same, from the root down."""
        return collapse_from_root(arrays, n_classes)

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
        """Pruned by estimated errors; the tree goes on showing its training errors. `order` has its cases."""
        del leaf_rows  # the cases go down the tree again
        pruner = J48Pruner(table, confidence=confidence, subtree_raising=subtree_raising)
        return pruner.prune(arrays, order, n_threads=n_threads)

    @staticmethod
    def expected_errors(cases: Floats, errors: Floats, confidence: float) -> Floats:
        """The same by J48's estimate."""
        pairs = zip(cases.tolist(), errors.tolist(), strict=True)
        return np.array([j48_pessimistic_errors(n, max(e, 0.0), confidence) for n, e in pairs])

    @staticmethod
    def probabilities(arrays: NodeArrays, estimate: str, m: float, prior_weight: float | str = 2.0) -> Floats:
        """Of every node; a leaf without cases says what its parent would."""
        parent = arrays.parents()
        result = leaf_probabilities(arrays.counts, arrays.best, estimate, m, parent=parent, prior_weight=prior_weight)
        empty = np.flatnonzero(arrays.cases[1:] <= SMALL) + 1
        result[empty] = result[parent[empty]]
        return result

    @staticmethod
    def choices(probabilities: Floats) -> npt.NDArray[np.intp]:
        """The first class that no other exceeds by more than a hair."""
        return first_best(probabilities, SMALL)


VARIANTS: dict[str, type[Release8] | type[J48]] = {"release8": Release8, "j48": J48}


def labelled_rows(data: Dataset) -> tuple[Dataset, npt.NDArray[np.int32] | None]:
    """The rows that have a class, None if all have one; the others, which only lend their values, get any."""
    assert data.classes is not None
    if (data.classes >= 0).all():
        return data, None
    rows = np.flatnonzero(data.classes >= 0).astype(np.int32)
    classes = np.maximum(data.classes, 0)
    return Dataset(data.schema, data.columns, classes, data.weights, n_cases=data.n_cases), rows


def held_out_fold(
    data: Dataset, n_folds: int, rows: npt.NDArray[np.int32] | None = None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The cases (at `rows`) to grow from, and those to prune with: the last of so many folds, even in classes.

    The cases are grouped by class, in the order in which the classes first occur, by swaps: behind the first case left,
    each of its class that is met changes places with the next in the way. Every n-th case of the result makes a fold.
    """
    assert data.classes is not None
    row = np.arange(data.n_cases, dtype=np.int32) if rows is None else rows.copy()
    classes = data.classes[row]
    place = 0
    while place < len(row):
        cls = classes[place]
        place += 1
        for other in (np.flatnonzero(classes[place:] == cls) + place).tolist():
            for array in (row, classes):
                array[place], array[other] = array[other], array[place]
            place += 1
    pruning = row[n_folds - 1 :: n_folds]
    return np.setdiff1d(row, pruning), np.sort(pruning)
