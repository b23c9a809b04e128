"""Trying a list of rules on cases, and dropping those that do more harm than good."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from naive.rules_extract import Rule, Table
from naive.rules_select import matching


@dataclass
class Use:
    """What a rule did: on how many cases it was the first to apply, how many of these it got wrong, and for how many
    it was better or worse than what would have been said without it."""

    rule: Rule
    used: int = 0
    wrong: int = 0
    better: int = 0
    worse: int = 0


@dataclass
class Evaluation:
    """The uses of all rules in their order, the cases tested, and the class given to each."""

    uses: list[Use]
    classes: Sequence[int]
    predicted: list[int] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(said != cls for said, cls in zip(self.predicted, self.classes, strict=True))


def evaluate(rules: Sequence[Rule], default: int, table: Table) -> Evaluation:
    """Give each case the class of the first rule that applies."""
    uses = [Use(rule) for rule in rules]
    result = Evaluation(uses, [int(cls) for cls in table.classes])
    matches = np.array([matching(rule, table) for rule in rules], dtype=bool).reshape(len(rules), table.n)
    for case, cls in enumerate(result.classes):
        applying = np.flatnonzero(matches[:, case])
        if len(applying) == 0:
            result.predicted.append(default)
            continue
        use = uses[applying[0]]
        said = use.rule.cls
        otherwise = rules[applying[1]].cls if len(applying) > 1 else default
        result.predicted.append(said)
        use.used += 1
        use.wrong += said != cls
        use.better += said == cls and otherwise != cls
        use.worse += said != cls and otherwise == cls
    return result


def first_harmful(evaluation: Evaluation) -> Rule | None:
    """The first rule without which more cases would have been right."""
    return next((use.rule for use in evaluation.uses if use.worse > use.better), None)


def evaluate_and_drop(rules: Sequence[Rule], default: int, table: Table) -> tuple[list[Rule], list[Evaluation]]:
    """Drop harmful rules one at a time; those left, and the evaluation before each drop and at the end."""
    rules = list(rules)
    evaluations = [evaluate(rules, default, table)]
    while (harmful := first_harmful(evaluations[-1])) is not None:
        rules.remove(harmful)
        evaluations.append(evaluate(rules, default, table))
    return rules, evaluations
