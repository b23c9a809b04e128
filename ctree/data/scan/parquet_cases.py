"""Cases of Parquet files in the codes of a model, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.files.text_file import abbreviated, abbreviated_list
from ctree.data.scan.arrow_cells import ArrowCells
from ctree.data.scan.arrow_types import Columns, load_arrow
from ctree.data.scan.parquet_files import reading
from ctree.data.scan.paths import Paths, find_files
from ctree.data.scan.reader import Batch, Field, LocalLabels, Place
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError, DataTypeError, NamingError
from ctree.wording import no_such

ROWS = 100_000
"""Cases at a time."""


class ParquetCases:
    """Cases for a model: columns by name, whatever their order, and others left out.

    Parameters
    ----------
    paths : path, pattern, folder, or several of these
    schema : Schema
        Of the model.
    class_name : str, optional
        The column of the class; if None, the last that is not an attribute of the model and has nothing but its
        classes in the first cases, if there is one.
    unseen : callable, optional
        Called with an attribute and a value that it does not have, once for each attribute; the value is unknown.
    rows : int
        How many cases to read at a time.

    Attributes
    ----------
    class_name : str or None
        The column of the class.
    """

    def __init__(
        self,
        paths: Paths,
        schema: Schema,
        class_name: str | None = None,
        unseen: Callable[[Attribute, Any], None] | None = None,
        rows: int = ROWS,
    ) -> None:
        self._parquet = load_arrow("pyarrow.parquet")
        self.files = find_files(paths, (".parquet", ".pq"))
        self.schema = schema
        self._rows = rows
        self._unseen = unseen
        self._told: set[str] = set()
        self.class_name = self._found_class() if class_name is None else class_name

    def __iter__(self) -> Iterator[Dataset]:
        """The cases in order, as many at a time as said, or none once; their classes are -1 where unknown."""
        n = 0
        for file in self.files:
            for batch in self._batches(file, self.class_name):
                yield self._coded(batch, n)
                n += batch.n
        if n == 0:
            yield self._none()

    def _none(self) -> Dataset:
        """No cases, whose columns are there none the less."""
        dtypes = [np.int32 if a.is_discrete else np.float64 for a in self.schema]
        columns = [
            None if a.kind is Kind.IGNORE else np.empty(0, dtype=dtype)
            for a, dtype in zip(self.schema, dtypes, strict=True)
        ]
        classes = None if self.class_name is None else np.empty(0, dtype=np.int32)
        return Dataset(self.schema, columns, classes, n_cases=0)

    def _batches(self, file: str, class_name: str | None) -> Iterator[Batch]:
        place = Place(file)
        with reading(place):
            opened = self._parquet.ParquetFile(file)
        with opened:
            names = opened.schema_arrow.names
            wanted = [a.name for a in self.schema if a.kind is not Kind.IGNORE]
            for name in [*wanted, *([class_name] if class_name is not None else [])]:
                if name not in names:
                    error = NamingError if name == class_name else DataError
                    raise error(no_such("column", name, names), file)
            columns = Columns(class_name, [name for name in names if name not in (*wanted, class_name)])
            columns.add(opened.schema_arrow, file)
            fields = [Field(a.name, a.kind, a.values) for a in self.schema if a.kind is not Kind.IGNORE]
            cells = ArrowCells(columns, fields, "unknown")
            used = list(columns.columns)
            with reading(place):
                tables = opened.iter_batches(self._rows, columns=used, use_threads=False)
            n = 0
            while True:
                with reading(place):
                    table = next(tables, None)
                if table is None:
                    return
                yield cells.batch(table, used, Place(file, row=n + 1))
                n += table.num_rows

    def _coded(self, batch: Batch, before: int) -> Dataset:
        columns: list[Column | None] = []
        for attribute in self.schema:
            if attribute.kind is Kind.IGNORE:
                columns.append(None)
                continue
            cells = batch.cells[attribute.name]
            if not isinstance(cells, LocalLabels):
                infinite = np.flatnonzero(np.isinf(cells))
                if len(infinite):
                    message = f"attribute '{abbreviated(attribute.name)}' has an infinite value"
                    raise batch.place.error(message, int(infinite[0]))
                columns.append(cells)
                continue
            codes, odd = _codes(cells, attribute.values, f"attribute '{abbreviated(attribute.name)}'")
            if odd is not None and attribute.name not in self._told and self._unseen is not None:
                self._told.add(attribute.name)
                self._unseen(attribute, cells.values[odd])
            columns.append(codes)
        classes = None if self.class_name is None else self._classes(batch, before)
        return Dataset(self.schema, columns, classes, n_cases=batch.n)

    def _classes(self, batch: Batch, before: int) -> npt.NDArray[np.int32]:
        cells = batch.cells[str(self.class_name)]
        assert isinstance(cells, LocalLabels)
        codes, odd = _codes(cells, self.schema.classes, "the class")
        if odd is not None:
            row = int(np.flatnonzero(cells.indices == odd)[0])
            raise DataError(
                f"case {before + row + 1:,} has the class '{abbreviated(cells.values[odd])}', not one of "
                f"{abbreviated_list(self.schema.classes)}",
                batch.place.file,
            )
        return codes

    def _found_class(self) -> str | None:
        with reading(Place(self.files[0])):
            opened = self._parquet.ParquetFile(self.files[0])
        with opened:
            names: list[str] = [name for name in opened.schema_arrow.names if name not in self.schema.names]
        for name in reversed(names):
            try:
                batch = next(self._batches(self.files[0], name), None)
            except DataTypeError:  # dates and lists are no classes
                continue
            cells = None if batch is None else batch.cells[name]
            if isinstance(cells, LocalLabels):
                codes, odd = _codes(cells, self.schema.classes, "the class")
                if odd is None and (codes >= 0).any():
                    return name
        return None


def _codes(cells: LocalLabels, levels: tuple[Label, ...], what: str) -> tuple[npt.NDArray[np.int32], int | None]:
    """The code of each case, and the place of a value that is known but none of the levels."""
    codes = code_levels(list(cells.values), levels, what)
    odd = [place for place, value in enumerate(cells.values) if value is not None and codes[place] < 0]
    if not cells.values:
        return np.full(len(cells), -1, dtype=np.int32), None
    return codes[cells.indices], odd[0] if odd else None
