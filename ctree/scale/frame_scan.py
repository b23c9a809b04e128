"""FrameScan: the workers of Dask code the cases of a frame, and keep the codes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.scan.arrow_cells import ArrowCells
from ctree.data.scan.arrow_types import Columns
from ctree.data.scan.reader import Field
from ctree.data.schema import Attribute, Schema
from ctree.data.tables.frames import of_dask
from ctree.errors import DataError, DataTypeError
from ctree.progress import Progress, ProgressCallback
from ctree.scale import frame_coding as coding
from ctree.scale.batch_codes import class_coder, column_coders
from ctree.scale.column_coders import LabelCoder, NumberCoder
from ctree.scale.engines.dask import DaskEngine, DaskPart
from ctree.scale.engines.engine import combined
from ctree.scale.source import Bins
from ctree.scale.weight_coder import NO_WEIGHT, WeightCoder
from ctree.wording import plural, shortened
from ctree_ext.scale.binning import MOST_BINS

SAMPLE = 200_000
"""Cases that the cuts are chosen by, at least."""

FEW = 4096
"""So many bins a column of many values has at least, unless the memory is short."""


@dataclass(frozen=True)
class FrameCoding:
    """What the parts of a frame have in common; see `Coding`."""

    schema: Schema
    bins: list[Bins | None]
    class_counts: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.int64]
    unit: float | None = None


class FrameScan:
    """A frame that is being coded: its types, then its values, then its codes.

    Each step is a round of tasks, one for each partition, whose results are small. The partitions stay with the workers
    as tables until their codes are there, so that the frame is computed only once.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    classes : name of a column, or dask.dataframe.Series
    ignored : list of str
        Columns to leave out.
    engine : DaskEngine
    weights : name of a column, or dask.dataframe.Series, optional
    progress : callable, optional
        Is told how many partitions are done.
    """

    def __init__(
        self,
        frame: Any,
        classes: Any,
        ignored: list[str],
        engine: DaskEngine,
        weights: Any = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        self._engine = engine
        self._progress = progress
        self._kept: list[Any] = []
        keys = list(frame.columns)
        for name in ignored:
            if name not in keys:
                raise _no_column(name, keys)
        if ignored:
            keys = [key for key in keys if key not in ignored]
            frame = frame[keys]
        special = []
        for what, one in (("classes", classes), ("weights", weights)):
            if of_dask(one):
                if one.npartitions != frame.npartitions:
                    raise DataError(
                        f"the {what} are in {plural(one.npartitions, 'partition')}, the cases in {frame.npartitions}: "
                        "they should be a series of the same frame"
                    )
            elif what == "classes" or one is not None:
                if not isinstance(one, str | int | float | tuple) or one not in keys:
                    raise _no_column(one, keys)
                if one in special:
                    raise DataError(f"column {_told(one)} cannot be both the class and the weight")
                special.append(one)
        self._names = _names(keys, special)
        self._class = _name_among(self._names, "y") if of_dask(classes) else self._names[classes]
        self._weight: str | None = None
        if weights is not None:
            taken = {**self._names, None: self._class}
            self._weight = _name_among(taken, "weight") if of_dask(weights) else self._names[weights]
        frames = frame.to_delayed()
        apart = [one.to_delayed() if of_dask(one) else [None] * len(frames) for one in (classes, weights)]
        self._partitions = list(zip(frames, *apart, strict=True))

    def coded(
        self, categorical: Sequence[Any] | None, *, memory: int, drop_unknown_class: bool
    ) -> tuple[list[DaskPart], FrameCoding]:
        """The cases in codes, and what all parts have in common."""
        with self._dropped_if_it_fails():
            names = self._share(self._names)
            tables = self._keep(
                self._each(coding.as_table, self._partitions, lambda number: (number, names, self._class, self._weight))
            )
            shapes = self._each(coding.shape, tables, lambda number: (number,))
            shape = self._all(coding.shapes, shapes, self._told("reading", tables))
            fields, cells = self._fields(shape, categorical)
            coders = self._surveyed(tables, shape.sizes, fields, cells, memory)
            shared = self._share(cells), self._share(coders)
            parts, found = self._kept_parts(
                self._each(coding.code, tables, lambda number: (number, *shared, self._class, drop_unknown_class)),
                coding.all_coded,
            )
            numbers = found.numbers
            again, missing = _finished(numbers)
            if again or missing:
                late = self._share([field.name for field in fields]), self._share(again), self._share(missing)
                parts, seen = self._kept_parts(self._each(coding.put_right, parts, lambda number: late), coding.merged)
                numbers = numbers | seen
            if not found.classes.sum():
                none = "the class of every case is unknown" if self._weight is None else NO_WEIGHT
                raise DataError(f"{none if sum(shape.sizes.values()) else 'there are no cases'} in the frame")
            of_case = 2 + sum(coding.BYTES[field.kind] for field in fields) + (0 if self._weight is None else 8)
            held = [DaskPart(n, parts[number], n * of_case) for number, n in sorted(found.sizes.items())]
            return held, _coding(fields, coders, numbers, self._class, found, self._weight)

    def _fields(self, shape: coding.Shape, categorical: Sequence[Any] | None) -> tuple[tuple[Field, ...], ArrowCells]:
        columns = Columns(self._class, weight_name=self._weight)
        for schema, number in sorted(shape.schemas.items(), key=lambda item: item[1]):
            columns.add(schema, coding.partition(number))
        fields = columns.fields(categorical)
        return fields, ArrowCells(columns, fields)

    def _surveyed(
        self, tables: list[Any], sizes: dict[int, int], fields: Sequence[Field], cells: ArrowCells, memory: int
    ) -> coding.Coders:
        """The coders of all columns, with every value and with cuts."""
        n = sum(sizes.values())
        # More bins than these hardly save a case from being looked at, but all of them are sent at each pass.
        most_bins = min(MOST_BINS, max(FEW, 8 * math.isqrt(n)))
        coders: coding.Coders = {self._class: class_coder(self._class)}
        for field, coder in zip(fields, column_coders(fields, memory, most_bins), strict=True):
            if coder is not None:
                coders[field.name] = coder
        if self._weight is not None:
            coders[self._weight] = WeightCoder(self._weight)
        firsts = np.cumsum([0, *(sizes[number] for number in range(len(tables)))]).tolist()
        step, shared = max(1, n // SAMPLE), (self._share(cells), self._share(coders))
        found = self._each(coding.survey, tables, lambda number: (number, firsts[number], *shared, step))
        coders = self._all(coding.merged, found, self._told("finding values", tables, again=True))
        coding.settle(coders, self._class)
        return coders

    # Rounds of tasks

    def _share(self, content: Any) -> Any:
        return self._engine.share(content)

    def _each(
        self, function: Callable[..., Any], items: Sequence[Any], more: Callable[[int], tuple[Any, ...]]
    ) -> list[Any]:
        return [
            self._engine.call(function, *(item if isinstance(item, tuple) else (item,)), *more(number))
            for number, item in enumerate(items)
        ]

    def _joined(self, combine: Callable[..., Any], calls: list[Any]) -> Any:
        return combined(calls, lambda some: self._engine.call(combine, list(some)))

    def _all(self, combine: Callable[..., Any], calls: list[Any], look: Callable[[], None] | None) -> Any:
        return self._engine.results([self._joined(combine, calls)], look)[0]

    def _told(self, phase: str, kept: list[Any], *, again: bool = False) -> Callable[[], None] | None:
        """Tells of a round how many partitions are done; or, where they are gone through again, how many there are."""
        progress, start = self._progress, time.monotonic()
        if progress is None:
            return None

        def look() -> None:
            done = self._engine.n_done(kept)
            rate = 0.0 if again else done / max(time.monotonic() - start, 1e-9)
            progress(Progress(phase, done, None if again else len(kept), rate, "partitions"))

        look()
        return look

    def _keep(self, calls: list[Any]) -> list[Any]:
        kept = self._engine.keep(calls)
        self._kept += kept
        return kept

    def _kept_parts(self, pairs: list[Any], combine: Callable[..., Any]) -> tuple[list[Any], Any]:
        """The parts, which stay where they are, and what is found out about all of them."""
        # All at once: parts that were made for the one would have to be made again for the other.
        *parts, found = self._keep([*(pair[0] for pair in pairs), self._joined(combine, [pair[1] for pair in pairs])])
        return parts, self._engine.results([found], self._told("coding", parts))[0]

    @contextmanager
    def _dropped_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._engine.drop(self._kept)
            raise
        finally:
            self._kept = []


def _finished(numbers: coding.Coders) -> tuple[coding.Coders, coding.Coders]:
    """Columns of numbers that have to be coded again, and those whose numbers have to be kept by all parts."""
    again: coding.Coders = {}
    missing: coding.Coders = {}
    for name, coder in numbers.items():
        assert isinstance(coder, NumberCoder)
        recode, make = coder.finish()
        if recode is not None:
            again[name] = coder
        elif make is not None:
            missing[name] = coder
    return again, missing


def _coding(
    fields: Sequence[Field],
    coders: coding.Coders,
    numbers: coding.Coders,
    class_name: str,
    found: coding.Coded,
    weight_name: str | None,
) -> FrameCoding:
    attributes, bins = [], []
    for field in fields:
        number, coder = numbers.get(field.name), coders.get(field.name)
        values = tuple(coder.values) if isinstance(coder, LabelCoder) else ()
        attributes.append(Attribute(field.name, field.kind, values))
        bins.append(number.bins() if isinstance(number, NumberCoder) else None)
    classes = coders[class_name]
    assert isinstance(classes, LabelCoder)
    weights = None if weight_name is None else coders[weight_name]
    unit = weights.unit if isinstance(weights, WeightCoder) else None
    return FrameCoding(Schema(tuple(attributes), tuple(classes.values)), bins, found.classes, found.unknown, unit)


def _names(keys: list[Any], special: list[Any]) -> dict[Any, str]:
    """What the columns are called: by their names, or x0, x1, ... if these are no text; the special ones last."""
    others = [key for key in keys if key not in special]
    text = [key for key in others if isinstance(key, str)]
    if len(set(keys)) != len(keys):
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise DataError(f"two columns are called '{abbreviated(twice)}'")
    if text and len(text) < len(others):
        odd = next(key for key in others if not isinstance(key, str))
        raise DataTypeError(
            f"one column is called '{abbreviated(text[0])}' and another {shortened(odd)}; convert all of them to text"
        )
    names = {key: key if text else f"x{j}" for j, key in enumerate(others)}
    for key in special:
        names[key] = _name_among(names, str(key))
    return names


def _name_among(names: dict[Any, str], name: str) -> str:
    """A name that none of these columns has."""
    while name in names.values():
        name += "'"
    return name


def _no_column(name: Any, keys: list[Any]) -> DataError:
    hint = near_match(name, keys) if isinstance(name, str) else ""
    return DataError(f"there is no column {_told(name)} among {abbreviated_list(keys)}{hint}")


def _told(name: Any) -> str:
    return f"'{abbreviated(name)}'" if isinstance(name, str) else shortened(name)
