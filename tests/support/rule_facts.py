"""What there is to say of a set of rules, by the naive version and by the learner, in the same words."""

from __future__ import annotations

from typing import Any

from naive.release8_grow import Node
from naive.rules_evaluate import evaluate_and_drop as naive_evaluate_and_drop
from naive.rules_extract import Table
from naive.rules_main import ruleset
from naive.rules_text import condition_text

from ctree.data.dataset import Dataset
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.learners.rules.evaluation import evaluate, evaluate_and_drop
from support.problems import Problem


class Names:
    """The names of a problem's schema as the naive version's texts want them."""

    def __init__(self, schema):
        self.attributes = schema.names
        self.values = [a.values for a in schema]


def naive_facts(problem: Problem, tree: Node, **parameters: Any) -> tuple:
    """The rules, the default class and what the rules did, by the naive version from an unpruned tree."""
    table = Table(*problem.arguments)
    names = Names(problem.schema)
    rules, default = ruleset(tree, table, **parameters)
    _, evaluations = naive_evaluate_and_drop(rules, default, table)
    facts = [
        (rule.number, [condition_text(c, names) for c in rule.conditions], f"c{rule.cls}", rule.error) for rule in rules
    ]
    uses = [
        [(use.rule.number, use.used, use.wrong, use.better, use.worse) for use in evaluation.uses]
        for evaluation in evaluations
    ]
    return facts, f"c{default}", uses, evaluations[-1].predicted


def facts_of(data: Dataset, parameters: dict[str, Any]) -> tuple:
    """The same of the learner with these parameters."""
    model = C45RulesClassifier(**parameters).fit(data)
    evaluations = evaluate_and_drop(model.selected_rules_, data)
    facts = [
        (rule.number, [str(c) for c in rule.conditions], rule.prediction, rule.error) for rule in model.selected_rules_
    ]
    uses = [
        [(use.rule.number, use.used, use.wrong, use.better, use.worse) for use in evaluation.uses]
        for evaluation in evaluations
    ]
    assert [rule.number for rule in model.rules_] == [use.rule.number for use in evaluations[-1].uses]
    predicted = evaluations[-1].predicted.tolist()
    assert model.predict(data).tolist() == [f"c{code}" for code in predicted]
    assert evaluate(model.rules_, data).predicted.tolist() == predicted
    return facts, model.default_, uses, predicted
