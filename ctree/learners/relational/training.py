"""The examples that a relational tree is learned from, with their classes and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.schema import Schema
from ctree.errors import DataError
from ctree.learners.base.training import check_total, weight_array, weighted, weights_by_class

Weights = npt.NDArray[np.float64]

LINKED_TABLES = "relational trees learn from linked tables: give a RelationalData (ctree.read_relational)"


def linked_tables(X: Any) -> RelationalData:
    """Whatever a person gives, if it is linked tables."""
    if not isinstance(X, RelationalData):
        raise DataError(LINKED_TABLES)
    return X


def training_examples(
    data: RelationalData, sample_weight: Any, class_weight: Any
) -> tuple[RelationalData, npt.NDArray[np.int32], Weights | None]:
    """The examples that weigh something, their classes and their weights; None if all weigh 1.

    Parameters
    ----------
    data : RelationalData
    sample_weight : array or None
        What each example weighs.
    class_weight : mapping, "balanced" or None
        By what these weights are multiplied.
    """
    classes = data.classes
    if classes is None or not data.schema.classes:
        raise DataError("the examples to learn from have no classes")
    if not len(data):
        raise DataError("there are no examples to learn from")
    if (classes < 0).any():
        example = int(np.argmax(classes < 0))
        raise DataError(f"example {example + 1} has no class; leave out such examples to learn from the others")
    weights = None if sample_weight is None else weight_array(sample_weight)
    cases = Dataset(Schema((), data.schema.classes), (), classes, weights, n_cases=len(data))
    if cases.weights is not None:
        check_total(np.asarray(cases.weights))
    factors = weights_by_class(cases, class_weight)
    if factors is not None:
        cases = cases.with_weights(factors)
    if cases.weights is None:
        return data, classes.astype(np.int32, copy=False), None
    kept = np.asarray(cases.weights) > 0
    cases = weighted(cases)
    assert cases.classes is not None
    assert cases.weights is not None
    if not kept.all():
        data = data.take(kept)
    found = np.asarray(cases.weights)
    return data, cases.classes.astype(np.int32, copy=False), None if (found == 1).all() else found
