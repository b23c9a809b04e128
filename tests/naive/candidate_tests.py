"""All tests that divide the cases of a node, one after the other, and where cases go by them.

Shared by the slow probability trees and Bayesian trees. A case of unknown value goes down every branch, in parts like
the known ones of the node.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

# The number of each case, and what weight of it.
Share = list[tuple[int, float]]

# What weighs a little less than is needed has enough: parts of cases that make 1.3 may add up to 1.2999999999999998.
ALMOST = 1 - 1e-9


@dataclass
class Data:
    """The cases to learn from.

    Columns have codes from 0 up to the number in `n_values` for a discrete attribute, numbers for a continuous one (of
    0 values), None where unknown; an ignored attribute is None in place of its column. `cuts` are the only thresholds
    allowed for each continuous attribute; None for all.
    """

    columns: Sequence[Sequence | None]
    n_values: Sequence[int]
    classes: Sequence[int]
    n_classes: int
    weights: Sequence[float] | None = None
    cuts: Sequence[Sequence[float] | None] | None = None

    def all_cases(self) -> Share:
        weights = [1.0] * len(self.classes) if self.weights is None else self.weights
        return [(case, float(weight)) for case, weight in enumerate(weights) if weight > 0]

    def counts(self, cases: Share) -> list[float]:
        """Weight of each class."""
        return [math.fsum(w for case, w in cases if self.classes[case] == c) for c in range(self.n_classes)]


@dataclass(frozen=True)
class Test:
    """A test: `kind` is 'threshold' (branch 0: values up to the cut), 'values' (a branch for each value) or 'one value'
    (branch 0: that value; branch 1: all others)."""

    __test__ = False  # not one of pytest's

    kind: str
    attribute: int
    n_values: int
    cut: float | None = None
    value: int | None = None

    @property
    def n_branches(self) -> int:
        return self.n_values if self.kind == "values" else 2

    def branch_of(self, value) -> int | None:
        """Number of the branch for a value; None if it is unknown, or a code never declared."""
        if value is None or (self.n_values and value >= self.n_values):
            return None
        if self.kind == "threshold":
            return 0 if value <= self.cut else 1
        if self.kind == "one value":
            return 0 if value == self.value else 1
        return value


@dataclass
class Node:
    """A node of a tree; a leaf if it has no test. `n_tests` is how many tests it could have had."""

    counts: list[float]
    test: Test | None = None
    branches: list["Node"] = field(default_factory=list)
    n_tests: int = 0

    @property
    def size(self) -> float:
        return math.fsum(self.counts)


def attribute_tests(data: Data, attribute: int, cases: Share, binary: bool) -> Iterator[Test]:
    """The tests of one attribute: values or thresholds from the least on."""
    n = data.n_values[attribute]
    column = data.columns[attribute]
    if column is None:
        return
    if n == 0:
        cuts = None if data.cuts is None else data.cuts[attribute]
        for cut in middles({column[case] for case, _ in cases if column[case] is not None}) if cuts is None else cuts:
            yield Test("threshold", attribute, n, cut=cut)
    elif not binary:
        yield Test("values", attribute, n)
    else:
        # with two values the second test would be the first one again
        for value in range(1 if n == 2 else n):
            yield Test("one value", attribute, n, value=value)


def middles(values: set[float]) -> list[float]:
    """Halfway between neighbours; the lower one where nothing lies between.

    >>> middles({3.0, 1.0, 2.0})
    [1.5, 2.5]
    """
    # The way from one to the other may be too long for a number.
    halfway = [
        (a, b, a + (b - a) / 2 if math.isfinite(b - a) else float((Fraction(a) + Fraction(b)) / 2))
        for a, b in pairwise(sorted(values))
    ]
    return [middle if middle < b else a for a, b, middle in halfway]


def matrix_of(data: Data, test: Test, cases: Share) -> list[list[float]]:
    """Class counts of each branch, of the cases that are known to take it."""
    column = data.columns[test.attribute]
    by_branch: list[Share] = [[] for _ in range(test.n_branches)]
    for case, weight in cases:
        branch = test.branch_of(column[case])
        if branch is not None:
            by_branch[branch].append((case, weight))
    return [data.counts(part) for part in by_branch]


def candidates(
    data: Data, cases: Share, binary: bool = True, min_cases: float = 0.0
) -> list[tuple[Test, list[list[float]]]]:
    """Every test that gives cases (at least `min_cases`) to two branches or more, with its count matrix.

    >>> data = Data([[0, 1, 2, 0], [1.0, 2.0, 2.0, None]], [3, 0], [0, 0, 1, 1], 2)
    >>> for test, matrix in candidates(data, data.all_cases()):
    ...     print(test.attribute, test.value, test.cut, matrix)
    0 0 None [[1.0, 1.0], [1.0, 1.0]]
    0 1 None [[1.0, 0.0], [1.0, 2.0]]
    0 2 None [[0.0, 1.0], [2.0, 1.0]]
    1 None 1.5 [[1.0, 0.0], [1.0, 1.0]]
    """
    result = []
    for attribute in range(len(data.columns)):
        for test in attribute_tests(data, attribute, cases, binary):
            matrix = matrix_of(data, test, cases)
            if sum(math.fsum(row) > 0 and math.fsum(row) >= min_cases * ALMOST for row in matrix) >= 2:
                result.append((test, matrix))
    return result


def divide(data: Data, test: Test, cases: Share) -> list[Share]:
    """The cases of each branch; one that is not for a single branch goes to all, in parts like the others."""
    column = data.columns[test.attribute]
    parts: list[Share] = [[] for _ in range(test.n_branches)]
    unknown = []
    for case, weight in cases:
        branch = test.branch_of(column[case])
        (unknown if branch is None else parts[branch]).append((case, weight))
    sizes = [math.fsum(weight for _, weight in part) for part in parts]
    for part, size in zip(parts, sizes, strict=True):
        if size > 0:
            part.extend((case, weight * size / math.fsum(sizes)) for case, weight in unknown)
    return parts


def branch_shares(node: Node, case: Sequence) -> list[float]:
    """How much of a case goes down each branch; they sum to 1, even where those of the counts are rounded."""
    number = node.test.branch_of(case[node.test.attribute])
    if number is not None:
        return [float(number == b) for b in range(len(node.branches))]
    sizes = [branch.size for branch in node.branches]
    return [size / math.fsum(sizes) for size in sizes]


def paths(node: Node, case: Sequence) -> list[tuple[float, list[Node]]]:
    """The ways of a case from here to leaves, each a list of nodes, and how much of the case takes it."""
    if node.test is None:
        return [(1.0, [node])]
    return [
        (share * part, [node, *way])
        for share, branch in zip(branch_shares(node, case), node.branches, strict=True)
        if share > 0
        for part, way in paths(branch, case)
    ]


def equal_frequency_cuts(column: Sequence, bins: int, weights: Sequence[float] | None = None) -> list[float]:
    """Thresholds between bins of about as many known cases each: the values at ranks n/bins, 2n/bins, … rounded up.

    Equal values stay together, so there may be fewer bins. With weights: the least value that, with all below it,
    weighs i/bins of the whole.

    >>> equal_frequency_cuts([5, 3, None, 1, 2, 4], 5), equal_frequency_cuts([1, 1, 1, 1, 2, 3], 3)
    ([1, 2, 3, 4], [1])
    >>> equal_frequency_cuts([1, 2, 3], 3, [4, 1, 1])
    [1]
    """
    values = sorted(value for value in column if value is not None)
    if not values:
        return []
    if weights is not None:
        cases = [(x, Fraction(w)) for x, w in zip(column, weights, strict=True) if x is not None]
        total = sum(w for _, w in cases)
        up_to = {x: sum(w for other, w in cases if other <= x) for x in values}
        cuts = {min(x for x in values if up_to[x] * bins >= i * total) for i in range(1, bins)}
        return sorted(cut for cut in cuts if cut < values[-1])
    cuts = {values[-(-i * len(values) // bins) - 1] for i in range(1, bins)}
    return sorted(cut for cut in cuts if cut < values[-1])


def equal_width_cuts(column: Sequence, bins: int) -> list[float]:
    """Thresholds that divide the way from the least to the greatest known value into equal parts; of those that divide
    the values alike, the first.

    >>> equal_width_cuts([0, 3, None, 6, 7, 10], 5), equal_width_cuts([0, 1, 9, 10], 5), equal_width_cuts([7, 7], 5)
    ([2.0, 4.0, 6.0, 8.0], [2.0], [])
    """
    values = [Fraction(value) for value in column if value is not None]
    if not values:
        return []
    divisions: dict[tuple[bool, ...], float] = {}
    for i in range(1, bins):
        cut = min(values) + (max(values) - min(values)) * Fraction(i, bins)
        divisions.setdefault(tuple(value <= cut for value in values), float(cut))
    return [cut for sides, cut in divisions.items() if not all(sides)]


def bin_of(value: float | None, cuts: Sequence[float]) -> int | None:
    """Number of the bin of a value.

    >>> [bin_of(x, [1, 3]) for x in (1, 1.5, 3, 4, None)]
    [0, 1, 1, 2, None]
    """
    return None if value is None else sum(value > cut for cut in cuts)
