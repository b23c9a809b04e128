"""From the leaves of a tree to rules, as c4.5rules of release 8 makes them: each path, less what it can do without."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from naive.release8_grow import Column, Node, rounded
from naive.release8_numbers import add_errs, f
from naive.rules_bits import LogTables

# The kinds of conditions, as they are ordered.
VALUE, CUT, GROUP = 1, 2, 3


@dataclass(eq=False)
class Condition:
    """One step of a path: the value of an attribute is this one, or on this side of the cut, or in this group."""

    attribute: int
    kind: int
    branch: int
    cut: float | None = None
    group: tuple[int, ...] | None = None


@dataclass(eq=False)
class Rule:
    """Conditions that all have to hold, the class they imply, and the rate of errors to be expected."""

    number: int
    conditions: list[Condition]
    cls: int
    error: float
    bits: float = 0.0


class Table:
    """The cases, held by columns; an unknown value is NaN, so that no comparison with it is true."""

    def __init__(self, columns: Sequence[Column], n_values: Sequence[int], classes: Sequence[int], n_classes: int):
        self.columns = [
            None if column is None else np.array([np.nan if x is None else x for x in column], dtype=float)
            for column in rounded(columns, n_values)
        ]
        self.n_values = list(n_values)
        self.classes = np.array(classes)
        self.n_classes = n_classes
        self.n = len(classes)
        self.class_counts = [int(np.sum(self.classes == cls)) for cls in range(n_classes)]

    def satisfying(self, condition: Condition) -> np.ndarray:
        """Which cases satisfy a condition; one with an unknown value never does."""
        column = self.columns[condition.attribute]
        if condition.kind == VALUE:
            return column == condition.branch
        if condition.kind == GROUP:
            return np.isin(column, condition.group)
        return column <= condition.cut if condition.branch == 0 else column > condition.cut

    def covered(self, conditions: Sequence[Condition]) -> np.ndarray:
        """Which cases satisfy all of the conditions."""
        covered = np.ones(self.n, dtype=bool)
        for condition in conditions:
            covered &= self.satisfying(condition)
        return covered


def paths(node: Node, path: Sequence[Condition] = ()) -> Iterator[tuple[list[Condition], Node]]:
    """Every leaf with the conditions that lead to it, from the first branch to the last."""
    if node.kind == "leaf":
        yield list(path), node
        return
    for number, branch in enumerate(node.branches):
        if node.kind == "threshold":
            condition = Condition(node.attribute, CUT, number, cut=node.threshold)
        elif node.kind == "groups":
            condition = Condition(node.attribute, GROUP, number, group=node.groups[number])
        else:
            condition = Condition(node.attribute, VALUE, number)
        yield from paths(branch, [*path, condition])


def extract(tree: Node, table: Table, confidence: float = 0.25, fisher_level: float | None = None) -> list[Rule]:
    """The rules from the leaves of an unpruned tree, numbered from 1 in the order they are found."""
    rules: list[Rule] = []
    for path, leaf in paths(tree):
        if leaf.cases < 1:
            continue
        conditions, error = generalise(path, leaf.cls, table, confidence, fisher_level)
        if error is None:
            continue
        conditions = ordered(path, conditions)
        same = next((rule for rule in rules if is_same(rule, conditions, leaf.cls)), None)
        if same is None:
            rules.append(Rule(len(rules) + 1, conditions, leaf.cls, error))
        else:
            same.error = max(same.error, error)
    return rules


@dataclass
class Count:
    """How many cases some conditions cover, and how many of them are of another class than the rule's."""

    covered: int
    wrong: int

    @property
    def actual(self) -> float:
        return f(self.wrong / self.covered) if self.covered else 0.0

    def pessimistic(self, confidence: float, default_error: float) -> float:
        if self.covered == 0:
            return default_error
        covered, wrong = float(self.covered), float(self.wrong)
        return f(f(wrong + add_errs(covered, wrong, confidence)) / covered)


