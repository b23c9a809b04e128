"""The examples that a relational tree is learned from or applied to, with their classes and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import RelationalSchema
from ctree.data.relational.values import in_order, text_of, texts_of
from ctree.data.schema import Label, Schema
from ctree.data.tables.frames import as_series, is_frame
from ctree.data.tables.raw_columns import raw_table
from ctree.errors import DataError
from ctree.learners.base.training import check_total, class_labels, weight_array, weighted, weights_by_class
from ctree.wording import abbreviated, abbreviated_list

Codes = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]

LINKED_TABLES = "relational trees learn from linked tables: give a RelationalData (ctree.read_relational)"


class Examples(NamedTuple):
    """Examples to learn from.

    Parameters
    ----------
    data : RelationalData
    schema : RelationalSchema
        Of the data, with all classes.
    classes : array of int32
    weights : array or None
        None if all weigh 1.
    places : array or None
        Their places among the examples that were given; None if these are all.
    """

    data: RelationalData
    schema: RelationalSchema
    classes: Codes
    weights: Weights | None = None
    places: npt.NDArray[np.intp] | None = None

    @property
    def total(self) -> float:
        """The weight of all examples."""
        return float(len(self.classes) if self.weights is None else self.weights.sum())


def examples_of(X: Any, data: RelationalData | None) -> RelationalData:
    """The examples that a person gives: linked tables, or the keys of examples in the tables of the learner."""
    if isinstance(X, RelationalData):
        return X
    if data is None:
        raise DataError(LINKED_TABLES)
    return data.take(data.places(_one_column(X)))


def _one_column(X: Any) -> Any:
    """The keys of examples, whatever holds them."""
    if isinstance(X, Mapping) or (is_frame(X) and as_series(X) is None):
        columns = raw_table(X).columns
        if len(columns) != 1:
            raise DataError(f"X has {len(columns)} columns, but should have one, the keys of the examples")
        return columns[0]
    if isinstance(X, list | tuple) or as_series(X) is not None:
        return [row[0] if isinstance(row, list | tuple) and len(row) == 1 else row for row in X]
    keys = np.asarray(X)
    if keys.ndim == 2 and keys.shape[1] == 1:
        return keys[:, 0]
    if keys.ndim != 1:
        raise DataError(f"X has the shape {keys.shape}, but should be one column, the keys of the examples")
    return keys


def training_examples(data: RelationalData, y: Any, sample_weight: Any, class_weight: Any) -> Examples:
    """The examples that weigh something, with their classes and weights.

    Parameters
    ----------
    data : RelationalData
    y : column of labels or None
        The classes of the examples, in place of those of the data.
    sample_weight : array or None
        What each example weighs.
    class_weight : mapping, "balanced" or None
        By what these weights are multiplied.
    """
    return weighted_examples(data, *labelled(data, y), sample_weight, class_weight)


def labelled(data: RelationalData, y: Any) -> tuple[RelationalSchema, Codes]:
    """The schema of examples, with all classes, and the class of each: their own, or those that are given."""
    if not len(data):
        raise DataError("there are no examples to learn from")
    return _own_classes(data) if y is None else _given_classes(data, y)


def weighted_examples(
    data: RelationalData, schema: RelationalSchema, classes: Codes, sample_weight: Any, class_weight: Any
) -> Examples:
    """The examples that weigh something, where the classes are known; see `training_examples`."""
    weights = None if sample_weight is None else weight_array(sample_weight)
    cases = Dataset(Schema((), schema.classes), (), classes, weights, n_cases=len(data))
    if cases.weights is not None:
        check_total(np.asarray(cases.weights))
    factors = weights_by_class(cases, class_weight)
    if factors is not None:
        cases = cases.with_weights(factors)
    if cases.weights is None:
        return Examples(data, schema, classes)
    kept = np.asarray(cases.weights) > 0
    cases = weighted(cases)
    assert cases.weights is not None
    found = np.asarray(cases.weights)
    places = None if kept.all() else np.flatnonzero(kept)
    if places is not None:
        data, classes = data.take(places), classes[places]
    return Examples(data, schema, classes, None if (found == 1).all() else found, places)


def _own_classes(data: RelationalData) -> tuple[RelationalSchema, Codes]:
    """The classes that the data have."""
    classes = data.classes
    if classes is None or not data.schema.classes:
        raise DataError("the examples to learn from have no classes")
    if (classes < 0).any():
        example = int(np.argmax(classes < 0))
        raise DataError(f"example {example + 1} has no class; leave out such examples to learn from the others")
    return data.schema, np.ascontiguousarray(classes, dtype=np.int32)


def _given_classes(data: RelationalData, y: Any) -> tuple[RelationalSchema, Codes]:
    """Classes that are given beside keys: among those of the data, or any if these have none."""
    column = class_labels(y)
    labels, codes = texts_of(column if isinstance(column, list) else list(column.tolist()))
    if len(codes) != len(data):
        raise DataError(f"there are {len(data)} examples but {len(codes)} classes")
    if (codes < 0).any():
        raise DataError(f"example {int(np.argmax(codes < 0)) + 1} has no class")
    schema = data.schema
    if not schema.classes:
        originals: dict[str, Label] = {text_of(label): label for label in list(column)}
        schema = replace(schema, classes=tuple(originals[text] for text in in_order(labels)))
    known = {text_of(label): code for code, label in enumerate(schema.classes)}
    strange = [label for label in labels if label not in known]
    if strange:
        raise DataError(
            f"the class '{abbreviated(strange[0])}' of y is not one of {abbreviated_list(schema.classes)}, the classes "
            "of the data"
        )
    return schema, np.array([known[label] for label in labels], dtype=np.int32)[codes]
