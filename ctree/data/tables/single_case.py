"""One case, however a person gives it, as a table of one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.tables.frames import is_sparse


def as_table(X: Any, names: Sequence[str]) -> Any:
    """A table of one row if `X` is a single case, else `X` itself.

    A single case is a mapping of names to values, a list, tuple or array of values in the order of `names`, or a pandas
    Series with the names as its index; Series without names are taken in order.

    Examples
    --------
    >>> as_table({"outlook": "rain", "humidity": 70}, ["outlook", "humidity"])
    {'outlook': ['rain'], 'humidity': [70]}
    >>> as_table(["rain", 70], ["outlook", "humidity"])
    {'outlook': ['rain'], 'humidity': [70]}
    """
    if isinstance(X, Dataset) or is_sparse(X):
        return X
    if _is_series(X):
        index = list(getattr(X, "index", ()))
        X = dict(zip(index, X.to_list(), strict=True)) if index and isinstance(index[0], str) else X.to_list()
    if isinstance(X, Mapping):
        return {name: [value] for name, value in X.items()} if any(map(_is_scalar, X.values())) else X
    if not isinstance(X, list | tuple | np.ndarray) or _is_empty(X) or not _is_scalar(X[0]):
        return X
    if len(X) != len(names):
        return [list(X)]
    # by name, as who gives one case in order means the attributes, whatever they are called
    return {name: [value] for name, value in zip(names, X, strict=True)}


def _is_series(X: Any) -> bool:
    """Whether this is a column of pandas or polars, which here stands for a row."""
    return hasattr(type(X), "to_list") and not isinstance(X, Mapping) and getattr(X, "shape", (0, 0))[1:] == ()


def _is_empty(X: Any) -> bool:
    return X.ndim == 0 or len(X) == 0 if isinstance(X, np.ndarray) else len(X) == 0


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str) or not hasattr(value, "__len__")
