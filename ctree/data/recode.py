"""Cases in the codes of another schema, such as that of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.text_file import shown, shown_list
from ctree.data.schema import Attribute, Kind, Schema
from ctree.data.tables.arrays import dataset_from_arrays, refuse_unseen
from ctree.data.tables.single_case import as_table
from ctree.errors import DataError


def cases_of(X: Any, schema: Schema) -> Dataset:
    """A `Dataset`, a table or a single case in the codes of a schema; values that it does not have are unknown."""
    table = as_table(X, schema.names)
    return recoded(table, schema) if isinstance(table, Dataset) else dataset_from_arrays(table, schema=schema)


def recoded(data: Dataset, schema: Schema, unseen: str = "unknown") -> Dataset:
    """The cases in the codes of a schema, their attributes found by name; without classes, if anything changed.

    Parameters
    ----------
    data : Dataset
    schema : Schema
    unseen : {"unknown", "error"}
        Whether a discrete value that the schema does not have is unknown, or an error.
    """
    if data.schema is schema or data.schema.attributes == schema.attributes:
        return data
    given = {a.name: (a, column) for a, column in zip(data.schema, data.columns, strict=True)}
    columns = [_recoded_column(given, attribute, unseen) for attribute in schema]
    extra = [a.name for a in data.schema if a.kind is not Kind.IGNORE and a.name not in schema.names]
    if extra:
        names = shown_list([f"'{shown(name)}'" for name in extra])
        raise DataError(f"the cases have the attribute{'s' * (len(extra) > 1)} {names}, which the model does not have")
    return Dataset(schema, columns, n_cases=data.n_cases)


def _recoded_column(
    columns: dict[str, tuple[Attribute, Column | None]], attribute: Attribute, unseen: str
) -> Column | None:
    """The column of an attribute of the schema; values that it does not have are unknown."""
    if attribute.kind is Kind.IGNORE:
        return None
    if attribute.name not in columns:
        raise DataError(f"the cases lack the attribute '{shown(attribute.name)}'")
    given, column = columns[attribute.name]
    if attribute.kind != given.kind:
        raise DataError(
            f"attribute '{shown(attribute.name)}' is {given.kind.value} here but {attribute.kind.value} in the model"
        )
    if column is None or not attribute.is_discrete or attribute.values == given.values:
        return column
    codes = {value: code for code, value in enumerate(attribute.values)}
    table = np.array([codes.get(value, -1) for value in given.values] + [-1], dtype=np.int32)
    recoded = np.asarray(table[column.astype(np.int32, copy=False)])
    if unseen == "error":
        lost = column[(recoded < 0) & (column >= 0)]
        refuse_unseen(attribute, given.values[int(lost[0])] if lost.size else None)
    return recoded
