"""Linked tables as Parquet files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ctree.data.relational.schema import ColumnKind
from ctree.data.relational.tables import CodedTable
from ctree.data.relational.values import text_of
from ctree.errors import DataError, missing
from ctree.wording import abbreviated

if TYPE_CHECKING:
    from ctree.data.relational.data import RelationalData


def parquet_table(data: RelationalData, table: CodedTable) -> bytes:
    """The file of a table, of the target with the examples only; numbers are doubles, all else is text."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise missing("Parquet files need", "pyarrow", "parquet", "pyarrow narwhals") from None
    names = list(table.schema.names)
    try:
        columns = [_column(arrow, data, table, place) for place in range(len(names))]
        stream = arrow.BufferOutputStream()
        parquet.write_table(arrow.table(columns, names=names), stream)
    except ValueError as error:  # pyarrow's own are children of it, and those about text that is no Unicode
        reason = abbreviated(str(error).split("\n")[0], 150)
        raise DataError(f"table '{abbreviated(table.schema.name)}' cannot be written as Parquet ({reason})") from None
    return bytes(stream.getvalue())


def _column(arrow: Any, data: RelationalData, table: CodedTable, place: int) -> Any:
    schema, column, coded = data.schema, table.schema.columns[place], table.columns[place]
    rows: Any = data.rows if table.schema.name == schema.target else slice(None)
    if column.kind is ColumnKind.CONTINUOUS:
        assert coded is not None
        return arrow.array(coded[rows], type=arrow.float64(), from_pandas=True)  # NaN becomes null
    codes: Any
    if column.name == table.schema.key:
        texts, codes = table.keys, np.arange(table.n_rows)[rows]
    elif column.kind is ColumnKind.CLASS:
        texts, codes = tuple(map(text_of, schema.classes)), data.classes
    elif column.kind is ColumnKind.DISCRETE:
        assert coded is not None
        texts, codes = table.values[place], coded[rows]
    else:
        key = schema.foreign_key(table.schema.name, column.name)
        assert key is not None
        assert coded is not None
        texts, codes = data.table(key.references).keys, coded[rows]
        if key.references == schema.target:
            is_example = np.zeros(len(texts or ()) + 1, dtype=bool)
            is_example[data.rows] = True
            codes = np.where(is_example[codes], codes, -1)  # others are not written
    assert codes is not None
    return arrow.array(texts, type=arrow.string()).take(arrow.array(codes, type=arrow.int32(), mask=codes < 0))
