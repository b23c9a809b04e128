"""Growing a tree as C4.5 release 8 does: every test of every node weighed the long way.

Release 8 keeps the cases in one list and moves them about in place. The sums of their weights, being float32, depend
on that order where weights are fractions, and now and then a tree depends on them. So the list of cases that a
function takes here is reordered by it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from naive.release8_numbers import (
    EPSILON,
    NO_GAIN,
    L,
    continuous_base_info,
    discrete_base_info,
    f,
    float_sum,
    gain,
    split_info,
)

Column = list | None


@dataclass
class Node:
    """A node of a tree.

    `kind` is 'leaf', 'threshold' (branch 0: values up to the threshold), 'values' (a branch for each value) or
    'groups' (a branch for each group of values).
    """

    kind: str
    cls: int
    counts: list[float]
    cases: float
    errors: float
    attribute: int | None = None
    threshold: float | None = None
    groups: list[tuple[int, ...]] | None = None
    branches: list["Node"] = field(default_factory=list)

    def branch_of(self, value) -> int | None:
        """Number of the branch for a value of the tested attribute; None if no single branch is for it."""
        if value is None:
            return None
        if self.kind == "threshold":
            return 0 if value <= self.threshold else 1
        if self.kind == "values":
            return value if value < len(self.branches) else None
        for number, group in enumerate(self.groups):
            if value in group:
                return number
        return None


@dataclass
class Test:
    """A test on an attribute at some node: what it gains, and the information in its outcome."""

    __test__ = False  # not one of pytest's

    attribute: int
    gain: float = NO_GAIN
    info: float = 0.0
    cut: float | None = None
    groups: list[tuple[int, ...]] | None = None


def grow(
    columns: Sequence[Column],
    n_values: Sequence[int],
    classes: Sequence[int],
    n_classes: int,
    *,
    min_cases: float = 2,
    gain_only: bool = False,
    subset: bool = False,
    weights: Sequence[float] | None = None,
) -> Node:
    """Grow a tree and collapse it.

    Parameters
    ----------
    columns
        The values of each attribute: codes from 0 for a discrete one, numbers for a continuous one, None where
        unknown. An ignored attribute is None in place of its column.
    n_values
        For each attribute the number of its values; 0 for a continuous one.
    classes, n_classes
        The class of each case, and how many classes are declared.
    min_cases
        Two branches of each test need this many cases.
    gain_only
        Choose tests by gain, not by gain ratio.
    subset
        Test a discrete attribute by groups of its values.
    weights
        Of each case; 1 if not given.
    """
    grower = Grower(columns, n_values, classes, n_classes, min_cases, gain_only, subset, weights)
    return grower.node(list(range(len(classes))), frozenset(), weights is None)


class Grower:
    """What stays the same all over a tree while it grows.

    `all_known`, in its methods: no case had an unknown value of a test above, so that cases can simply be counted.
    """

    def __init__(self, columns, n_values, classes, n_classes, min_cases=2, gain_only=False, subset=False, weights=None):
        self.columns = rounded(columns, n_values)
        self.n_values = n_values
        self.classes = classes
        self.n_classes = n_classes
        self.min_cases = min_cases
        self.gain_only = gain_only
        self.subset = subset
        self.weights = [1.0] * len(classes) if weights is None else [f(w) for w in weights]
        self.attributes = [a for a, column in enumerate(columns) if column is not None]
        limit = 0.3 * len(classes)
        self.few_valued = {a for a in self.attributes if n_values[a] < limit}
        if subset or not self.few_valued:
            self.few_valued = set(self.attributes)
        unknowns = any(None in columns[a] for a in self.attributes)
        self.order_matters = unknowns or weights is not None

    def node(self, cases: list[int], tested: frozenset[int], all_known: bool) -> Node:
        """The tree for some cases, below tests on the values of the attributes `tested`."""
        total = count(cases, self.weights, all_known)
        class_weights = class_sums(cases, self.classes, self.weights, self.n_classes)
        best = class_weights.index(max(class_weights))
        errors = f(total - class_weights[best])
        leaf = Node("leaf", best, class_weights, total, errors)
        if class_weights[best] == total or total < 2 * self.min_cases:
            return leaf
        test = self.best_test(cases, tested, total, all_known)
        if test is None:
            return leaf
        node = self.split(test, leaf, cases, tested, all_known)
        if node.errors >= errors - EPSILON:
            leaf.errors = node.errors
            return leaf
        return node

    def best_test(self, cases: list[int], tested: frozenset[int], total: float, all_known: bool) -> Test | None:
        """The test with the greatest worth, the first of equals; None if there is no sensible one."""
        tests = []
        for attribute in self.attributes:
            if self.n_values[attribute] == 0:
                tests.append(self.continuous_test(attribute, cases, all_known))
            elif self.subset and self.n_values[attribute] > 2:
                tests.append(self.subset_test(attribute, cases, total))
            elif attribute not in tested:
                tests.append(self.discrete_test(attribute, cases, total))
        average = self.average_gain(tests)
        best, best_worth = None, NO_GAIN
        for test in tests:
            worth = self.worth(test.gain, test.info, average)
            if worth > best_worth:
                best, best_worth = test, worth
        return best

    def average_gain(self, tests: list[Test]) -> float:
        """Average gain of the sensible tests on attributes without very many values."""
        gains = [test.gain for test in tests if test.gain > -EPSILON and test.attribute in self.few_valued]
        return f(float_sum(gains) / len(gains)) if gains else 1e6

    def worth(self, gain: float, info: float, average: float) -> float:
        """The gain ratio of a test that gains enough; or with `gain_only` the gain."""
        if self.gain_only:
            return gain if info > 0 and gain > -EPSILON else NO_GAIN
        return f(gain / info) if gain >= average - EPSILON and info > EPSILON else NO_GAIN

    def frequencies(self, attribute: int, cases: list[int]) -> tuple[list[list[float]], list[float]]:
        """Class weights for each value of a discrete attribute and last for the unknown one; and their sums."""
        n = self.n_values[attribute]
        column = self.columns[attribute]
        table = [[0.0] * self.n_classes for _ in range(n + 1)]
        for case in cases:
            row = table[n if column[case] is None else column[case]]
            row[self.classes[case]] = f(row[self.classes[case]] + self.weights[case])
        return table, [float_sum(row) for row in table]

    def discrete_test(self, attribute: int, cases: list[int], total: float) -> Test:
        """The test with a branch for each value of a discrete attribute."""
        test = Test(attribute)
        (*table, _), (*sizes, unknown) = self.frequencies(attribute, cases)
        known = f(total - unknown)
        if known > 0:
            base = discrete_base_info(column_sums(table), known)
            test.gain = gain(base, f(unknown / total), table, sizes, known, self.min_cases)
            test.info = split_info(unknown, sizes, total)
        return test

    def continuous_test(self, attribute: int, cases: list[int], all_known: bool) -> Test:
        """The best cut of a continuous attribute; leaves the cases in the order of its values, unknown ones first."""
        column, weights, classes = self.columns[attribute], self.weights, self.classes
        total = count(cases, weights, all_known)
        n_unknown = move_to_front(cases, 0, len(cases), lambda case: column[case] is None)
        unknown = count(cases[:n_unknown], weights, all_known)
        known = f(total - unknown)
        if known < 2 * self.min_cases:
            return Test(attribute)
        self.sort(cases, n_unknown, column)
        ordered = cases[n_unknown:]
        min_split = f(0.10 * known / self.n_classes)
        if min_split <= self.min_cases:
            min_split = self.min_cases
        elif min_split > 25:
            min_split = 25
        unknown_rate = f(1.0 - f(known / total))
        low = [0.0] * self.n_classes
        high = class_sums(ordered, classes, weights, self.n_classes)
        base = continuous_base_info(high, known)
        n_low = 0.0
        cuts = []
        for case, following in zip(ordered, ordered[1:], strict=False):
            low[classes[case]] = f(low[classes[case]] + weights[case])
            high[classes[case]] = f(high[classes[case]] - weights[case])
            n_low = f(n_low + weights[case])
            if n_low < min_split:
                continue
            if n_low > f(known - min_split):
                break
            if column[case] < column[following] - 1e-5:
                sizes = [n_low, f(known - n_low)]
                gained = gain(base, unknown_rate, [low, high], sizes, known, self.min_cases)
                cuts.append((gained, split_info(unknown, sizes, total), column[case], column[following]))
        cost = f(L(len(cuts)) / total)
        test = Test(attribute)
        best = 0.0
        for gained, info, below, above in cuts:
            if f(gained - cost) > best:
                best = f(gained - cost)
                test = Test(attribute, best, info, cut=f(f(below + above) / 2))
        return test

    def sort(self, cases: list[int], start: int, column: list) -> None:
        """Sort the cases from `start` on by their values."""
        if self.order_matters:
            quicksort(cases, start, column)
        else:
            cases[start:] = sorted(cases[start:], key=column.__getitem__)

    def subset_test(self, attribute: int, cases: list[int], total: float) -> Test:
        raise NotImplementedError

    def split(self, test: Test, leaf: Node, cases: list[int], tested: frozenset[int], all_known: bool) -> Node:
        """The node that makes a test, with all that grows below it."""
        attribute = test.attribute
        node = Node("values", leaf.cls, leaf.counts, leaf.cases, 0.0, attribute)
        n_branches = self.n_values[attribute]
        if test.cut is not None:
            node.kind, n_branches = "threshold", 2
            node.threshold = max(x for x in self.columns[attribute] if x is not None and x <= test.cut)
        elif test.groups is not None:
            node.kind, node.groups, n_branches = "groups", test.groups, len(test.groups)
        else:
            tested = tested | {attribute}
        node.branches = [Node("leaf", leaf.cls, [0.0] * self.n_classes, 0.0, 0.0) for _ in range(n_branches)]

        def grow_branch(number: int, cases: list[int], share: float, all_known: bool) -> None:
            node.branches[number] = self.node(cases, tested, all_known)

        for_each_branch(node, self.columns[attribute], cases, self.weights, node.cases, all_known, grow_branch)
        node.errors = float_sum(branch.errors for branch in node.branches)
        return node


def for_each_branch(
    node: Node,
    column: list,
    cases: list[int],
    weights: list[float],
    total: float,
    all_known: bool,
    visit: Callable[[int, list[int], float, bool], None],
) -> None:
    """Visit each branch that has a case with a known value, along with all cases that are not for a single branch.

    `visit` gets the number of the branch, its cases, its share of the known ones, and whether they may be counted. The
    weights of the cases that go to all branches are multiplied by that share meanwhile.
    """

    def is_unknown(case):
        return node.branch_of(column[case]) is None

    def is_in_branch(case):
        return node.branch_of(column[case]) == number

    n_unknown = move_to_front(cases, 0, len(cases), is_unknown)
    known = f(total - count(cases[:n_unknown], weights, all_known))
    for number in range(len(node.branches)):
        end = move_to_front(cases, n_unknown, len(cases), is_in_branch)
        if end == n_unknown:
            continue
        share = f(count(cases[n_unknown:end], weights, all_known) / known)
        for case in cases[:n_unknown]:
            weights[case] = f(weights[case] * share)
        part = cases[:end]
        visit(number, part, share, all_known and n_unknown == 0)
        cases[:end] = part
        move_to_front(cases, 0, end, is_unknown)
        for case in cases[:n_unknown]:
            weights[case] = f(weights[case] / share)


def move_to_front(cases: list[int], start: int, end: int, chosen: Callable[[int], bool]) -> int:
    """Swap the chosen cases to the front of those from `start` up to `end`; returns where the others begin.

    >>> cases = [1, 2, 3, 4, 5, 6]
    >>> move_to_front(cases, 1, 6, lambda case: case % 2 == 1), cases
    (3, [1, 3, 5, 4, 2, 6])
    """
    for i in range(start, end):
        if chosen(cases[i]):
            cases[start], cases[i] = cases[i], cases[start]
            start += 1
    return start


def quicksort(cases: list[int], start: int, column: list) -> None:
    """Sort the cases from `start` on by their values, leaving equal ones in the order that release 8 leaves them in.

    >>> cases = [0, 1, 2, 3, 4]
    >>> quicksort(cases, 0, [5.0, 1.0, 5.0, 1.0, 5.0])
    >>> cases
    [1, 3, 0, 2, 4]
    """
    stretches = [(start, len(cases) - 1)]
    while stretches:
        first, last = stretches.pop()
        if first >= last:
            continue
        pivot = column[cases[last]]
        middle = move_to_front(cases, first, last, lambda case: column[case] <= pivot)  # noqa: B023
        lower = middle - 1
        for i in range(middle - 1, first - 1, -1):
            if column[cases[i]] == pivot:
                cases[lower], cases[i] = cases[i], cases[lower]
                lower -= 1
        cases[middle], cases[last] = cases[last], cases[middle]
        stretches += [(first, lower), (middle + 1, last)]


def rounded(columns: Sequence[Column], n_values: Sequence[int]) -> list[Column]:
    """The columns as release 8 holds them: continuous values as float32."""
    return [
        column if column is None or n else [None if x is None else f(x) for x in column]
        for column, n in zip(columns, n_values, strict=True)
    ]


def count(cases: Sequence[int], weights: Sequence[float], all_known: bool) -> float:
    """Weight of the cases; simply their number where none has been divided."""
    return float(len(cases)) if all_known else float_sum(weights[case] for case in cases)


def class_sums(cases: Sequence[int], classes: Sequence[int], weights: Sequence[float], n_classes: int) -> list[float]:
    """Weight of the cases of each class."""
    sums = [0.0] * n_classes
    for case in cases:
        sums[classes[case]] = f(sums[classes[case]] + weights[case])
    return sums


def column_sums(table: Sequence[Sequence[float]]) -> list[float]:
    """Sum of the rows of a table."""
    return [float_sum(column) for column in zip(*table, strict=True)]
