"""Tables in memory become data sets: numpy arrays, lists of rows, columns by name, DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.levels import Codes, Floats, RawColumn, code_levels, find_levels, unseen_value
from ctree.data.tables.named_columns import by_name
from ctree.data.tables.numeric import NotANumberError, as_numbers, is_numeric
from ctree.data.tables.raw_columns import RawTable, raw_column, raw_table
from ctree.domains.domain import Choice
from ctree.errors import DataError, NamingError, ParameterError
from ctree.wording import no_such, shortened

UNSEEN = Choice("unknown", "error")
"""How to treat discrete values that a schema does not have."""


def dataset_from_arrays(
    X: Any,
    y: npt.ArrayLike | str | None = None,
    *,
    sample_weight: npt.ArrayLike | str | None = None,
    schema: Schema | None = None,
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
    unseen: str = "unknown",
) -> Dataset:
    """Convert a table in memory to a data set.

    Parameters
    ----------
    X : array of two dimensions, list of rows, mapping of names to columns, DataFrame, or sparse matrix
        A DataFrame is one of pandas, or of polars, pyarrow, duckdb or any other that narwhals reads (extra
        ``dataframe``). None, NaN, NaT, NA and null are unknown; what a sparse matrix does not hold is 0.
    y : array of labels, or str, optional
        The class of each case; or the name of the column of `X` that has it.
    sample_weight : array of numbers, or str, optional
        The weight of each case; or the name of the column of `X` that has it.
    schema : Schema, optional
        That of a model, for which the table is coded: the columns of an array are taken in order, those of a mapping by
        name. Without it the table makes its own schema.
    categorical_features : bool mask, indices or names, optional
        The discrete attributes. If None, columns of text, booleans and categories are discrete, numbers continuous.
    feature_names : sequence of str, optional
        The names of the columns of an array; x0, x1, ... if None.
    class_names : sequence of labels, optional
        The classes in order, of which y has some; or, if y has the codes 0, 1, ..., what they stand for. If None, the
        classes are the sorted distinct labels of y.
    unseen : {"unknown", "error"}
        With `schema`: whether a discrete value that it does not have is unknown, or an error.

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
    X, y, sample_weight = by_name(X, y, sample_weight)
    table = raw_table(X)
    coded: Sequence[Column | None]
    if schema is not None:
        if not (categorical_features is None and feature_names is None and class_names is None):
            raise ParameterError("names and kinds of columns and classes cannot be given together with schema")
        coded = _code_by_schema(table, schema, unseen)
        classes = None if y is None else _known_classes(y, schema.classes)
    else:
        names = _names(table.names, feature_names, len(table.columns))
        discrete = discrete_columns(categorical_features, names, table)
        attributes, coded = _find_attributes(names, table.columns, discrete)
        labels, classes = ((), None) if y is None else _find_classes(y, class_names)
        schema = Schema(attributes, labels)
    n_cases = table.n_cases
    _check_length("y", classes, n_cases)
    weights = None if sample_weight is None else np.asarray(sample_weight)
    _check_length("sample_weight", weights, n_cases)
    return Dataset(schema, coded, classes, weights, n_cases=n_cases)


def _check_length(what: str, array: npt.NDArray[Any] | None, n_cases: int) -> None:
    if array is not None and array.ndim == 1 and len(array) != n_cases:
        raise DataError(f"{what} has {len(array)} entries for {n_cases} cases")


def _names(names: list[str] | None, feature_names: Sequence[str] | None, n_columns: int) -> list[str]:
    if feature_names is None:
        return names if names is not None else [f"x{j}" for j in range(n_columns)]
    given = [str(name) for name in feature_names]
    if len(given) != n_columns:
        raise DataError(f"feature_names has {len(given)} names for {n_columns} columns")
    return given


