"""Where the rows of a table come from: a CSV file, a Parquet file, a table in memory. Each knows how to name a row."""

from __future__ import annotations

from collections.abc import Container
from importlib import import_module
from typing import Any

from ctree.data.files.csv_table import CsvTable
from ctree.data.tables.levels import RawColumn
from ctree.data.tables.raw_columns import RawTable, raw_table, refuse_moments
from ctree.errors import DataError, DataTypeError, missing
from ctree.wording import abbreviated, no_such


class Source:
    """The rows of one table.

    Parameters
    ----------
    names : list of str
        The names of its columns.
    n_rows : int
    """

    is_text = False
    """Whether it holds only text, of which each column is to make what it needs."""

    def __init__(self, names: list[str], n_rows: int) -> None:
        self.names = names
        self.n_rows = n_rows

    def column(self, name: str) -> RawColumn:
        """The cells of a column, which is there: numbers with NaN, or objects with None, for unknown."""
        raise NotImplementedError

    def error(self, message: str, row: int | None = None) -> DataError:
        """An error about the table, or about one of its rows, from 0."""
        raise NotImplementedError

    def place(self, row: int) -> str:
        """A row, from 0, in words."""
        return f"row {row + 1}"

    def without(self, name: str) -> DataError:
        """The error about a column that is not there."""
        return self.error(no_such("column", name, self.names))


class CsvSource(Source):
    """A comma-separated file; an empty cell is unknown."""

    is_text = True

    def __init__(self, file: str) -> None:
        self._table = CsvTable(file)
        super().__init__(self._table.names, self._table.n_rows)

    def column(self, name: str) -> RawColumn:
        return [cell or None for cell in self._table.column(name)]

    def error(self, message: str, row: int | None = None) -> DataError:
        return DataError(message, self._table.file, None if row is None else self._table.line(row))

    def place(self, row: int) -> str:
        return f"line {self._table.line(row)}"


class MemorySource(Source):
    """A table in memory, or one of a database.

    Parameters
    ----------
    table : RawTable
        With names.
    where : str
        What it is, for messages.
    """

    def __init__(self, table: RawTable, where: str) -> None:
        assert table.names is not None
        super().__init__(table.names, table.n_cases)
        self.table = table
        self._where = where

    def column(self, name: str) -> RawColumn:
        return self.table.columns[self.names.index(name)]

    def error(self, message: str, row: int | None = None) -> DataError:
        return DataError(f"{self._where}{'' if row is None else f', {self.place(row)}'}: {message}")


def memory_source(name: str, table: Any, ignored: Container[str] = ()) -> MemorySource:
    """A table in memory, of any kind that has names for its columns, without those to be ignored."""
    where = f"table '{abbreviated(name)}'"
    try:
        raw = table if isinstance(table, RawTable) else plain_table(table, ignored)
    except DataError as error:
        raise type(error)(f"{where}: {error}") from None
    if raw.names is None:
        raise DataTypeError(
            f"{where} is a {type(table).__name__} without names of columns; give a DataFrame or a dict of columns"
        )
    return MemorySource(raw, where)


def plain_table(table: Any, ignored: Container[str] = ()) -> RawTable:
    """The columns of a table, none of which may have dates or times: tests of linked rows do not know them."""
    raw = raw_table(table, ignored)
    for name, told in zip(raw.names or [f"x{j}" for j in range(len(raw.columns))], raw.told, strict=True):
        refuse_moments(told, f"'{abbreviated(name)}'")
    return raw


def file_source(file: str, wanted: Container[str]) -> Source:
    """The file of a table, by the ending of its name, of which these columns are wanted."""
    return ParquetSource(file, wanted) if file.lower().endswith(".parquet") else CsvSource(file)


class ParquetSource(Source):
    """A Parquet file, of which only the columns that are wanted are read."""

    def __init__(self, file: str, wanted: Container[str]) -> None:
        try:
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            raise missing("Parquet files need", "pyarrow", "parquet", "pyarrow narwhals") from None
        self._file = file
        try:
            with parquet.ParquetFile(file) as opened:
                super().__init__(list(opened.schema_arrow.names), opened.metadata.num_rows)
                content = opened.read(columns=[name for name in self.names if name in wanted])
        except FileNotFoundError:
            raise DataError("there is no such file", file) from None
        except (OSError, ValueError) as error:  # pyarrow's own are children of these
            reason = abbreviated(str(error).split("\n")[0], 150)
            raise DataError(f"the file cannot be read ({reason})", file) from None
        try:
            raw = plain_table(content) if content.num_columns else RawTable([], [], [])
        except DataError as error:
            raise type(error)(str(error), file) from None
        self._columns = dict(zip(raw.names or (), raw.columns, strict=True))

    def column(self, name: str) -> RawColumn:
        return self._columns[name]

    def error(self, message: str, row: int | None = None) -> DataError:
        return DataError(message if row is None else f"{self.place(row)}: {message}", self._file)
