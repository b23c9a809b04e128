"""What a table in memory holds, before it is known what its columns mean."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.text_file import abbreviated
from ctree.data.tables.frames import as_series, frame_columns, is_frame, is_sparse, series_column
from ctree.data.tables.levels import EXACT_INTEGERS, RawColumn
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
    discrete : list of bool or None
        Whether a column is discrete by its type; None where that depends on what it holds.
    left_out : list of str
        The names of columns that were ignored.
    """

    names: list[str] | None
    columns: list[RawColumn]
    discrete: list[bool | None]
    left_out: list[str] = field(default_factory=list)

    @property
    def n_cases(self) -> int:
        return len(self.columns[0])


def raw_table(X: Any, ignored: Container[str] = ()) -> RawTable:
    """The columns of an array, a list of rows, a mapping of names to columns, or a table of another library.

    Those whose names are to be ignored may hold anything and are left out.
    """
    names: list[str] | None
    left_out: list[str] = []
    if is_sparse(X):
        raise DataTypeError("X is a sparse matrix; give it as a dense array, X.toarray()")
    if isinstance(X, Mapping):
        names = [str(key) for key in X]
        if len(set(names)) != len(names):
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            raise DataError(f"two columns are called '{abbreviated(twice)}'")
        keys = [key for key, name in zip(X, names, strict=True) if name not in ignored]
        left_out = [name for name in names if name in ignored]
        names = [name for name in names if name not in ignored]
        typed = [_typed_column(X[key], name) for key, name in zip(keys, names, strict=True)]
        columns, discrete = [column for column, _ in typed], [kind for _, kind in typed]
    elif is_frame(X):
        names, columns, discrete, left_out = frame_columns(X, ignored)
    else:
        matrix = _matrix(X)
        names, columns = None, _matrix_columns(matrix)
        if not columns:
            shape = f"shape={matrix.shape}"
            raise DataError(f"the table has no columns: 0 feature(s) ({shape}) while a minimum of 1 is required.")
        discrete = [None] * len(columns)
    if not columns:
        raise DataError("the table has no columns")
    if len({len(c) for c in columns}) > 1:
        raise DataError(f"the columns differ in length: {sorted({len(c) for c in columns})}")
    return RawTable(names, columns, discrete, left_out)


def raw_column(values: Any, name: str) -> RawColumn:
    """One column: an array of one dimension, a list, or a column of another library."""
    return _typed_column(values, name)[0]


def _typed_column(values: Any, name: str) -> tuple[RawColumn, bool | None]:
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
    return _array_column(array, name), None


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
