"""Comma-separated files, a block of rows at a time, by the rules of `read_csv`."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree.data.files.csv_doubts import check_classes, doubts_about_columns
from ctree.data.files.csv_kinds import CellError, Kinds, date_column
from ctree.data.files.csv_layout import Layout, find_layout, head_of_file
from ctree.data.files.csv_remarks import CsvRemark, in_order
from ctree.data.files.csv_settings import CsvSettings
from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_cells import ordered_cells, read_error, regrouped
from ctree.data.scan.arrow_types import check_weight_name, load_arrow, no_attributes
from ctree.data.scan.csv_cells import text_labels, weights_of
from ctree.data.scan.csv_quotes import StrictCsv
from ctree.data.scan.csv_styles import ColumnStyles
from ctree.data.scan.paths import Paths, files_told, find_files, stamp
from ctree.data.scan.reader import MOST_ROWS, Batch, Cells, Field, Floats, LocalLabels, Place
from ctree.data.schema import Kind, Label, Schema
from ctree.data.tables.levels import find_levels
from ctree.errors import DataError, NamingError
from ctree.wording import no_such

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
    settings : CsvSettings
        What it does not say is found out, file by file.
    kinds : Kinds
        What a person says of columns.
    weight_name : str, optional
        The column of the weights.
    """

    def __init__(
        self,
        paths: Paths,
        class_name: str | None = None,
        settings: CsvSettings = CsvSettings(),  # noqa: B008  # it does not change
        kinds: Kinds = Kinds(),  # noqa: B008  # nor does it
        weight_name: str | None = None,
    ) -> None:
        categorical, ignored = kinds.discrete, kinds.ignored
        self._csv = load_arrow("pyarrow.csv")
        self._settings = settings
        self._rows = MOST_ROWS
        self.files = find_files(paths, (".csv", ".tsv"))
        self._stamps = [stamp(file) for file in self.files]
        filled = [one.file for one in self._stamps if one.size] or self.files[:1]
        self._layouts = {file: _layout(file, settings) for file in filled}
        names = self._layouts[filled[0]].used
        self.class_name = names[-1] if class_name is None else class_name
        self.weight_name = weight_name
        weights = [] if weight_name is None else [weight_name]
        _check_names([self.class_name, *weights, *kinds.names], self._layouts)
        kinds.check(self.class_name, filled[0])
        if self.class_name in ignored:
            raise NamingError(f"the class '{abbreviated(self.class_name)}' is among the columns to leave out")
        check_weight_name(weight_name, self.class_name, ignored)
        self._names = [name for name in names if name not in (self.class_name, *weights, *ignored)]
        if not self._names:
            raise no_attributes(self.class_name, weight_name, filled[0])
        self._said = kinds
        self._moments: dict[str, Kind] = {}
        self._timed: set[str] = set()
        """Columns that were taken for dates and have timestamps."""
        self._categorical = frozenset((*categorical, *kinds.ordered, *kinds.dates))
        self._ignored = frozenset(ignored)
        self._texts = {self.class_name, *categorical}
        self._lock = threading.Lock()
        self._infinite: dict[str, DataError] = {}
        self.told = files_told(self.files)
        size = sum(one.size for one in self._stamps)
        self.n_rows = int(size / max(self._layouts[filled[0]].bytes_a_row, 1)) + 1
        self._styles = ColumnStyles(self._layouts, settings)
        self._guess_kinds()

    def _guess_kinds(self) -> None:
        told = (*self._texts, *self._said.ordered, *self._said.dates)
        names = [name for name in self._names if name not in told]
        self._guess_moments()
        for file in list(self._layouts)[:SAMPLED] if names else ():
            table = next(self._tables(file, names, FIRST_ROWS), None)
            if table is None:
                continue
            for name in names:
                if name not in self._texts and not self._styles.guess(file, name, table.column(name)):
                    self._texts.add(name)
        self._set_fields()

    def _guess_moments(self) -> None:
        """Take the first rows of the first file for what all are; a wrong cell is told when all is read."""
        names = [name for name in self._said.dates if name in self._names]
        table = next(self._tables(next(iter(self._layouts)), names, FIRST_ROWS), None) if names else None
        for name in names:
            self._moments[name] = Kind.DATE
            if table is not None:
                cells = text_labels(table.column(name), self._settings.unknown_numbers).values
                with suppress(CellError):
                    self._moments[name] = date_column(name, list(cells), ())[0]

    def _set_fields(self) -> None:
        self.fields = tuple(map(self._field, self._names))
        self._kinds = {field.name: field.kind for field in self.fields}

    def _field(self, name: str) -> Field:
        if name in self._said.ordered:
            return Field(name, Kind.ORDERED, self._said.ordered[name])
        if name in self._moments:
            return Field(name, self._moments[name])
        return Field(name, Kind.DISCRETE if name in self._texts else Kind.CONTINUOUS)

    def limit_rows(self, rows: int) -> None:
        """Handle so many rows at a time, at most."""
        self._rows = rows

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        size = max(sum(one.size for one in self._stamps), 1)
        for file, layout in self._layouts.items():
            length = next(one.size for one in self._stamps if one.file == file)
            share = max(1, -(-rows * length // size))
            places = max(1, SAMPLED * length // size) if length > 8 * BLOCK else 1
            table = next(self._tables(file, names, -(-share // places)), None)
            if table is not None:
                yield self._batch(table, names, Place(file), sure=True)
            for i in range(1, places):
                table = self._middle(file, layout, names, length * i // places, share // places)
                if table is not None:
                    yield self._batch(table, names, Place(file), sure=False)

    def _middle(self, file: str, layout: Layout, names: Sequence[str], offset: int, rows: int) -> Any:
        """Rows from the middle of a file; None if they cannot be told."""
        with open(file, "rb") as opened:
            opened.seek(offset)
            text = opened.read(int(rows * layout.bytes_a_row) + (1 << 16))
        text = text[text.find(b"\n") + 1 : text.rfind(b"\n") + 1]
        try:
            options = self._options(layout, names, lambda row: "skip")
            read = self._csv.ReadOptions(column_names=options[0].column_names, use_threads=False)
            return self._csv.read_csv(io.BytesIO(text), read, *options[1:]).rename_columns(list(names))
        except (OSError, ValueError, load_arrow().ArrowException):
            return None

    def _options(self, layout: Layout, names: Sequence[str], handler: Any) -> tuple[Any, Any, Any]:
        columns = [str(j) for j in range(len(layout.names))]
        places = [str(layout.names.index(name)) for name in names]
        text = load_arrow().string()
        return (
            self._csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=columns, skip_rows=layout.lines),
            self._csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True, invalid_row_handler=handler),
            self._csv.ConvertOptions(
                column_types=dict.fromkeys(columns, text), strings_can_be_null=False, include_columns=places
            ),
        )

    def _tables(self, file: str, names: Sequence[str], rows: int) -> Iterator[Any]:
        """The rows of a file, so many at a time, all as text."""
        arrow = load_arrow()
        layout = self._layouts[file]
        named = "names %d columns" if layout.header else "has %d"
        wrong: list[DataError] = []

        def refuse(row: Any) -> str:
            number = "a row" if row.number is None else f"row {row.number - layout.lines:,}"
            wrong.append(
                DataError(
                    f"{number} has {row.actual_columns} fields, but the first row {named % row.expected_columns}",
                    file,
                )
            )
            return "error"

        try:
            with (
                StrictCsv(file, layout.delimiter) as bytes_of_file,
                self._csv.open_csv(bytes_of_file, *self._options(layout, names, refuse)) as opened,
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
            if "invalid UTF8" in str(error):
                raise DataError("the file is not UTF-8 text; save it as UTF-8", file) from None
            raise read_error(error, Place(file)) from None

    def pieces(self) -> Iterator[Rows]:
        self._infinite = {}
        for file, layout in self._layouts.items():
            row, last = 1, layout.names[-1]
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
        numbers = [field.name for field in self.fields if field.kind is Kind.CONTINUOUS]
        texts, changed = self._styles.decide_again(numbers)
        if texts or changed or self._timed:
            self._texts |= texts
            self._moments.update(dict.fromkeys(self._timed, Kind.TIMESTAMP))
            self._timed = set()
            self._set_fields()
            return False
        for error in self._infinite.values():
            raise error
        return True

    def fingerprint(self) -> dict[str, Any]:
        told = [self._settings.delimiter, self._settings.decimal, self._settings.header, *self._settings.unknown]
        return {"files": [one.to_plain() for one in self._stamps], "reading": told}

    def remarks(self, schema: Schema, n_cases: int) -> list[CsvRemark]:
        """What should be said of the files, once all cases were seen."""
        file, layout = next(iter(self._layouts.items()))
        found = [one for each in self._layouts.values() for one in each.remarks if one.column not in self._ignored]
        found += self._styles.remarks(file, [name for name in self._names if name not in self._categorical])
        told = {remark.column for remark in found}.union(self._categorical)
        found += doubts_about_columns(file, layout, schema.attributes, n_cases, told)
        chosen = self.class_name in self._categorical
        found += check_classes(file, self.class_name, schema.classes, chosen, n_cases)
        return in_order(found, layout.names)

    def _batch(self, table: Any, names: Sequence[str], place: Place, sure: bool) -> Batch:
        cells = {name: self._cells(table.column(name), name, place, sure) for name in names}
        return Batch(table.num_rows, cells, place, sure)

    def _cells(self, column: Any, name: str, place: Place, sure: bool) -> Cells:
        assert place.file is not None
        unknown, strip = self._settings.unknown_cells, self._layouts[place.file].cell
        if name == self.weight_name:
            return weights_of(column, name, place, unknown, strip)
        if name == self.class_name or self._kinds[name] is Kind.DISCRETE:
            return text_labels(column, unknown, strip)
        if self._kinds[name] is Kind.ORDERED:
            return ordered_cells(text_labels(column, unknown, strip), name, self._said.ordered[name], place, sure)
        if name in self._moments:
            return self._moment_cells(text_labels(column, self._settings.unknown_numbers, strip), name, place, sure)
        numbers = self._styles.numbers(place.file, name, column, sure)
        infinite = np.isinf(numbers)
        if infinite.any():
            # Only the end of the files tells whether the column has nothing but numbers.
            error = place.error(f"attribute '{abbreviated(name)}' has an infinite value", int(np.argmax(infinite)))
            with self._lock:
                self._infinite.setdefault(name, error)
            numbers[infinite] = np.nan
        return numbers

    def _moment_cells(self, local: LocalLabels, name: str, place: Place, sure: bool) -> Floats:
        """Dates, times or timestamps as numbers; where a date has a time of day, all have to be read again."""
        cells: list[str | None] = list(local.values)
        try:
            table = date_column(name, cells, (), (self._moments[name],))[1]
        except CellError as error:
            try:
                if self._moments[name] is not Kind.DATE or not sure:
                    raise error
                table = date_column(name, cells, (), (Kind.TIMESTAMP,))[1]
                with self._lock:
                    self._timed.add(name)
            except CellError:
                if sure:
                    raise place.error(str(error), int(np.argmax(local.indices == error.row))) from None
                table = np.full(len(cells), np.nan)
        found: Floats = table[local.indices]
        return found


def _layout(file: str, settings: CsvSettings) -> Layout:
    head, whole = head_of_file(file)
    layout = find_layout(head, whole, file, settings)
    if not layout.delimiter.isascii():
        raise DataError(f"the delimiter is {layout.delimiter!r}, but should be one character of ASCII to scan files")
    return layout


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


def _check_names(asked: Sequence[str], layouts: dict[str, Layout]) -> None:
    first, *_ = layouts
    expected = layouts[first].used
    for file, layout in layouts.items():
        for name in asked:
            if name not in layout.names:
                raise NamingError(no_such("column", name, layout.names), file)
        for name in expected:
            if name not in layout.names:
                raise DataError(f"there is no column '{abbreviated(name)}', which {abbreviated(first, 100)} has", file)
        for name in layout.used:
            if name not in expected:
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
