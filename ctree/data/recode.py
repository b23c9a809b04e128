"""Cases in the codes of another schema, such as that of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.files.text_file import abbreviated, abbreviated_list
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.arrays import UNSEEN, dataset_from_arrays, refuse_unseen
from ctree.data.tables.levels import code_levels
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
    UNSEEN.check("unseen", unseen)
    if data.schema is schema or data.schema.attributes == schema.attributes:
        return data
    columns = recoded_columns(data, schema, refuse_unseen if unseen == "error" else None)
    known = set(schema.names)
    extra = [a.name for a in data.schema if a.kind is not Kind.IGNORE and a.name not in known]
    if extra:
        names = abbreviated_list([f"'{abbreviated(name)}'" for name in extra])
        raise DataError(f"the cases have the attribute{'s' * (len(extra) > 1)} {names}, which the model does not have")
    return Dataset(schema, columns, n_cases=data.n_cases, case_names=data.case_names)


def recoded_columns(
    data: Dataset, schema: Schema, on_unseen: Callable[[Attribute, Label], None] | None = None
) -> list[Column | None]:
    """The columns of the attributes of a schema, in its codes; a value that it does not have is unknown.

    Parameters
    ----------
    data : Dataset
        What it has besides is left out.
    schema : Schema
    on_unseen : callable, optional
        Called with an attribute and the first of its values that the schema does not have.
    """
    given = {a.name: (a, column) for a, column in zip(data.schema, data.columns, strict=True)}
    columns: list[Column | None] = []
    for attribute in schema:
        if attribute.kind is Kind.IGNORE:
            columns.append(None)
            continue
        if attribute.name not in given:
            raise DataError(f"the cases lack the attribute '{abbreviated(attribute.name)}'")
        source, column = given[attribute.name]
        if attribute.is_discrete and source.has_order and column is not None:
            # labels that are numbers, in a file or table that does not say so
            columns.append(code_levels(column.astype(np.float64), attribute.values, attribute.name))
            continue
        if column is not None and attribute.is_ordered and (source.is_discrete or source.is_ordered):
            columns.append(_places(column, source, attribute, on_unseen))
            continue
        if column is not None and attribute.is_ordered and source.is_continuous:
            columns.append(code_levels(column.astype(np.float64), attribute.values, attribute.name))
            continue
        if column is not None and attribute.is_discrete and source.is_ordered:
            source = replace(source, kind=Kind.DISCRETE)
            column = np.where(np.isnan(column), -1, column).astype(np.int32)
        if attribute.kind != source.kind:
            kinds = f"is {source.kind.value} here but {attribute.kind.value} in the model"
            raise DataError(f"attribute '{abbreviated(attribute.name)}' {kinds}")
        if column is not None and attribute.is_discrete and attribute.values != source.values:
            column = _places(column, source, attribute, on_unseen)
        columns.append(column)
    return columns


def _places(
    column: Column, source: Attribute, attribute: Attribute, on_unseen: Callable[[Attribute, Label], None] | None
) -> npt.NDArray[np.int32]:
    """Discrete values, in an order or not, as places in that of a model."""
    given = column if source.is_discrete else np.where(np.isnan(column), -1, column).astype(np.int32)
    codes = translated(given, source.values, attribute.values)
    lost = given[(codes < 0) & (given >= 0)]
    if lost.size and on_unseen is not None:
        on_unseen(attribute, source.values[int(lost[0])])
    return codes


def translated(codes: npt.NDArray[Any], source: Sequence[Label], target: Sequence[Label]) -> npt.NDArray[np.int32]:
    """Codes among some labels as codes among others; -1 where there is no such label, or none was known.

    A number and a text that reads as that number are the same label; see `code_levels`.

    Examples
    --------
    >>> translated(np.array([0, 1, 2, -1]), ["rain", "sunny", 3], ["3", "sunny"]).tolist()
    [-1, 1, 0, -1]
    """
    table = np.append(code_levels(list(source), target, "value"), np.int32(-1))
    return np.asarray(table[codes], dtype=np.int32)
