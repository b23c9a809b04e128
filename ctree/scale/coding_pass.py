"""One pass over all cases that leaves them in codes, in files."""

from __future__ import annotations

import os
import shutil
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.scan.reader import MOST_ROWS, Batch, CaseReader, Floats, LocalLabels, Piece
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError
from ctree.progress import Progress, ProgressCallback
from ctree.scale.batch_codes import SAMPLE, class_coder, coded_classes, coded_column, column_coders
from ctree.scale.column_coders import LabelCoder, NumberCoder, Recode
from ctree.scale.part_file import PartWriter, StoredPart
from ctree.scale.source import Bins
from ctree.scale.threads import Team
from ctree.scale.weight_coder import NO_WEIGHT, WeightCoder
from ctree.wording import abbreviated

BLOCK = 256
"""Columns that are read at a time."""

CELL = 40
"""Bytes that a cell takes while it is coded, about: as it was read, as a number, and its code."""


@dataclass(frozen=True)
class Coding:
    """What all parts have in common, and where they are.

    Parameters
    ----------
    schema : Schema
    bins : list of Bins or None
        Of each continuous attribute.
    parts : list of StoredPart
        In the order of the cases.
    class_counts : int64 array
    unknown : int64 array
        How many cases have no value, for each attribute.
    unit : float or None
        Of the weights, if cases have them.
    """

    schema: Schema
    bins: list[Bins | None]
    parts: list[StoredPart]
    class_counts: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.int64]
    unit: float | None = None


def code_all(
    reader: CaseReader,
    folder: str,
    *,
    memory: int,
    n_threads: int = 1,
    drop_unknown_class: bool = False,
    progress: ProgressCallback | None = None,
) -> Coding:
    """Code all cases of a reader into files in a folder.

    Parameters
    ----------
    memory : int
        Bytes that may be used, about.
    drop_unknown_class : bool
        Whether a case whose class is unknown is left out; else it is an error.
    """
    while True:
        one = _Pass(reader, folder, memory, n_threads, drop_unknown_class, progress)
        one.look_at_sample()
        one.check_space()
        one.code()
        if reader.settled():
            return one.finish()
        for writer in one.writers():
            os.unlink(writer.file)


