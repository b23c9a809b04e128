"""Data sets, and whatever else has columns, as DataFrames of pandas and polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import time
from importlib import import_module
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Label, label_texts
from ctree.data.tables.levels import Codes
from ctree.errors import DataError, missing
from ctree.wording import abbreviated

MOST_WHOLE = 1 << 63
"""Whole numbers beyond have no column of their own in polars."""


def library(name: str) -> Any:
    """A library that a person asks for by name."""
    try:
        return import_module(name)
    except ImportError:
        raise missing("this needs", name) from None


def frame_of(columns: Mapping[str, Any], backend: str) -> Any:
    """Columns as a DataFrame of pandas, polars or pyarrow."""
    module = library(backend)
    return module.table(dict(columns)) if backend == "pyarrow" else module.DataFrame(dict(columns))


def pandas_frame(data: Dataset, class_name: str, weight_name: str) -> Any:
    """A data set as a DataFrame of pandas; see `Dataset.to_pandas`."""
    pandas = library("pandas")

    def of_codes(codes: Codes, labels: Sequence[Label], ordered: bool = False) -> Any:
        alike = len({isinstance(label, str) for label in labels}) == 1
        categories = pandas.Index(list(labels), dtype=None if alike else object)
        return pandas.Categorical.from_codes(codes, categories=categories, ordered=ordered)

    columns = _columns(data, of_codes, class_name, weight_name)
    for attribute in data.schema:
        if attribute.kind is Kind.DATE:  # as objects, as it would make timestamps of numpy's
            columns[attribute.name] = columns[attribute.name].astype(object)
    return pandas.DataFrame(columns, index=pandas.RangeIndex(data.n_cases))


def polars_frame(data: Dataset, class_name: str, weight_name: str) -> Any:
    """A data set as a DataFrame of polars; see `Dataset.to_polars`."""
    polars = library("polars")

    def of_codes(codes: Codes, labels: Sequence[Label], ordered: bool = False) -> Any:
        if labels and all(isinstance(label, bool) for label in labels):
            levels = polars.Series(labels, dtype=polars.Boolean)
        elif labels and all(_is_whole(label) for label in labels):
            levels = polars.Series(labels, dtype=polars.Int64)
        elif labels and all(isinstance(label, float) for label in labels):
            levels = polars.Series(labels, dtype=polars.Float64)
        else:
            texts = label_texts(labels)
            levels = polars.Series(texts, dtype=polars.Enum(texts))
        if not labels:
            return polars.Series([None] * len(codes), dtype=levels.dtype)
        known = polars.Series(codes >= 0)
        places = polars.Series(np.maximum(codes, 0)).zip_with(known, polars.Series([None], dtype=polars.Int32))
        return levels.gather(places)

    columns = _columns(data, of_codes, class_name, weight_name)
    frame = polars.DataFrame(columns)
    numbers = [a.name for a in data.schema if a.is_continuous]
    return frame.with_columns(polars.col(name).fill_nan(None) for name in numbers)


def _columns(data: Dataset, of_codes: Any, class_name: str, weight_name: str) -> dict[str, Any]:
    """The columns by name: attributes that are not ignored, then the class, then the weights."""
    attributes = [(a, c) for a, c in zip(data.schema, data.columns, strict=True) if c is not None]
    columns: dict[str, Any] = {a.name: _cells(a, c, of_codes) for a, c in attributes}
    more = [] if data.classes is None else [("class_name", class_name, of_codes(data.classes, data.schema.classes))]
    more += [] if data.weights is None else [("weight_name", weight_name, np.array(data.weights))]
    for what, name, column in more:
        if name in columns:
            raise DataError(f"there is a column '{abbreviated(name)}' already: choose another {what}")
        columns[name] = column
    return columns


def _cells(attribute: Attribute, column: Any, of_codes: Any) -> Any:
    if attribute.is_discrete:
        return of_codes(column, attribute.values)
    if attribute.is_ordered:
        return of_codes(np.where(np.isnan(column), -1, column).astype(np.int32), attribute.values, ordered=True)
    if attribute.kind is Kind.TIME:
        return [None if x != x else time.fromisoformat(str(attribute.label(x))) for x in column.tolist()]
    if attribute.is_moment:
        unit = "datetime64[D]" if attribute.kind is Kind.DATE else "datetime64[us]"
        whole = np.where(np.isnan(column), 0, column).astype(np.int64).astype(unit)
        whole[np.isnan(column)] = np.datetime64("NaT")
        return whole
    return np.array(column)  # a copy, as data sets are never changed and frames are


def _is_whole(label: Label) -> bool:
    return isinstance(label, int) and not isinstance(label, bool) and -MOST_WHOLE <= label < MOST_WHOLE
