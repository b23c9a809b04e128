"""What a table in memory holds, before it is known what its columns mean."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dates import NotADateError, numbers_of_array
from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Kind
from ctree.data.tables.frames import (
    as_series,
    beyond,
    frame_columns,
    frame_names,
    in_memory,
    is_frame,
    is_sparse,
    series_column,
)
from ctree.data.tables.levels import EXACT_INTEGERS, RawColumn
from ctree.data.tables.pandas_columns import Told
from ctree.errors import DataError, DataTypeError
from ctree_ext.io import coding


@dataclass(frozen=True)
class RawTable:
    """The columns of a table.

    Parameters
    ----------
    names : list of str or None
        None if the table has only places for its columns, not names.
    columns : list of arrays and lists
        Numbers with NaN for unknown, or objects with None, NaN, NaT or NA for unknown.
    told : list of Told
        What the types of the columns say; None where that depends on what they hold.
    left_out : list of str
        The names of columns that were ignored.
    """

    names: list[str] | None
    columns: list[RawColumn]
    told: list[Told]
    left_out: list[str] = field(default_factory=list)

    @property
    def n_cases(self) -> int:
        return len(self.columns[0])


@dataclass(frozen=True)
class PartOfTable:
    """A table without some of its columns, of which nothing is read."""

    table: Any
    without: frozenset[str]


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a table in memory, whatever these hold; None if it has none."""
    if isinstance(X, RawTable):
        return X.names
    if isinstance(X, PartOfTable):
        return [name for name in column_names(X.table) or () if name not in X.without]
    if isinstance(X, Mapping) and not is_sparse(X):
        return _mapping_names(X)
    return frame_names(X) if is_frame(X) else None


def read_once(X: Any) -> Any:
    """A table that may be asked more than once: what is computed when it is asked is computed now."""
    return in_memory(X) if is_frame(X) and not isinstance(X, Mapping) and not is_sparse(X) else X


def _mapping_names(X: Mapping[Any, Any]) -> list[str]:
    names = [str(key) for key in X]
    if len(set(names)) != len(names):
        twice = next(n for i, n in enumerate(names) if n in names[:i])
        raise DataError(f"two columns are called '{abbreviated(twice)}'")
    return names


def raw_table(X: Any, ignored: Container[str] = ()) -> RawTable:
    """The columns of an array, a list of rows, a mapping of names to columns, a table of another library, or sparse.

    Those whose names are to be ignored may hold anything and are left out.
    """
    if isinstance(X, RawTable):
        return X
    if isinstance(X, PartOfTable):
        more = [name for name in column_names(X.table) or () if name in ignored]
        return replace(raw_table(X.table, X.without.union(more)), left_out=more)
    names: list[str] | None
    left_out: list[str] = []
    if is_sparse(X):
        names, columns = None, list(_sparse_columns(X))
        told: list[Told] = [None] * len(columns)
    elif isinstance(X, Mapping):
        names = _mapping_names(X)
        keys = [key for key, name in zip(X, names, strict=True) if name not in ignored]
        left_out = [name for name in names if name in ignored]
        names = [name for name in names if name not in ignored]
        typed = [_typed_column(X[key], name) for key, name in zip(keys, names, strict=True)]
        columns, told = [column for column, _ in typed], [kind for _, kind in typed]
    elif is_frame(X):
        names, columns, told, left_out = frame_columns(X, ignored)
    else:
        matrix = _matrix(X)
        names, columns = None, _matrix_columns(matrix)
        if not columns:
            shape = f"shape={matrix.shape}"
            raise DataError(f"the table has no columns: 0 feature(s) ({shape}) while a minimum of 1 is required.")
        told = [None] * len(columns)
    if not columns:
        raise DataError("the table has no columns")
    if len({len(c) for c in columns}) > 1:
        raise DataError(f"the columns differ in length: {sorted({len(c) for c in columns})}")
    return RawTable(names, columns, told, left_out)


def raw_column(values: Any, name: str) -> RawColumn:
    """One column of labels, keys or weights: an array of one dimension, a list, or a column of another library."""
    column, told = _typed_column(values, name)
    refuse_moments(told, f"'{abbreviated(name)}'")
    return column


