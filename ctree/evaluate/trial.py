"""One learner on one split: fit, predict, measure."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from ctree.data.costs import worth
from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.errors import CtreeError
from ctree.evaluate.candidates import Candidate, Cases, FittedModel
from ctree.evaluate.measures import Floats, accuracy, brier, expected_auc, kappa, log_likelihood, mean_cost, tree_size
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import Split
from ctree.tree.interface import decided
from ctree.wording import abbreviated, abbreviated_path


class TrialError(CtreeError):
    """A learner failed on a split."""


class Trial(NamedTuple):
    """What came of it.

    Parameters
    ----------
    scores : dict of str to float
        The measures by name; those that this learner has not are left out.
    warnings : list of str
        What the learner warned of.
    """

    scores: dict[str, float]
    warnings: list[str]


def run_trial(
    candidate: Candidate,
    data: Cases,
    split: Split,
    preparation: Preparation,
    seed: Sequence[int],
    place: str,
    costs: Floats | None = None,
) -> Trial:
    """Learn from the training cases of a split and measure on its test cases.

    Parameters
    ----------
    candidate : Candidate
    data : Dataset or RelationalData
    split : Split
    preparation : Preparation
        It is learned from the training cases as well.
    seed : sequence of int
        For learners that leave something to chance.
    place : str
        Where this is, for messages.
    costs : array (classes, classes), optional
        What errors cost.
    """
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            scores = _scores(candidate, data, split, preparation, seed, costs)
    except MemoryError:
        raise
    except Exception as error:  # whatever a foreign learner raises, the message has to say where
        raise TrialError(
            f"{abbreviated(candidate.name)} failed on {abbreviated_path(place)}: {abbreviated(error, 400)}"
        ) from error
    return Trial(scores, sorted({str(getattr(warning.message, "brief", warning.message)) for warning in said}))


def _scores(
    candidate: Candidate,
    data: Cases,
    split: Split,
    preparation: Preparation,
    seed: Sequence[int],
    costs: Floats | None,
) -> dict[str, float]:
    train, test = _divided(data, split, preparation)
    assert test.classes is not None
    weights = None if isinstance(test, RelationalData) else test.weights
    start = time.perf_counter()
    model = candidate.fit(train, seed)
    fitted = time.perf_counter()
    codes, probabilities = model.predict(test)
    scores = {
        "fit-seconds": fitted - start,
        "predict-seconds": time.perf_counter() - fitted,
        "accuracy": accuracy(test.classes, codes, weights),
        "kappa": kappa(test.classes, codes, weights),
    }
    if costs is not None:
        scores["cost"] = mean_cost(test.classes, codes, costs, weights)
    if probabilities is not None:
        likelihood = log_likelihood(test.classes, probabilities, weights)
        area = expected_auc(test.classes, probabilities, weights)
        scores |= {
            "log-likelihood": likelihood.mean,
            "zeros": float(likelihood.zeros),
            "brier": brier(test.classes, probabilities, weights),
            "auc": area.value,
            "auc-skipped": float(len(area.skipped)),
        }
        if costs is not None:
            cheapest = decided(probabilities, worth(costs))
            scores["least-cost"] = mean_cost(test.classes, cheapest, costs, weights)
    size = tree_size(model.learner)
    if size is not None:
        scores |= size._asdict()
    return scores | _envelope(model, test)


def _divided(data: Cases, split: Split, preparation: Preparation) -> tuple[Cases, Cases]:
    train, test = data.take(split.train), data.take(split.test)
    if isinstance(train, Dataset) and isinstance(test, Dataset):
        return preparation.prepared(train, test)
    return train, test


def _envelope(model: FittedModel, test: Cases) -> dict[str, float]:
    """The shares of the Uncertainty Envelope, where the members of an ensemble vote, and how often its chains moved."""
    if not hasattr(model.learner, "votes"):
        return {}
    envelope: Any = import_module("ctree.evaluate.envelope")
    shares = envelope.uncertainty_envelope(model.learner, test).shares()
    scores = {name.replace("_", "-"): share for name, share in shares._asdict().items()}
    accepted = float(getattr(model.learner, "acceptance_", math.nan))
    return scores if math.isnan(accepted) else scores | {"acceptance": accepted}
