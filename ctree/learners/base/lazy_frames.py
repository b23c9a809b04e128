"""Frames whose cases lie elsewhere: what a learner is fitted to, and predictions that are computed later."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from ctree.data.tables.frames import lies_with
from ctree.errors import DataError
from ctree.progress import ProgressCallback

MODULES = {"dask": "ctree.learners.base.dask_frames", "spark": "ctree.learners.base.spark_frames"}


class Frames(Protocol):
    """What is done with the frames of one library: one of `MODULES`."""

    NAME: str
    """Of the library."""
    CLASSES: str
    """What `y` may be, in words."""
    WEIGHTS: str
    """What the weights may be, in words."""
    SCORE: str
    """How to compute the share of cases that are predicted right."""

    def is_column(self, weights: Any) -> bool:
        """Whether these may be the weights of a frame: by the name of a column, or otherwise."""
        ...

    def scanned(
        self, X: Any, y: Any, weights: Any, categorical_features: Any, progress: ProgressCallback | None
    ) -> Any:
        """The cases, in codes, where the workers are: a source, and a context that lets them go."""
        ...

    def labels(self, model: Any, X: Any) -> Any:
        """The predictions, not computed yet."""
        ...

    def probabilities(self, model: Any, X: Any) -> Any:
        """The class probabilities, not computed yet."""
        ...


def _frames(X: Any) -> Frames:
    library = lies_with(X)
    assert library is not None
    module: Any = import_module(MODULES[library])
    frames: Frames = module
    return frames


def scanned_frame(
    X: Any, y: Any, sample_weight: Any, categorical_features: Any, progress: ProgressCallback | None = None
) -> Any:
    """The cases of a frame, in codes, where its workers are: a source, and a context that lets them go."""
    frames = _frames(X)
    if y is None:
        raise DataError(f"a frame of {frames.NAME} needs y: {frames.CLASSES}")
    if sample_weight is not None and not frames.is_column(sample_weight):
        raise DataError(
            f"sample_weight of a frame of {frames.NAME} should be {frames.WEIGHTS}, as no weights in memory belong to "
            "its rows"
        )
    return frames.scanned(X, y, sample_weight, categorical_features, progress)


def lazy_labels(model: Any, X: Any) -> Any:
    """The predictions for a frame."""
    return _frames(X).labels(model, X)


def lazy_probabilities(model: Any, X: Any) -> Any:
    """The class probabilities for a frame."""
    return _frames(X).probabilities(model, X)


def no_score(X: Any) -> DataError:
    """A frame is not in memory."""
    frames = _frames(X)
    return DataError(f"score takes cases in memory: of a frame of {frames.NAME} it is {frames.SCORE}")
