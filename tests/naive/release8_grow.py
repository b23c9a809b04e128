"""Growing a tree as C4.5 release 8 does: every test of every node weighed the long way.

Release 8 keeps the cases in one list and moves them about in place; those of a node lie side by side. The sums of
their weights, being float32, depend on that order where weights are fractions, and now and then a tree depends on them.
So the list is kept here as well: a function is given the place of its cases in it, from `start` up to `end`, and may
reorder these.

Longer than 400 lines because it is one procedure, read from top to bottom against the specification.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from naive.release8_numbers import (
    EPSILON,
    NO_GAIN,
    L,
    continuous_base_info,
    discrete_base_info,
    f,
    float_sum,
    gain,
    middle,
    split_info,
    total_info,
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
    return Grower(columns, n_values, classes, n_classes, min_cases, gain_only, subset, weights).grow()


class Grower:
    """What stays the same all over a tree while it grows.

    `all_known`, in its methods: no case had an unknown value of a test above, so that cases can simply be counted.
    """

    def __init__(self, columns, n_values, classes, n_classes, min_cases=2, gain_only=False, subset=False, weights=None):
        self.columns = rounded(columns, n_values)
        self.n_values = n_values
        self.cases = list(range(len(classes)))
        self.classes = classes
        self.n_classes = n_classes
        self.min_cases = min_cases
        self.gain_only = gain_only
        self.subset = subset
        self.given_weights = weights
        self.weights: list[float] = []
        self.attributes = [a for a, column in enumerate(columns) if column is not None]
        limit = 0.3 * (len(classes) if weights is None else sum(weights))
        self.few_valued = {a for a in self.attributes if n_values[a] < limit}
        if subset or not self.few_valued:
            self.few_valued = set(self.attributes)

    def grow(self, size: int | None = None) -> Node:
        """The tree for the first `size` cases in the present order; for all if not given."""
        given = self.given_weights
        n = len(self.cases)
        self.weights = [1.0] * n if given is None else [f(weight) for weight in given]
        return self.node(0, n if size is None else size, frozenset(), given is None)

    def node(self, start: int, end: int, tested: frozenset[int], all_known: bool) -> Node:
        """The tree for some cases, below tests on the values of the attributes `tested`."""
        cases = self.cases[start:end]
        total = count(cases, self.weights, all_known)
        class_weights = class_sums(cases, self.classes, self.weights, self.n_classes)
        best = class_weights.index(max(class_weights))
        errors = f(total - class_weights[best])
        leaf = Node("leaf", best, class_weights, total, errors)
        if class_weights[best] == total or total < 2 * self.min_cases:
            return leaf
        test = self.best_test(start, end, tested, total, all_known)
        if test is None:
            return leaf
        node = self.split(test, leaf, start, end, tested, all_known)
        if node.errors >= errors - EPSILON:
            leaf.errors = node.errors
            return leaf
        return node

    def best_test(self, start: int, end: int, tested: frozenset[int], total: float, all_known: bool) -> Test | None:
        """The test with the greatest worth, the first of equals; None if there is no sensible one."""
        tests = []
        for attribute in self.attributes:
            if self.n_values[attribute] == 0:
                tests.append(self.continuous_test(attribute, start, end, all_known))
            elif self.subset and self.n_values[attribute] > 2:
                tests.append(self.subset_test(attribute, self.cases[start:end], total))
            elif attribute not in tested:
                tests.append(self.discrete_test(attribute, self.cases[start:end], total))
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
            infos = [total_info(row) for row in table]
            test.gain = gain(base, f(unknown / total), infos, sizes, known, self.min_cases)
            test.info = split_info(unknown, sizes, total)
        return test

    def continuous_test(self, attribute: int, start: int, end: int, all_known: bool) -> Test:
        """The best cut of a continuous attribute; leaves the cases in the order of its values, unknown ones first."""
        column, weights, classes = self.columns[attribute], self.weights, self.classes
        total = count(self.cases[start:end], weights, all_known)
        first = move_to_front(self.cases, start, end, lambda case: column[case] is None)
        # class by class, then over the classes: a case after the other would add up to another last bit
        unknown = float_sum(class_sums(self.cases[start:first], classes, weights, self.n_classes))
        known = f(total - unknown)
        if known < 2 * self.min_cases:
            return Test(attribute)
        quicksort(self.cases, first, end, column)
        ordered = self.cases[first:end]
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
        for case, following in pairwise(ordered):
            low[classes[case]] = f(low[classes[case]] + weights[case])
            high[classes[case]] = f(high[classes[case]] - weights[case])
            n_low = f(n_low + weights[case])
            if n_low < min_split:
                continue
            if n_low > f(known - min_split):
                break
            if column[case] < column[following] - 1e-5:
                sizes = [n_low, f(known - n_low)]
                infos = [total_info(low), total_info(high)]
                gained = gain(base, unknown_rate, infos, sizes, known, self.min_cases)
                cuts.append((gained, split_info(unknown, sizes, total), column[case], column[following]))
        cost = f(L(len(cuts)) / total)
        test = Test(attribute)
        best = 0.0
        for gained, info, below, above in cuts:
            if f(gained - cost) > best:
                best = f(gained - cost)
                test = Test(attribute, best, info, cut=middle(below, above))
        return test

    def subset_test(self, attribute: int, cases: list[int], total: float) -> Test:
        """The test with a branch for each group of values of a discrete attribute, the groups merged one by one."""
        (*table, _), (*sizes, unknown) = self.frequencies(attribute, cases)
        known = f(total - unknown)
        if known < EPSILON:
            self.min_cases = 1  # as release 8 forgets to put it back, for the rest of the run
            return Test(attribute)
        base = discrete_base_info(column_sums(table), known)

        def weigh(blocks: list[Block], min_cases: float = 1) -> tuple[float, float, float]:
            """Gain, split info and worth of a test with these blocks as its branches."""
            sizes = [block.size for block in blocks]
            gained = gain(base, f(unknown / total), [block.info for block in blocks], sizes, known, min_cases)
            info = split_info(unknown, sizes, total)
            return gained, info, self.worth(gained, info, f(EPSILON))

        blocks = [Block(row, size, [value]) for value, (row, size) in enumerate(zip(table, sizes, strict=True))]
        previous = weigh(blocks)
        missing = [block.values[0] for block in blocks if block.size <= 0.5]
        blocks = [block for block in blocks if block.size > 0.5]
        if merge_pure(blocks):
            previous = weigh(blocks)
        blocks, previous = self.merge_blocks(blocks, previous, weigh)
        if previous[2] <= 0:
            return Test(attribute)
        gained = weigh(blocks, self.min_cases)[0]
        groups = [tuple(sorted(block.values)) for block in blocks]
        if missing:
            groups.append(tuple(missing))
        return Test(attribute, gained, previous[1], groups=groups)

    def merge_blocks(self, blocks: list["Block"], previous, weigh):
        """Merge the best pair of blocks again and again, as long as that makes the test better."""
        min_gain = f(previous[0] / 2)
        while len(blocks) > 2:
            n_large = sum(block.size >= self.min_cases for block in blocks)
            barred = max(blocks, key=lambda block: block.size) if n_large < 3 else None
            must_merge = self.gain_only or n_large < 2
            best, best_gain, best_info, best_worth = None, -EPSILON, 0.0, 0.0
            for i in range(len(blocks)):
                for j in range(i + 1, len(blocks)):
                    if barred in (blocks[i], blocks[j]):
                        continue
                    merged = merge(blocks, i, j)
                    gained, info, worth = weigh(merged)
                    if (gained >= min_gain > best_gain) or worth >= best_worth or (best is None and must_merge):
                        best, best_gain, best_info, best_worth = merged, gained, info, worth
            if not must_merge and (best is None or best_worth < previous[2] + 1e-5):
                break
            blocks, previous = best, (best_gain, best_info, best_worth)
        return blocks, previous

    def split(self, test: Test, leaf: Node, start: int, end: int, tested: frozenset[int], all_known: bool) -> Node:
        """The node that makes a test, with all that grows below it."""
        attribute = test.attribute
        node = Node("values", leaf.cls, leaf.counts, leaf.cases, 0.0, attribute)
        n_branches = self.n_values[attribute]
        if test.cut is not None:
            node.kind, n_branches = "threshold", 2
            node.threshold = self.greatest_up_to(test.cut, attribute)
        elif test.groups is not None:
            node.kind, node.groups, n_branches = "groups", test.groups, len(test.groups)
        else:
            tested = tested | {attribute}
        node.branches = [Node("leaf", leaf.cls, [0.0] * self.n_classes, 0.0, 0.0) for _ in range(n_branches)]

        def grow_branch(number: int, start: int, end: int, share: float, all_known: bool) -> None:
            node.branches[number] = self.node(start, end, tested, all_known)

        column = self.columns[attribute]
        for_each_branch(node, column, self.cases, start, end, self.weights, all_known, node.cases, grow_branch)
        node.errors = float_sum(branch.errors for branch in node.branches)
        return node

    def greatest_up_to(self, cut: float, attribute: int) -> float:
        """The greatest value of an attribute, among all cases, that is not above the cut.

        0 and -0 are equal but print differently; so it matters which of them is met first.
        """
        column = self.columns[attribute]
        return max(column[case] for case in self.cases if column[case] is not None and column[case] <= cut)


@dataclass(eq=False)
class Block:
    """Some values of a discrete attribute: class weights of their cases, the sum of those, and the values."""

    row: list[float]
    size: float
    values: list[int]

    def __post_init__(self):
        self.info = total_info(self.row)


def merge(blocks: list[Block], i: int, j: int) -> list[Block]:
    """The blocks with the j-th joined to the i-th; the last one takes the place of the j-th."""
    row = [f(x + y) for x, y in zip(blocks[i].row, blocks[j].row, strict=True)]
    merged = list(blocks)
    merged[i] = Block(row, f(blocks[i].size + blocks[j].size), blocks[i].values + blocks[j].values)
    merged[j] = merged[-1]
    return merged[:-1]


def merge_pure(blocks: list[Block]) -> bool:
    """Merge, in place, the blocks that have cases of the same one class; tells whether there were any."""
    n = len(blocks)
    i = 0
    while i < len(blocks) - 1:
        row, size = blocks[i].row, blocks[i].size
        cls = next((cls for cls, weight in enumerate(row) if weight >= 0.1), None)
        j = i + 1 if cls is not None and row[cls] >= size - 0.1 else len(blocks)
        while j < len(blocks):
            if blocks[j].row[cls] >= blocks[j].size - 0.1:
                blocks[:] = merge(blocks, i, j)
            else:
                j += 1
        i += 1
    return len(blocks) < n


def for_each_branch(
    node: Node,
    column: list,
    cases: list[int],
    start: int,
    end: int,
    weights: list[float],
    all_known: bool,
    total: float | None,
    visit: Callable[[int, int, int, float, bool], None],
) -> None:
    """Visit each branch that has a case with a known value, along with all cases that are not for a single branch.

    `visit` gets the number of the branch, the place of its cases, its share of the known ones, and whether they may be
    counted. The weights of the cases that go to all branches are multiplied by that share meanwhile. The weight of the
    known cases is what the others leave of the `total`, as in growing; or their sum if that is None, as in pruning.
    """

    def is_unknown(case):
        return node.branch_of(column[case]) is None

    def is_in_branch(case):
        return node.branch_of(column[case]) == number

    first = move_to_front(cases, start, end, is_unknown)
    if total is None:
        known = count(cases[first:end], weights, all_known)
    else:
        known = f(total - count(cases[start:first], weights, all_known))
    for number in range(len(node.branches)):
        last = move_to_front(cases, first, end, is_in_branch)
        if last == first:
            continue
        share = f(count(cases[first:last], weights, all_known) / known)
        for case in cases[start:first]:
            weights[case] = f(weights[case] * share)
        visit(number, start, last, share, all_known and first == start)
        move_to_front(cases, start, last, is_unknown)
        for case in cases[start:first]:
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


def quicksort(cases: list[int], start: int, end: int, column: list) -> None:
    """Sort the cases by their values, leaving equal ones in the order that release 8 leaves them in.

    >>> cases = [0, 1, 2, 3, 4]
    >>> quicksort(cases, 0, 5, [5.0, 1.0, 5.0, 1.0, 5.0])
    >>> cases
    [3, 1, 0, 2, 4]
    """
    stretches = [(start, end)]
    while stretches:
        start, end = stretches.pop()
        if end - start < 2:
            continue
        pivot = column[cases[end - 1]]
        middle = start
        for i in range(start, end - 1):
            if column[cases[i]] <= pivot:
                cases[middle], cases[i] = cases[i], cases[middle]
                middle += 1
        lower = middle
        for i in range(middle - 1, start - 1, -1):
            if column[cases[i]] == pivot:
                lower -= 1
                cases[lower], cases[i] = cases[i], cases[lower]
        cases[middle], cases[end - 1] = cases[end - 1], cases[middle]
        stretches += [(start, lower), (middle + 1, end)]


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
