"""FrameScan: workers code the cases of a frame that lies with them, and keep the codes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.scan.arrow_cells import ArrowCells
from ctree.data.scan.arrow_types import Columns
from ctree.data.scan.reader import Field
from ctree.data.schema import Attribute, Label, Schema
from ctree.errors import DataError
from ctree.scale import frame_coding as coding
from ctree.scale.batch_codes import SAMPLE, class_coder, column_coders
from ctree.scale.column_coders import LabelCoder, NumberCoder
from ctree.scale.engines.engine import PartLoader
from ctree.scale.frame_tables import FrameTables
from ctree.scale.source import Bins
from ctree.scale.weight_coder import NO_WEIGHT, WeightCoder
from ctree_ext.scale.binning import MOST_BINS

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
    tables : FrameTables
    class_name, weight_name : str
        Which of their columns has the class, and which the weights, if any.
    ordered : mapping of str to sequences of labels, optional
        Columns whose values have an order.
    """

    def __init__(
        self,
        tables: FrameTables,
        class_name: str,
        weight_name: str | None = None,
        ordered: Mapping[str, Sequence[Label]] | None = None,
    ) -> None:
        self._tables = tables
        self._ordered = ordered
        self._class = class_name
        self._weight = weight_name

    def coded(
        self, categorical: Sequence[Any] | None, *, memory: int, drop_unknown_class: bool
    ) -> tuple[Sequence[PartLoader], FrameCoding]:
        """The cases in codes, and what all parts have in common."""
        kept = [self._tables]
        try:
            shape = self._tables.shape()
            if not sum(shape.sizes.values()):
                raise DataError("there are no cases in the frame")
            fields, cells = self._fields(shape, categorical)
            coders = self._surveyed(shape.sizes, fields, cells, memory)
            parts, found = self._tables.make(
                coding.code, coding.all_coded, cells, coders, self._class, drop_unknown_class
            )
            kept.append(parts)
            numbers = found.numbers
            again, missing = _finished(numbers)
            if again or missing:
                names = [field.name for field in fields]
                parts, seen = parts.make(coding.put_right, coding.merged, names, again, missing)
                kept.append(parts)
                numbers = numbers | seen
            if not found.classes.sum():
                none = "the class of every case is unknown" if self._weight is None else NO_WEIGHT
                raise DataError(f"{none} in the frame")
            of_case = 2 + sum(coding.BYTES[field.kind] for field in fields) + (0 if self._weight is None else 8)
            result = (
                parts.parts(found.sizes, of_case),
                _coding(fields, coders, numbers, self._class, found, self._weight),
            )
        except BaseException:
            for some in kept:
                some.drop()
            raise
        for some in kept[:-1]:
            some.release()
        return result

    def _fields(self, shape: coding.Shape, categorical: Sequence[Any] | None) -> tuple[tuple[Field, ...], ArrowCells]:
        columns = Columns(self._class, weight_name=self._weight, ordered=self._ordered)
        for schema, number in sorted(shape.schemas.items(), key=lambda item: item[1]):
            columns.add(schema, coding.partition(number))
        fields = columns.fields(categorical)
        return fields, ArrowCells(columns, fields)

    def _surveyed(
        self, sizes: dict[coding.PieceNumber, int], fields: Sequence[Field], cells: ArrowCells, memory: int
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
        order = sorted(sizes)
        before = np.cumsum([0, *(sizes[piece] for piece in order)]).tolist()
        firsts = dict(zip(order, before, strict=False))
        coders = self._tables.ask(coding.survey, coding.merged, firsts, cells, coders, max(1, n // SAMPLE))
        coding.settle(coders, self._class)
        return coders


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
        values = tuple(coder.values) if isinstance(coder, LabelCoder) else field.values
        attributes.append(Attribute(field.name, field.kind, values))
        bins.append(number.bins() if isinstance(number, NumberCoder) else None)
    classes = coders[class_name]
    assert isinstance(classes, LabelCoder)
    weights = None if weight_name is None else coders[weight_name]
    unit = weights.unit if isinstance(weights, WeightCoder) else None
    return FrameCoding(Schema(tuple(attributes), tuple(classes.values)), bins, found.classes, found.unknown, unit)