def generalise(
    path: Sequence[Condition], cls: int, table: Table, confidence: float, fisher_level: float | None
) -> tuple[list[Condition], float | None]:
    """Delete conditions as long as that seems to do no harm; the rest, and their error (None: they make no rule)."""
    default_error = f(1.0 - (table.class_counts[cls] + 1.0) / (table.n + 2.0))
    other_class = table.classes != cls
    log_tables = LogTables(table.n)
    conditions = list(path)
    failing = [~table.satisfying(condition) for condition in conditions]
    while conditions:
        failures = np.sum(failing, axis=0)
        with_all = count(failures == 0, other_class)
        # Without a condition, those cases are covered as well that fail this one only.
        without = [count(failures - fails == 0, other_class) for fails in failing]
        base = with_all.pessimistic(confidence, default_error)
        estimates = [each.pessimistic(confidence, default_error) for each in without]
        if not any(
            estimate <= base
            or each.actual <= with_all.actual
            or (fisher_level is not None and significance(with_all, each, log_tables) > fisher_level)
            for each, estimate in zip(without, estimates, strict=True)
        ):
            if with_all.covered == 0 or base >= default_error:
                return conditions, None
            return conditions, base
        # Not necessarily the one that gave the reason; the last of equals.
        best = max(i for i, estimate in enumerate(estimates) if estimate == min(estimates))
        del conditions[best], failing[best]
    return conditions, None


def count(covered: np.ndarray, other_class: np.ndarray) -> Count:
    return Count(int(np.sum(covered)), int(np.sum(covered & other_class)))


def significance(with_all: Count, without: Count, log_tables: LogTables) -> float:
    """Fisher's one-sided test: is the condition met by chance where there are so few errors?

    The table has the cases that meet the condition above those that fail it only; errors on the left. Summed up are
    the tables with the same margins and at most as many errors above. The logarithms are to base 2, but the
    exponential to base e, so these are no true probabilities.
    """
    log_factorial = log_tables.log_factorial
    above, below = with_all.covered, without.covered - with_all.covered
    wrong, right = without.wrong, without.covered - without.wrong
    margins = log_factorial(above) + log_factorial(below) + log_factorial(wrong) + log_factorial(right)
    total = 0.0
    for wrong_above in range(max(0, wrong - below), with_all.wrong + 1):
        cells = [wrong_above, above - wrong_above, wrong - wrong_above, below - wrong + wrong_above]
        inner = sum(log_factorial(cell) for cell in cells) + log_factorial(above + below)
        total += math.exp(margins - inner)
    return total


def ordered(path: Sequence[Condition], kept: Sequence[Condition]) -> list[Condition]:
    """The kept conditions of a path as the rule lists them.

    Again and again the one that comes before all others is swapped to the front of those not yet placed. The deleted
    ones are never chosen, but hold their places and are swapped about like the rest. As `is_before` is no proper order,
    all this decides what comes out.
    """
    result = list(path)
    for place in range(len(kept)):
        first = None
        for i in range(place, len(result)):
            if result[i] in kept and (first is None or is_before(result[i], result[first])):
                first = i
        result[place], result[first] = result[first], result[place]
    return result[: len(kept)]


def is_before(a: Condition, b: Condition) -> bool:
    if a.attribute < b.attribute or a.kind < b.kind:
        return True
    return a.attribute == b.attribute and a.kind == b.kind == CUT and a.cut < b.cut


def is_same(rule: Rule, conditions: Sequence[Condition], cls: int) -> bool:
    """Would these conditions make the same rule again? Of a cut the side does not matter."""
    if rule.cls != cls or len(rule.conditions) != len(conditions):
        return False
    for a, b in zip(rule.conditions, conditions, strict=True):
        if (a.attribute, a.kind) != (b.attribute, b.kind):
            return False
        if a.kind == VALUE and a.branch != b.branch:
            return False
        if a.kind == CUT and a.cut != b.cut:
            return False
        if a.kind == GROUP and a.group is not b.group:
            return False
    return True