def refuse_moments(told: Told, what: str, file: str | None = None) -> None:
    """Refuse dates and times where they have no meaning: as classes, keys or weights, and in linked tables."""
    if isinstance(told, Kind):
        raise DataTypeError(
            f"column {what} holds dates or times, which cannot be used here: convert them to text, or to numbers such "
            "as the days since a date",
            file,
        )


def _typed_column(values: Any, name: str) -> tuple[RawColumn, Told]:
    array: npt.NDArray[Any]
    if isinstance(values, list | tuple):
        array = np.empty(len(values), dtype=object)
        array[:] = values
    else:
        series = None if isinstance(values, np.ndarray) else as_series(values)
        if series is not None:
            return series_column(series, name)
        array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"column '{abbreviated(name)}' is not one-dimensional")
    if array.dtype.kind == "M":
        days = np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "D")
        kind = Kind.DATE if days else Kind.TIMESTAMP
        try:
            return numbers_of_array(array, kind), kind
        except NotADateError as error:
            raise beyond(name, error.row) from None
    return _array_column(array, name), None


def _sparse_columns(X: Any) -> Iterator[RawColumn]:
    """The columns of a sparse matrix of scipy: what it does not hold is 0."""
    if X.ndim != 2:
        raise DataError(f"X has the shape {X.shape}, but should be a table of cases by attributes")
    n_cases, n_columns = X.shape
    n_bytes, memory = 8 * n_cases * n_columns, _memory_size()
    if not n_columns:
        raise DataError(f"the table has no columns: 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if memory is not None and n_bytes > memory:
        raise DataError(
            f"X is a sparse matrix of {n_cases:,} by {n_columns:,}, which takes {n_bytes / 1e9:,.0f} GB as columns, "
            "more than this machine has: select fewer columns, or leave out the encoder that made it, as columns of "
            "text are taken as they are"
        )
    matrix = X.tocsc(copy=True)
    matrix.sum_duplicates()
    for j in range(n_columns):
        held = slice(matrix.indptr[j], matrix.indptr[j + 1])
        column = np.zeros(n_cases, dtype=matrix.dtype)
        column[matrix.indices[held]] = matrix.data[held]
        yield _array_column(column, f"x{j}")


def _memory_size() -> int | None:
    """The memory of this machine in bytes; None where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        return None


def _matrix(X: Any) -> npt.NDArray[Any]:
    # Rows of a list may mix numbers and text, of which numpy would make text throughout.
    try:
        matrix = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    except ValueError:
        raise DataError("the rows of X differ in length") from None
    if matrix.ndim == 1 and matrix.dtype == object and matrix.size and isinstance(matrix[0], list | tuple | np.ndarray):
        raise DataError("the rows of X differ in length")
    if matrix.ndim == 1:
        raise DataError(
            f"X has the shape {matrix.shape}, but should be a table of cases by attributes. Reshape your data: "
            "X.reshape(-1, 1) is a table of one attribute, X.reshape(1, -1) one of one case"
        )
    if matrix.ndim != 2:
        raise DataError(f"X has the shape {matrix.shape}, but should be a table of cases by attributes")
    return matrix


def _matrix_columns(matrix: npt.NDArray[Any]) -> list[RawColumn]:
    kind = matrix.dtype.kind
    if kind == "f" or (kind in "iu" and not _has_large(matrix)):
        return list(coding.split_columns(matrix.astype(np.float64, copy=False)))
    return [_array_column(matrix[:, j], f"x{j}") for j in range(matrix.shape[1])]


def _array_column(array: npt.NDArray[Any], name: str) -> RawColumn:
    kind = array.dtype.kind
    if kind == "f" or (kind in "iu" and not _has_large(array)):
        return np.array(array, dtype=np.float64)
    if kind in "iubOU":
        return array.tolist()  # type: ignore[no-any-return]
    if kind == "T":
        return list(array)
    reason = "Complex data not supported: " if kind == "c" else ""
    raise DataTypeError(
        f"{reason}column '{abbreviated(name)}' has the type {array.dtype}; it should hold numbers, booleans or text"
    )


def _has_large(array: npt.NDArray[Any]) -> bool:
    if array.dtype.itemsize < 8 or not array.size:
        return False
    return max(int(array.max()), -int(array.min())) > EXACT_INTEGERS
