"""RuleExplanation: the rule that gives a case its class, or that none applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctree.data.dataset import Dataset
from ctree.data.schema import Label
from ctree.tree.explain.explanation import Explanation, Reason, condition_data, plain, value_text
from ctree.tree.rules import Rule

if TYPE_CHECKING:
    from ctree.tree.rule_list import RuleList


@dataclass(frozen=True, repr=False)
class RuleExplanation(Explanation):
    """Why a case is given its class by a list of rules.

    Parameters
    ----------
    prediction : label
    probabilities : dict of label to float
        That of `prediction` is the share of such cases for which it is expected to be right.
    rule : Rule or None
        The first rule whose conditions the case meets; None if there is none, so that the default class is given.
    values : tuple
        The values by which the case meets the conditions of the rule, one for each.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45RulesClassifier().fit(ctree.load_golf())
    >>> print(model.explain({"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": None}))
    class Don't Play [63.0%] by rule 1:
        outlook = sunny
        humidity > 75 (it is 90)
    """

    rule: Rule | None = None
    values: tuple[Label, ...] = ()

    def to_text(self) -> str:
        """The rule, with the values of the case."""
        heading = self.verdict
        reason = self._reasons()[0]
        if self.rule is None:
            return f"{heading} {reason.title}"
        return "\n".join([f"{heading} {reason.title}:", *(f"    {line}" for line in reason.lines)])

    def _reasons(self) -> list[Reason]:
        if self.rule is None:
            return [Reason("by default, as no rule applies")]
        lines = []
        for condition, value in zip(self.rule.conditions, self.values, strict=True):
            obvious = condition.threshold is None and len(condition.values) == 1
            lines.append(str(condition) + ("" if obvious else f" (it is {value_text(value)})"))
        return [Reason(f"by rule {self.rule.number}", lines)]

    def _details(self) -> dict[str, Any]:
        if self.rule is None:
            return {"rule": None, "conditions": []}
        pairs = zip(self.rule.conditions, self.values, strict=True)
        return {
            "rule": self.rule.number,
            "conditions": [{**condition_data(condition), "value": plain(value)} for condition, value in pairs],
        }


def explain_by_rules(rules: RuleList, data: Dataset, predictions: Sequence[int] | None = None) -> list[RuleExplanation]:
    """The rule that gives each case of `data`, in the codes of the rules' schema, its class; or these classes."""
    result = []
    for case, at in enumerate(rules.apply(data).tolist()):
        probabilities = dict(zip(rules.schema.classes, rules.probabilities[at].tolist(), strict=True))
        rule = None if at < 0 else rules[at]
        conditions = () if rule is None else rule.conditions
        values = (data.value(case, rules.schema.index(condition.attribute)) for condition in conditions)
        prediction = rules.default if rule is None else rule.prediction
        if predictions is not None:
            prediction = rules.schema.classes[predictions[case]]
        result.append(RuleExplanation(prediction, probabilities, rule, tuple(v for v in values if v is not None)))
    return result
