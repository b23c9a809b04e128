"""Naive Bayes as a Python module that needs nothing but Python."""

from __future__ import annotations

import math

from ctree.export.bayes_plan import BayesPlan
from ctree.export.decision import python_predict
from ctree.export.python_words import KNOWN, in_brackets, in_lines, schema_text

HEAD = '''\
"""Naive Bayes of {n} attributes, as plain Python. Written by ctree; it needs nothing else.

    predict_proba({{"an attribute": its value, ...}})

A case is a mapping of names to values. None, NaN, and a discrete value that is not listed in VALUES are unknown, and
say nothing.
"""

from bisect import bisect_left
from math import exp

INFINITY = float("inf")
'''

SUM = '''

def predict_proba(case):
    """The probability of each class of CLASSES."""
    logs = list(LOG_PRIORS)
    for a, name in enumerate(ATTRIBUTES):
        value = _known(a, case[name])
        if value is not None:
            code = value if CUTS[a] is None else bisect_left(CUTS[a], value)
            for c, log in enumerate(LOGS[a][code]):
                logs[c] += log
    most = max(logs)
    weights = list(PRIORS) if most == -INFINITY else [exp(log - most) for log in logs]
    total = sum(weights)
    return [weight / total for weight in weights]
'''

PREDICT = '''

def predict(case):
    """The class of a case: the first of the most probable."""
    p = predict_proba(case)
    return CLASSES[p.index(max(p))]
'''


def bayes_module(plan: BayesPlan) -> str:
    """The text of the module."""
    asked = plan.attributes
    cuts = ("None" if plan.cuts[a] is None else _row(plan.cuts[a] or ()) for a in asked)
    logs = (in_brackets(map(_row, plan.logs[a] or ())) for a in asked)
    return (
        HEAD.format(n=len(asked))
        + schema_text(plan.schema, asked, "it asks")
        + f"\n# the upper bounds of the bins of numbers, but the last\nCUTS = {in_lines(cuts)}\n"
        f"\nPRIORS = {_row(plan.priors)}\nLOG_PRIORS = {_row(plan.log_priors)}\n"
        "\n# of each attribute, and of each value or bin of it, what it adds to the logarithm of each class\n"
        f"LOGS = {in_lines(logs)}\n" + SUM + (PREDICT if plan.worth is None else python_predict(plan.worth)) + KNOWN
    )


def _row(numbers: tuple[float, ...]) -> str:
    return in_brackets("-INFINITY" if number == -math.inf else repr(number) for number in numbers)
