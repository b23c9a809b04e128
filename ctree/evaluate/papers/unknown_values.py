"""Unknown values as the papers' programs took them: as values of their own."""

from __future__ import annotations

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.schema import Attribute, Schema


def with_unknown_as_value(data: Dataset) -> Dataset:
    """The cases with unknown discrete values replaced by a value of their own, ?."""
    return _with_unknown(data, {})


def with_unknown_as_no(data: Dataset) -> Dataset:
    """The cases with an unknown answer, y or n, taken for n; other unknown values are values of their own."""
    return _with_unknown(data, {"n": ("n", "y")})


def _with_unknown(data: Dataset, answers: dict[str, tuple[str, ...]]) -> Dataset:
    attributes: list[Attribute] = []
    columns: list[Column | None] = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if attribute.is_discrete and column is not None and (column < 0).any():
            values = attribute.values
            taken = next((value for value, known in answers.items() if sorted(values) == sorted(known)), "?")
            values = values if taken in values else (*values, taken)
            column = np.where(column < 0, np.int32(values.index(taken)), column)
            attribute = Attribute(attribute.name, attribute.kind, values)
        columns.append(column)
        attributes.append(attribute)
    return Dataset(
        Schema(tuple(attributes), data.schema.classes), columns, data.classes, data.weights, n_cases=data.n_cases
    )
