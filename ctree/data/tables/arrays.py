"""Tables in memory become data sets: numpy arrays, lists of rows, columns by name, DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.dates import PER_DAY, NotADateError, column_kind, not_a_date, numbers_of
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.data.tables.levels import Codes, Floats, RawColumn, code_levels, find_levels, unseen_value
from ctree.data.tables.named_columns import by_name
from ctree.data.tables.numeric import NotANumberError, as_numbers, is_numeric
from ctree.data.tables.pandas_columns import Listed, Told
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
    ordered: Mapping[str, Sequence[Label]] | Sequence[str] | None = None,
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
        The discrete attributes. If None, columns of text, booleans and categories are discrete, numbers continuous;
        categories with an order are ordered, and dates, times and timestamps are what they are.
    ordered : mapping of str to sequences of labels, or sequence of str, optional
        Columns whose values have an order, each with all its values from the least to the greatest; or the names of
        columns whose type lists the values, as categories do and the Enum of polars.
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
        if not (categorical_features is feature_names is class_names is ordered is None):
            raise ParameterError("names and kinds of columns and classes cannot be given together with schema")
        coded = _code_by_schema(table, schema, unseen)
        classes = None if y is None else _known_classes(y, schema.classes)
    else:
        names = _names(table.names, feature_names, len(table.columns))
        told = with_orders(ordered, names, kinds_of(categorical_features, names, table), table.told)
        attributes, coded = _find_attributes(names, table.columns, told)
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


def kinds_of(chosen: Sequence[Any] | None, names: list[str], table: RawTable) -> list[Told]:
    """What each column is: discrete or continuous, a kind of date, or the order of its values."""
    columns = table.columns
    if chosen is None:
        pairs = zip(columns, table.told, strict=True)
        return [_looks(column) if told is None else _plain(told) for column, told in pairs]
    # not by way of an array, which would make text of all and drop a NUL at its end
    picks: list[Any] = [chosen] if isinstance(chosen, str) else list(chosen)
    picks = [pick.item() if isinstance(pick, np.integer | np.bool_) else pick for pick in picks]
    if picks and all(isinstance(pick, bool) for pick in picks):
        if len(picks) != len(columns):
            raise DataError(f"categorical_features marks {len(picks)} columns, but the table has {len(columns)}")
        return [pick or _unless_discrete(told) for pick, told in zip(picks, table.told, strict=True)]
    discrete: list[Told] = [_unless_discrete(told) for told in table.told]
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


def _looks(column: RawColumn) -> Told:
    """What a column is by what it holds."""
    if is_numeric(column):
        return False
    assert isinstance(column, list)
    return column_kind(column) or True


def _unless_discrete(told: Told) -> Told:
    """What a column is that is not said to be discrete: a date or in an order if its type says so, else numbers."""
    return told if isinstance(told, Kind | tuple) and not isinstance(told, Listed) else False


def _plain(told: Told) -> Told:
    return True if isinstance(told, Listed) else told


def with_orders(ordered: Any, names: Sequence[str], kinds: list[Told], told: Sequence[Told]) -> list[Told]:
    """What columns are, with the orders that a person gives; `told` is what their types say."""
    if ordered is None:
        return kinds
    if isinstance(ordered, str) or not isinstance(ordered, Mapping | Sequence):
        raise ParameterError(f"ordered is {shortened(ordered)}, but should map columns to lists of their values")
    result = list(kinds)
    for name in ordered:
        if name not in names:
            raise NamingError(f"ordered names '{abbreviated(name)}', but {no_such('column', str(name), names)}")
        values: Any = ordered[name] if isinstance(ordered, Mapping) else told[names.index(name)]
        if not isinstance(ordered, Mapping) and not isinstance(values, tuple):
            raise ParameterError(
                f"ordered names '{abbreviated(name)}', whose type does not list its values: give them in their order, "
                f"as in ordered={{'{abbreviated(name)}': ['low', 'high']}}"
            )
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise ParameterError(
                f"the order of '{abbreviated(name)}' is {shortened(values)}, but should be a list of its values, from "
                "the least to the greatest"
            )
        labels = [v.item() if isinstance(v, np.generic) and not isinstance(v, str) else v for v in values]
        result[names.index(name)] = tuple(labels)
    return result


def _find_attributes(
    names: list[str], columns: list[RawColumn], told: list[Told]
) -> tuple[tuple[Attribute, ...], list[Column]]:
    """The attributes that a table has, and its columns coded."""
    attributes: list[Attribute] = []
    coded: list[Column] = []
    for name, column, kind in zip(names, columns, told, strict=True):
        if isinstance(kind, tuple):
            attributes.append(ordered_attribute(name, kind))
            coded.append(_ordered_column(attributes[-1], column))
        elif isinstance(kind, Kind):
            attributes.append(Attribute(name, kind))
            coded.append(moments_of(column, attributes[-1]))
        elif kind:
            levels, codes = find_levels(column, f"attribute '{abbreviated(name)}'")
            attributes.append(Attribute(name, Kind.DISCRETE, levels))
            coded.append(codes)
        else:
            attributes.append(Attribute(name, Kind.CONTINUOUS))
            coded.append(_as_numbers(column, name))
    return tuple(attributes), coded


def ordered_attribute(name: str, values: tuple[Any, ...]) -> Attribute:
    """The attribute of these values in order."""
    odd = [value for value in values if not isinstance(value, str | int | float) or value != value]
    if odd:
        raise DataError(
            f"attribute '{abbreviated(name)}' has the value {shortened(odd[0])} in its order, which is not text, a "
            "number or a boolean: convert the values to text"
        )
    return Attribute(name, Kind.ORDERED, values)


def _ordered_column(attribute: Attribute, column: RawColumn) -> Codes:
    """The places of values in their order, which has to have them all."""
    codes = code_levels(column, attribute.values, f"attribute '{abbreviated(attribute.name)}'")
    odd = unseen_value(column, codes)
    if odd is not None:
        raise DataError(
            f"attribute '{abbreviated(attribute.name)}' has the value {shortened(odd)}, which is not in the order "
            f"{abbreviated_list(attribute.values)}{near_match(odd, attribute.values)}"
        )
    return codes


def moments_of(column: RawColumn, attribute: Attribute) -> Floats:
    """A column of dates or times as numbers."""
    if not isinstance(column, list):
        return column
    try:
        return numbers_of(column, attribute.kind)
    except NotADateError as error:
        value, row = column[error.row], error.row + 1
        raise DataError(f"{not_a_date(attribute.kind, attribute.name, value)}, in row {row}") from None


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
    place = {name: j for j, name in enumerate(by_name)}
    coded: list[Column | None] = []
    for attribute in schema:
        if attribute.kind is Kind.IGNORE:
            coded.append(None)
            continue
        if attribute.name not in by_name:
            raise DataError(no_such("column", attribute.name, by_name))
        column = by_name[attribute.name]
        if attribute.is_moment:
            coded.append(moments_of(in_kind(column, attribute, table.told[place[attribute.name]]), attribute))
        elif attribute.is_discrete or attribute.is_ordered:
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


def in_kind(column: Any, attribute: Attribute, told: Told) -> Any:
    """The numbers of dates or times in the units of an attribute: of timestamps their days, where it has dates."""
    kind = told if isinstance(told, Kind) else attribute.kind
    if kind is attribute.kind or isinstance(column, list):
        return column
    if Kind.TIME in (kind, attribute.kind):
        kinds = f"is a {kind.value} here but a {attribute.kind.value} in the model"
        raise DataError(f"attribute '{abbreviated(attribute.name)}' {kinds}")
    return np.floor(column / PER_DAY) if attribute.kind is Kind.DATE else column * PER_DAY


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
