"""What exports of naive Bayes start from: what each value, or each bin of numbers, adds to the logarithm of a class."""

from __future__ import annotations

from dataclasses import dataclass

from ctree.data.schema import Schema
from ctree.export.decision import Worth, worth_of
from ctree.export.order_words import without_orders
from ctree.learners.naive_bayes import NaiveBayesClassifier
from ctree_ext.base.elementary import log

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class BayesPlan:
    """Naive Bayes for export.

    A class is as probable as the exponential of its prior logarithm and of what the known values add to it, all
    normalised. Where that is 0 for all classes, the priors are given.

    Parameters
    ----------
    schema : Schema
    priors : tuple of float
        The probability of each class.
    log_priors : tuple of float
    cuts : tuple
        Per attribute the upper bounds of its bins but the last; None for one that is not continuous.
    logs : tuple
        Per attribute a row for each value or bin, with what it adds for each class, -inf where it rules it out; None
        for an attribute that is ignored.
    worth : tuple of tuples of float, or None
        What predictions go by if they go by costs; see `ctree.export.decision`.
    """

    schema: Schema
    priors: tuple[float, ...]
    log_priors: tuple[float, ...]
    cuts: tuple[tuple[float, ...] | None, ...]
    logs: tuple[Rows | None, ...]
    worth: Worth | None = None

    @property
    def attributes(self) -> list[int]:
        """The attributes that say something, in the order of the schema."""
        return [a for a, rows in enumerate(self.logs) if rows is not None and any(map(any, rows))]


def bayes_plan(model: NaiveBayesClassifier) -> BayesPlan:
    """The plan of a fitted model."""
    priors = model._priors()
    logs = []
    for counts in model.counts_:
        factors = None if counts is None else log(model._factors(counts))
        logs.append(None if factors is None else tuple(map(tuple, factors.tolist())))
    pairs = zip(model.schema_, model.cuts_, strict=True)
    cuts = [None if bounds is None or a.is_ordered else tuple(bounds.tolist()) for a, bounds in pairs]
    return BayesPlan(
        without_orders(model.schema_),
        tuple(priors.tolist()),
        tuple(log(priors).tolist()),
        tuple(cuts),
        tuple(logs),
        worth_of(model),
    )
