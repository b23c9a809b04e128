"""What c4.5rules of release 8 prints: rules, the tables of their uses, confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence

from ctree.cli.c45_output import MAX_CONFUSED_CLASSES, confusion
from ctree.cli.c45rules import Options
from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import read_c45
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.learners.rules.evaluation import Evaluation, evaluate, evaluate_and_drop
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Rule

TITLE = "C4.5 [release 8] rule generator"


def report(options: Options) -> None:
    """Read the cases, learn, and print as the original does."""
    print(heading(options))
    data = read_c45(options.stem)
    test = read_c45(options.stem, "test") if options.unseen else None
    print(f"\nRead {data.n_cases} cases ({len(data.schema)} attributes) from {options.stem}")
    model = C45RulesClassifier(
        criterion="gain" if options.gain_only else "gain-ratio",
        min_cases=options.min_cases,
        group_values=options.group_values,
        confidence=options.confidence / 100,
        redundancy=options.redundancy,
        significance=None if options.fisher is None else options.fisher / 100,
    ).fit(data)
    print("\n------------------\nProcessing tree 0\n\nFinal rules from tree 0:")
    print(rules_text(model.selected_rules_))
    print(evaluations_text("training", data, evaluate_and_drop(model.selected_rules_, data)))
    if test is not None:
        print(evaluations_text("test", test, [evaluate(model.rules_, test)]))


def heading(options: Options) -> str:
    lines = ["", TITLE, "-" * len(TITLE), "", "    Options:", f"\tFile stem <{options.stem}>"]
    if options.unseen:
        lines.append("\tRulesets evaluated on unseen cases")
    return "\n".join(lines)


def rules_text(rules: RuleList) -> str:
    """All rules in their order, and the default class."""
    return "".join(map(rule_text, rules)) + f"\nDefault class: {rules.default}\n"


def rule_text(rule: Rule) -> str:
    conditions = "".join(f"    \t{condition}\n" for condition in rule.conditions)
    return f"\nRule {rule.number}:\n{conditions}\t->  class {rule.prediction}  [{100 * rule.confidence:.1f}%]\n"


def evaluations_text(name: str, data: Dataset, evaluations: Sequence[Evaluation]) -> str:
    """The tables of several evaluations, between each of which a rule was dropped; then the errors of the last."""
    lines = [f"\nEvaluation on {name} data ({data.n_cases} items):"]
    for evaluation in evaluations:
        lines.append(uses_text(evaluation))
        if evaluation.harmful is not None and evaluation is not evaluations[-1]:
            lines.append(f"\nDrop rule {evaluation.harmful.number}")
    last = evaluations[-1]
    share = 100 * last.errors / data.n_cases if data.n_cases else 0.0
    lines.append(f"\nTested {data.n_cases}, errors {last.errors} ({share:.1f}%)   <<")
    if data.schema.n_classes <= MAX_CONFUSED_CLASSES:
        lines.append(confusion(data, last.predicted))
    return "\n".join(lines)


def uses_text(evaluation: Evaluation) -> str:
    """The table of uses; a rule that has not been used is left out."""
    lines = [
        "\nRule  Size  Error  Used  Wrong\t          Advantage",
        "----  ----  -----  ----  -----\t          ---------",
    ]
    for use in evaluation.uses:
        if use.used:
            rule = use.rule
            lines.append(
                f"{rule.number:4d}{len(rule):6d}{100 * rule.error:6.1f}%{use.used:6d}"
                f"{use.wrong:7d} ({100 * use.wrong / use.used:.1f}%)"
                f"\t{use.better - use.worse:6d} ({use.better}|{use.worse}) \t{rule.prediction}"
            )
    return "\n".join(lines)
