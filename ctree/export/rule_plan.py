"""What exports of rules start from: conditions on the attributes that a person has, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ctree.data.schema import Attribute, Schema
from ctree.export.order_words import codes_between, without_orders
from ctree.export.plan import double_threshold
from ctree.tree.rule_list import MAX_ERROR, RuleList


@dataclass(frozen=True)
class Demand:
    """What a rule demands of an attribute; an unknown value never meets it.

    Parameters
    ----------
    attribute : int
    low, high : float
        Of a continuous attribute: it is above the one and not above the other.
    codes : tuple of int
        Of a discrete attribute: the values that it may have.
    """

    attribute: int
    low: float = -math.inf
    high: float = math.inf
    codes: tuple[int, ...] = ()


@dataclass(frozen=True)
class RulePlan:
    """Rules for export, in the order in which they are tried.

    Parameters
    ----------
    schema : Schema
    rules : tuple of tuples of Demand
        Those that can apply. One demand for each bound of an attribute is enough.
    best : tuple of int
        The place of the class of each rule, and at the end of the class where no rule applies.
    probabilities : tuple of tuples of float
        In the same order.
    """

    schema: Schema
    rules: tuple[tuple[Demand, ...], ...]
    best: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]

    @property
    def attributes(self) -> list[int]:
        """The attributes that the rules ask for, in the order of the schema."""
        return sorted({demand.attribute for rule in self.rules for demand in rule})


def rule_plan(rules: RuleList, predicted: Sequence[int] | None = None) -> RulePlan:
    """The plan of a list of rules.

    Parameters
    ----------
    rules : RuleList
    predicted : sequence of int, optional
        The places of the classes that the rules predict, and at the end of that where none applies; by default their
        own.
    """
    schema = rules.schema
    places = {name: a for a, name in enumerate(schema.names)}
    classes = {label: c for c, label in enumerate(schema.classes)}

    def threshold(attribute: Attribute, value: float | None, otherwise: float) -> float:
        if value is None:
            return otherwise
        if attribute.is_moment:  # which are whole numbers
            return float(math.floor(value))
        return double_threshold(value) if rules.float32 else float(value)

    kept = [i for i, rule in enumerate(rules) if rule.error <= MAX_ERROR]
    plans = []
    for i in kept:
        demands = []
        for condition in rules[i].conditions:
            a = places[condition.attribute]
            if schema[a].is_ordered:
                demands.append(Demand(a, codes=codes_between(schema[a], condition.above, condition.at_most)))
            elif schema[a].is_discrete:
                codes = {value: code for code, value in enumerate(schema[a].values)}
                demands.append(Demand(a, codes=tuple(sorted(codes[value] for value in condition.values))))
            else:
                low = threshold(schema[a], condition.above, -math.inf)
                high = threshold(schema[a], condition.at_most, math.inf)
                demands.append(Demand(a, low, high))
        plans.append(tuple(demands))
    if predicted is None:
        predicted = [classes[label] for label in (*(rule.prediction for rule in rules), rules.default)]
    rows = [*kept, len(rules)]
    return RulePlan(
        without_orders(schema),
        tuple(plans),
        tuple(predicted[i] for i in rows),
        tuple(tuple(rules.probabilities[i].tolist()) for i in rows),
    )
