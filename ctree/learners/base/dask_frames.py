"""Frames of Dask: what a learner is fitted to, and predictions that are computed by partition, later."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.tables.frames import of_dask
from ctree.learners.base.known_columns import known_columns
from ctree.progress import ProgressCallback
from ctree.scale.dask_cases import DaskCases, scan_dask

NAME = "Dask"
CLASSES = "the name of the column of the class, or a series of the same frame"
WEIGHTS = "the name of a column, or a series of the same frame"
SCORE = "(predict(X) == y).mean().compute()"


def is_column(weights: Any) -> bool:
    """Whether weights are the name of a column, or a series of Dask."""
    return isinstance(weights, str | int | tuple) or of_dask(weights)


def scanned(X: Any, y: Any, weights: Any, categorical_features: Any, progress: ProgressCallback | None) -> DaskCases:
    """The cases of a frame; `y` and `weights` are names of columns, or series of Dask."""
    return scan_dask(X, y, weights=weights, categorical_features=categorical_features, progress=progress)


def labels(model: Any, X: Any) -> Any:
    """The predictions for a frame, as a series of Dask."""
    model = model._twin()
    return _used(model, X).map_partitions(_labels, _once(model), meta=_series(model.classes_[:0], None))


def probabilities(model: Any, X: Any) -> Any:
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
    keys = known_columns(model, list(X.columns))
    return X if keys is None else X[keys]


def _labels(part: Any, held: _Model) -> Any:
    return _series(held.model.predict(part) if len(part) else held.model.classes_[:0], part.index)


def _probabilities(part: Any, held: _Model) -> Any:
    model = held.model
    return _frame(model, model.predict_proba(part) if len(part) else np.empty((0, len(model.classes_))), part.index)


def _series(labels: npt.NDArray[Any], index: Any) -> Any:
    return import_module("pandas").Series(labels, index, dtype=object if labels.dtype == object else None)


def _frame(model: Any, probabilities: npt.NDArray[np.float64], index: Any) -> Any:
    return import_module("pandas").DataFrame(probabilities, index, columns=model.classes_.tolist())
