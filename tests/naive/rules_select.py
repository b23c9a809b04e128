"""Which rules to keep for each class, in which order, and the class to suppose where none applies."""

from collections.abc import Iterator, Sequence

import numpy as np

from naive.release8_numbers import f, float_sum
from naive.release8_window import glibc_random
from naive.rules_bits import LogTables, attribute_bits, choice_bits, exception_bits
from naive.rules_extract import GROUP, Rule, Table

MAX_EXHAUSTIVE = 10
CLIMBS = 11
MAX_ERROR = 0.7


def set_bits(rules: Sequence[Rule], table: Table, redundancy: float = 1.0) -> None:
    """Note in each rule how many bits it takes to tell it."""
    log_tables = LogTables(table.n)
    bits = [
        0.0 if column is None else attribute_bits(column, n_values)
        for column, n_values in zip(table.columns, table.n_values, strict=True)
    ]
    choice = choice_bits(bits)
    for rule in rules:
        total = 0.0
        for condition in rule.conditions:
            own = bits[condition.attribute]
            if condition.kind == GROUP:
                own = f(own + table.n_values[condition.attribute])
            total = f(total + f(f(choice / f(redundancy)) + own))
        k = len(rule.conditions)
        # The order of the conditions does not matter.
        rule.bits = f(f(total + log_tables.log(k)) - log_tables.log_factorial(k))


def matching(rule: Rule, table: Table) -> np.ndarray:
    """Which cases a rule applies to; one with too great an error applies to none."""
    if rule.error > MAX_ERROR:
        return np.zeros(table.n, dtype=bool)
    return table.covered(rule.conditions)


class Chooser:
    """The rules of one class, of which some are to be chosen."""

    def __init__(self, rules: Sequence[Rule], cls: int, table: Table):
        self.rules = rules
        self.matches = [matching(rule, table) for rule in rules]
        self.in_class = table.classes == cls
        self.n_in_class = table.class_counts[cls]
        self.n = table.n
        self.log_tables = LogTables(table.n)

    def value(self, chosen: Sequence[bool], times_covered: np.ndarray) -> float:
        """Bits it takes to tell the chosen rules and their exceptions; the fewer the better."""
        covered = times_covered > 0
        n_covered = int(np.sum(covered))
        n_right = int(np.sum(covered & self.in_class))
        exceptions = exception_bits(self.n, n_covered, n_covered - n_right, self.n_in_class - n_right, self.log_tables)
        bits = float_sum(rule.bits for rule, is_in in zip(self.rules, chosen, strict=True) if is_in)
        return f(0.5 * (bits - self.log_tables.log_factorial(sum(chosen))) + exceptions)

    def times_covered(self, chosen: Sequence[bool]) -> np.ndarray:
        """By how many of the chosen rules each case is covered."""
        times = np.zeros(self.n, dtype=int)
        for match, is_in in zip(self.matches, chosen, strict=True):
            if is_in:
                times += match
        return times

    def best_of_all(self) -> list[bool]:
        """The best of all sets of rules, the first of equals: those without the last rule come first."""
        best: list[bool] = []
        least = float("inf")
        for mask in range(2 ** len(self.rules)):
            chosen = [bool(mask >> i & 1) for i in range(len(self.rules))]
            value = self.value(chosen, self.times_covered(chosen))
            if value < least:
                best, least = chosen, value
        return best

    def best_of_climbs(self, random: Iterator[int]) -> list[bool]:
        """The best set met when rules are added or dropped one at a time, from several starts."""
        best: list[bool] = []
        least = float("inf")
        for climb in range(CLIMBS):
            chance = climb / (CLIMBS - 1)
            chosen = [next(random) / 2**31 < chance for _ in self.rules]
            times = self.times_covered(chosen)
            value = self.value(chosen, times)
            while True:
                if value < least:
                    best, least = list(chosen), value
                greatest, which = 0.0, None
                for i, match in enumerate(self.matches):
                    chosen[i] = not chosen[i]
                    saving = f(value - self.value(chosen, times + match if chosen[i] else times - match))
                    chosen[i] = not chosen[i]
                    if saving > greatest:
                        greatest, which = saving, i
                if which is None:
                    break
                chosen[which] = not chosen[which]
                times = self.times_covered(chosen)
                value = self.value(chosen, times)
        return best


def select(rules: Sequence[Rule], table: Table) -> list[list[Rule]]:
    """The rules chosen for each class."""
    random = glibc_random()  # of one state for all classes
    selected = []
    for cls in range(table.n_classes):
        own = [rule for rule in rules if rule.cls == cls]
        chooser = Chooser(own, cls, table)
        chosen = chooser.best_of_all() if len(own) <= MAX_EXHAUSTIVE else chooser.best_of_climbs(random)
        selected.append([rule for rule, is_in in zip(own, chosen, strict=True) if is_in])
    return selected


def arrange(selected: Sequence[Sequence[Rule]], table: Table) -> tuple[list[Rule], int]:
    """The chosen rules in the order in which they are tried, and the class if none applies."""
    order: list[Rule] = []
    left = {cls for cls, rules in enumerate(selected) if rules}
    uncovered = np.ones(table.n, dtype=bool)
    covers = [np.logical_or.reduce([matching(rule, table) for rule in rules]) if rules else None for rules in selected]
    while left:
        # The class that does least harm goes first; of equals, that of lowest index.
        cls = min(left, key=lambda cls: (int(np.sum(covers[cls] & uncovered & (table.classes != cls))), cls))
        left.remove(cls)
        uncovered &= ~covers[cls]
        order += sorted(selected[cls], key=lambda rule: (rule.error, rule.number))
    n_uncovered = [int(np.sum(table.classes[uncovered] == cls)) for cls in range(table.n_classes)]
    default = max(range(table.n_classes), key=lambda cls: (n_uncovered[cls], table.class_counts[cls], -cls))
    return order, default