class _Pass:
    """Coders for all columns, and the parts that they have coded."""

    def __init__(
        self,
        reader: CaseReader,
        folder: str,
        memory: int,
        n_threads: int,
        drop: bool,
        progress: ProgressCallback | None,
    ) -> None:
        self._reader = reader
        self._folder = folder
        self._memory = memory
        self._drop = drop
        self._progress = progress
        self._started = time.monotonic()
        self._team = Team(n_threads, None if progress is None else self._tell)
        self._fields = reader.fields
        self._places = {field.name: j for j, field in enumerate(reader.fields)}
        self._class = class_coder(reader.class_name)
        self._coders = column_coders(self._fields, memory)
        self._weights = None if reader.weight_name is None else WeightCoder(reader.weight_name)
        used = [field.name for field in self._fields if field.kind is not Kind.IGNORE]
        self._blocks = [used[i : i + BLOCK] for i in range(0, len(used), BLOCK)] or [[]]
        width = min(len(used) + 1, BLOCK)
        self._rows = max(1, min(MOST_ROWS, memory // (4 * n_threads * CELL * width)))
        self._lock = threading.Lock()
        self._parts: dict[tuple[int, int], PartWriter] = {}
        self._unknown = np.zeros(len(self._fields), dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)
        self._dropped = ""
        self._done = 0
        self._phase = "coding"

    def look_at_sample(self) -> None:
        """Choose cuts, and find most of the values."""
        columns = max(1, min(BLOCK, self._memory // (4 * CELL * SAMPLE)))
        names = [self._reader.class_name, *(name for block in self._blocks for name in block)]
        for start in range(0, len(names), columns):
            some = names[start : start + columns]
            for batch in self._reader.sample(some, SAMPLE):
                for name in some:
                    self._learn(name, batch)
            for name in some:
                self._settle(name)

    def _learn(self, name: str, batch: Batch) -> None:
        coder, cells = self._coder(name), batch.cells[name]
        if isinstance(coder, NumberCoder):
            assert not isinstance(cells, LocalLabels)
            coder.learn(cells)
        elif batch.sure and coder is not None:
            assert isinstance(cells, LocalLabels)
            coder.learn(cells, batch.place)

    def _settle(self, name: str) -> None:
        coder = self._coder(name)
        if isinstance(coder, NumberCoder):
            coder.settle()
        elif coder is not None:
            coder.settle(lambda values: self._reader.labels(name, values))

    def _coder(self, name: str) -> LabelCoder | NumberCoder | None:
        return self._class if name == self._reader.class_name else self._coders[self._places[name]]

    def check_space(self) -> None:
        """Refuse what would fill the disk."""
        needed = self._reader.n_rows * (1 + sum(map(_width, self._coders)) + (0 if self._weights is None else 8))
        free = shutil.disk_usage(self._folder).free
        if needed > free:
            raise DataError(
                f"the codes of the cases take about {_gigabytes(needed)}, but only {_gigabytes(free)} are free; give a "
                "folder with more space by cache= or TMPDIR",
                self._folder,
            )

    def code(self) -> None:
        """Go through all pieces."""
        try:
            self._team.each(self._code_piece, self._reader.pieces())
        finally:
            for writer in self._parts.values():
                writer.close()

    def _code_piece(self, number: int, piece: Piece) -> None:
        keep = self._code_classes(number, piece)
        for block in self._blocks:
            for i, batch in enumerate(piece.batches(block, self._rows) if block else ()):
                self._team.look()
                writer = self._parts[number, i]
                for name in block:
                    self._code_column(writer, name, batch, keep[i])
                    self._team.look()
        for i in range(len(keep)):
            writer = self._parts[number, i]
            writer.close()
            with self._lock:
                self._done += writer.n

    def _code_classes(self, number: int, piece: Piece) -> list[npt.NDArray[np.bool_] | None]:
        """Begin parts with their classes and weights; of each the cases to keep, None for all."""
        name, weight_name = self._reader.class_name, self._reader.weight_name
        names = [name] if weight_name is None else [name, weight_name]
        keep: list[npt.NDArray[np.bool_] | None] = []
        for i, batch in enumerate(piece.batches(names, self._rows)):
            weights = self._weights_of(batch)
            classes, kept = coded_classes(self._class, batch, name, drop=self._drop, weights=weights)
            keep.append(kept)
            if kept is not None:
                self._dropped = "the class of every case is unknown" if weights is None else NO_WEIGHT
            writer = PartWriter(os.path.join(self._folder, f"{number:08}-{i:04}.part"), len(classes), len(self._fields))
            writer.classes = writer.add(classes)
            if weights is not None:
                writer.weights = writer.add(weights if kept is None else weights[kept])
            with self._lock:
                self._parts[number, i] = writer
                counts = np.bincount(classes, minlength=len(self._counts))
                counts[: len(self._counts)] += self._counts
                self._counts = counts
        return keep

    def _weights_of(self, batch: Batch) -> Floats | None:
        """What cases weigh; None if every one counts one."""
        if self._weights is None or self._reader.weight_name is None:
            return None
        weights = batch.cells[self._reader.weight_name]
        assert not isinstance(weights, LocalLabels)
        self._weights.learn(weights, batch.place)
        return weights

    def _code_column(self, writer: PartWriter, name: str, batch: Batch, keep: npt.NDArray[np.bool_] | None) -> None:
        j = self._places[name]
        coder = self._coders[j]
        assert coder is not None
        codes, numbers, n_unknown = coded_column(coder, batch, name, keep)
        if len(codes) != writer.n:
            raise batch.place.error(f"there are {len(codes):,} values of '{abbreviated(name)}' for {writer.n:,} cases")
        writer.codes[j] = writer.add(codes)
        if numbers is not None:
            writer.numbers[j] = writer.add(numbers)
        if n_unknown:
            with self._lock:
                self._unknown[j] += n_unknown

    def writers(self) -> list[PartWriter]:
        """The parts that have cases, in order."""
        return [writer for _, writer in sorted(self._parts.items()) if writer.n]

    def finish(self) -> Coding:
        """Put right what was coded before all values were known."""
        writers = self.writers()
        if not writers:
            raise DataError(self._dropped or "there are no cases", self._reader.told)
        if self._weights is not None:
            self._weights.settle()
        labels = self._reader.labels
        classes = labels(self._reader.class_name, self._class.values)
        recodes: dict[int, Recode] = {}
        numbers: dict[int, Any] = {}
        attributes = []
        for j, (field, coder) in enumerate(zip(self._fields, self._coders, strict=True)):
            if isinstance(coder, LabelCoder):
                values = labels(field.name, coder.values)
                attributes.append(Attribute(field.name, Kind.DISCRETE, values))
                recodes[j] = coder.finish(values)
                continue
            attributes.append(Attribute(field.name, field.kind, field.values, field.is_label))
            if coder is not None:
                recode, make = coder.finish()
                if recode is not None:
                    recodes[j] = recode
                if make is not None:
                    numbers[j] = make
        self._phase, self._done = "ordering", 0
        class_recode = self._class.finish(classes)
        self._team.each(lambda _, writer: self._put_right(writer, class_recode, recodes, numbers), iter(writers))
        counts = np.zeros(len(classes), dtype=np.int64)
        places = [classes.index(value) for value in self._class.values]
        np.add.at(counts, places[: len(self._counts)], self._counts)
        bins = [coder.bins() if isinstance(coder, NumberCoder) else None for coder in self._coders]
        parts = [writer.stored() for writer in writers]
        return Coding(Schema(tuple(attributes), classes), bins, parts, counts, self._unknown, self._unit)

    @property
    def _unit(self) -> float | None:
        return None if self._weights is None else self._weights.unit

    def _put_right(
        self, writer: PartWriter, class_recode: Recode, recodes: dict[int, Recode], numbers: dict[int, Any]
    ) -> None:
        part = writer.stored().load()
        try:
            # classes have no code for unknown
            classes = class_recode(part.classes.astype(np.int64) + 1, None)
            classes = (classes - 1).astype(np.uint8 if len(self._class.values) <= 256 else np.uint16)
            if classes.dtype != part.classes.dtype or (classes != part.classes).any():
                writer.classes = writer.replace(writer.classes, classes)
            if self._weights is not None and part.weights is not None:
                # until now they were what the column has
                writer.weights = writer.replace(writer.weights, self._weights.code(part.weights.view(np.float64)))
            for j, recode in recodes.items():
                old = part.codes[j]
                assert old is not None
                new = recode(old, part.numbers[j])
                if new is not old:
                    writer.codes[j] = writer.replace(writer.codes[j], new)
                if isinstance(self._coders[j], NumberCoder):
                    writer.numbers[j] = None  # now every bin has one value
                self._team.look()
            for j, make in numbers.items():
                if writer.numbers[j] is None:
                    writer.numbers[j] = writer.add(make(part.codes[j]))
        finally:
            writer.close()
        with self._lock:
            self._done += writer.n

    def _tell(self) -> None:
        assert self._progress is not None
        done, seconds = self._done, time.monotonic() - self._started
        total = max(self._reader.n_rows, done)
        self._progress(Progress(self._phase, done, total, done / max(seconds, 1e-9), "cases"))


def _width(coder: LabelCoder | NumberCoder | None) -> int:
    """Bytes that a cell takes in the files, about."""
    if coder is None:
        return 0
    if isinstance(coder, LabelCoder):
        return 1 if len(coder.values) < 256 else 2
    return coder.dtype.itemsize + (8 if coder.keeps_numbers else 0)


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
