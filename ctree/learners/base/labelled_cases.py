"""Cases with their classes, for a model that is fitted already: to prune it, or to test it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.tables.levels import code_levels
from ctree.errors import DataError


def labelled_cases(model: Any, X: Any, y: Any, sample_weight: Any, purpose: str) -> Dataset:
    """Cases in the codes of a model's schema, all with a class; messages name the purpose."""
    data: Dataset = model._cases(X)
    labels: Any = y
    if isinstance(X, Dataset):
        if y is not None:
            raise DataError("a Dataset has its own classes: leave out y")
        labels = None if X.classes is None else X.labels
    if labels is None:
        raise DataError(f"the cases {purpose} have no classes")
    codes = code_levels(list(labels), model.schema_.classes, "y")
    if len(codes) != data.n_cases:
        raise DataError(f"y has {len(codes)} entries for {data.n_cases} cases")
    if (codes < 0).any():
        case = int(np.flatnonzero(codes < 0)[0])
        raise DataError(f"{data.case_text(case)} has no class that the model knows")
    weights = sample_weight if sample_weight is not None else X.weights if isinstance(X, Dataset) else None
    labelled = Dataset(model.schema_, data.columns, codes, weights, n_cases=data.n_cases)
    return labelled if labelled.weights is None else labelled.take(labelled.weights > 0)
