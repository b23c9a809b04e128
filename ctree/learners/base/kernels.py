"""What learners hand to the kernels: the cases as a table."""

from __future__ import annotations

import numpy as np

from ctree.data.dataset import Dataset
from ctree.errors import DataError
from ctree.learners.base.drawn_cases import DrawnCases
from ctree.scale.unit import whole_units
from ctree_ext.base.cases import MAX_CASES, MAX_CLASSES, CaseTable


def case_table(data: Dataset, single: bool, unit: float = 0.0) -> CaseTable:
    """The cases as the kernels see them, to be reckoned with in 32 bits (`single`) or in 64.

    With a `unit`, what cases count is a whole number of it, and sums do not depend on the order of the cases.
    """
    if data.n_cases > MAX_CASES:
        raise DataError(f"there are {data.n_cases} cases to learn from, but at most {MAX_CASES} are possible")
    if data.schema.n_classes > MAX_CLASSES:
        raise DataError(f"there are {data.schema.n_classes} classes, but at most {MAX_CLASSES} are possible")
    weights = data.weights
    if weights is not None and (weights == 1).all():
        weights = None
    if weights is not None and unit:
        weights = whole_units(weights, unit) * unit
    n_values = [len(a.values) for a in data.schema]
    table = CaseTable(data.columns, n_values, data.classes, data.schema.n_classes, weights, single, data.n_cases, unit)
    if isinstance(data, DrawnCases) and any(column is not None for column in data.columns):
        table.drawn = data.drawn_columns
    return table


def most_in_class(data: Dataset) -> int:
    """The number of cases of the largest class."""
    assert data.classes is not None
    return int(np.bincount(data.classes).max())
