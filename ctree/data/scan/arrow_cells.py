"""Arrays of Arrow as numbers and as discrete values, the same that a table in memory has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dates import NotADateError, not_a_date, numbers_of
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.scan.arrow_moments import arrow_kind, arrow_moments
from ctree.data.scan.arrow_types import Columns, Family, load_arrow
from ctree.data.scan.reader import Batch, Cells, Field, Floats, LocalLabels, Place
from ctree.data.schema import MOMENTS, Attribute, Kind, Label
from ctree.data.tables.arrays import in_kind
from ctree.data.tables.levels import EXACT_INTEGERS, code_levels
from ctree.errors import DataError
from ctree.wording import shortened

WIDEST = 1 << 16
"""The widest range of whole numbers whose values are told by direct address."""


class ArrowCells:
    """From the columns of Arrow tables to cells.

    Parameters
    ----------
    columns : Columns
    fields : sequence of Field
    unseen : {"error", "unknown"}
        Whether a value that an order does not have is an error, or unknown.
    """

    def __init__(self, columns: Columns, fields: Sequence[Field], unseen: str = "error") -> None:
        self._columns = columns
        self._refuses = unseen == "error"
        self._kinds = {field.name: field.kind for field in fields}
        self._orders = {field.name: field.values for field in fields if field.kind is Kind.ORDERED}
        if columns.class_name is not None:
            self._kinds[columns.class_name] = Kind.DISCRETE
        if columns.weight_name is not None:
            self._kinds[columns.weight_name] = Kind.CONTINUOUS

    def batch(self, table: Any, names: Sequence[str], place: Place) -> Batch:
        """The columns of a table or of a batch that are asked for."""
        return Batch(table.num_rows, {name: self._cells(table.column(name), name, place) for name in names}, place)

    def _cells(self, column: Any, name: str, place: Place) -> Cells:
        array = _one_array(column)
        try:
            if self._kinds[name] is Kind.DISCRETE:
                return self._labels(array, name, place)
            if self._kinds[name] is Kind.ORDERED:
                return self._places(array, name, place)
            if self._kinds[name] in MOMENTS:
                return self._moments(array, name, place)
            return self._numbers(array, name, place)
        except UnicodeDecodeError:
            raise place.error(f"column '{abbreviated(name)}' has text that is not UTF-8") from None

    def _labels(self, array: Any, name: str, place: Place) -> LocalLabels:
        found = labels(array)
        # Where other files have fractions, all are doubles, which not all whole numbers are.
        if self._columns.columns[name].family is Family.FLOAT and load_arrow().types.is_integer(array.type):
            for value in found.values:
                if value is not None and abs(value) > EXACT_INTEGERS:
                    raise place.error(
                        f"column '{abbreviated(name)}' has the value {value}, which a column of fractions, as in "
                        "another file, cannot hold"
                    )
        return found

    def _places(self, array: Any, name: str, place: Place) -> Floats:
        """The places of values in their order; those that it does not have are unknown, or refused by who asks."""
        return ordered_cells(labels(array), name, self._orders[name], place, self._refuses)

    def _moments(self, array: Any, name: str, place: Place) -> Floats:
        attribute = Attribute(name, self._kinds[name])
        try:
            kind = arrow_kind(array.type)
            if kind is not None:
                return np.asarray(in_kind(arrow_moments(array)[0], attribute, kind))
            if load_arrow().types.is_integer(array.type) or load_arrow().types.is_floating(array.type):
                return numbers(array)
            local = labels(array)
            found: Floats = np.append(numbers_of(list(local.values), attribute.kind), np.nan)[local.indices]
        except NotADateError as error:
            value = array[error.row].as_py() if arrow_kind(array.type) else labels(array).values[error.row]
            raise place.error(not_a_date(attribute.kind, name, value)) from None
        return found

    def _numbers(self, array: Any, name: str, place: Place) -> Floats:
        types = load_arrow().types
        if types.is_integer(array.type) or types.is_floating(array.type) or types.is_null(array.type):
            return numbers(array)
        if types.is_decimal(array.type):
            return numbers(array.cast("float64"))
        local = labels(array)
        table = np.full(len(local.values), np.nan)
        for i, value in enumerate(local.values):
            try:
                table[i] = math.nan if value is None else float(value)
            except (TypeError, ValueError, OverflowError):
                raise place.error(
                    f"attribute '{abbreviated(name)}' has the value {shortened(value)}, which is not a number"
                ) from None
        cells: Floats = table[local.indices]
        return cells


def ordered_cells(local: LocalLabels, name: str, order: Sequence[Label], place: Place, refuses: bool = True) -> Floats:
    """The places of discrete values in their order, NaN where they are unknown."""
    codes = code_levels(list(local.values), order, f"attribute '{abbreviated(name)}'")
    for at in np.flatnonzero(codes < 0).tolist() if refuses else ():
        if local.values[at] is not None:
            raise place.error(
                f"attribute '{abbreviated(name)}' has the value {shortened(local.values[at])}, which is not in the "
                f"order {abbreviated_list(order)}{near_match(local.values[at], order)}",
                int(np.argmax(local.indices == at)),
            )
    found: Floats = np.where(codes < 0, np.nan, codes)[local.indices]
    return found


def _one_array(column: Any) -> Any:
    """A column without chunks, runs and views."""
    pa = load_arrow()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # of several dictionaries, or of no chunks at all
            chunks = column.unify_dictionaries().chunks
            column = pa.concat_arrays(chunks) if chunks else pa.array([], column.type)
    if pa.types.is_run_end_encoded(column.type):
        column = load_arrow("pyarrow.compute").run_end_decode(column)
    if hasattr(pa.types, "is_string_view") and pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return column


def numbers(array: Any) -> Floats:
    """An array of numbers as doubles, NaN where it is null."""
    if load_arrow().types.is_null(array.type):
        return np.full(len(array), np.nan)
    found: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(found, dtype=np.float64)


def labels(array: Any) -> LocalLabels:
    """An array of any type of labels as places in a list of its values."""
    pa = load_arrow()
    types = pa.types
    if types.is_null(array.type):
        return LocalLabels(np.zeros(len(array), dtype=np.uint8), [None])
    if types.is_boolean(array.type):
        array = array.cast(pa.uint8())
        return _named(_small_integers(array), lambda value: bool(value))
    if types.is_decimal(array.type):
        array = array.cast(pa.float64())
    if types.is_integer(array.type):
        small = _small_integers(array)
        if small is not None:
            return small
    if not types.is_dictionary(array.type):
        array = array.dictionary_encode()
    return _of_dictionary(array)


def _named(found: LocalLabels | None, name: Callable[[Any], Any]) -> LocalLabels:
    assert found is not None
    return LocalLabels(found.indices, [None if value is None else name(value) for value in found.values])


def _small_integers(array: Any) -> LocalLabels | None:
    """Whole numbers by direct address; None if they are spread too widely for that."""
    n_null = array.null_count
    known = array.drop_null() if n_null else array
    if not len(known):
        return LocalLabels(np.zeros(len(array), dtype=np.uint8), [None])
    cells = known.to_numpy(zero_copy_only=False)
    if cells.dtype.itemsize == 1:
        low, places = 0, cells.view(np.uint8)
    else:
        low = int(cells.min())
        if int(cells.max()) - low >= WIDEST:
            return None
        places = (cells - cells.dtype.type(low)).astype(np.uint16)
    present = np.flatnonzero(np.bincount(places))
    values: list[Any] = [None] * (int(present[-1]) + 2)  # the last is for null
    for place in present.tolist():
        values[place] = int(np.uint8(place).view(cells.dtype)) if cells.dtype.itemsize == 1 else low + place
    if not n_null:
        return LocalLabels(places, values)
    indices = np.full(len(array), len(values) - 1, dtype=np.int32)
    indices[array.is_valid().to_numpy(zero_copy_only=False)] = places
    return LocalLabels(indices, values)


def _of_dictionary(array: Any) -> LocalLabels:
    values: list[Any] = array.dictionary.to_pylist()
    values = [None if isinstance(value, float) and value != value else value for value in values]
    indices = array.indices
    if indices.null_count:
        indices = indices.cast("int64").fill_null(len(values))
    places = indices.to_numpy(zero_copy_only=False)
    if places.dtype.kind == "u" and places.dtype.itemsize == 8:
        places = places.astype(np.int64)
    present = np.zeros(len(values) + 1, dtype=bool)
    present[places] = True
    return LocalLabels(places, [value if here else None for value, here in zip([*values, None], present, strict=True)])


def regrouped(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Tables of so many rows each, the last of fewer, made of batches of any sizes."""
    pa = load_arrow()
    waiting: list[Any] = []
    n = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, rows - n)
            start += piece.num_rows
            n += piece.num_rows
            waiting.append(piece)
            if n == rows:
                yield pa.Table.from_batches(waiting)
                waiting, n = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def read_error(error: Exception, place: Place, what: str = "the file") -> DataError:
    """What pyarrow has to say about a file, in one sentence."""
    reason = abbreviated(str(error).split("\n")[0], 150)
    return place.error(f"{what} cannot be read ({reason})")
