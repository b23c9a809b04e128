"""Winnow: find out which attributes can be left out."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.tables.frames import lies_with
from ctree.domains.domain import Choice
from ctree.errors import DataError, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.common_parameters import Seed, seed_of
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.learners.winnow.losses import LOSSES
from ctree.learners.winnow.trials import Trials
from ctree.learners.winnow.winnowing import AttributeUse, Winnowing
from ctree.progress import ProgressCallback, reporting
from ctree.scale.source_kind import fits_memory, is_source
from ctree.wording import shortened

WAYS = Choice("refit", "unknown", "permute")

SAME = 1e-9
"""Losses that differ by less are the same: sums are rounded."""


def winnow(
    X: Any,
    y: Any = None,
    estimator: Any = None,
    *,
    sample_weight: npt.ArrayLike | None = None,
    loss: str = "log-loss",
    by: str = "refit",
    random_state: Any = 0,
    progress: ProgressCallback | bool | None = None,
) -> Winnowing:
    """Find out which attributes can be left out, by a model of one half of the cases and its loss on the other.

    In outline as C5.0 does it. The cases are drawn at random into two halves, and a model is learned from the first.
    Attributes that it does not use are left out, and so are those without which no more is lost on the second half, one
    after the other, the least useful first. If the model of those that remain loses more there than that of all
    attributes, all are kept.

    Parameters
    ----------
    X : Dataset, or a table
    y : array or name of a column, optional
        The classes of a table.
    estimator : Classifier, optional
        What learns the models, by its own parameters; None is a `C45Classifier`. Costs and weights of classes are the
        estimator's.
    sample_weight : array or name of a column, optional
    loss : {"log-loss", "brier", "error", "cost"}
        What is lost by a prediction. ``"log-loss"``: -log of the probability of the true class, which counts as 1/2n at
        least for n cases learned from. ``"brier"``: the sum of squared differences between the probabilities and the
        truth. ``"error"``: 1 for a wrong class. ``"cost"``: what a wrong class costs, by `costs` of the estimator.
    by : {"refit", "unknown", "permute"}
        How to find what is lost without an attribute that is used. ``"refit"``: by a model that is learned again from
        the others that are used, so that they can take its place. ``"unknown"``: by the same model on cases in which
        its value is unknown. ``"permute"``: the same with its values permuted among the cases. The last two learn
        nothing again, and overrate attributes that others could replace less than they underrate a pair of them.
    random_state : int, numpy generator or None
        Of the halves.
    progress : callable or bool, optional
        Is told how many models there are, or True to show it.

    Returns
    -------
    Winnowing

    Notes
    -----
    Models with all attributes are learned only once: the others have at most those that it uses. So wide tables take
    little longer than a fit.

    Examples
    --------
    >>> import ctree
    >>> found = ctree.winnow(ctree.load_golf(), estimator=ctree.ProbabilityTreeClassifier(), random_state=2)
    >>> found.kept
    ('outlook',)
    >>> {name: round(rise, 3) for name, rise in found.to_dict()["rises"].items()}
    {'outlook': 0.181, 'temperature': -0.052}
    """
    LOSSES.check("loss", loss)
    WAYS.check("by", by)
    Seed().check("random_state", random_state)
    learner = chosen_learner(estimator)
    return winnowing_of(learner, memory_cases(learner, X, y, sample_weight), loss, by, random_state, progress)


def chosen_learner(estimator: Any) -> Any:
    """What learns the models."""
    if estimator is None:
        from ctree.learners.c45.classifier import C45Classifier

        return C45Classifier()
    if not isinstance(estimator, Classifier):
        raise ParameterError(
            f"estimator must be a learner of ctree for tables, such as C45Classifier(), not {shortened(estimator)}"
        )
    return estimator


def memory_cases(learner: Any, X: Any, y: Any, sample_weight: Any, who: str = "winnow") -> Dataset:
    """The cases, without weights of classes; some may be of unknown class."""
    if lies_with(X):
        raise DataError(f"{who} takes cases in memory: compute the frame, or some of its cases, first")
    if is_source(X) and not fits_memory(X):
        raise DataError(f"{who} needs all cases in memory, and those of the source do not fit: give it some of them")
    data: Dataset = learner._given_cases(X, y, sample_weight, True)
    return data


def winnowing_of(learner: Any, data: Dataset, loss: str, by: str, random_state: Any, progress: Any = None) -> Winnowing:
    """Winnow the attributes of cases, without weights of classes, for a learner whose parameters are unchecked."""
    learner._check_parameters()
    if loss == "cost" and learner.costs is None:
        raise ParameterError(f"loss='cost' needs costs, and the {type(learner).__name__} has none")
    declared = learner._parameters.items()
    naming = [name for name, one in declared if one.domain.names_attributes and getattr(learner, name)]
    if naming:
        raise ParameterError(
            f"winnowing tries the learner without some attributes, which its {naming[0]} may name: winnow without it, "
            "and learn from the attributes that are kept"
        )
    with reporting(progress) as told:
        return _winnowed(Trials(learner, data, loss, seed_of(random_state), told), by)


def _winnowed(trials: Trials, by: str) -> Winnowing:
    everything = trials.attributes
    if not everything:
        raise DataError("there is no attribute to be winnowed: the cases have none, or all are ignored")
    model = trials.model(everything)
    loss_all = trials.loss_of(model, everything)
    used = [everything[place] for place in used_places(model)]
    trials.total = 2 + 2 * len(used)
    rises: dict[int, float] = {}
    kept, loss_kept, note = everything, loss_all, "The model asks for no attribute, so that all are kept."
    if used:
        # by gain ratio the model of those used may be another one than that of all
        loss_used = loss_all if used == everything else trials.loss_with(used)
        rises = _rises(trials, model, everything, used, (loss_all, loss_used), by)
        some, loss = _kept(trials, rises, loss_used)
        note = "With fewer attributes more is lost, so that all are kept."
        if loss <= loss_all + SAME:
            kept, loss_kept, note = some, loss, ""
    schema, inside = trials.learning.schema, set(kept)
    uses = tuple(AttributeUse(schema[a].name, a in rises, rises.get(a), a in inside) for a in everything)
    learner, halves = type(trials.learner).__name__, (trials.n_learned, trials.n_tested)
    return Winnowing(uses, trials.loss, by, learner, trials.seed, *halves, loss_all, loss_kept, note)


def used_places(model: Any) -> list[int]:
    """The places of the attributes that a model asks for, in the order of its schema."""
    if isinstance(model, C45RulesClassifier):
        names = {condition.attribute for rule in model.rules_ for condition in rule.conditions}
        return [place for place, name in enumerate(model.schema_.names) if name in names]
    if isinstance(model, TreeClassifier):
        return sorted(set(model.tree_.attribute.tolist()) - {-1})
    return sorted(model._questions())


def _rises(
    trials: Trials, model: Any, everything: list[int], used: list[int], losses: tuple[float, float], by: str
) -> dict[int, float]:
    """How much more is lost without each attribute that is used; `losses` are those with all and with those used."""
    loss_all, loss_used = losses
    if by == "refit":
        return {a: trials.loss_with([b for b in used if b != a]) - loss_used for a in used}
    places = {a: everything.index(a) for a in used}
    return {a: trials.loss_disturbed(model, everything, places[a], by) - loss_all for a in used}


def _kept(trials: Trials, rises: dict[int, float], loss_used: float) -> tuple[list[int], float]:
    """The attributes to keep of those used, and the loss with them.

    One after the other of those that seem to be of no use is left out, the least useful first. Of several that can
    stand for each other so the last stays: without it more is lost.
    """
    kept, loss = list(rises), loss_used
    for candidate in sorted((a for a in rises if rises[a] <= SAME), key=lambda a: (rises[a], a)):
        others = [a for a in kept if a != candidate]
        if others:
            without = trials.loss_with(others)
            if without <= loss + SAME:
                kept, loss = others, without
    return kept, loss
