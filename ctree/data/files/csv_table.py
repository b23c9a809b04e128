"""The cells of a comma-separated file by column, before it is known what they mean."""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

from ctree.data.files.text_file import BOM, abbreviated, abbreviated_list, near_match, read_utf8
from ctree.data.tables.transposed import transposed
from ctree.errors import DataError
from ctree.wording import shortened

if TYPE_CHECKING:
    from _csv import Reader


class CsvTable:
    """The columns of a file whose first row names them.

    Parameters
    ----------
    file : str
    delimiter : str

    Notes
    -----
    The rows are read and turned into columns as a whole, and where there are no quotes, without a list for each. Only
    where one of them is wrong, or a message needs to know its line, the text is gone through row by row.
    """

    def __init__(self, file: str, delimiter: str = ",") -> None:
        import csv  # here, as most who import the package never read such a file

        self.file = file
        self._delimiter = delimiter
        self._text = read_utf8(file).removeprefix(BOM).decode("utf-8")
        reader = self._reader()
        try:
            self.names = self._header(reader)
            plain = self._plain_cells(reader.line_num)
            # an empty line is no row
            self._cells = transposed(filter(None, reader), len(self.names)) if plain is None else plain
        except (csv.Error, ValueError):
            self._refuse_first_wrong_row()
            raise

    def _plain_cells(self, line: int) -> list[list[str]] | None:
        """The columns of all lines after this one; None if there are quotes, or if anything is wrong."""
        import csv

        if '"' in self._text or "\r" in self._text:
            return None
        n_columns = len(self.names)
        lines = list(filter(None, self._text.split("\n")[line:]))
        if not set(map(str.count, lines, repeat(self._delimiter))) <= {n_columns - 1}:
            return None
        cells = self._delimiter.join(lines).split(self._delimiter) if lines else []
        if max(map(len, cells), default=0) > csv.field_size_limit():
            return None
        return [cells[j::n_columns] for j in range(n_columns)]

    @property
    def n_rows(self) -> int:
        return len(self._cells[0])

    def place(self, name: str, error: type[DataError] = DataError) -> int:
        """Where a column is; an `error` if it is nowhere."""
        if name not in self.names:
            hint = near_match(name, self.names)
            raise error(
                f"there is no column '{abbreviated(name)}' among {abbreviated_list(self.names)}{hint}", self.file
            )
        return self.names.index(name)

    def column(self, name: str) -> list[str]:
        """The cells of a column, without the white space around them."""
        return list(map(str.strip, self._cells[self.place(name)]))

    def line(self, row: int) -> int:
        """The line, from 1, on which a row ends."""
        return self._lines[row]

    @cached_property
    def _lines(self) -> list[int]:
        reader = self._reader()
        self._header(reader)
        return [reader.line_num for row in reader if row]

    def _reader(self) -> Reader:
        import csv
        import io

        delimiter = self._delimiter
        if delimiter in ('"', "\r", "\n"):
            raise DataError(f"the delimiter is {delimiter!r}, but should be one character within a line, and no quote")
        try:
            return csv.reader(io.StringIO(self._text, newline=""), delimiter=delimiter, strict=True)
        except TypeError:
            raise DataError(f"the delimiter is {shortened(delimiter)}, but should be one character") from None

    def _header(self, reader: Reader) -> list[str]:
        names = [name.strip() for name in next((row for row in reader if row), [])]
        if not names:
            raise DataError("the file is empty; its first row should name the columns", self.file)
        if "" in names:
            raise DataError(f"column {names.index('') + 1} has no name in the first row", self.file, reader.line_num)
        if len(set(names)) != len(names):
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            raise DataError(f"two columns are called '{abbreviated(twice)}'", self.file, reader.line_num)
        return names

    def _refuse_first_wrong_row(self) -> None:
        import csv

        reader = self._reader()
        try:
            n_names = len(self._header(reader))
            for row in reader:
                if len(row) not in (0, n_names):
                    message = f"the row has {len(row)} fields, but the first row names {n_names} columns"
                    raise DataError(message, self.file, reader.line_num)
        except csv.Error as error:
            raise DataError(f"the row cannot be read ({error})", self.file, reader.line_num) from None
