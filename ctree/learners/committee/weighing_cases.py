"""The cases of a committee that weigh something, and where they stand among those that were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.tables.frames import lies_with
from ctree.data.tables.named_columns import by_name
from ctree.learners.base.decisions import asked_weights
from ctree.learners.base.training import training_cases, weight_array, weighted, weights_by_class
from ctree.scale.source_kind import is_source

Places = npt.NDArray[np.intp]


def weighing_cases(learner: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Dataset, Places, int]:
    """The cases to learn from, their places among the given ones, and how many of those there are."""
    if lies_with(X) or is_source(X) or (y is None and not isinstance(X, Dataset)):
        data = learner._training_cases(X, y, sample_weight)
        return data, np.arange(data.n_cases), data.n_cases
    X, y, sample_weight = by_name(X, y, sample_weight)
    weights = None if sample_weight is None else weight_array(sample_weight)
    if isinstance(X, Dataset):
        weights = X.weights if weights is None else weights
        X = X.with_weights(None)
    data = training_cases(X, y, None, learner.categorical_features)
    data = data.with_weights(weights)
    by_class = weights_by_class(data, asked_weights(learner.costs, learner.class_weight, data.schema.classes))
    data = data if by_class is None else data.with_weights(by_class)
    n_given = data.n_cases
    places = np.arange(n_given) if data.weights is None else np.flatnonzero(data.weights > 0)
    return weighted(data), places, n_given
