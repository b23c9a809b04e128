"""Trials: models of one half of the cases with some of the attributes, and what they lose on the other half."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind, Schema
from ctree.errors import DataError
from ctree.learners.base.decisions import weighed_cases
from ctree.learners.winnow.losses import mean_loss
from ctree.progress import Progress, ProgressCallback
from ctree.wording import plural

Places = npt.NDArray[np.intp]

QUIET = {"winnow": False, "verbose": False, "warm_start": False}
"""Parameters of the learner that are otherwise in trials."""


def halves(data: Dataset, seed: int) -> tuple[Places, Places]:
    """The cases in two halves, drawn at random class by class; the first has one more of an odd number.

    Each half is in the order of the data, on which ties between tests may hang. Cases of unknown class are in neither.

    Examples
    --------
    >>> import ctree
    >>> [half.tolist() for half in halves(ctree.load_golf(), seed=1)]
    [[2, 3, 4, 5, 7, 10, 11], [0, 1, 6, 8, 9, 12, 13]]
    """
    assert data.classes is not None
    known = np.flatnonzero(data.classes >= 0)
    if len(known) < 4:
        raise DataError(
            f"winnowing learns from one half of the cases and tests on the other, and needs at least 2 in each, but "
            f"there {'is' if len(known) == 1 else 'are'} only {plural(len(known), 'case')} (n_samples={len(known)})"
        )
    drawn = np.random.default_rng(seed).permutation(known)
    drawn = drawn[np.argsort(data.classes[drawn], kind="stable")]
    return np.sort(drawn[::2]), np.sort(drawn[1::2])


class Trials:
    """The two halves of the cases, and the loss of models with some attributes or other.

    Parameters
    ----------
    learner : Classifier
    data : Dataset
        Without the weights of classes.
    loss : str
        One of `LOSSES`.
    seed : int
        Of the halves, and of permutations.
    told : callable, optional
        Is told how many models there are.
    """

    def __init__(self, learner: Any, data: Dataset, loss: str, seed: int, told: ProgressCallback | None = None) -> None:
        first, second = halves(data, seed)
        self.learner, self.loss, self.seed = learner, loss, seed
        self.learning, self.testing = data.take(first), data.take(second)
        self.n_learned, self.n_tested = len(first), len(second)
        if loss != "cost":  # which says itself what a class weighs
            self.testing = weighed_cases(learner, self.testing)
        self.total: int | None = None
        self._told, self._done, self._began = told, 0, time.monotonic()

    @property
    def attributes(self) -> list[int]:
        """Those that can be asked for."""
        return [i for i, attribute in enumerate(self.learning.schema) if attribute.kind is not Kind.IGNORE]

    def model(self, attributes: Sequence[int]) -> Any:
        """What is learned from the first half with these attributes."""
        own = self.learner.get_params(deep=False)
        model = type(self.learner)(**{**own, **{name: value for name, value in QUIET.items() if name in own}})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of half the cases; what holds for all of them is told by their own fit
            model.fit(narrowed(self.learning, attributes))
        self.step()
        return model

    def loss_of(self, model: Any, attributes: Sequence[int]) -> float:
        """What a model with these attributes loses on the second half."""
        return mean_loss(self.loss, model, narrowed(self.testing, attributes), self.n_learned)

    def loss_with(self, attributes: Sequence[int]) -> float:
        """What a model that is learned with these attributes loses on the second half."""
        return self.loss_of(self.model(attributes), attributes)

    def loss_disturbed(self, model: Any, attributes: Sequence[int], place: int, by: str) -> float:
        """What a model with these attributes loses if one of them is unknown, or permuted, in the second half."""
        cases = narrowed(self.testing, attributes)
        columns = list(cases.columns)
        column = columns[place]
        assert column is not None
        if by == "permute":  # by a stream of its own, so that it does not hang on the other attributes
            rng = np.random.default_rng((self.seed, attributes[place]))
            columns[place] = column[rng.permutation(len(column))]
        else:
            columns[place] = np.full_like(column, -1 if column.dtype.kind == "i" else np.nan)
        self.step()
        return mean_loss(self.loss, model, cases.replaced(cases.schema, columns), self.n_learned)

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._told is not None:
            rate = self._done / max(time.monotonic() - self._began, 1e-9)
            total = None if self.total is None else max(self.total, self._done)
            self._told(Progress("winnowing", self._done, total, rate, "models"))


def narrowed(data: Dataset, attributes: Iterable[int]) -> Dataset:
    """The cases with these attributes only."""
    kept = list(attributes)
    schema = Schema(tuple(data.schema[i] for i in kept), data.schema.classes)
    return data.replaced(schema, [data.columns[i] for i in kept])
