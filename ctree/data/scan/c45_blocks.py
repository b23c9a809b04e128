"""Case files of C4.5, a block of lines at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ctree.data.files.c45_cases import Options, completed, parse_cases
from ctree.data.files.c45_files import stem_of
from ctree.data.files.c45_names import parse_names
from ctree.data.files.text_file import BOM, check_utf8
from ctree.data.scan.paths import stamp
from ctree.data.scan.reader import Batch, Cells, Field, LocalLabels, Place
from ctree.data.schema import Label, Schema
from ctree.errors import DataError

BLOCK = 1 << 23
SAMPLED = 16
"""Places in a file that a sample is taken from."""

NOT_APPLICABLE = "N/A"


class C45Reader:
    """The cases of `stem.data`, with the schema of `stem.names`.

    Parameters
    ----------
    stem : str or path
    unknown_class : {"error", "drop"}
    block : int
        Bytes that are read at a time.
    """

    def __init__(
        self, stem: str | os.PathLike[str], unknown_class: Literal["error", "drop"] = "error", block: int = BLOCK
    ) -> None:
        root = stem_of(stem)
        self._names = parse_names(root + ".names")
        self.file = root + ".data"
        self._stamps = [stamp(root + ".names"), stamp(self.file)]
        self._unknown_class = unknown_class
        self._block = block
        self._schema = self._names.schema
        self.fields = tuple(Field(a.name, a.kind, a.values if a.is_ordered else (), a.is_label) for a in self._schema)
        self.class_name = "class"
        self.weight_name = None if self._names.weight is None else self._schema[self._names.weight].name
        while self.class_name in self._schema.names:
            self.class_name += "_"
        self.told = self.file
        with open(self.file, "rb") as file:
            start = file.read(1 << 16)
        size = self._stamps[1].size
        self.n_rows = size * start.count(b"\n") // max(len(start), 1) + 1 if size else 0

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        size = self._stamps[1].size
        places = range(0, max(size, 1), max(size // SAMPLED, self._block // 4, 1))
        for i, offset in enumerate(places):
            text = self._text_from(offset, max(1, size * rows // max(self.n_rows, 1) // len(places)))
            try:
                cases = self._parse(text, self._schema, 1, first=offset == 0)
            except DataError:
                continue  # it is told when all is read, in order and with its line
            table = CaseBlock(cases.columns, completed(self._schema, cases), self, Place(self.file))
            for batch in table.batches(names, rows):
                yield Batch(batch.n, batch.cells, batch.place, sure=i == 0)

    def _text_from(self, offset: int, length: int) -> bytes:
        """The whole lines in a part of the file."""
        with open(self.file, "rb") as file:
            file.seek(offset)
            text = file.read(length + (1 << 16))
        first = text.find(b"\n") + 1 if offset else 0
        return text[first : text.rfind(b"\n") + 1] or text[first:]

    def pieces(self) -> Iterator[CaseBlock]:
        self._schema = self._names.schema
        line, row = 1, 1
        for text in self._blocks():
            if not text.isascii():
                try:
                    check_utf8(text, self.file)
                except DataError as error:
                    message = str(error).split(": ", 1)[-1]
                    raise DataError(message, self.file, line - 1 + (error.line or 1)) from None
            cases = self._parse(text, self._schema, line, first=line == 1)
            self._schema = completed(self._schema, cases)
            yield CaseBlock(cases.columns, self._schema, self, Place(self.file, row=row))
            line += text.count(b"\n")
            row += cases.n_cases

    def _parse(self, text: bytes, schema: Schema, line: int, *, first: bool) -> Any:
        # N/A, once it was found, is among the values, but does not count towards those that were declared.
        limits = [
            limit + (NOT_APPLICABLE in a.values) if limit else 0
            for limit, a in zip(self._names.limits, schema, strict=True)
        ]
        options = Options(self._unknown_class, limits=limits, complete=True, weight=self._names.weight)
        if not first:
            # A byte order mark is taken away from the beginning of a text. Later in a file it is part of a value.
            text = BOM + text
        return parse_cases(text, schema, options, self.file, first_line=line)

    def _blocks(self) -> Iterator[bytes]:
        """The text, divided between cases."""
        try:
            with open(self.file, "rb") as file:
                rest = b""
                while True:
                    read = file.read(self._block)
                    text = rest + read
                    end = len(text) if not read else _end_of_case(text, len(rest))
                    if end:
                        yield text[:end]
                    rest = text[end:]
                    if not read:
                        return
        except OSError as error:
            raise DataError(f"the file cannot be read ({error.strerror or error})", self.file) from None

    def labels(self, name: str, values: list[Any]) -> tuple[Label, ...]:
        if name == self.class_name:
            return self._schema.classes
        return self._schema[self._schema.index(name)].values

    def settled(self) -> bool:
        for one in self._stamps:
            one.check()
        return True

    def fingerprint(self) -> dict[str, Any]:
        return {"files": [one.to_plain() for one in self._stamps]}


def _end_of_case(text: bytes, start: int) -> int:
    """Where a case ends for certain, as far on as possible but not before `start`; 0 if nowhere."""
    end = text.rfind(b"\n")
    while end >= max(start, 1):
        before = text.rfind(b"\n", 0, end)
        line = text[before + 1 : end].strip()
        # After a comma a case goes on; a comment or a backslash may hide what the line ends with.
        if line and not line.endswith(b",") and b"|" not in line and b"\\" not in line:
            return end + 1
        end = before
    return 0


@dataclass(frozen=True)
class CaseBlock:
    """Cases that were read together."""

    columns: list[Any]
    schema: Schema
    reader: C45Reader
    place: Place

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        n = len(self.columns[-1])
        for start in range(0, n, rows):
            stop = min(start + rows, n)
            place = Place(self.place.file, row=self.place.row + start)
            yield Batch(stop - start, {name: self._cells(name, start, stop) for name in names}, place)

    def _cells(self, name: str, start: int, stop: int) -> Cells:
        if name == self.reader.class_name:
            return LocalLabels(self.columns[-1][start:stop] + np.int32(1), [None, *self.schema.classes])
        j = self.schema.index(name)
        column: Any = self.columns[j][start:stop]
        if self.schema[j].has_order or name == self.reader.weight_name:
            return np.ascontiguousarray(column)
        return LocalLabels(column + np.int32(1), [None, *self.schema[j].values])
