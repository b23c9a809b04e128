"""Parquet files, a row group at a time."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_cells import ArrowCells, read_error, regrouped
from ctree.data.scan.arrow_types import Columns, load_arrow
from ctree.data.scan.paths import Paths, files_told, find_files, stamp
from ctree.data.scan.reader import Batch, Place
from ctree.data.schema import Label
from ctree.data.tables.levels import find_levels
from ctree.errors import DataError

SAMPLED = 16
"""Row groups that a sample is taken from."""

INDEX = re.compile(r"__index_level_\d+__")
"""The name of a column in which pandas keeps an index that has none: numbers of rows, which tell nothing."""


class ParquetReader:
    """The cases of Parquet files.

    Parameters
    ----------
    paths : path, pattern, folder, or several of these
    class_name : str
    categorical : sequence or None
        As `categorical_features` of `from_arrays`.
    ignored : sequence of str
    weight_name : str, optional
        The column of the weights.
    ordered : mapping of str to sequences of labels, optional
    """

    def __init__(
        self,
        paths: Paths,
        class_name: str,
        categorical: Sequence[Any] | None,
        ignored: Sequence[str],
        weight_name: str | None = None,
        ordered: Mapping[str, Sequence[Label]] | None = None,
    ) -> None:
        self._parquet = load_arrow("pyarrow.parquet")
        self.files = find_files(paths, (".parquet", ".pq"))
        self._stamps = [stamp(file) for file in self.files]
        self.class_name = class_name
        self.weight_name = weight_name
        columns = Columns(class_name, ignored, weight_name, ordered)
        self._metadata: list[Any] = []
        self._handles = threading.local()
        for i, file in enumerate(self.files):
            with reading(Place(file)):
                opened = self._parquet.ParquetFile(file)
            with opened:
                self._metadata.append(opened.metadata)
                schema = opened.schema_arrow
            if i == 0:
                used = (class_name, weight_name)
                columns.ignored += [name for name in schema.names if INDEX.fullmatch(name) and name not in used]
            columns.add(schema, file)
        self.fields = columns.fields(categorical)
        self._cells = ArrowCells(columns, self.fields)
        self._pieces = [
            RowGroup(self, i, j, metadata.row_group(j).num_rows)
            for i, metadata in enumerate(self._metadata)
            for j in range(metadata.num_row_groups)
        ]
        self.n_rows = sum(piece.n_rows for piece in self._pieces)
        self.told = files_told(self.files)

    def opened(self, file: int) -> Any:
        """A file, opened for the thread that asks: readers of pyarrow are for one thread."""
        kept = getattr(self._handles, "kept", None)
        if kept is None or kept[0] != file:
            with reading(Place(self.files[file])):
                handle = self._parquet.ParquetFile(self.files[file], metadata=self._metadata[file], pre_buffer=False)
            self._handles.kept = kept = (file, handle)
        return kept[1]

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        filled = [piece for piece in self._pieces if piece.n_rows]
        step = max(1, -(-len(filled) // SAMPLED))
        chosen = filled[step // 2 :: step] if self.n_rows > rows else filled
        left = rows
        for i, piece in enumerate(chosen):
            share = piece.n_rows if self.n_rows <= rows else min(piece.n_rows, -(-left // (len(chosen) - i)))
            if share > 0:
                left -= share
                yield next(piece.batches(names, share))

    def pieces(self) -> Iterator[RowGroup]:
        return iter(self._pieces)

    def labels(self, name: str, values: list[Any]) -> tuple[Label, ...]:
        what = "the class" if name == self.class_name else "attribute"
        return find_levels(values, f"{what} '{abbreviated(name)}'")[0]

    def settled(self) -> bool:
        for one in self._stamps:
            one.check()
        return True

    def fingerprint(self) -> dict[str, Any]:
        groups = [[piece.file, piece.n_rows] for piece in self._pieces]
        return {"files": [one.to_plain() for one in self._stamps], "row_groups": groups}

    def tables(self, piece: RowGroup, names: Sequence[str], rows: int) -> Iterator[Batch]:
        """The cases of a row group."""
        place = Place(self.files[piece.file], f"row group {piece.number}")
        n = 0
        with reading(place, "the row group"):
            opened = self.opened(piece.file)
            if piece.n_rows <= rows:
                tables = iter([opened.read_row_group(piece.number, columns=list(names), use_threads=False)])
            else:
                batches = opened.iter_batches(rows, row_groups=[piece.number], columns=list(names), use_threads=False)
                tables = regrouped(batches, rows)
        while True:
            with reading(place, "the row group"):
                table = next(tables, None)
            if table is None:
                break
            place = Place(place.file, place.where, n + 1)
            n += table.num_rows
            if n > piece.n_rows:
                break
            yield self._cells.batch(table, names, place)
        if n != piece.n_rows:
            raise place.error(f"there are {n:,} rows, but the file says {piece.n_rows:,}")


@dataclass(frozen=True)
class RowGroup:
    """A row group of one of the files."""

    reader: ParquetReader
    file: int
    number: int
    n_rows: int

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        return self.reader.tables(self, names, rows)


@contextmanager
def reading(place: Place, what: str = "the file") -> Iterator[None]:
    """What pyarrow raises as a `DataError`."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except FileNotFoundError:
        raise DataError("there is no such file", place.file) from None
    except (OSError, ValueError, KeyError, load_arrow().ArrowException) as error:
        raise read_error(error, place, what) from None
