"""What learners hand to the kernels: the cases as a table, and a number of threads."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.errors import ParameterError
from ctree_ext.base.cases import CaseTable


def case_table(data: Dataset, single: bool) -> CaseTable:
    """The cases as the kernels see them, to be reckoned with in 32 bits (`single`) or in 64."""
    weights = data.weights
    if weights is not None and (weights == 1).all():
        weights = None
    n_values = [len(a.values) for a in data.schema]
    return CaseTable(data.columns, n_values, data.classes, data.schema.n_classes, weights, single, data.n_cases)


def most_in_class(data: Dataset) -> int:
    """The number of cases of the largest class."""
    assert data.classes is not None
    return int(np.bincount(data.classes).max())


def n_threads(n_jobs: Any) -> int:
    """The number of threads that `n_jobs` asks for, as in joblib: -1 is all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise ParameterError(f"n_jobs must be None or a number of threads, not {n_jobs!r}")
    number = int(n_jobs)
    if number == 0:
        raise ParameterError("n_jobs must not be 0: use a number of threads, or -1 for all cores")
    return max(1, (os.cpu_count() or 1) + 1 + number) if number < 0 else number
