"""The tables of an SQLite database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ctree.data.files.text_file import path_text
from ctree.data.relational.catalogue import Catalogue, DatabaseTable, quoted
from ctree.data.tables.raw_columns import RawTable, raw_table
from ctree.data.tables.transposed import transposed
from ctree.errors import DataError
from ctree.wording import abbreviated

if TYPE_CHECKING:
    from sqlite3 import Connection, Cursor

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"


def sqlite_tables(path: Any, target: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `RelationalData` for a database."""
    import sqlite3

    if isinstance(path, sqlite3.Connection):
        return _parameters(path, None, target, options)
    file = path_text(path)
    if not os.path.isfile(file):
        raise DataError("there is no such file", file)
    # By way of an address, as only that can say that a database is to be read, and not made if it is not there.
    from pathlib import Path

    try:
        connection = sqlite3.connect(f"{Path(file).absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise DataError(f"the database cannot be read ({abbreviated(error, 150)})", file) from None
    try:
        return _parameters(connection, file, target, options)
    finally:
        connection.close()


def _parameters(connection: Connection, file: str | None, target: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    import sqlite3

    try:
        with _one_moment(connection) as cursor:
            catalogue = Catalogue(_catalogue(cursor), target, options)
            return catalogue.parameters(lambda table: _content(cursor, catalogue, table))
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a name is damaged
        raise DataError(f"the database cannot be read ({abbreviated(error, 150)})", file) from None
    except DataError as error:
        raise error if error.file is not None else type(error)(str(error), file) from None


@contextmanager
def _one_moment(connection: Connection) -> Iterator[Cursor]:
    """All tables as they are at one moment, whatever others write meanwhile, with rows and texts as Python's own."""
    import sqlite3

    cursor = connection.cursor()
    cursor.row_factory = None
    as_text, begun = connection.text_factory, not connection.in_transaction
    connection.text_factory = str
    try:
        if begun:
            cursor.execute("BEGIN")
        yield cursor
    finally:
        connection.text_factory = as_text
        with suppress(sqlite3.Error):
            if begun and connection.in_transaction:
                cursor.execute("ROLLBACK")


def _catalogue(cursor: Cursor) -> list[DatabaseTable]:
    tables = []
    for (name,) in cursor.execute(TABLES).fetchall():
        columns = cursor.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        primary = sorted((place, column) for _, column, _, _, _, place in columns if place)
        tables.append(DatabaseTable(name, [c[1] for c in columns], [column for _, column in primary]))
    # Names are the same in SQLite if they differ only in the case of letters.
    by_name = {table.name.lower(): table for table in tables}
    for table in tables:
        found: dict[int, tuple[list[str], str, list[str]]] = {}
        for number, _, other, here, there, *_ in sorted(
            cursor.execute(f"PRAGMA foreign_key_list({quoted(table.name)})").fetchall(),
            key=lambda row: (-row[0], row[1]),  # the last one that was declared has the number 0
        ):
            references = by_name.get(other.lower())
            if references is None:
                continue
            entry = found.setdefault(number, ([], references.name, []))
            entry[0].append(_spelled(table, here))
            if there is not None:
                entry[2].append(_spelled(references, there))
        table.foreign = list(found.values())
    return tables


def _spelled(table: DatabaseTable, column: str) -> str:
    return next((name for name in table.columns if name.lower() == column.lower()), column)


def _content(cursor: Cursor, catalogue: Catalogue, table: DatabaseTable) -> RawTable:
    names = catalogue.columns(table)
    rows = cursor.execute(f"SELECT {', '.join(map(quoted, names))} FROM {quoted(table.name)}")
    try:
        return raw_table(dict(zip(names, transposed(rows, len(names)), strict=True)))
    except DataError as error:
        raise type(error)(f"table '{abbreviated(table.name)}': {error}") from None
