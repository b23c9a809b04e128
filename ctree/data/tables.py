"""Tables in memory: numpy arrays, lists of rows, and columns by name."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.levels import Codes, Floats, RawColumn, code_levels, find_levels
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.textfile import near_match, shown, shown_list
from ctree.errors import DataError, ParameterError
from ctree_ext import coding

EXACT_INTEGERS = 1 << 53  # up to here every whole number is a double


def dataset_from_arrays(
    X: Any,
    y: npt.ArrayLike | None = None,
    *,
    sample_weight: npt.ArrayLike | None = None,
    schema: Schema | None = None,
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> Dataset:
    """Make a data set of a table in memory.

    Parameters
    ----------
    X : array of two dimensions, list of rows, or mapping of names to columns (also a DataFrame)
        None, NaN and NA are unknown.
    y : array of labels, optional
        The class of each case.
    sample_weight : array of numbers, optional
    schema : Schema, optional
        That of a model, for which the table is coded: the columns of an array are taken in order, those of a mapping by
        name, and values that the schema does not have are unknown. Without it the table makes its own schema.
    categorical_features : bool mask, indices or names, optional
        The discrete attributes. If None, columns of text, booleans and other objects are discrete, numbers continuous.
    feature_names : sequence of str, optional
        The names of the columns of an array; x0, x1, ... if None.
    class_names : sequence of labels, optional
        The classes in order, of which y has some; or, if y has the codes 0, 1, ..., what they stand for. If None, the
        classes are the sorted distinct labels of y.

    Returns
    -------
    Dataset
        Discrete values and classes are the sorted distinct ones, as Python scalars: whole numbers as int, even if the
        array holds floats, unless some value of the column is not whole.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.from_arrays({"outlook": ["sunny", "rain", None], "humidity": [85, 71, 90]}, [0, 1, 1])
    >>> data.schema[0].values, data.columns[0].tolist()
    (('rain', 'sunny'), [1, 0, -1])
    >>> ctree.from_arrays({"humidity": [80], "outlook": ["foggy"]}, schema=data.schema).columns[0].tolist()
    [-1]
    """
    names, columns = columns_of(X)
    coded: Sequence[Column | None]
    if schema is not None:
        if not (categorical_features is None and feature_names is None and class_names is None):
            raise ParameterError("with schema given, there is no place for the names and kinds of columns and classes")
        coded = _code_by_schema(names, columns, schema)
        classes = None if y is None else _known_classes(y, schema.classes)
    else:
        names = _names(names, feature_names, len(columns))
        discrete = _discrete(categorical_features, names, columns)
        attributes, coded = _find_attributes(names, columns, discrete)
        labels, classes = ((), None) if y is None else _find_classes(y, class_names)
        schema = Schema(attributes, labels)
    n_cases = len(columns[0])
    _check_length("y", classes, n_cases)
    weights = None if sample_weight is None else np.asarray(sample_weight)
    _check_length("sample_weight", weights, n_cases)
    return Dataset(schema, coded, classes, weights, n_cases=n_cases)


def _check_length(what: str, array: npt.NDArray[Any] | None, n_cases: int) -> None:
    if array is not None and array.ndim == 1 and len(array) != n_cases:
        raise DataError(f"{what} has {len(array)} entries for {n_cases} cases")


def columns_of(X: Any) -> tuple[list[str] | None, list[RawColumn]]:
    """The columns of a table as numbers or objects, with their names if they have any."""
    if isinstance(X, Mapping) or (hasattr(X, "columns") and hasattr(X, "dtypes")):
        keys = list(X if isinstance(X, Mapping) else X.columns)
        names = [str(key) for key in keys]
        if len(set(names)) != len(names):
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            raise DataError(f"two columns are called '{shown(twice)}'")
        columns = [_raw_column(_one_dimensional(X[key], name), name) for key, name in zip(keys, names, strict=True)]
    else:
        names, columns = None, _matrix_columns(_matrix(X))
    if not columns:
        raise DataError("the table has no columns")
    if len({len(c) for c in columns}) > 1:
        raise DataError(f"the columns differ in length: {sorted({len(c) for c in columns})}")
    return names, columns


def _matrix(X: Any) -> npt.NDArray[Any]:
    if hasattr(X, "tocsr"):
        raise DataError("X is a sparse matrix; give it as a dense array, X.toarray()")
    # Rows of a list may mix numbers and text, of which numpy would make text throughout.
    try:
        matrix = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    except ValueError:
        raise DataError("the rows of X differ in length") from None
    if matrix.ndim == 1 and matrix.dtype == object and matrix.size and isinstance(matrix[0], list | tuple | np.ndarray):
        raise DataError("the rows of X differ in length")
    if matrix.ndim != 2:
        raise DataError(f"X has the shape {matrix.shape}, but should be a table of cases by attributes")
    return matrix


def _matrix_columns(matrix: npt.NDArray[Any]) -> list[RawColumn]:
    kind = matrix.dtype.kind
    if kind == "f" or (kind in "iu" and not _has_large(matrix)):
        return list(coding.split_columns(matrix.astype(np.float64, copy=False)))
    return [_raw_column(matrix[:, j], f"x{j}") for j in range(matrix.shape[1])]


def _one_dimensional(column: Any, name: str) -> npt.NDArray[Any]:
    array: npt.NDArray[Any]
    dtype = getattr(column, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "O") in "iuf":
        array = column.to_numpy(dtype=np.float64, na_value=np.nan)  # numbers with a mask, as pandas has them
    elif isinstance(column, list | tuple):
        array = np.empty(len(column), dtype=object)
        array[:] = column
    else:
        array = np.asarray(column)
    if array.ndim != 1:
        raise DataError(f"column '{shown(name)}' is not one-dimensional")
    return array


def _raw_column(array: npt.NDArray[Any], name: str) -> RawColumn:
    kind = array.dtype.kind
    if kind == "f" or (kind in "iu" and not _has_large(array)):
        return np.array(array, dtype=np.float64)
    if kind in "iubOU":
        return array.tolist()  # type: ignore[no-any-return]
    if kind == "T":
        return list(array)
    raise DataError(f"column '{shown(name)}' has the type {array.dtype}; it should hold numbers, booleans or text")


def _has_large(array: npt.NDArray[Any]) -> bool:
    if array.dtype.itemsize < 8 or not array.size:
        return False
    return max(int(array.max()), -int(array.min())) > EXACT_INTEGERS


def _names(names: list[str] | None, feature_names: Sequence[str] | None, n_columns: int) -> list[str]:
    if feature_names is None:
        return names if names is not None else [f"x{j}" for j in range(n_columns)]
    given = [str(name) for name in feature_names]
    if len(given) != n_columns:
        raise DataError(f"feature_names has {len(given)} names for {n_columns} columns")
    return given


def _discrete(chosen: Sequence[Any] | None, names: list[str], columns: list[RawColumn]) -> list[bool]:
    """Which columns are discrete."""
    if chosen is None:
        return [not _is_numeric(column) for column in columns]
    picks: list[Any] = [chosen] if isinstance(chosen, str) else np.asarray(chosen).tolist()
    if picks and all(isinstance(pick, bool) for pick in picks):
        if len(picks) != len(columns):
            raise DataError(f"categorical_features marks {len(picks)} columns, but the table has {len(columns)}")
        return picks
    discrete = [False] * len(columns)
    for pick in picks:
        if isinstance(pick, str):
            if pick not in names:
                raise DataError(f"categorical_features names '{shown(pick)}', which is not one of {shown_list(names)}")
            discrete[names.index(pick)] = True
        elif isinstance(pick, int) and 0 <= pick < len(columns):
            discrete[pick] = True
        else:
            raise DataError(f"categorical_features has {pick!r}, but the columns are 0 to {len(columns) - 1}")
    return discrete


def _is_numeric(column: RawColumn) -> bool:
    """Whether all known values are numbers; booleans are not."""
    if not isinstance(column, list):
        return True
    for kind in set(map(type, column)):
        if kind is not bool and issubclass(kind, numbers.Real):
            continue
        example = next(value for value in column if type(value) is kind)
        if coding.collect_objects([example])[1] if _hashable(example) else True:
            return False
    return True


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _find_attributes(
    names: list[str], columns: list[RawColumn], discrete: list[bool]
) -> tuple[tuple[Attribute, ...], list[Column]]:
    """The attributes that a table has, and its columns coded."""
    attributes: list[Attribute] = []
    coded: list[Column] = []
    for name, column, is_discrete in zip(names, columns, discrete, strict=True):
        if is_discrete:
            levels, codes = find_levels(column, f"attribute '{shown(name)}'")
            attributes.append(Attribute(name, Kind.DISCRETE, levels))
            coded.append(codes)
        else:
            attributes.append(Attribute(name, Kind.CONTINUOUS))
            coded.append(_as_numbers(column, name))
    return tuple(attributes), coded


def _as_numbers(column: RawColumn, name: str) -> Floats:
    """A column as floats; text that reads as a number is one."""
    if not isinstance(column, list):
        return column
    try:
        return np.array(column, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError, OverflowError):
        pass
    result = np.empty(len(column), dtype=np.float64)
    for i, value in enumerate(column):
        try:
            result[i] = float(value)
        except (TypeError, ValueError, OverflowError):
            if _hashable(value) and not coding.collect_objects([value])[1]:
                result[i] = np.nan
                continue
            message = f"attribute '{shown(name)}' has the value {shown(repr(value))}, which is not a number"
            raise DataError(message) from None
    return result


def _code_by_schema(names: list[str] | None, columns: list[RawColumn], schema: Schema) -> list[Column | None]:
    """The columns of a table coded for a schema."""
    if names is None:
        if len(columns) != len(schema):
            raise DataError(f"X has {len(columns)} columns, but the schema has {len(schema)} attributes")
        by_name = dict(zip(schema.names, columns, strict=True))
    else:
        by_name = dict(zip(names, columns, strict=True))
    coded: list[Column | None] = []
    for attribute in schema:
        if attribute.kind is Kind.IGNORE:
            coded.append(None)
            continue
        if attribute.name not in by_name:
            hint = near_match(attribute.name, by_name)
            raise DataError(f"there is no column '{shown(attribute.name)}' in the table{hint}")
        column = by_name[attribute.name]
        if attribute.is_discrete:
            coded.append(code_levels(column, attribute.values, f"attribute '{shown(attribute.name)}'"))
        else:
            coded.append(_as_numbers(column, attribute.name))
    return coded


def _labels(y: npt.ArrayLike) -> RawColumn:
    return _raw_column(_one_dimensional(y, "y"), "y")


def _find_classes(y: npt.ArrayLike, class_names: Sequence[Label] | None) -> tuple[tuple[Label, ...], Codes]:
    """The classes of the labels, and the code of each case."""
    levels, codes = find_levels(_labels(y), "y")
    if codes.size and codes.min() < 0:
        raise DataError(f"the class of case {int(np.argmin(codes))} in y is unknown")
    if class_names is None:
        return levels, codes
    names = tuple(c.item() if isinstance(c, np.generic) else c for c in class_names)
    if set(levels) <= set(names):
        places = [names.index(level) for level in levels]
    elif set(levels) <= set(range(len(names))):
        places = [int(x) for x in levels]
    else:
        strange = [x for x in levels if x not in names]
        odd = next((x for x in strange if x not in range(len(names))), strange[0])
        raise DataError(f"y has the class {odd!r}, which is not one of {shown_list(names)}")
    return names, np.array(places, dtype=np.int32)[codes]


def _known_classes(y: npt.ArrayLike, classes: Sequence[Label]) -> Codes:
    """The codes of labels among known classes."""
    labels = _labels(y)
    codes = code_levels(labels, classes, "y")
    if codes.size and codes.min() < 0:
        odd = labels[int(np.argmin(codes))]
        raise DataError(f"y has the class {shown(repr(odd))}, which is not one of {shown_list(classes)}")
    return codes
