"""What predictions lose if the values of an attribute are shuffled: its importance by permutation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind
from ctree.errors import DataError, ParameterError
from ctree.evaluate.measures import accuracy, brier, log_likelihood
from ctree.evaluate.scored import ScoredCases, scored
from ctree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

LOSSES = ("accuracy", "log-loss", "brier")


class Importances(NamedTuple):
    """How much worse predictions become, attribute by attribute.

    Attributes
    ----------
    names : tuple of str
        The attributes that were shuffled.
    losses : array (attributes, repeats)
        What was lost each time: of the accuracy, or what the log-loss or the Brier score rose by. Negative where
        shuffling helped by chance.
    base : float
        The accuracy, log-loss or Brier score of the cases as they are.
    """

    names: tuple[str, ...]
    losses: Floats
    base: float

    @property
    def means(self) -> Floats:
        """The mean loss of each attribute."""
        return np.asarray(self.losses.mean(axis=1))


def permutation_importance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    measure: str = "accuracy",
    repeats: int = 5,
    attributes: Sequence[str] | None = None,
    seed: int = 0,
    sample_weight: npt.ArrayLike | None = None,
) -> Importances:
    """Shuffle the values of each attribute among the cases, unknown ones too, and see what that costs.

    Unlike the share of an attribute in a tree, this says what the model makes of it on these cases, and works for every
    learner. Of two attributes that say the same, shuffling one may cost nothing.

    Parameters
    ----------
    model : learner or Tree
        It is fitted.
    X, y, sample_weight
        Cases with their classes; see `ctree.evaluate.scored.scored`.
    measure : {"accuracy", "log-loss", "brier"}
    repeats : int
        How often each attribute is shuffled.
    attributes : sequence of str, optional
        Only these.
    seed : int

    References
    ----------
    Breiman: Random forests. Machine Learning 45, 2001.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.C45Classifier().fit(golf)
    >>> found = permutation_importance(model, golf, repeats=20)
    >>> dict(zip(found.names, found.means.round(2).tolist()))["temperature"]
    0.0
    """
    cases = scored(model, X, y, sample_weight)
    return importances_of(model, cases, measure, repeats, attributes, seed)


def importances_of(
    model: Any,
    cases: ScoredCases,
    measure: str = "accuracy",
    repeats: int = 5,
    attributes: Sequence[str] | None = None,
    seed: int = 0,
) -> Importances:
    """The same, of cases that the model was asked about already."""
    if measure not in LOSSES:
        raise ParameterError(f"measure must be one of {', '.join(LOSSES)}, not {measure!r}")
    if repeats < 1:
        raise ParameterError(f"repeats must be at least 1, not {repeats}")
    data = cases.data
    if data is None:
        raise DataError("importance by permutation is for models of tables of cases, learned by ctree")
    schema = data.schema
    used = [i for i, a in enumerate(schema) if a.kind is not Kind.IGNORE]
    if attributes is not None:
        used = [schema.index(name) for name in attributes]
    base = _loss(measure, cases, cases.probabilities, cases.predicted)
    losses = np.empty((len(used), repeats))
    for row, index in enumerate(used):
        for repeat in range(repeats):
            rng = np.random.default_rng([seed, index, repeat])
            changed = list(data.columns)
            column = changed[index]
            changed[index] = None if column is None else column[rng.permutation(data.n_cases)]
            shuffled = Dataset(schema, changed, n_cases=data.n_cases)
            probabilities = model.predict_proba(shuffled)
            by_codes = not isinstance(model, Tree) and measure == "accuracy"
            codes = model.predict_codes(shuffled) if by_codes else probabilities.argmax(axis=1)
            losses[row, repeat] = _loss(measure, cases, probabilities, codes) - base
    sign = -1.0 if measure == "accuracy" else 1.0
    return Importances(tuple(schema[i].name for i in used), sign * losses, base)


def _loss(measure: str, cases: ScoredCases, probabilities: Floats, codes: npt.NDArray[Any]) -> float:
    if measure == "accuracy":
        return accuracy(cases.codes, codes, cases.weights)
    if measure == "brier":
        return brier(cases.codes, probabilities, cases.weights)
    return -log_likelihood(cases.codes, probabilities, cases.weights).mean
