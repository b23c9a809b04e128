"""Cases as coded columns: the one form in which every learner sees its data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError
from ctree.wording import abbreviated, plural

if TYPE_CHECKING:
    from ctree.data.describe import DatasetDescription

Column = npt.NDArray[np.int32] | npt.NDArray[np.float64]
_T = TypeVar("_T", bound=np.generic)
MINUS_ZERO = np.iinfo(np.int64).min
"""The bits of -0.0 as an integer."""
Rows = npt.NDArray[np.integer] | npt.NDArray[np.bool_] | slice | Sequence[int]


class Dataset:
    """Cases, one coded column per attribute.

    Parameters
    ----------
    schema : Schema
    columns : sequence of arrays
        For each attribute: int32 codes with -1 for unknown (discrete), float64 with NaN for unknown (continuous, dates
        and times), None (ignored). For an ordered attribute either; it becomes float64.
    classes : array of int32, optional
        The class code of each case, -1 where it is unknown; None if the cases have no classes.
    weights : array of float64, optional
        The weight of each case; None means that every case counts once.
    n_cases : int, optional
        Needed only where there are neither columns nor classes to tell it.
    case_names : sequence of str or None, optional
        What the cases are called, for messages and explanations; None where a case has no name.

    Notes
    -----
    The arrays are made read-only and are not copied where they already have the right type.
    The number -0.0 becomes 0.0.

    Examples
    --------
    >>> from ctree import Attribute, Dataset, Kind, Schema
    >>> windy = Attribute("windy", Kind.DISCRETE, ("true", "false"))
    >>> humidity = Attribute("humidity", Kind.CONTINUOUS)
    >>> data = Dataset(Schema((windy, humidity), ("Play", "Don't Play")), [[0, -1], [90, 70]], classes=[1, 0])
    >>> data
    <Dataset: 2 cases, 2 attributes, 2 classes>
    >>> data.value(1, 0) is None, data.value(1, 1), data.labels
    (True, 70.0, ["Don't Play", 'Play'])
    """

    __slots__ = ("_n_cases", "case_names", "classes", "columns", "schema", "weights")

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[npt.ArrayLike | None],
        classes: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        n_cases: int | None = None,
        case_names: Sequence[str | None] | None = None,
    ) -> None:
        if len(columns) != len(schema):
            raise DataError(f"{len(columns)} columns for {len(schema)} attributes")
        self.schema = schema
        self.columns = tuple(_column(schema, i, c) for i, c in enumerate(columns))
        self.classes = None if classes is None else _codes(classes, schema.n_classes, None)
        self.weights = None if weights is None else _weights(weights)
        self.case_names = None if case_names is None else tuple(case_names)
        told = (*self.columns, self.classes, self.weights, self.case_names)
        lengths = {len(c) for c in told if c is not None}
        if n_cases is not None:
            lengths.add(n_cases)
        if len(lengths) > 1:
            raise DataError(f"columns, classes and weights differ in length: {sorted(lengths)}")
        self._n_cases = lengths.pop() if lengths else 0

    @property
    def n_cases(self) -> int:
        return self._n_cases

    def __len__(self) -> int:
        return self._n_cases

    def __repr__(self) -> str:
        return f"<Dataset: {self.n_cases} cases, {len(self.schema)} attributes, {self.schema.n_classes} classes>"

    def __getitem__(self, rows: Any) -> Any:
        """Some cases as a data set, by a slice, a mask or an array of places; one case as a dict of its values.

        Examples
        --------
        >>> import ctree
        >>> golf = ctree.load_golf()
        >>> golf[10:]
        <Dataset: 4 cases, 4 attributes, 2 classes>
        >>> len(golf[golf.columns[1] > 70]), len(golf[[3, 5]])
        (9, 2)
        >>> golf[0]
        {'outlook': 'sunny', 'temperature': 85.0, 'humidity': 85.0, 'windy': 'false'}
        """
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer):
            return self.take(rows)  # type: ignore[arg-type]  # what it cannot be is refused there
        if not -self.n_cases <= rows < self.n_cases:
            raise IndexError(f"case {rows} of a data set of {plural(self.n_cases, 'case')}")
        known = (i for i, column in enumerate(self.columns) if column is not None)
        return {self.schema[i].name: self.value(int(rows), i) for i in known}

    def take(self, rows: Rows) -> Dataset:
        """The cases at these positions (indices, a boolean mask or a slice), as a new data set."""
        picked = self._places(rows)
        return Dataset(
            self.schema,
            [None if c is None else c[picked] for c in self.columns],
            None if self.classes is None else self.classes[picked],
            None if self.weights is None else self.weights[picked],
            n_cases=len(picked),
            case_names=None if self.case_names is None else [self.case_names[i] for i in picked.tolist()],
        )

    def _places(self, rows: Any) -> npt.NDArray[np.int64]:
        everything = np.arange(self.n_cases, dtype=np.int64)
        try:
            places = rows if isinstance(rows, slice) else np.asarray(rows)
            if isinstance(places, np.ndarray) and not places.size:
                places = places.astype(np.int64)
            picked = everything[places]
            if picked.ndim != 1:
                raise IndexError(f"they have the shape {picked.shape}")
        except (IndexError, TypeError, ValueError) as error:
            what = f"cases are chosen by a slice, a mask or an array of places, and there are {self.n_cases}"
            raise DataError(f"{what} ({abbreviated(error, 150)})") from None
        return picked

    def drop(self, names: str | Iterable[str]) -> Dataset:
        """The same cases without the attributes of these names.

        Examples
        --------
        >>> import ctree
        >>> ctree.load_golf().drop(["temperature", "windy"]).schema.names
        ('outlook', 'humidity')
        """
        left_out = {self.schema.index(name) for name in ([names] if isinstance(names, str) else names)}
        kept = [i for i in range(len(self.schema)) if i not in left_out]
        if not kept:
            raise DataError("without these attributes there would be none left")
        schema = Schema(tuple(self.schema[i] for i in kept), self.schema.classes)
        columns = [self.columns[i] for i in kept]
        return Dataset(schema, columns, self.classes, self.weights, self.n_cases, self.case_names)

    def describe(self) -> DatasetDescription:
        """What is in the data: classes, and of each attribute its kind, values or range, and unknown values.

        Returns
        -------
        DatasetDescription
            A page of text by ``print``; plain data by ``to_dict``.

        Examples
        --------
        >>> import ctree
        >>> print(ctree.load_golf().describe())
        14 cases, 4 attributes (2 continuous, 2 discrete)
        <BLANKLINE>
        class       cases  share
        Play            9  64.3%
        Don't Play      5  35.7%
        <BLANKLINE>
        attribute    kind        unknown  values
        outlook      discrete          -  3: sunny 36%, rain 36%, overcast 29%
        temperature  continuous        -  64 to 85, median 72, 12 different
        humidity     continuous        -  65 to 96, median 80, 9 different
        windy        discrete          -  2: false 57%, true 43%
        """
        from ctree.data.describe import description_of

        return description_of(self)

    def to_pandas(self, class_name: str = "class", weight_name: str = "weight") -> Any:
        """The cases as a DataFrame of pandas.

        Parameters
        ----------
        class_name, weight_name : str
            What the columns of the classes and of the weights are called, if there are such.

        Returns
        -------
        pandas.DataFrame
            Discrete attributes and the class are categories, in the order of the schema, which ordered attributes
            keep as an order; numbers are floats, timestamps numpy's, dates and times objects; unknown values are NaN.
            Ignored attributes, which have no values, are left out. `from_arrays`, with `schema`, makes the same data
            set of it.

        Examples
        --------
        >>> import ctree
        >>> golf = ctree.load_golf()
        >>> frame = golf.to_pandas("play")
        >>> frame["outlook"].cat.categories.tolist(), frame["humidity"].tolist()[:2]
        (['sunny', 'overcast', 'rain'], [85.0, 90.0])
        >>> ctree.from_arrays(frame, "play", schema=golf.schema).labels == golf.labels
        True
        """
        from ctree.data.tables.made_frames import pandas_frame

        return pandas_frame(self, class_name, weight_name)

    def to_polars(self, class_name: str = "class", weight_name: str = "weight") -> Any:
        """The cases as a DataFrame of polars.

        Parameters
        ----------
        class_name, weight_name : str
            What the columns of the classes and of the weights are called, if there are such.

        Returns
        -------
        polars.DataFrame
            Discrete attributes and the class are enumerations, in the order of the schema, or numbers or booleans if
            all their values are; numbers are floats; unknown values are null. Ignored attributes are left out.

        Examples
        --------
        >>> import ctree
        >>> ctree.load_golf().to_polars("play").row(0)
        ('sunny', 85.0, 85.0, 'false', "Don't Play")
        """
        from ctree.data.tables.made_frames import polars_frame

        return polars_frame(self, class_name, weight_name)

    def with_weights(self, weights: npt.ArrayLike | None) -> Dataset:
        """The same cases with other weights."""
        return Dataset(self.schema, self.columns, self.classes, weights, self.n_cases, self.case_names)

    def replaced(self, schema: Schema, columns: Sequence[npt.ArrayLike | None]) -> Dataset:
        """The same cases with other columns, which a schema describes."""
        return Dataset(schema, columns, self.classes, self.weights, self.n_cases, self.case_names)

    def value(self, case: int, attribute: int) -> Label | None:
        """The value of one attribute of one case as it was given, a date as text; None if unknown or ignored."""
        column = self.columns[attribute]
        if column is None:
            return None
        if self.schema[attribute].has_order:
            return None if np.isnan(column[case]) else self.schema[attribute].label(column[case])
        code = int(column[case])
        return None if code < 0 else self.schema[attribute].values[code]

    def case_text(self, case: int) -> str:
        """A case in words: its number from 1, and its name if it has one."""
        name = None if self.case_names is None else self.case_names[case]
        return f"case {case + 1}" if name is None else f"case {case + 1} ('{abbreviated(name)}')"

    @property
    def labels(self) -> list[Label | None]:
        """The class of each case as it was given; None where it is unknown."""
        if self.classes is None:
            return [None] * self.n_cases
        return [None if c < 0 else self.schema.classes[c] for c in self.classes.tolist()]


def _column(schema: Schema, index: int, column: npt.ArrayLike | None) -> Column | None:
    attribute = schema[index]
    if attribute.kind is Kind.IGNORE:
        return None
    if column is None:
        raise DataError(f"attribute '{abbreviated(attribute.name)}' has no column")
    if attribute.kind is Kind.DISCRETE:
        return _codes(column, len(attribute.values), attribute)
    if attribute.kind is Kind.ORDERED:
        return _places(column, attribute)
    values = np.ascontiguousarray(column, dtype=np.float64)
    if values.ndim != 1:
        raise DataError(f"the column of attribute '{abbreviated(attribute.name)}' is not one-dimensional")
    if np.isinf(values).any():
        raise DataError(f"attribute '{abbreviated(attribute.name)}' has an infinite value")
    if attribute.is_moment:
        from ctree.data.dates import check_moments  # with a kernel of its own, and few data sets have dates

        check_moments(values, attribute)
    if values.size and values.view(np.int64).min() == MINUS_ZERO:
        values = values + 0.0  # 0, which it equals, so that no tree hangs on which of them comes first
    return _frozen(values)


def _places(column: npt.ArrayLike, attribute: Attribute) -> npt.NDArray[np.float64]:
    """The places of ordered values as numbers, NaN where they are unknown."""
    values = np.asarray(column)
    if values.dtype.kind != "f":
        codes = _codes(values, len(attribute.values), attribute)
        return _frozen(np.where(codes < 0, np.nan, codes))
    places = np.ascontiguousarray(values, dtype=np.float64)
    most = len(attribute.values) - 1
    wrong = (places < 0) | (places > most) | (places != np.floor(places)) & ~np.isnan(places)
    if wrong.any():
        bad = places[wrong][0]
        raise DataError(f"{_told(attribute)} has the place {bad:g}, but places go from 0 to {most}, or NaN for unknown")
    if places.ndim != 1:
        raise DataError(f"the codes of {_told(attribute)} are not one-dimensional")
    return _frozen(places + 0.0)


def _codes(codes: npt.ArrayLike, n_values: int, attribute: Attribute | None) -> npt.NDArray[np.int32]:
    """The codes of an attribute, or of the class if it is None."""
    array = np.ascontiguousarray(codes, dtype=np.int32)
    if array.ndim != 1:
        raise DataError(f"the codes of {_told(attribute)} are not one-dimensional")
    if array.size and (array.min() < -1 or array.max() >= n_values):
        bad = array[(array < -1) | (array >= n_values)][0]
        raise DataError(
            f"{_told(attribute)} has the code {bad}, but codes go from 0 to {n_values - 1}, or -1 for unknown"
        )
    return _frozen(array)


def _told(attribute: Attribute | None) -> str:
    return "class" if attribute is None else f"attribute '{abbreviated(attribute.name)}'"


def _weights(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.ascontiguousarray(weights, dtype=np.float64)
    if array.ndim != 1:
        raise DataError("the weights are not one-dimensional")
    if array.size and not (np.isfinite(array).all() and array.min() >= 0):
        raise DataError("a weight is negative or not a finite number")
    return _frozen(array)


def _frozen(array: npt.NDArray[_T]) -> npt.NDArray[_T]:
    view = array.view()
    view.flags.writeable = False
    return view
