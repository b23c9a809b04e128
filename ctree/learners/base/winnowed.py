"""Learners that leave out attributes before they learn: their parameters, and what `fit` does about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ctree.data.dataset import Dataset
from ctree.domains.domain import Flag
from ctree.domains.numeric import Integer
from ctree.errors import ParameterError
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.winnow.losses import LOSSES

if TYPE_CHECKING:
    from ctree.learners.winnow.winnowing import Winnowing

Fit = TypeVar("Fit", bound=Callable[..., Any])


class WithWinnowing(SklearnEstimator):
    """For learners whose `fit` is `winnowed`."""

    winnow: bool = parameter(
        False,
        Flag(),
        "Whether to leave out attributes first, as `ctree.winnow` does: those that a model of one half of the cases "
        "does not use, or that are of no use to it on the other half.",
    )
    winnow_loss: str = parameter(
        "log-loss",
        LOSSES,
        'What tells there whether an attribute is of use. ``"log-loss"``: -log of the probability of the true class. '
        '``"brier"``: the squared differences between probabilities and truth. ``"error"``: errors. ``"cost"``: what '
        "they cost by `costs`.",
        only_if={"winnow": (True,)},
    )
    winnow_seed: int = parameter(0, Integer(least=0), "Random seed of the halves.", only_if={"winnow": (True,)})

    winnowing_: Winnowing = fitted("Winnowing", "What winnowing has found; not there without it.")

    def _winnowing_learner(self) -> Any:
        """What learns the models of one half."""
        return self

    def _as_winnowed(self, data: Dataset) -> Dataset:
        """Cases without the attributes that the fit has left out."""
        found = getattr(self, "winnowing_", None)
        return data if found is None else found.reduced(data)


def winnowed(fit: Fit) -> Fit:
    """Have a `fit` leave out attributes first, if it is asked to."""

    @wraps(fit)
    def fit_to_kept(self: Any, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        if self.winnow is not False:
            self._check_parameters()
            if self.winnow:
                return _fit_to_kept(self, fit, X, y, sample_weight, options)
        return fit(self, X, y, sample_weight, **options)

    return cast("Fit", fit_to_kept)


def _fit_to_kept(learner: Any, fit: Fit, X: Any, y: Any, sample_weight: Any, options: dict[str, Any]) -> Any:
    from ctree.learners.winnow.winnow import memory_cases, winnowing_of

    if learner.winnow_loss == "cost" and learner.costs is None:
        raise ParameterError("winnow_loss='cost' needs costs, and there are none")
    data = memory_cases(learner, X, y, sample_weight, "winnow=True")  # `fit` itself may refuse some of unknown class
    progress = learner._reported(options.get("progress")) if hasattr(learner, "_reported") else None
    found = winnowing_of(
        learner._winnowing_learner(), data, learner.winnow_loss, "refit", learner.winnow_seed, progress
    )
    twin = learner._twin()
    twin.winnow = False
    before = twin.__dict__
    try:
        fit(twin, found.reduced(data), **options)
    finally:  # a committee that is interrupted has the members that were done
        if twin.__dict__ is not before:
            twin.winnowing_ = found
            learner._take_over(twin)
    return learner
