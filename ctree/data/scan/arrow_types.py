"""What the columns of Arrow are to learners: by their types, in one file and over several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Any

import numpy as np

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.reader import Field
from ctree.data.schema import Kind, Label
from ctree.data.tables.arrays import kinds_of, ordered_attribute, with_orders
from ctree.data.tables.pandas_columns import Told
from ctree.data.tables.raw_columns import RawTable, refuse_moments
from ctree.errors import DataError, DataTypeError, NamingError, missing
from ctree.wording import no_such


def load_arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow."""
    try:
        return import_module(module)
    except ImportError:
        raise missing("scanning files needs", "pyarrow", "arrow") from None


class Family(Enum):
    """Types whose values learners see alike."""

    NOTHING = "null"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    TEXT = "text"
    CATEGORY = "category"
    """Of a dictionary whose values are not text."""
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"

    @property
    def is_number(self) -> bool:
        return self in (Family.INTEGER, Family.FLOAT)

    @property
    def told(self) -> Told:
        """That its columns are discrete, or dates; None where they hold numbers, which a person may want discrete."""
        if self in (Family.DATE, Family.TIME, Family.TIMESTAMP):
            return Kind(self.value)
        return True if self in (Family.BOOLEAN, Family.TEXT, Family.CATEGORY) else None


def family_of(name: str, dtype: Any, file: str | None) -> Family:
    """The family of a type; one that is neither numbers nor labels is an error."""
    types = load_arrow().types
    if types.is_run_end_encoded(dtype):
        return family_of(name, dtype.value_type, file)
    if types.is_dictionary(dtype):
        inner = family_of(name, dtype.value_type, file)
        return inner if inner in (Family.TEXT, Family.NOTHING) else Family.CATEGORY
    for family, tests in _TESTS.items():
        if any(getattr(types, test)(dtype) for test in tests if hasattr(types, test)):
            return family
    if types.is_temporal(dtype):
        raise DataTypeError(
            f"column '{abbreviated(name)}' holds lengths of time ({dtype}), which are neither numbers nor labels: "
            "convert them to numbers, such as days, or to text, or leave the column out",
            file,
        )
    raise DataTypeError(
        f"column '{abbreviated(name)}' has the type {abbreviated(dtype)}; it should hold numbers, booleans or text",
        file,
    )


_TESTS = {
    Family.NOTHING: ("is_null",),
    Family.INTEGER: ("is_integer",),
    Family.FLOAT: ("is_floating", "is_decimal"),
    Family.BOOLEAN: ("is_boolean",),
    Family.TEXT: ("is_string", "is_large_string", "is_string_view"),
    Family.DATE: ("is_date",),
    Family.TIME: ("is_time",),
    Family.TIMESTAMP: ("is_timestamp",),
}


@dataclass
class TypedColumn:
    """A column, as the files so far have it."""

    family: Family
    dtype: Any
    file: str | None


class Columns:
    """The columns that several files share, whatever their order in each.

    Parameters
    ----------
    class_name : str or None
        None where nobody asks for the class.
    ignored : sequence of str
        Columns that are left out, of any type.
    weight_name : str, optional
        The column of the weights.
    ordered : mapping of str to sequences of labels, optional
        Columns whose values have an order.
    """

    def __init__(
        self,
        class_name: str | None,
        ignored: Sequence[str] = (),
        weight_name: str | None = None,
        ordered: Mapping[str, Sequence[Label]] | None = None,
    ) -> None:
        self._ordered = ordered
        self.class_name = class_name
        self.weight_name = weight_name
        self.ignored = list(ignored)
        self.columns: dict[str, TypedColumn] = {}
        self._first: str | None = None
        self._empty = True

    def add(self, schema: Any, file: str | None) -> None:
        """Take in the schema of one more file."""
        names = list(schema.names)
        if len(set(names)) != len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise DataError(f"two columns are called '{abbreviated(twice)}'", file)
        for name in [*(name for name in (self.class_name, self.weight_name) if name is not None), *self.ignored]:
            if name not in names:
                raise NamingError(no_such("column", name, names), file)
        if self.class_name in self.ignored:
            raise NamingError(f"the class '{abbreviated(self.class_name)}' is among the columns to leave out")
        check_weight_name(self.weight_name, self.class_name, self.ignored)
        used = [name for name in names if name not in self.ignored]
        if self._empty:
            self._empty, self._first = False, file
        else:
            self._check_names(used, file)
        for name in used:
            dtype = schema.field(name).type
            column = TypedColumn(family_of(name, dtype, file), dtype, file)
            before = self.columns.get(name)
            self.columns[name] = column if before is None else self._both(name, before, column)
            if name == self.class_name:
                refuse_moments(column.family.told, f"'{abbreviated(name)}'", file)
            if name == self.weight_name and not (column.family.is_number or column.family is Family.NOTHING):
                raise DataError(
                    f"the weight '{abbreviated(name)}' has the type {abbreviated(dtype)}, but should hold numbers", file
                )

    def _check_names(self, names: Sequence[str], file: str | None) -> None:
        first = "the first batch" if self._first is None else f"{abbreviated(self._first, 100)}"
        for name in self.columns:
            if name not in names:
                raise DataError(f"there is no column '{abbreviated(name)}', which {first} has", file)
        for name in names:
            if name not in self.columns:
                raise DataError(f"there is a column '{abbreviated(name)}', which {first} does not have", file)

    def _both(self, name: str, before: TypedColumn, now: TypedColumn) -> TypedColumn:
        if now.family is before.family or now.family is Family.NOTHING:
            return before
        if before.family is Family.NOTHING:
            return now
        if before.family.is_number and now.family.is_number:
            return before if before.family is Family.FLOAT else now
        there = "an earlier batch" if before.file is None else abbreviated(before.file, 100)
        raise DataError(
            f"column '{abbreviated(name)}' has the type {abbreviated(now.dtype)}, but {abbreviated(before.dtype)} in "
            f"{there}; convert one of them",
            now.file,
        )

    def fields(self, categorical: Sequence[Any] | None) -> tuple[Field, ...]:
        """The columns but the class, with their kinds, as `from_arrays` would see them."""
        names = [name for name in self.columns if name not in (self.class_name, self.weight_name)]
        if not names:
            raise no_attributes(self.class_name, self.weight_name, self._first)
        told = [self.columns[name].family.told for name in names]
        found = kinds_of(categorical, names, RawTable(names, [np.empty(0)] * len(names), told))
        found = with_orders(self._ordered, names, found, told)
        return tuple(_field(name, one) for name, one in zip(names, found, strict=True))


def _field(name: str, told: Told) -> Field:
    if isinstance(told, tuple):
        attribute = ordered_attribute(name, told)
        return Field(name, attribute.kind, attribute.values)
    return Field(name, told if isinstance(told, Kind) else Kind.DISCRETE if told else Kind.CONTINUOUS)


def check_weight_name(weight_name: str | None, class_name: str | None, ignored: Sequence[str]) -> None:
    """Refuse weights that are the class, or left out."""
    if weight_name is None:
        return
    if weight_name == class_name:
        raise NamingError(f"column '{abbreviated(weight_name)}' cannot be both the class and the weight")
    if weight_name in ignored:
        raise NamingError(f"the weight '{abbreviated(weight_name)}' is among the columns to leave out")


def no_attributes(class_name: str | None, weight_name: str | None, file: str | None) -> DataError:
    """That there is nothing to learn from."""
    also = "" if weight_name is None else f" and the weight '{abbreviated(weight_name)}'"
    return DataError(f"there are no columns but the class '{abbreviated(class_name)}'{also}", file)
