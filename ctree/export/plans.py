"""Which plan an export starts from: that of a tree or of several, of rules or of naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.errors import ParameterError
from ctree.export.bayes_plan import BayesPlan, bayes_plan
from ctree.export.committee_plan import committee_plan, no_committee_export
from ctree.export.plan import Plan, plan_of
from ctree.export.rule_plan import RulePlan, rule_plan
from ctree.learners.base.one_model import one_model
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.committee.classifier import CommitteeClassifier
from ctree.learners.naive_bayes import NaiveBayesClassifier
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.tree.rule_list import RuleList
from ctree.tree.tree import Tree

INSTEAD = {
    "MCMCTreeClassifier": "it is the average of many trees; export one of `trees_`, or `best_tree_` (`ctree export "
    "--member 0` exports the first)",
    "BayesOptimalClassifier": "it is the average of all trees; export its `most_probable_tree()`, which `ctree learn "
    "--method map` learns",
    "RelationalTreeClassifier": "it asks for rows of several tables; its method `to_sql` writes a query over them",
    "BaggedTreesClassifier": "it asks for rows of several tables; its method `to_sql` writes a query over them",
}
"""What to do with models that have no export."""


def no_export(model: Any) -> str | None:
    """Why a model has no export, and what to do instead; None if it has one."""
    if isinstance(model, RuleList | C45RulesClassifier | NaiveBayesClassifier | Tree | TreeClassifier):
        return None
    name = type(model).__name__
    if isinstance(model, CommitteeClassifier):
        problem = no_committee_export(model)
        return problem and f"this {name} cannot be exported as a whole: {problem}"
    return f"a {name} cannot be exported: {INSTEAD.get(name, 'only a tree, rules and naive Bayes have such a form')}"


def planned(model: Any) -> Plan | RulePlan | BayesPlan:
    """The plan of a fitted learner or committee, of a `Tree` or of a `RuleList`."""
    if isinstance(model, RuleList):
        return rule_plan(model)
    if isinstance(model, C45RulesClassifier):
        model = one_model(model)
        model._check_fitted()
        return rule_plan(model.rules_, model._codes_of_rules(np.arange(len(model.rules_) + 1)).tolist())
    if isinstance(model, NaiveBayesClassifier):
        model = one_model(model)
        model._check_fitted()
        return bayes_plan(model)
    if problem := no_export(model):
        raise ParameterError(problem)
    return committee_plan(model) if isinstance(model, CommitteeClassifier) else plan_of(model)
