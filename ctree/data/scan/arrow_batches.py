"""Batches of Arrow, from files or from anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_cells import ArrowCells, read_error, regrouped
from ctree.data.scan.arrow_types import Columns, load_arrow
from ctree.data.scan.paths import Stamp
from ctree.data.scan.reader import MOST_ROWS, Batch, Place
from ctree.data.schema import Label
from ctree.data.tables.levels import find_levels
from ctree.errors import DataError, DataTypeError

Batches = Callable[[], Iterable[tuple[Any, str | None]]]
"""What gives batches anew, each with the file that it is from."""

MAGIC = b"ARROW1"


class ArrowReader:
    """The cases of batches.

    Parameters
    ----------
    batches : callable
    class_name : str
    categorical : sequence or None
    ignored : sequence of str
    stamps : sequence of Stamp
        Of the files they are from.
    told : str
    sample : int
        How many cases a sample has.
    weight_name : str, optional
        The column of the weights.
    ordered : mapping of str to sequences of labels, optional
    """

    def __init__(
        self,
        batches: Batches,
        class_name: str,
        categorical: Sequence[Any] | None,
        ignored: Sequence[str] = (),
        stamps: Sequence[Stamp] = (),
        told: str = "the batches",
        sample: int = 200_000,
        weight_name: str | None = None,
        ordered: Mapping[str, Sequence[Label]] | None = None,
    ) -> None:
        self._batches = batches
        self.class_name = class_name
        self.weight_name = weight_name
        self._stamps = list(stamps)
        self.told = told
        self._rows = MOST_ROWS
        columns = Columns(class_name, ignored, weight_name, ordered)
        self.n_rows, self._sample = _survey(batches(), columns, sample)
        if not columns.columns:
            raise DataError("there are no batches", None if not stamps else stamps[0].file)
        self.fields = columns.fields(categorical)
        self._cells = ArrowCells(columns, self.fields)

    def limit_rows(self, rows: int) -> None:
        """Handle so many rows at a time, at most."""
        self._rows = rows

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        for batch in self._sample:
            yield self._cells.batch(batch, names, Place())

    def pieces(self) -> Iterator[Some]:
        row, seen = 1, 0
        for group, file in _by_schema(self._batches()):
            row = row if file is None else 1
            for table in regrouped(group, self._rows):
                seen += table.num_rows
                if seen > self.n_rows:
                    raise self._changed()
                yield Some(self._cells, table, Place(file, row=row))
                row += table.num_rows
        if seen != self.n_rows:
            raise self._changed()

    def _changed(self) -> DataError:
        return DataError(f"there are not the same {self.n_rows:,} cases each time that the batches are asked for")

    def labels(self, name: str, values: list[Any]) -> tuple[Label, ...]:
        what = "the class" if name == self.class_name else "attribute"
        return find_levels(values, f"{what} '{abbreviated(name)}'")[0]

    def settled(self) -> bool:
        for one in self._stamps:
            one.check()
        return True

    def fingerprint(self) -> dict[str, Any] | None:
        return {"files": [one.to_plain() for one in self._stamps]} if self._stamps else None


@dataclass(frozen=True)
class Some:
    """Cases that came together."""

    cells: ArrowCells
    table: Any
    place: Place

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        for start in range(0, self.table.num_rows, rows):
            place = Place(self.place.file, row=self.place.row + start)
            yield self.cells.batch(self.table.slice(start, rows), names, place)


def _survey(batches: Iterable[tuple[Any, str | None]], columns: Columns, wanted: int) -> tuple[int, list[Any]]:
    """How many cases there are, and every so many of them; the types of columns are noted."""
    n, step, held = 0, 1, 0
    sample: list[Any] = []
    last: Any = None
    for batch, file in batches:
        if last is None or not batch.schema.equals(last):
            last = batch.schema
            columns.add(last, file)
        first = -n % step
        picked = batch.slice(first) if step == 1 else batch.take(_every(step, first, batch.num_rows))
        n += batch.num_rows
        if picked.num_rows:
            sample.append(picked)
            held += picked.num_rows
        while held > 2 * wanted:
            step *= 2
            sample = [one.take(_every(2, 0, one.num_rows)) for one in sample]
            held = sum(one.num_rows for one in sample)
    return n, sample


def _every(step: int, first: int, n: int) -> Any:
    return load_arrow().array(np.arange(first, n, step, dtype=np.int64))


def _by_schema(batches: Iterable[tuple[Any, str | None]]) -> Iterator[tuple[Iterator[Any], str | None]]:
    """Runs of batches of one file and one schema."""
    source = iter(batches)
    first = next(source, None)
    while first is not None:
        ahead: list[Any] = [first]

        def run(start: tuple[Any, str | None] = first, ahead: list[Any] = ahead) -> Iterator[Any]:
            while ahead and ahead[0] is not None:
                batch, file = ahead[0]
                if file != start[1] or not batch.schema.equals(start[0].schema):
                    return
                yield batch
                ahead[0] = next(source, None)

        yield run(), first[1]
        first = ahead[0]


def record_batches(given: Any) -> Iterator[tuple[Any, str | None]]:
    """The batches of a table, of a stream, or of several of these."""
    arrow = load_arrow()
    if isinstance(given, arrow.RecordBatch):
        yield given, None
    elif isinstance(given, arrow.Table):
        for batch in given.to_batches() or [arrow.RecordBatch.from_pylist([], schema=given.schema)]:
            yield batch, None
    elif isinstance(given, arrow.RecordBatchReader):
        for batch in given:
            yield batch, None
    elif hasattr(type(given), "__arrow_c_stream__"):
        yield from record_batches(arrow.RecordBatchReader.from_stream(given))
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes | dict):
        for one in given:
            if not isinstance(one, arrow.RecordBatch | arrow.Table) and not hasattr(type(one), "__arrow_c_stream__"):
                raise DataTypeError(f"batches has a {type(one).__name__}, but should have record batches of Arrow")
            yield from record_batches(one)
    else:
        raise DataTypeError(f"batches is a {type(given).__name__}, but should be tables or batches of Arrow")


def file_batches(files: Sequence[str]) -> Iterator[tuple[Any, str | None]]:
    """The batches of files in Arrow's own format, as it stands in files or in streams."""
    arrow, ipc = load_arrow(), load_arrow("pyarrow.ipc")
    for file in files:
        try:
            with open(file, "rb") as opened:
                if not opened.read(1):
                    continue
                opened.seek(0)
                in_places = opened.read(len(MAGIC)) == MAGIC
            with arrow.OSFile(os.fspath(file)) as opened:
                reader = ipc.open_file(opened) if in_places else ipc.open_stream(opened)
                yield arrow.RecordBatch.from_pylist([], schema=reader.schema), file
                for i in range(reader.num_record_batches) if in_places else ():
                    yield reader.get_batch(i), file
                for batch in reader if not in_places else ():
                    yield batch, file
        except (DataError, MemoryError, GeneratorExit):
            raise
        except FileNotFoundError:
            raise DataError("there is no such file", file) from None
        except (OSError, ValueError, arrow.ArrowException) as error:
            raise read_error(error, Place(file)) from None


def spooled(batches: Iterable[tuple[Any, str | None]], folder: str) -> list[str]:
    """Write batches that come only once to files of a folder, from which they come again; the files."""
    ipc = load_arrow("pyarrow.ipc")
    files: list[str] = []
    for group, _ in _by_schema(batches):
        writer = None
        try:
            for batch in group:
                if writer is None:
                    files.append(os.path.join(folder, f"{len(files)}.arrows"))
                    writer = ipc.new_stream(files[-1], batch.schema)
                writer.write_batch(batch)
        except OSError as error:
            raise DataError(f"the batches cannot be kept ({error.strerror or error})", folder) from None
        finally:
            if writer is not None:
                writer.close()
    return files
