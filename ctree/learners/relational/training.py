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
from ctree.data.relational.values import text_of, texts_of
from ctree.data.schema import Label, Schema
from ctree.data.tables.frames import as_series, is_frame, is_sparse
from ctree.data.tables.named_columns import by_name
from ctree.data.tables.raw_columns import PartOfTable, raw_table
from ctree.errors import DataError
from ctree.learners.base.decisions import asked_weights
from ctree.learners.base.training import check_total, class_labels, weight_array, weighted, weights_by_class
from ctree.wording import plural, shortened

Codes = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]

LINKED_TABLES = "relational trees learn from linked tables: give a RelationalData (ctree.read_relational)"


KEYS = "the keys of the examples"


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


def asked_examples(X: Any, data: RelationalData | None) -> RelationalData:
    """The examples to predict. Of keys the tables may have other classes than the learner was given beside them."""
    examples = examples_of(X, data)
    return examples if isinstance(X, RelationalData) else examples.without_classes()


def keys_by_name(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The keys, classes and weights of examples: a name stands for that column of the table of keys."""
    return (X, y, sample_weight) if isinstance(X, RelationalData) else by_name(X, y, sample_weight)


def _one_column(X: Any) -> Any:
    """The keys of examples, whatever holds them."""
    if isinstance(X, Mapping | PartOfTable) or (is_frame(X) and as_series(X) is None):
        columns = raw_table(X).columns
        if len(columns) != 1:
            raise DataError(f"X has {len(columns)} columns, but should have one, {KEYS}")
        return columns[0]
    if isinstance(X, list | tuple) or as_series(X) is not None:
        rows = list(X)
        for row in rows:
            if isinstance(row, list | tuple) and len(row) != 1:
                raise DataError(f"X has a row of {len(row)} entries, but should be one column, {KEYS}")
        return [row[0] if isinstance(row, list | tuple) else row for row in rows]
    if is_sparse(X):
        raise DataError(f"X is a sparse matrix, but should be one column, {KEYS}")
    keys = np.asarray(X)
    if not keys.ndim:
        raise DataError(f"X is {shortened(X)}, but should be one column, {KEYS}")
    if keys.ndim == 2 and keys.shape[1] == 1:
        return keys[:, 0]
    if keys.ndim != 1:
        raise DataError(f"X has the shape {keys.shape}, but should be one column, {KEYS}")
    return keys


def training_examples(
    data: RelationalData, y: Any, sample_weight: Any, class_weight: Any, costs: Any = None
) -> Examples:
    """The examples that weigh something, with their classes and weights.

    Parameters
    ----------
    data : RelationalData
    y : column of labels or None
        The classes of the examples, in place of those of the data.
    sample_weight : array or None
        What each example weighs.
    class_weight : mapping, "balanced", "costs" or None
        By what these weights are multiplied.
    costs : mapping, matrix or None
        What errors cost.
    """
    schema, classes = labelled(data, y)
    return weighted_examples(data, schema, classes, sample_weight, asked_weights(costs, class_weight, schema.classes))


def labelled(data: RelationalData, y: Any) -> tuple[RelationalSchema, Codes]:
    """The schema of examples, with all classes, and the class of each: their own, or those that are given."""
    if not len(data):
        raise DataError("there are no examples to learn from")
    return _own_classes(data) if y is None else _given_classes(data, y)


def weighted_examples(
    data: RelationalData, schema: RelationalSchema, classes: Codes, sample_weight: Any, class_weight: Any
) -> Examples:
    """The examples that weigh something, where the classes are known; see `training_examples`."""
    weights = None if sample_weight is None else example_weights(data, sample_weight)
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


def true_classes(data: RelationalData, y: Any) -> tuple[list[str], Codes]:
    """The classes that predictions are compared with: labels as text, and of each example the place of its own.

    Classes beside keys may be of another type than those of the data, as for `fit`: 1 is "1".
    """
    if not len(data):
        raise DataError("there are no examples to score")
    if y is not None:
        given, codes = _labels_of(data, y)
        labels = list(given)
    elif data.classes is None:
        raise DataError("score needs the true classes: linked tables that have them, or y")
    else:
        labels, codes = [text_of(label) for label in data.schema.classes], data.classes
    _check_known(codes)
    return labels, codes


def _other_length(what: str, n_values: int, n_examples: int) -> DataError:
    given = f"{plural(n_values, 'value')} for {plural(n_examples, 'example')}"
    return DataError(f"{what} has {given}, but should have one for each")


def example_weights(data: RelationalData, sample_weight: Any) -> Weights:
    """What each example weighs."""
    weights = weight_array(sample_weight)
    if weights.ndim != 1:
        raise DataError(f"sample_weight has the shape {weights.shape}, but should be a list of numbers")
    if len(weights) != len(data):
        raise _other_length("sample_weight", len(weights), len(data))
    return weights


def _check_known(codes: Codes) -> None:
    if (codes < 0).any():
        raise DataError(f"example {int(np.argmax(codes < 0)) + 1} has no class")


def _labels_of(data: RelationalData, y: Any) -> tuple[dict[str, Label], Codes]:
    """The classes beside keys, by their texts, and the place of each among them."""
    column = class_labels(y)
    cells = column if isinstance(column, list) else list(column.tolist())
    try:
        labels, codes = texts_of(cells)
    except DataError as error:
        raise type(error)(f"y: {error}") from None
    if len(codes) != len(data):
        raise _other_length("y", len(codes), len(data))
    firsts = np.unique(codes, return_index=True)
    originals = {labels[code]: cells[row] for code, row in zip(*firsts, strict=True) if code >= 0}
    return {text: originals[text] for text in labels}, codes


def _given_classes(data: RelationalData, y: Any) -> tuple[RelationalSchema, Codes]:
    """Classes that are given beside keys, sorted: scikit-learn takes the last of them for the positive one."""
    labels, codes = _labels_of(data, y)
    _check_known(codes)
    texts = sorted(labels, key=lambda text: (isinstance(labels[text], str), labels[text]))
    known = {text: code for code, text in enumerate(texts)}
    schema = replace(data.schema, classes=tuple(labels[text] for text in texts))
    return schema, np.array([known[text] for text in labels], dtype=np.int32)[codes]


def share_right_of(predicted: npt.NDArray[Any], examples: RelationalData, y: Any, sample_weight: Any) -> float:
    """The share of examples whose class, their own or that of `y`, was predicted."""
    labels, codes = true_classes(examples, y)
    guesses = [text_of(label) for label in predicted.tolist()]
    right = [guess == labels[code] for guess, code in zip(guesses, codes.tolist(), strict=True)]
    weights = None if sample_weight is None else example_weights(examples, sample_weight)
    if weights is not None and not weights.sum() > 0:
        raise DataError("sample_weight gives no example a weight greater than zero")
    return float(np.average(right, weights=weights))
