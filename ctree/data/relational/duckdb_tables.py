"""The tables of a DuckDB database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.text_file import path_text
from ctree.data.relational.catalogue import Catalogue, DatabaseTable, quoted
from ctree.data.relational.declared import target_of
from ctree.data.tables.levels import RawColumn
from ctree.data.tables.raw_columns import RawTable
from ctree.errors import DataError, ParameterError, missing
from ctree.wording import abbreviated

MODULES = ("duckdb", "_duckdb")
HERE = "schema_name = current_schema() AND database_name = current_database()"
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = (*INTEGERS, *(f"U{name}" for name in INTEGERS), "FLOAT", "DOUBLE", "DECIMAL")
LABELS = ("VARCHAR", "BOOLEAN", "ENUM", "UUID")
KEYS = (*NUMBERS, *LABELS, "DATE", "TIME", "TIMESTAMP")


def duckdb_tables(connection: Any, target: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `RelationalData` for a database."""
    if type(connection).__module__.split(".")[0] in MODULES:
        return _parameters(connection, None, target, options)
    if not isinstance(connection, str | os.PathLike):
        raise ParameterError(f"this should be a connection of duckdb or a file, not a {type(connection).__name__}")
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise missing("DuckDB databases need", "duckdb", "duckdb") from None
    file = path_text(connection)
    if not os.path.isfile(file):
        raise DataError("there is no such file", file)
    try:
        opened = duckdb.connect(file, read_only=True)
    except duckdb.Error as error:
        raise _unreadable(error, file) from None
    try:
        return _parameters(opened, file, target, options)
    finally:
        opened.close()


def _unreadable(error: Exception, file: str | None) -> DataError:
    return DataError(f"the database cannot be read ({abbreviated(str(error).splitlines()[0], 150)})", file)


def _parameters(connection: Any, file: str | None, target: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        # A connection has one result, which the caller may still be reading.
        with connection.cursor() as cursor:
            cursor.begin()  # all tables as they are at one moment
            tables, types = _catalogue(cursor)
            catalogue = Catalogue(tables, target, options)
            return catalogue.parameters(lambda table: _content(cursor, catalogue, table, types))
    except DataError as error:
        raise error if error.file is not None else type(error)(str(error), file) from None
    except Exception as error:
        if type(error).__module__.split(".")[0] not in MODULES:
            raise
        raise _unreadable(error, file) from None


def _catalogue(cursor: Any) -> tuple[list[DatabaseTable], dict[tuple[str, str], str]]:
    # By name: the numbers of tables are in the order in which they were made only in some versions.
    tables = {
        name: DatabaseTable(name, [])
        for (name,) in cursor.execute(
            f"SELECT table_name FROM duckdb_tables() WHERE {HERE} ORDER BY table_name"
        ).fetchall()
    }
    types = {}
    query = f"SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE {HERE} ORDER BY column_index"
    for table, column, kind in cursor.execute(query).fetchall():
        if table in tables:  # and not a view
            tables[table].columns.append(column)
            types[table, column] = kind
    query = (
        "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
        f"FROM duckdb_constraints() WHERE {HERE} ORDER BY table_name, constraint_index"
    )
    for table, kind, columns, references, there in cursor.execute(query).fetchall():
        if table in tables and kind == "PRIMARY KEY":
            tables[table].primary = columns
        elif table in tables and kind == "FOREIGN KEY" and references in tables:
            tables[table].foreign.append((columns, references, there))
    return list(tables.values()), types


def _content(cursor: Any, catalogue: Catalogue, table: DatabaseTable, types: Mapping[tuple[str, str], str]) -> RawTable:
    names = catalogue.columns(table)
    numeric = [_is_number(catalogue, table, name, types[table.name, name]) for name in names]
    wanted = [
        f"CAST({quoted(name)} AS {'DOUBLE' if is_number else 'VARCHAR'}) AS c{j}"
        for j, (name, is_number) in enumerate(zip(names, numeric, strict=True))
    ]
    found = cursor.execute(f"SELECT {', '.join(wanted)} FROM {quoted(table.name)}").fetchnumpy()
    return RawTable(names, [_cells(found[f"c{j}"]) for j in range(len(names))], [not one for one in numeric])


def _is_number(catalogue: Catalogue, table: DatabaseTable, column: str, kind: str) -> bool:
    """Whether a column is read as numbers, and not as text."""
    given = catalogue.kinds.get(f"{table.name}.{column}")
    plain = kind.split("(")[0].split(" ")[0]
    is_key = catalogue.is_key(table, column) or given == "key"
    if plain not in (KEYS if is_key else (*NUMBERS, *LABELS)) or kind.endswith("]"):
        raise DataError(
            f"table '{abbreviated(table.name)}': column '{abbreviated(column)}' has the type {abbreviated(kind)}; it "
            "should hold numbers, booleans or text, or be ignored by its kind"
        )
    if (table.name, column) == target_of(catalogue.target):
        return plain in INTEGERS  # classes stay whole numbers
    if is_key or given in ("discrete", "class"):
        return False
    return given == "continuous" or plain in NUMBERS


def _cells(array: npt.NDArray[Any]) -> RawColumn:
    """A column of a result: numbers with NaN, or text with None, for NULL."""
    if array.dtype.kind == "f":
        return np.array(np.ma.filled(array, np.nan), dtype=np.float64)
    cells = np.array(np.ma.getdata(array), dtype=object)
    cells[np.ma.getmaskarray(array)] = None
    return cells.tolist()  # type: ignore[no-any-return]
