"""What the predictions of a model lose on cases of known classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.domains.domain import Choice
from ctree_ext.base.elementary import log

Floats = npt.NDArray[np.float64]

LOSSES = Choice("log-loss", "brier", "error", "cost")
"""How a prediction is judged."""

OF_PREDICTIONS = ("error", "cost")
"""Those that look at the class that is predicted, not at the probabilities."""


def mean_loss(loss: str, model: Any, data: Dataset, n_learned: int) -> float:
    """The mean loss of a model on cases, each by its weight.

    ``"log-loss"`` is -log p of the true class. Not even n cases that all say otherwise are a proof, so p counts as 1/2n
    at least, for n cases that the model was learned from. ``"brier"`` is the sum of (p_c - [c is true])^2 over classes;
    ``"error"`` is 1 for a wrong class; and ``"cost"`` what that costs, by `costs_` of the model.
    """
    assert data.classes is not None
    if loss in OF_PREDICTIONS:
        codes = model.predict_codes(data)
        losses = model.costs_[data.classes, codes] if loss == "cost" else codes != data.classes
    else:
        losses = losses_of(loss, model.predict_proba(data), data.classes, n_learned)
    return float(np.average(losses, weights=data.weights))


def losses_of(loss: str, probabilities: Floats, classes: npt.NDArray[Any], n_learned: int) -> Floats:
    """The log-loss or the Brier score of each case."""
    rows = np.arange(len(classes))
    if loss == "brier":
        differences = np.array(probabilities)
        differences[rows, classes] -= 1.0
        return np.asarray((differences**2).sum(axis=1))
    return np.asarray(-log(np.maximum(probabilities[rows, classes], 0.5 / n_learned)))
