"""Rules as a Python module that needs nothing but Python."""

from __future__ import annotations

import math

from ctree.export.python_words import KNOWN, in_brackets, in_lines, schema_text
from ctree.export.rule_plan import Demand, RulePlan

HEAD = '''\
"""Rules for a class, {n_rules} of them, as plain Python. Written by ctree; it needs nothing else.

    predict_proba({{"an attribute": its value, ...}})

A case is a mapping of names to values. None, NaN, and a discrete value that is not listed in VALUES are unknown, and
meet no condition. The first rule all of whose conditions hold gives the class, or else the default.
"""
'''

APPLY = '''

def predict_proba(case):
    """The probability of each class of CLASSES."""
    return list(PROBABILITIES[rule_of(case)])


def predict(case):
    """The class of a case, which is that of the rule, though another may be more probable."""
    return CLASSES[BEST[rule_of(case)]]


def rule_of(case):
    """The place of the first rule that applies; the number of rules if none does."""
    values = [_known(a, case[name]) for a, name in enumerate(ATTRIBUTES)]
    for place, rule in enumerate(RULES):
        if all(_holds(values[attribute], low, high, codes) for attribute, low, high, codes in rule):
            return place
    return len(RULES)


def _holds(value, low, high, codes):
    if value is None:
        return False
    if codes is not None:
        return value in codes
    return (low is None or value > low) and (high is None or value <= high)
'''


def rules_module(plan: RulePlan) -> str:
    """The text of the module."""
    place = {attribute: k for k, attribute in enumerate(plan.attributes)}
    rules = (in_brackets(_demand(plan, demand, place) for demand in rule) for rule in plan.rules)
    return (
        HEAD.format(n_rules=len(plan.rules))
        + schema_text(plan.schema, plan.attributes, "the rules ask")
        + "\n# of each condition the attribute; the bounds of a number, above the one and up to the other; the codes\n"
        f"RULES = {in_lines(rules)}\n"
        f"\n# the class of each rule, and of the default\nBEST = {plan.best!r}\n"
        f"\n# its class probabilities\nPROBABILITIES = {in_lines(map(repr, plan.probabilities))}\n" + APPLY + KNOWN
    )


def _demand(plan: RulePlan, demand: Demand, place: dict[int, int]) -> str:
    if plan.schema[demand.attribute].is_discrete:
        return f"({place[demand.attribute]}, None, None, {demand.codes!r})"
    return f"({place[demand.attribute]}, {_bound(demand.low)}, {_bound(demand.high)}, None)"


def _bound(value: float) -> str:
    return "None" if math.isinf(value) else repr(value)