def discrete_columns(chosen: Sequence[Any] | None, names: list[str], table: RawTable) -> list[bool]:
    """Which columns are discrete."""
    columns = table.columns
    if chosen is None:
        kinds = zip(columns, table.discrete, strict=True)
        return [not is_numeric(column) if kind is None else kind for column, kind in kinds]
    # not by way of an array, which would make text of all and drop a NUL at its end
    picks: list[Any] = [chosen] if isinstance(chosen, str) else list(chosen)
    picks = [pick.item() if isinstance(pick, np.integer | np.bool_) else pick for pick in picks]
    if picks and all(isinstance(pick, bool) for pick in picks):
        if len(picks) != len(columns):
            raise DataError(f"categorical_features marks {len(picks)} columns, but the table has {len(columns)}")
        return picks
    discrete = [False] * len(columns)
    for pick in picks:
        if isinstance(pick, str):
            if pick not in names:
                hint = near_match(pick, names)
                raise NamingError(
                    f"categorical_features names '{abbreviated(pick)}', which is not one of "
                    f"{abbreviated_list(names)}{hint}"
                )
            discrete[names.index(pick)] = True
        elif isinstance(pick, int) and 0 <= pick < len(columns):
            discrete[pick] = True
        else:
            raise DataError(f"categorical_features has {shortened(pick)}, but the columns are 0 to {len(columns) - 1}")
    return discrete


def _find_attributes(
    names: list[str], columns: list[RawColumn], discrete: list[bool]
) -> tuple[tuple[Attribute, ...], list[Column]]:
    """The attributes that a table has, and its columns coded."""
    attributes: list[Attribute] = []
    coded: list[Column] = []
    for name, column, is_discrete in zip(names, columns, discrete, strict=True):
        if is_discrete:
            levels, codes = find_levels(column, f"attribute '{abbreviated(name)}'")
            attributes.append(Attribute(name, Kind.DISCRETE, levels))
            coded.append(codes)
        else:
            attributes.append(Attribute(name, Kind.CONTINUOUS))
            coded.append(_as_numbers(column, name))
    return tuple(attributes), coded


def _as_numbers(column: RawColumn, name: str) -> Floats:
    """A column as floats; text that reads as a number is one."""
    try:
        return as_numbers(column)
    except NotANumberError as error:
        value = shortened(column[error.row])
        raise DataError(f"attribute '{abbreviated(name)}' has the value {value}, which is not a number") from None


def _code_by_schema(table: RawTable, schema: Schema, unseen: str) -> list[Column | None]:
    """The columns of a table coded for a schema."""
    UNSEEN.check("unseen", unseen)
    names, columns = table.names, table.columns
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
            raise DataError(no_such("column", attribute.name, by_name))
        column = by_name[attribute.name]
        if attribute.is_discrete:
            codes = code_levels(column, attribute.values, f"attribute '{abbreviated(attribute.name)}'")
            if unseen == "error":
                refuse_unseen(attribute, unseen_value(column, codes))
            coded.append(codes)
        else:
            coded.append(_as_numbers(column, attribute.name))
    known = set(schema.names)
    extra = [name for name in by_name if name not in known]
    if extra:
        raise DataError(f"the table has the column '{abbreviated(extra[0])}', which the schema does not have")
    return coded


def refuse_unseen(attribute: Attribute, value: Label | None) -> None:
    """An error about a value that an attribute does not have."""
    if value is not None:
        raise DataError(
            f"attribute '{abbreviated(attribute.name)}' has the value {abbreviated(repr(value))}, which is not one of "
            f"{abbreviated_list(attribute.values)}; with unseen='unknown' it would count as unknown"
        )


def _find_classes(y: npt.ArrayLike, class_names: Sequence[Label] | None) -> tuple[tuple[Label, ...], Codes]:
    """The classes of the labels, and the code of each case."""
    levels, codes = find_levels(raw_column(y, "y"), "y")
    if codes.size and codes.min() < 0:
        raise DataError(f"the class of case {int(np.argmin(codes))} in y is unknown")
    if class_names is None:
        return levels, codes
    names = tuple(c.item() if isinstance(c, np.generic) and not isinstance(c, str) else c for c in class_names)
    if set(levels) <= set(names):
        places = [names.index(level) for level in levels]
    elif set(levels) <= set(range(len(names))):
        places = [int(x) for x in levels]
    else:
        strange = [x for x in levels if x not in names]
        odd = next((x for x in strange if x not in range(len(names))), strange[0])
        raise DataError(f"y has the class {shortened(odd)}, which is not one of {abbreviated_list(names)}")
    return names, np.array(places, dtype=np.int32)[codes]


def _known_classes(y: npt.ArrayLike, classes: Sequence[Label]) -> Codes:
    """The codes of labels among known classes."""
    labels = raw_column(y, "y")
    codes = code_levels(labels, classes, "y")
    if codes.size and codes.min() < 0:
        odd = labels[int(np.argmin(codes))]
        raise DataError(f"y has the class {abbreviated(repr(odd))}, which is not one of {abbreviated_list(classes)}")
    return codes
