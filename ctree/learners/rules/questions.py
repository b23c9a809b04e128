"""Which attribute has to be known next, to tell the first rule that applies."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ctree.tree.rule_list import MAX_ERROR, RuleList
from ctree.tree.rules import Condition


class RuleQuestions:
    """What a list of rules asks of a case, condition by condition.

    Parameters
    ----------
    rules : RuleList
    """

    def __init__(self, rules: RuleList) -> None:
        self.schema = rules.schema
        self.float32 = rules.float32
        places = {name: a for a, name in enumerate(rules.schema.names)}
        self.rules = [
            [(places[condition.attribute], condition) for condition in rule.conditions]
            for rule in rules
            if rule.error <= MAX_ERROR
        ]
        self.thresholds: dict[int, list[float]] = {}
        for a, condition in (pair for rule in self.rules for pair in rule):
            bounds = [bound for bound in (condition.above, condition.at_most) if bound is not None]
            self.thresholds.setdefault(a, []).extend(bounds)

    def next_attribute(self, known: Mapping[int, float]) -> int | None:
        """The attribute of the first condition that is open, of the first rule that may apply; None if one does."""
        for rule in self.rules:
            if any(a in known and not self._holds(a, condition, known[a]) for a, condition in rule):
                continue
            open_ = [a for a, _ in rule if a not in known]
            return open_[0] if open_ else None
        return None

    def _holds(self, attribute: int, condition: Condition, value: float) -> bool:
        if math.isnan(value):
            return False
        if self.schema[attribute].is_discrete:
            return self.schema[attribute].values[int(value)] in condition.values
        with np.errstate(over="ignore"):
            number = float(np.float32(value)) if self.float32 else value
        above = condition.above is None or number > condition.above
        return above and (condition.at_most is None or number <= condition.at_most)
