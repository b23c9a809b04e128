"""What a model makes of an attribute, all else as it is: partial dependence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.dates import parse_moment
from ctree.data.recode import recoded
from ctree.data.schema import Label
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.tree.tree import Tree
from ctree.wording import abbreviated

Floats = npt.NDArray[np.float64]

POINTS = 30
MAX_CASES = 2000


class PartialDependence(NamedTuple):
    """The mean class probabilities, if all cases had the same value of an attribute.

    Attributes
    ----------
    attribute : str
    values : tuple
        Numbers in ascending order, or discrete values; None at the end for unknown.
    probabilities : array (values, classes)
    shares : array (values,)
        The share of the cases with each value; of numbers, of the cases up to it and above the one before.
    classes : tuple of labels
    """

    attribute: str
    values: tuple[Label | None, ...]
    probabilities: Floats
    shares: Floats
    classes: tuple[Label, ...]


def partial_dependence(
    model: Any,
    X: Any,
    attribute: str,
    *,
    values: Sequence[Label | None] | None = None,
    max_cases: int | None = MAX_CASES,
    sample_weight: npt.ArrayLike | None = None,
) -> PartialDependence:
    """Give all cases the same value of an attribute, one value after the other, and average what the model says.

    Parameters
    ----------
    model : learner or Tree
        It is fitted.
    X : Dataset or table
        Cases; their classes are not asked for.
    attribute : str
    values : sequence, optional
        The values to try, None for unknown. By default up to 30 quantiles of the numbers, or all discrete values; and
        unknown, if some of the cases have none.
    max_cases : int or None
        So many cases are looked at, evenly spaced; all if None.
    sample_weight : array, optional

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 2001.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> found = partial_dependence(ctree.C45Classifier().fit(golf), golf, "outlook")
    >>> found.values, found.probabilities[:, 0].round(3).tolist()
    (('sunny', 'overcast', 'rain'), [0.357, 1.0, 0.571])
    """
    if not isinstance(model, Classifier | Tree):
        raise ParameterError(f"partial dependence is for learners and trees of ctree, not a {type(model).__name__}")
    if isinstance(model, Tree):
        if not isinstance(X, Dataset):
            raise DataError("a Tree takes its cases as a Dataset: give the learner, which takes tables as well")
        data, schema = recoded(X, model.schema), model.schema
    else:
        data, schema = model._cases(X), model.schema_
    if data.n_cases == 0:
        raise DataError("there are no cases to look at")
    weights = data.weights if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights is None and isinstance(X, Dataset):
        weights = X.weights
    index = schema.index(attribute)
    column = data.columns[index]
    if column is None:
        raise DataError(f"attribute '{abbreviated(attribute)}' is ignored by the model")
    tried, codes = _tried(schema[index], column, values)
    shares = _shares(schema[index].has_order, column, codes, weights)
    if max_cases is not None and data.n_cases > max_cases:
        if max_cases < 1:
            raise ParameterError(f"max_cases must be at least 1, not {max_cases}")
        rows = np.unique(np.linspace(0, data.n_cases - 1, max_cases).round().astype(np.intp))
        data = Dataset(schema, data.columns, n_cases=data.n_cases).take(rows)
        weights = None if weights is None else weights[rows]
    means = []
    for code in codes:
        columns = list(data.columns)
        columns[index] = np.full(data.n_cases, code, dtype=column.dtype)
        table = model.predict_proba(Dataset(schema, columns, n_cases=data.n_cases))
        means.append(np.average(table, axis=0, weights=weights))
    return PartialDependence(attribute, tried, np.array(means), shares, schema.classes)


def _tried(
    attribute: Any, column: npt.NDArray[Any], values: Sequence[Label | None] | None
) -> tuple[tuple[Label | None, ...], list[float]]:
    """The values to try, and what stands for them in the column."""
    if attribute.has_order and not attribute.is_ordered:
        known = column[~np.isnan(column)]
        if values is None:
            numbers: list[float | None] = []
            if known.size:
                numbers = list(np.unique(np.quantile(known, np.linspace(0.01, 0.99, POINTS), method="nearest")))
            numbers = [float(x) for x in numbers if x is not None]
            if known.size < column.size:
                numbers.append(None)
        else:
            try:
                numbers = [None if v is None else _number(attribute, v) for v in values]
            except ValueError:
                raise ParameterError(f"attribute '{abbreviated(attribute.name)}' has numbers for values") from None
        labels = tuple(None if x is None else attribute.label(x) for x in numbers)
        return labels, [np.nan if x is None else x for x in numbers]
    if values is None:
        chosen: list[Label | None] = list(attribute.values)
        if (np.isnan(column) if attribute.is_ordered else column < 0).any():
            chosen.append(None)
    else:
        chosen = list(values)
    codes = code_levels(["?" if v is None else v for v in chosen], attribute.values, attribute.name)
    for value, code in zip(chosen, codes.tolist(), strict=True):
        if value is not None and code < 0:
            raise ParameterError(
                f"attribute '{abbreviated(attribute.name)}' has no value '{abbreviated(value)}' in the model"
            )
    unknown = np.nan if attribute.is_ordered else -1
    return tuple(chosen), [float(unknown if v is None else c) for v, c in zip(chosen, codes.tolist(), strict=True)]


def _number(attribute: Any, value: Label) -> float:
    if attribute.is_moment and isinstance(value, str):
        return parse_moment(attribute.kind, attribute.name, value)
    return float(value)


def _shares(continuous: bool, column: npt.NDArray[Any], codes: list[float], weights: Floats | None) -> Floats:
    each = np.ones(len(column)) if weights is None else weights
    total = max(float(each.sum()), 1e-300)
    if not continuous:
        return np.array([each[column == code].sum() for code in codes]) / total
    known = ~np.isnan(column)
    numbers = np.array([code for code in codes if not np.isnan(code)])
    order = np.argsort(column[known], kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(each[known][order])])
    up_to = sums[np.searchsorted(column[known][order], np.sort(numbers), side="right")]
    between = dict(zip(np.sort(numbers).tolist(), np.diff(up_to, prepend=0.0).tolist(), strict=True))
    unknown = float(each[~known].sum())
    return np.array([unknown if np.isnan(code) else between[code] for code in codes]) / total
