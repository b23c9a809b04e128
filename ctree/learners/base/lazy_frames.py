"""Frames of Dask: what a learner is fitted to, and predictions that are computed by partition, later."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctree.data.tables.frames import of_dask
from ctree.data.tables.raw_columns import RawTable
from ctree.errors import DataError
from ctree.progress import ProgressCallback

if TYPE_CHECKING:
    from ctree.scale.dask_cases import DaskCases


def scanned_frame(
    X: Any,
    y: Any,
    sample_weight: Any,
    categorical_features: Any,
    progress: ProgressCallback | None = None,
) -> DaskCases:
    """The cases of a frame, in codes, where its workers are.

    Parameters
    ----------
    y, sample_weight : name of a column of the frame, or dask.dataframe.Series
        The weights may be left out.
    """
    from ctree.scale.dask_cases import scan_dask

    if y is None:
        raise DataError("a frame of Dask needs y: the name of the column of the class, or a series of the same frame")
    if not (sample_weight is None or isinstance(sample_weight, str | int | tuple) or of_dask(sample_weight)):
        raise DataError(
            "sample_weight of a frame of Dask should be the name of a column, or a series of the same frame, as no "
            "weights in memory belong to its rows"
        )
    return scan_dask(X, y, weights=sample_weight, categorical_features=categorical_features, progress=progress)


def lazy_labels(model: Any, X: Any) -> Any:
    """The predictions for a frame, as a series of Dask."""
    model = model._twin()
    return _used(model, X).map_partitions(_labels, _once(model), meta=_series(model.classes_[:0], None))


def lazy_probabilities(model: Any, X: Any) -> Any:
    """The probabilities for a frame, as one of Dask with a column for each class."""
    model = model._twin()
    meta = _frame(model, np.empty((0, len(model.classes_))), None)
    return _used(model, X).map_partitions(_probabilities, _once(model), meta=meta)


def _once(model: Any) -> Any:
    """The model as a task, so that it is sent once and not with every partition."""
    return import_module("dask").delayed(_Model(model), pure=False)


class _Model:
    """A model, which Dask should not look into."""

    def __init__(self, model: Any) -> None:
        self.model = model


def _used(model: Any, X: Any) -> Any:
    """The columns that the model knows; others, such as the class, are left out."""
    model._check_fitted()
    keys = list(X.columns)
    names = [key for key in keys if isinstance(key, str)]
    named = hasattr(model, "feature_names_in_") and bool(names)
    if named:
        known = set(model.schema_.names)
        keys = names = [name for name in names if name in known]
    model._matched(RawTable(names or None, [np.empty(0)] * len(keys), [None] * len(keys)))
    return X[keys] if named else X


def _labels(part: Any, held: _Model) -> Any:
    return _series(held.model.predict(part) if len(part) else held.model.classes_[:0], part.index)


def _probabilities(part: Any, held: _Model) -> Any:
    model = held.model
    return _frame(model, model.predict_proba(part) if len(part) else np.empty((0, len(model.classes_))), part.index)


def _series(labels: npt.NDArray[Any], index: Any) -> Any:
    return import_module("pandas").Series(labels, index, dtype=object if labels.dtype == object else None)


def _frame(model: Any, probabilities: npt.NDArray[np.float64], index: Any) -> Any:
    return import_module("pandas").DataFrame(probabilities, index, columns=model.classes_.tolist())
