"""Whether the cases of a report seem to be those that the model was learned from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.evaluate.scored import ScoredCases
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.naive_bayes import NaiveBayesClassifier
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

AT_ONCE = 50_000
"""So many cases are led down a tree at a time."""


def training_counts(model: Any, tree: Any) -> Floats | None:
    """The weight of the training cases of each class, if a model, or the tree that shows it, knows it."""
    counts = getattr(model, "class_counts_", None)
    if counts is None:
        grown = getattr(model, "unpruned_tree_", None) or getattr(model, "tree_", tree)
        if isinstance(grown, RelationalTree):
            counts = grown.counts[0]
        elif isinstance(grown, Tree):
            counts = grown.class_counts[0]
    return None if counts is None else np.asarray(counts, dtype=np.float64)


def looks_trained_on(model: Any, cases: ScoredCases, counts: Floats | None) -> bool:
    """Whether a model had as many cases of each class and, as far as it knows that, wherever else it counted them.

    Parameters
    ----------
    model : learner or Tree
    cases : ScoredCases
    counts : array or None
        The `training_counts`.
    """
    if counts is None or not np.allclose(counts, cases.class_weights, rtol=1e-6):
        return False
    data = cases.data
    if data is None:
        return True
    if isinstance(model, NaiveBayesClassifier):
        tables = zip(model.counts_, model.cuts_, data.columns, strict=True)
        return all(_same_table(cases, table, cuts, column) for table, cuts, column in tables if table is not None)
    if isinstance(model, TreeClassifier | Tree):
        tree = model if isinstance(model, Tree) else model.tree_
        return bool(np.allclose(_node_weights(model, data, cases.weights), tree.cases, rtol=1e-3, atol=0.05))
    return True


def _same_table(cases: ScoredCases, table: Floats, cuts: Floats | None, column: npt.NDArray[Any] | None) -> bool:
    if column is None:
        return True
    places = column if cuts is None else np.where(np.isnan(column), -1, np.searchsorted(cuts, column, side="left"))
    known = places >= 0
    pairs = places[known].astype(np.intp) * table.shape[1] + cases.codes[known]
    found = np.bincount(pairs, None if cases.weights is None else cases.weights[known], table.size)
    return bool(len(found) == table.size and np.allclose(found, table.ravel(), rtol=1e-6, atol=1e-6))


def _node_weights(model: Any, data: Dataset, weights: Floats | None) -> Floats:
    """The weight of these cases at each node."""
    total: Any = 0.0
    for first in range(0, data.n_cases, AT_ONCE):
        some = slice(first, first + AT_ONCE)
        paths = model.decision_path(data.take(some))
        total = total + paths.T @ (np.ones(paths.shape[0]) if weights is None else weights[some])
    return np.asarray(total)
