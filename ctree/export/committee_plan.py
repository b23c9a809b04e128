"""A committee whose members' probabilities are averaged, as one plan of many trees."""

from __future__ import annotations

from dataclasses import replace

from ctree.errors import ParameterError
from ctree.export.decision import worth_of
from ctree.export.plan import Plan, Question, plan_of
from ctree.learners.base.one_model import one_model
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.committee.classifier import CommitteeClassifier

ONE = "export one of `members_` (`ctree export --member 0` exports the first)"


def no_committee_export(model: CommitteeClassifier) -> str | None:
    """Why a committee has no export as a whole, and what to do instead; None if it has one."""
    model._check_fitted()
    if model._is_boosted:
        return f"its members vote, and only committees that average probabilities have such a form; {ONE}"
    if not all(isinstance(member, TreeClassifier) for member in model.members_):
        return f"its members are rules; {ONE}"
    return None


def committee_plan(model: CommitteeClassifier) -> Plan:
    """The plan of a fitted committee that averages the probabilities of trees."""
    model = one_model(model)
    members = [plan_of(member) for member in model.members_]
    first = members[0]
    if any(plan.fillers != first.fillers for plan in members):
        raise ParameterError(
            f"this CommitteeClassifier cannot be exported as a whole: its members take different values for unknown "
            f"ones; {ONE}"
        )
    questions: list[Question | None] = []
    roots: list[int] = []
    for plan in members:
        begin = len(questions)
        roots.append(begin)
        questions += [None if q is None else replace(q, first=q.first + begin) for q in plan.questions]
    return Plan(
        first.schema,
        tuple(questions),
        tuple(n for plan in members for n in plan.n_branches),
        tuple(n for plan in members for n in plan.cases),
        tuple(row for plan in members for row in plan.probabilities),
        first.fillers,
        0.0,
        worth_of(model),
        tuple(roots),
    )
