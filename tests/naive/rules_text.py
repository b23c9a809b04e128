"""The output of c4.5rules: rules and the tables of their uses."""

from collections.abc import Sequence

from naive.release8_text import MAX_CONFUSION_CLASSES, Names
from naive.rules_evaluate import Evaluation, first_harmful
from naive.rules_extract import CUT, GROUP, Condition, Rule


def condition_text(condition: Condition, names: Names) -> str:
    name = names.attributes[condition.attribute]
    values = names.values[condition.attribute]
    if condition.kind == CUT:
        return f"{name} {('<=', '>')[condition.branch]} {condition.cut:g}"
    if condition.kind == GROUP and len(condition.group) > 1:
        return f"{name} in {{{', '.join(values[value] for value in condition.group)}}}"
    value = condition.group[0] if condition.kind == GROUP else condition.branch
    return f"{name} = {values[value]}"


def rule_text(rule: Rule, names: Names) -> str:
    text = f"\nRule {rule.number}:\n"
    for condition in rule.conditions:
        text += f"    \t{condition_text(condition, names)}\n"
    return text + f"\t->  class {names.classes[rule.cls]}  [{100 * (1 - rule.error):.1f}%]\n"


def rules_text(rules: Sequence[Rule], default: int, names: Names) -> str:
    """All rules in their order, and the default class."""
    return "".join(rule_text(rule, names) for rule in rules) + f"\nDefault class: {names.classes[default]}\n\n"


def uses_text(evaluation: Evaluation, names: Names) -> str:
    """The table of uses; a rule that has not been used is left out."""
    text = "\nRule  Size  Error  Used  Wrong\t          Advantage\n"
    text += "----  ----  -----  ----  -----\t          ---------\n"
    for use in evaluation.uses:
        if use.used == 0:
            continue
        rule = use.rule
        text += f"{rule.number:4d}{len(rule.conditions):6d}{100 * rule.error:6.1f}%{use.used:6d}"
        text += f"{use.wrong:7d} ({100 * use.wrong / use.used:.1f}%)"
        text += f"\t{use.better - use.worse:6d} ({use.better}|{use.worse}) \t{names.classes[rule.cls]}\n"
    return text


def evaluations_text(evaluations: Sequence[Evaluation], names: Names, title: str) -> str:
    """The tables of several evaluations, between each of which a rule was dropped; then the errors of the last."""
    last = evaluations[-1]
    n = len(last.predicted)
    text = f"\nEvaluation on {title} data ({n} items):\n"
    for evaluation in evaluations[:-1]:
        text += uses_text(evaluation, names)
        text += f"\nDrop rule {first_harmful(evaluation).number}\n"
    text += uses_text(last, names)
    text += f"\nTested {n}, errors {last.errors} ({100 * last.errors / n:.1f}%)   <<\n"
    return text + confusion_text(last, names)


def confusion_text(evaluation: Evaluation, names: Names) -> str:
    """How the cases of each class are classified."""
    n_classes = len(names.classes)
    if n_classes > MAX_CONFUSION_CLASSES:
        return ""
    table = [[0] * n_classes for _ in range(n_classes)]
    for cls, said in zip(evaluation.classes, evaluation.predicted, strict=True):
        table[cls][said] += 1
    letters = [chr(ord("a") + cls) for cls in range(n_classes)]
    text = "\n\n\t" + "".join(f"  ({letter})" for letter in letters) + "\t<-classified as\n"
    text += "\t" + " ----" * n_classes + "\n"
    for row, letter, name in zip(table, letters, names.classes, strict=True):
        text += "\t" + "".join(f"{n:5d}" if n else "     " for n in row) + f"\t({letter}): class {name}\n"
    return text + "\n"
