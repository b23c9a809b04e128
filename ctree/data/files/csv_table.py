"""The cells of a comma-separated file by column, before it is known what they mean."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

from ctree.data.files.csv_settings import CsvSettings
from ctree.data.files.text_file import BOM, read_utf8
from ctree.data.tables.transposed import transposed
from ctree.errors import DataError
from ctree.wording import no_such

if TYPE_CHECKING:
    from _csv import Reader

NAMED_BY_COMMAS = CsvSettings(delimiter=",", header=True)
"""Commas between columns and names in the first row."""


class CsvTable:
    """The columns of a file.

    Parameters
    ----------
    file : str
    settings : CsvSettings
        What it does not say is found out.
    known : collection of str
        Names of columns that are expected.

    Notes
    -----
    The rows are read and turned into columns as a whole, and where there are no quotes, without a list for each. Only
    where one of them is wrong, or a message needs to know its line, the text is gone through row by row.
    """

    def __init__(self, file: str, settings: CsvSettings = NAMED_BY_COMMAS, known: Collection[str] = ()) -> None:
        import csv  # here, as most who import the package never read such a file

        from ctree.data.files.csv_layout import find_layout, head_of, refuse_utf16

        self.file = file
        self.settings = settings
        text = read_utf8(file, refuse_utf16)
        head = head_of(text)
        self.layout = find_layout(head, len(head) == len(text), file, settings, known)
        self.names = self.layout.names
        self._text = text.removeprefix(BOM).decode("utf-8")
        try:
            plain = self._plain_cells(self.layout.lines)
            # an empty line is no row
            cells = transposed(filter(None, self._reader()), len(self.names)) if plain is None else plain
        except (csv.Error, ValueError):
            self._refuse_first_wrong_row()
            raise
        self._cells = cells

    def _plain_cells(self, line: int) -> list[list[str]] | None:
        """The columns of all lines after this one; None if there are quotes, or if anything is wrong."""
        import csv

        if '"' in self._text or "\r" in self._text:
            return None
        n_columns, delimiter = len(self.names), self.layout.delimiter
        lines = list(filter(None, self._text.split("\n")[line:]))
        if not set(map(str.count, lines, repeat(delimiter))) <= {n_columns - 1}:
            return None
        cells = delimiter.join(lines).split(delimiter) if lines else []
        if max(map(len, cells), default=0) > csv.field_size_limit():
            return None
        return [cells[j::n_columns] for j in range(n_columns)]

    @property
    def n_rows(self) -> int:
        return len(self._cells[0])

    def place(self, name: str, error: type[DataError] = DataError) -> int:
        """Where a column is; an `error` if it is nowhere."""
        if name not in self.names:
            message = no_such("column", name, self.names)
            raise error(message if self.layout.header else f"{message}; its first row is a case", self.file)
        return self.names.index(name)

    def column(self, name: str) -> list[str]:
        """The cells of a column, without the white space around them."""
        return list(map(self.layout.cell, self._cells[self.place(name)]))

    def line(self, row: int) -> int:
        """The line, from 1, on which a row ends."""
        return self._lines[row]

    @cached_property
    def _lines(self) -> list[int]:
        reader = self._reader()
        return [self.layout.before + reader.line_num for row in reader if row]

    def _reader(self) -> Reader:
        """A reader of the cases."""
        import csv
        import io

        stream = io.StringIO(self._text, newline="")
        for _ in range(self.layout.before):
            stream.readline()
        reader = csv.reader(stream, delimiter=self.layout.delimiter, strict=True)
        if self.layout.header:
            next(row for row in reader if row)
        return reader

    def _refuse_first_wrong_row(self) -> None:
        import csv

        reader, n_names = self._reader(), len(self.names)
        try:
            for row in reader:
                if len(row) not in (0, n_names):
                    first = f"the first row {'names' if self.layout.header else 'has'} {n_names}"
                    message = f"the row has {len(row)} fields, but {first}{' columns' if self.layout.header else ''}"
                    raise DataError(message, self.file, self.layout.before + reader.line_num)
        except csv.Error as error:
            raise DataError(
                f"the row cannot be read ({error})", self.file, self.layout.before + reader.line_num
            ) from None
