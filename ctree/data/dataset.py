"""Cases as coded columns: the one form in which every learner sees its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError
from ctree.wording import abbreviated

Column = npt.NDArray[np.int32] | npt.NDArray[np.float64]
_T = TypeVar("_T", bound=np.generic)
Rows = npt.NDArray[np.integer] | npt.NDArray[np.bool_] | slice | Sequence[int]


class Dataset:
    """Cases, one coded column per attribute.

    Parameters
    ----------
    schema : Schema
    columns : sequence of arrays
        For each attribute: int32 codes with -1 for unknown (discrete), float64 with NaN for unknown (continuous),
        None (ignored).
    classes : array of int32, optional
        The class code of each case, -1 where it is unknown; None if the cases have no classes.
    weights : array of float64, optional
        The weight of each case; None means that every case counts once.

    Notes
    -----
    The arrays are made read-only and are not copied where they already have the right type.

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

    __slots__ = ("_n_cases", "classes", "columns", "schema", "weights")

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[npt.ArrayLike | None],
        classes: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        n_cases: int | None = None,
    ) -> None:
        if len(columns) != len(schema):
            raise DataError(f"{len(columns)} columns for {len(schema)} attributes")
        self.schema = schema
        self.columns = tuple(_column(schema, i, c) for i, c in enumerate(columns))
        self.classes = None if classes is None else _codes(classes, schema.n_classes, None)
        self.weights = None if weights is None else _weights(weights)
        lengths = {len(c) for c in (*self.columns, self.classes, self.weights) if c is not None}
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

    def take(self, rows: Rows) -> Dataset:
        """The cases at these positions (indices, a boolean mask or a slice), as a new data set."""
        picked = np.arange(self.n_cases, dtype=np.int64)[rows]
        return Dataset(
            self.schema,
            [None if c is None else c[picked] for c in self.columns],
            None if self.classes is None else self.classes[picked],
            None if self.weights is None else self.weights[picked],
            n_cases=len(picked),
        )

    def with_weights(self, weights: npt.ArrayLike | None) -> Dataset:
        """The same cases with other weights."""
        return Dataset(self.schema, self.columns, self.classes, weights, n_cases=self.n_cases)

    def value(self, case: int, attribute: int) -> Label | None:
        """The value of one attribute of one case as it was given; None if unknown or ignored."""
        column = self.columns[attribute]
        if column is None:
            return None
        if self.schema[attribute].kind is Kind.CONTINUOUS:
            return None if np.isnan(column[case]) else float(column[case])
        code = int(column[case])
        return None if code < 0 else self.schema[attribute].values[code]

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
    values = np.ascontiguousarray(column, dtype=np.float64)
    if values.ndim != 1:
        raise DataError(f"the column of attribute '{abbreviated(attribute.name)}' is not one-dimensional")
    if np.isinf(values).any():
        raise DataError(f"attribute '{abbreviated(attribute.name)}' has an infinite value")
    return _frozen(values)


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
