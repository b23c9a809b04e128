"""Models as Python modules that need nothing but Python; here the module of a tree."""

from __future__ import annotations

from typing import Any

from ctree.export.bayes_plan import BayesPlan
from ctree.export.decision import python_predict
from ctree.export.plan import Plan
from ctree.export.plans import planned
from ctree.export.python_bayes import bayes_module
from ctree.export.python_rules import rules_module
from ctree.export.python_words import in_brackets, in_lines, schema_text, with_moments
from ctree.export.rule_plan import RulePlan

HEAD = '''\
"""{size}, as plain Python. Written by ctree; it needs nothing else.

    predict_proba({{"an attribute": its value, ...}})

A case is a mapping of names to values. None, NaN, and a discrete value that is not listed in VALUES are unknown: then
the case goes down every branch, in proportion to the training cases there.
"""

from bisect import bisect_left
'''

TREE = '''

def predict_proba(case):
    """The probability of each class of CLASSES."""
    values = [_known(a, case[name]) for a, name in enumerate(ATTRIBUTES)]
    sums = [0.0] * len(CLASSES)
    waiting = [(0, 1.0)]
'''

TREES = '''

def predict_proba(case):
    """The probability of each class of CLASSES: the mean of what the trees say."""
    values = [_known(a, case[name]) for a, name in enumerate(ATTRIBUTES)]
    sums = [0.0] * len(CLASSES)
    for root in ROOTS:
        for c, p in enumerate(_of_tree(values, root)):
            sums[c] += p
    return [s / len(ROOTS) for s in sums]


def _of_tree(values, root):
    """What the tree that begins at a node says."""
    sums = [0.0] * len(CLASSES)
    waiting = [(root, 1.0)]
'''

WALK = '''\
    while waiting:
        node, weight = waiting.pop()
        while NODES[node] is not None:
            attribute, first, branches, cuts, branch_of = NODES[node]
            value = values[attribute]
            branch = -1
            if value is not None:
                branch = bisect_left(cuts, value) if branch_of is None else branch_of[value]
            if branch < 0:
                break
            node = first + branch
        else:
            for c, p in enumerate(PROBABILITIES[node]):
                sums[c] += weight * p
            continue
        for child in range(first + branches - 1, first - 1, -1):
            if CASES[child] > 0:
                waiting.append((child, weight * CASES[child] / CASES[node]))
    total = 0.0
    for s in sums:
        total += s
    return [s / total for s in sums]


def _known(attribute, value):
    """A number, or the code of a value; None where it is unknown and nothing stands for it."""
    codes = VALUES[attribute]
    if codes is not None:
        value = codes.get(value)
    elif value is not None:
        value = float(value)
        if value != value:
            value = None
    return FILLERS[attribute] if value is None else value
'''

PREDICT = '''

def predict(case):
    """The class of a case: the first of the most probable."""
    p = predict_proba(case)
    best = 0
    for c in range(1, len(p)):
        if p[c] - p[best] > {tie_tolerance!r}:
            best = c
    return CLASSES[best]
'''


def to_python(model: Any) -> str:
    """A tree, rules, naive Bayes or a committee as a Python module with ``predict_proba(case)`` and ``predict(case)``.

    Parameters
    ----------
    model : a fitted learner of one tree, of rules or of naive Bayes, a `Tree` or a `RuleList`
        Or a `CommitteeClassifier` by bagging or of a forest, whose members are trees.

    Returns
    -------
    str
        It gives the same probabilities as the model, to the last bit, but for naive Bayes, where the exponentials of
        `math` may differ in the last one. `predict` is left out where the class of the
        model does not follow from them: in J48's variant with another estimate than ``leaves="frequency"``.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> module = {}
    >>> exec(ctree.to_python(ctree.C45Classifier(estimate="laplace").fit(golf)), module)
    >>> day = {"outlook": "sunny", "humidity": None, "windy": "true"}
    >>> [round(p, 2) for p in module["predict_proba"](day)], module["predict"](day)
    ([0.42, 0.58], "Don't Play")
    """
    plan = planned(model)
    if isinstance(plan, RulePlan):
        module = rules_module(plan)
    else:
        module = bayes_module(plan) if isinstance(plan, BayesPlan) else _tree_module(plan)
    return with_moments(module, plan.schema, plan.attributes)


def _tree_module(plan: Plan) -> str:
    used = plan.attributes
    place = {attribute: k for k, attribute in enumerate(used)}
    parts = [HEAD.format(size=plan.size), schema_text(plan.schema, used, "the tree asks")]
    fillers = in_brackets(repr(plan.fillers[a]) for a in used)
    parts.append(f"\n# what is taken for an unknown value, if anything\nFILLERS = {fillers}\n")
    parts.append(
        "\n# attribute, first branch, number of branches, upper bounds of all but the last, branch of each value\n"
        f"NODES = {in_lines(_node(plan, node, place) for node in range(len(plan.questions)))}\n"
    )
    parts.append(f"\n# the training cases at each node\nCASES = {in_brackets(map(repr, plan.cases))}\n")
    leaves = in_lines((f"{leaf}: {plan.probabilities[leaf]!r}" for leaf in plan.leaves), "{}")
    parts.append(f"\n# the class probabilities of each leaf\nPROBABILITIES = {leaves}\n")
    if len(plan.roots) > 1:
        parts.append(f"\n# where each tree begins\nROOTS = {in_brackets(map(repr, plan.roots))}\n")
    parts += [TREE if len(plan.roots) == 1 else TREES, WALK]
    if plan.worth is not None:
        parts.append(python_predict(plan.worth))
    elif plan.tie_tolerance is not None:
        parts.append(PREDICT.format(tie_tolerance=plan.tie_tolerance))
    return "".join(parts)


def _node(plan: Plan, node: int, place: dict[int, int]) -> str:
    question = plan.questions[node]
    if question is None:
        return "None"
    discrete = plan.schema[question.attribute].is_discrete
    answers = (None, question.branch_of) if discrete else (question.cuts, None)
    return repr((place[question.attribute], question.first, plan.n_branches[node], *answers))
