"""Comma-separated files, a block of rows at a time, by the rules of `read_csv`."""

from __future__ import annotations

import io
import math
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree.data.files.csv_files import UNKNOWN
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.scan.arrow_cells import labels, read_error, regrouped
from ctree.data.scan.arrow_types import check_weight_name, load_arrow, no_attributes
from ctree.data.scan.csv_header import Header, read_header
from ctree.data.scan.csv_quotes import StrictCsv
from ctree.data.scan.paths import Paths, files_told, find_files, stamp
from ctree.data.scan.reader import MOST_ROWS, Batch, Cells, Field, Floats, LocalLabels, Place
from ctree.data.schema import Kind, Label
from ctree.data.tables.levels import find_levels
from ctree.errors import DataError, NamingError

BLOCK = 1 << 23
SAMPLED = 16
"""Places in the files that a sample is taken from."""

FIRST_ROWS = 20_000
"""Of each of some files, by which the kinds of columns are guessed."""


class CsvReader:
    """The cases of comma-separated files.

    Parameters
    ----------
    paths : path, pattern, folder, or several of these
    class_name : str, optional
        The last column of the first file if None.
    delimiter : str
    categorical, ignored : sequences of str
    weight_name : str, optional
        The column of the weights.
    """

    def __init__(
        self,
        paths: Paths,
        class_name: str | None = None,
        delimiter: str = ",",
        categorical: Sequence[str] = (),
        ignored: Sequence[str] = (),
        weight_name: str | None = None,
    ) -> None:
        self._csv = load_arrow("pyarrow.csv")
        self._delimiter = delimiter
        self._rows = MOST_ROWS
        self.files = find_files(paths, (".csv",))
        self._stamps = [stamp(file) for file in self.files]
        filled = [one.file for one in self._stamps if one.size] or self.files[:1]
        self._headers = {file: read_header(file, delimiter) for file in filled}
        names = self._headers[filled[0]].names
        self.class_name = names[-1] if class_name is None else class_name
        self.weight_name = weight_name
        weights = [] if weight_name is None else [weight_name]
        _check_names([self.class_name, *weights, *categorical, *ignored], self._headers)
        if self.class_name in ignored:
            raise DataError(f"the class '{abbreviated(self.class_name)}' is among the columns to leave out")
        check_weight_name(weight_name, self.class_name, ignored)
        self._names = [name for name in names if name not in (self.class_name, *weights, *ignored)]
        if not self._names:
            raise no_attributes(self.class_name, weight_name, filled[0])
        self._texts = {self.class_name, *categorical}
        self._lock = threading.Lock()
        self._infinite: dict[str, DataError] = {}
        self.told = files_told(self.files)
        size = sum(one.size for one in self._stamps)
        self.n_rows = int(size / max(self._headers[filled[0]].bytes_a_row, 1)) + 1
        self._guess_kinds()

    def _guess_kinds(self) -> None:
        names = [name for name in self._names if name not in self._texts]
        for file in list(self._headers)[:SAMPLED]:
            table = next(self._tables(file, names, FIRST_ROWS), None)
            if table is None:
                continue
            for name in names:
                if name not in self._texts and as_numbers(table.column(name)) is None:
                    self._texts.add(name)
        self._set_fields()

    def _set_fields(self) -> None:
        self.fields = tuple(
            Field(name, Kind.DISCRETE if name in self._texts else Kind.CONTINUOUS) for name in self._names
        )
        self._kinds = {field.name: field.kind for field in self.fields}

    def limit_rows(self, rows: int) -> None:
        """Handle so many rows at a time, at most."""
        self._rows = rows

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        size = max(sum(one.size for one in self._stamps), 1)
        for file, header in self._headers.items():
            length = next(one.size for one in self._stamps if one.file == file)
            share = max(1, -(-rows * length // size))
            places = max(1, SAMPLED * length // size) if length > 8 * BLOCK else 1
            table = next(self._tables(file, names, -(-share // places)), None)
            if table is not None:
                yield self._batch(table, names, Place(file), sure=True)
            for i in range(1, places):
                table = self._middle(file, header, names, length * i // places, share // places)
                if table is not None:
                    yield self._batch(table, names, Place(file), sure=False)

    def _middle(self, file: str, header: Header, names: Sequence[str], offset: int, rows: int) -> Any:
        """Rows from the middle of a file; None if they cannot be told."""
        with open(file, "rb") as opened:
            opened.seek(offset)
            text = opened.read(int(rows * header.bytes_a_row) + (1 << 16))
        text = text[text.find(b"\n") + 1 : text.rfind(b"\n") + 1]
        try:
            options = self._options(header, names, lambda row: "skip")
            read = self._csv.ReadOptions(column_names=options[0].column_names, use_threads=False)
            return self._csv.read_csv(io.BytesIO(text), read, *options[1:]).rename_columns(list(names))
        except (OSError, ValueError, load_arrow().ArrowException):
            return None

    def _options(self, header: Header, names: Sequence[str], handler: Any) -> tuple[Any, Any, Any]:
        columns = [str(j) for j in range(len(header.names))]
        places = [str(header.names.index(name)) for name in names]
        text = load_arrow().string()
        return (
            self._csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=columns, skip_rows=header.lines),
            self._csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True, invalid_row_handler=handler),
            self._csv.ConvertOptions(
                column_types=dict.fromkeys(columns, text), strings_can_be_null=False, include_columns=places
            ),
        )

    def _tables(self, file: str, names: Sequence[str], rows: int) -> Iterator[Any]:
        """The rows of a file, so many at a time, all as text."""
        arrow = load_arrow()
        header = self._headers[file]
        wrong: list[DataError] = []

        def refuse(row: Any) -> str:
            number = "a row" if row.number is None else f"row {row.number - header.lines:,}"
            wrong.append(
                DataError(
                    f"{number} has {row.actual_columns} fields, but the first row names {row.expected_columns} columns",
                    file,
                )
            )
            return "error"

        try:
            with (
                StrictCsv(file, self._delimiter) as bytes_of_file,
                self._csv.open_csv(bytes_of_file, *self._options(header, names, refuse)) as opened,
            ):
                for table in regrouped(opened, rows):
                    yield table.rename_columns(list(names))
        except (DataError, MemoryError):
            raise
        except (OSError, ValueError, arrow.ArrowException) as error:
            if wrong:
                raise wrong[0] from None
            if "Empty CSV file" in str(error):
                return  # there is nothing below the names
            raise read_error(error, Place(file)) from None

    def pieces(self) -> Iterator[Rows]:
        self._infinite = {}
        for file, header in self._headers.items():
            row, last = 1, header.names[-1]
            weights = [] if self.weight_name is None else [self.weight_name]
            names = list(dict.fromkeys([self.class_name, *weights, *self._names, last]))
            tables = self._tables(file, names, self._rows)
            table = next(tables, None)
            while table is not None:
                following = next(tables, None)
                if following is None and _is_open(file, table.column(last)[-1].as_py()):
                    raise DataError("a quoted cell does not end; its quotation mark is missing", file)
                yield Rows(self, table, Place(file, row=row))
                row += table.num_rows
                table = following

    def labels(self, name: str, values: list[Any]) -> tuple[Label, ...]:
        what = "the class" if name == self.class_name else "attribute"
        return find_levels(values, f"{what} '{abbreviated(name)}'")[0]

    def settled(self) -> bool:
        for one in self._stamps:
            one.check()
        if any(field.kind is Kind.CONTINUOUS and field.name in self._texts for field in self.fields):
            self._set_fields()
            return False
        for error in self._infinite.values():
            raise error
        return True

    def fingerprint(self) -> dict[str, Any]:
        return {"files": [one.to_plain() for one in self._stamps], "delimiter": self._delimiter}

    def _batch(self, table: Any, names: Sequence[str], place: Place, sure: bool) -> Batch:
        cells = {name: self._cells(table.column(name), name, place, sure) for name in names}
        return Batch(table.num_rows, cells, place, sure)

    def _cells(self, column: Any, name: str, place: Place, sure: bool) -> Cells:
        if name == self.weight_name:
            return _weights(column, name, place)
        if name == self.class_name or self._kinds[name] is Kind.DISCRETE:
            return text_labels(column)
        numbers = as_numbers(column)
        if numbers is None:
            if sure:
                with self._lock:
                    self._texts.add(name)
            return np.full(len(column), np.nan)
        infinite = np.isinf(numbers)
        if infinite.any():
            # Only the end of the files tells whether the column has nothing but numbers.
            error = place.error(f"attribute '{abbreviated(name)}' has an infinite value", int(np.argmax(infinite)))
            with self._lock:
                self._infinite.setdefault(name, error)
            numbers[infinite] = np.nan
        return numbers


def _weights(column: Any, name: str, place: Place) -> Floats:
    numbers = as_numbers(column)
    if numbers is None:
        cells = _one(column).to_pylist()
        row = next(i for i in range(len(cells)) if as_numbers(column.slice(i, 1)) is None)
        raise place.error(f"the weight '{abbreviated(name)}' is '{abbreviated(cells[row])}', which is no number", row)
    return numbers


def _is_open(file: str, last: str) -> bool:
    """Whether the last cell of a file, whose text this would be, begins with a quotation mark but ends with none.

    Arrow takes it for a cell none the less, with all that should have been rows after it.
    """
    text = last.replace('"', '""').encode("utf-8")
    try:
        with open(file, "rb") as opened:
            opened.seek(max(os.path.getsize(file) - len(text) - 2, 0))
            end = opened.read()
    except OSError as error:
        raise read_error(error, Place(file)) from None
    return end.endswith(b'"' + text) and (bool(text) or not end.endswith(b'""'))


def _check_names(asked: Sequence[str], headers: dict[str, Header]) -> None:
    first, *_ = headers
    for file, header in headers.items():
        for name in asked:
            if name not in header.names:
                hint = near_match(name, header.names)
                told = abbreviated_list(header.names)
                raise NamingError(f"there is no column '{abbreviated(name)}' among {told}{hint}", file)
        for name in headers[first].names:
            if name not in header.names:
                raise DataError(f"there is no column '{abbreviated(name)}', which {abbreviated(first, 100)} has", file)
        for name in header.names:
            if name not in headers[first].names:
                told = f"there is a column '{abbreviated(name)}', which {abbreviated(first, 100)} does not have"
                raise DataError(told, file)


@dataclass(frozen=True)
class Rows:
    """Rows that were read together, all as text."""

    reader: CsvReader
    table: Any
    place: Place

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        for start in range(0, self.table.num_rows, rows):
            place = Place(self.place.file, row=self.place.row + start)
            yield self.reader._batch(self.table.slice(start, rows), names, place, True)


def text_labels(column: Any) -> LocalLabels:
    """Cells as discrete values, without the white space around them."""
    found = labels(_one(column))
    values = [None if value is None or value.strip() in UNKNOWN else value.strip() for value in found.values]
    return LocalLabels(found.indices, values)


def as_numbers(column: Any) -> Floats | None:
    """Cells as numbers, those that Python takes for one; None if some known cell is none."""
    arrow, compute = load_arrow(), load_arrow("pyarrow.compute")
    array = _one(column)
    known = compute.if_else(compute.is_in(array, arrow.array(sorted(UNKNOWN))), None, array)
    try:
        numbers = compute.cast(known, arrow.float64())
    except arrow.ArrowInvalid:
        return _one_by_one(array)
    result = np.array(numbers.to_numpy(zero_copy_only=False))
    if np.isnan(result).sum() != numbers.null_count:
        return _one_by_one(array)
    return result


def _one_by_one(array: Any) -> Floats | None:
    result = np.empty(len(array))
    for i, cell in enumerate(array.to_pylist()):
        text = cell.strip()
        try:
            result[i] = math.nan if text in UNKNOWN else float(text)
        except ValueError:
            return None
        if "_" in text:
            return None
    return result


def _one(column: Any) -> Any:
    arrow = load_arrow()
    if isinstance(column, arrow.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column
