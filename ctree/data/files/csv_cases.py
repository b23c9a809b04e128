"""The cells of a comma-separated file as attributes and classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.c45_cases import LEAVE_OUT, UnknownClass, without_unknown_classes
from ctree.data.files.csv_doubts import (
    check_classes,
    doubt_about_numbers,
    doubt_about_text,
    doubts_about_columns,
    mostly_numbers,
    why_no_numbers,
)
from ctree.data.files.csv_kinds import AS_THEY_LOOK, CellError, Kinds, date_column, ordered_places
from ctree.data.files.csv_numbers import NO_NUMBER, Decision, Evidence, decide, look
from ctree.data.files.csv_remarks import CsvError, CsvRemark, in_order
from ctree.data.files.csv_settings import NO_NUMBERS, CsvSettings
from ctree.data.files.csv_table import CsvTable
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.levels import code_levels, find_levels
from ctree.errors import DataError, NamingError

Cells = list[str | None]


class CsvCases(CsvTable):
    """A file of cases.

    Parameters
    ----------
    file : str
    settings : CsvSettings
    known : collection of str
        Names of attributes that are expected.

    Attributes
    ----------
    remarks : list of CsvRemark
        What should be said of what has been read.
    """

    def __init__(self, file: str, settings: CsvSettings, known: Collection[str] = ()) -> None:
        super().__init__(file, settings, known)
        if not self.n_rows:
            raise DataError("the file has no cases", file)
        self.remarks: list[CsvRemark] = list(self.layout.remarks)
        self._unknown = settings.unknown_cells

    def read(
        self,
        class_name: str | None,
        kinds: Kinds = AS_THEY_LOOK,
        unknown_class: UnknownClass = "error",
    ) -> Dataset:
        """The cases with a schema of their own; the class is the last column if it has no name."""
        label = self.layout.used[-1] if class_name is None else class_name
        ignored, categorical = kinds.ignored, kinds.discrete
        for name in (label, *kinds.names):
            self.place(name, NamingError)
        kinds.check(label, self.file)
        if label in ignored:
            raise NamingError(f"the class '{abbreviated(label)}' is among the columns to leave out", self.file)
        names = [name for name in self.layout.used if name != label and name not in ignored]
        self.remarks = [one for one in self.remarks if one.column is None or one.column not in ignored]
        pairs = [self._infer(name, kinds) for name in names]
        attributes = [attribute for attribute, _ in pairs]
        classes, codes = self._classes(label, None)
        told = {remark.column for remark in self.remarks}.union(kinds.names)
        self.remarks += doubts_about_columns(self.file, self.layout, attributes, self.n_rows, told)
        self.remarks += check_classes(self.file, label, classes, label in categorical, self.n_rows)
        if unknown_class == "error":
            self._refuse_unknown(label, codes)
        self.remarks = in_order(self.remarks, self.names)
        return self._dataset(Schema(tuple(attributes), classes), [c for _, c in pairs], codes, unknown_class)

    def code(self, schema: Schema, class_name: str | None, unknown_class: UnknownClass) -> Dataset:
        """The cases in the codes of a schema; classes only if their column is named."""
        if class_name is not None:
            self.place(class_name, NamingError)
        columns = [self._coded(attribute) for attribute in schema.attributes]
        codes = None
        if class_name is not None:
            _, codes = self._classes(class_name, schema.classes)
            if unknown_class == "error":
                self._refuse_unknown(class_name, codes)
        label = next((a.name for a in schema if a.is_label and a.name in self.names), None)
        names = None if label is None else self.known_cells(label)
        return self._dataset(schema, columns, codes, unknown_class, names)

    def _dataset(
        self,
        schema: Schema,
        columns: Sequence[Column | None],
        codes: np.ndarray[Any, np.dtype[np.int32]] | None,
        unknown_class: UnknownClass,
        names: Cells | None = None,
    ) -> Dataset:
        data = Dataset(schema, columns, codes, n_cases=self.n_rows, case_names=names)
        return without_unknown_classes(data, self.file) if unknown_class == "drop" else data

    def known_cells(self, name: str) -> Cells:
        """The cells of a column, None where the value is unknown."""
        unknown = self._unknown
        return [None if cell in unknown else cell for cell in self.column(name)]

    def _infer(self, name: str, kinds: Kinds) -> tuple[Attribute, Column]:
        """An attribute of the kind that its cells suggest, and its coded column."""
        cells = self.known_cells(name)
        if name in kinds.ordered:
            attribute = Attribute(name, Kind.ORDERED, kinds.ordered[name])
            return attribute, self._told(ordered_places, name, cells, attribute.values)
        if name in kinds.dates:
            kind, moments = self._told(date_column, name, cells, self.settings.unknown_numbers)
            return Attribute(name, kind), moments
        if name not in kinds.discrete:
            numbers = self._quick_numbers(cells) or self._numbers(name, cells)
            if numbers is not None:
                return Attribute(name, Kind.CONTINUOUS), self._finite(name, numbers)
        levels, codes = find_levels(cells, f"attribute '{abbreviated(name)}'")
        return Attribute(name, Kind.DISCRETE, levels), codes

    def _coded(self, attribute: Attribute) -> Column | None:
        """The column of a known attribute."""
        if attribute.kind is Kind.IGNORE:
            return None
        cells = self.known_cells(attribute.name)
        if attribute.values or attribute.is_discrete:
            return code_levels(cells, attribute.values, f"attribute '{abbreviated(attribute.name)}'")
        if attribute.is_moment:
            unknown, kind = self.settings.unknown_numbers, attribute.kind
            moments: Column = self._told(date_column, attribute.name, cells, unknown, (kind,))[1]
            return moments
        numbers = self._quick_numbers(cells) or self._numbers(attribute.name, cells, needed=True)
        assert numbers is not None
        return self._finite(attribute.name, numbers)

    def _told(self, read: Callable[..., Any], name: str, *rest: Any) -> Any:
        """What a reader of a column gives; a cell that it refuses is named by its line."""
        try:
            return read(name, *rest)
        except CellError as error:
            raise DataError(str(error), self.file, self.line(error.row)) from None

    def _quick_numbers(self, cells: Cells) -> list[float] | None:
        """The numbers of a column in which all are plain, or all have the decimal comma of the file."""
        comma = self.layout.decimal == ","
        try:
            try:
                numbers = [math.nan if c is None else float(c) for c in cells]
            except ValueError:
                if _text_at_first(cells):
                    return None
                cells = [None if c is None or c in NO_NUMBERS else c for c in cells]
                if comma:
                    numbers = [math.nan if c is None else float(c.replace(",", ".", 1)) for c in cells]
                else:
                    numbers = [math.nan if c is None else float(c) for c in cells]
        except ValueError:
            return None
        text = "".join(c for c in cells if c is not None)
        return None if "_" in text or (comma and "." in text) else numbers

    def _numbers(self, name: str, cells: Cells, needed: bool = False) -> list[float] | None:
        """The numbers of a column; None if they are none, which is an error if they are needed."""
        unknown = self.settings.unknown_numbers
        distinct = _text_at_first(cells)
        if not distinct:
            distinct = [cell for cell in dict.fromkeys(cells) if cell is not None and cell not in unknown]
        evidence = Evidence()
        evidence.look_at(distinct, enough=lambda flags: bool(flags & NO_NUMBER))
        decision = decide(evidence, self.settings.decimal, self.layout.decimal)
        if decision.style is None and needed:
            raise self._no_numbers(name, cells, evidence, decision)
        remark = doubt_about_numbers(self.file, name, decision, evidence, self.settings.decimal)
        if decision.why == "text":
            remark = self._doubt_about_text(name, cells)
        if remark is not None:
            self.remarks.append(remark)
        if decision.style is None:
            return None
        table: dict[str | None, float] = {cell: decision.style.number(cell) for cell in distinct}
        return [table.get(cell, math.nan) for cell in cells]

    def _doubt_about_text(self, name: str, cells: Cells) -> CsvRemark | None:
        """A remark if most of a discrete column are numbers."""
        unknown = self.settings.unknown_numbers
        if mostly_numbers(self.layout.sample[name], unknown) is None:
            return None
        counts = Counter(cell for cell in cells if cell is not None and cell not in unknown)
        odd = {cell: n for cell, n in counts.items() if look(cell)[0] & NO_NUMBER}
        return doubt_about_text(self.file, name, sum(odd.values()), counts.total(), next(iter(odd)), False)

    def _no_numbers(self, name: str, cells: Cells, evidence: Evidence, decision: Decision) -> DataError:
        """The error about a column that should be numbers."""
        what = f"attribute '{abbreviated(name)}'"
        if decision.why == "text":
            assert evidence.odd is not None
            told = f"{what} has the value '{abbreviated(evidence.odd)}', which is not a number"
            line = self.line(cells.index(evidence.odd))
            return CsvError(f"{told}; if it stands for an unknown value, name it by", "unknown", self.file, line)
        told = f"{what} should have numbers, but {why_no_numbers(decision, evidence, self.settings.decimal)}"
        if decision.why == "mixed signs":
            return DataError(told, self.file)
        return CsvError(f"{told}; say which is the decimal mark by", "decimal", self.file)

    def _finite(self, name: str, numbers: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        column = np.array(numbers)
        if np.isinf(column).any():
            line = self.line(int(np.argmax(np.isinf(column))))
            raise DataError(f"attribute '{abbreviated(name)}' has an infinite value", self.file, line)
        return column

    def _classes(
        self, name: str, known: Sequence[Label] | None
    ) -> tuple[tuple[Label, ...], np.ndarray[Any, np.dtype[np.int32]]]:
        """The classes, sorted if they are not known yet, and that of each case."""
        cells = self.known_cells(name)
        if known is None:
            levels, codes = find_levels(cells, f"the class '{abbreviated(name)}'")
        else:
            levels, codes = tuple(known), code_levels(cells, known, f"the class '{abbreviated(name)}'")
        for i in np.flatnonzero(codes < 0).tolist():
            if cells[i] is not None:
                message = f"the class is '{abbreviated(cells[i])}', which is not one of {abbreviated_list(levels)}"
                raise DataError(message + near_match(str(cells[i]), levels), self.file, self.line(i))
        return levels, codes

    def _refuse_unknown(self, name: str, codes: np.ndarray[Any, np.dtype[np.int32]]) -> None:
        """An error if a case has no class."""
        for i in np.flatnonzero(codes < 0).tolist():
            raise DataError(f"the class '{abbreviated(name)}' is unknown; {LEAVE_OUT}", self.file, self.line(i))


def _text_at_first(cells: Cells) -> list[str]:
    """The first known cell, if it is no number of any form, which tells most columns of text; else nothing."""
    first = next((cell for cell in cells if cell is not None and cell not in NO_NUMBERS), None)
    return [first] if first is not None and look(first)[0] & NO_NUMBER else []
