"""Growing a tree as Weka's J48 does: every test of every node weighed the long way.

All is done in double precision, and most figures are compared with a tolerance, so that neither the order of the cases
nor that of the sums should matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from naive.j48_numbers import (
    eq,
    first_greatest,
    gain_of,
    gr,
    gr_or_eq,
    in_order,
    ratio_of,
    sm,
    sm_or_eq,
    split_info_of,
)


@dataclass
class Data:
    """The cases to learn from, all of them.

    `classes` are numbers from 0, or -1 where unknown. Values are NaN where unknown; those of a discrete attribute are
    codes from 0 up to its number in `n_values`, which is 0 for a continuous one.
    """

    columns: list[np.ndarray]
    n_values: list[int]
    classes: np.ndarray
    n_classes: int


@dataclass
class Share:
    """Some of the cases: their numbers in the data, in order, and what weight of each; the sums by class and in all."""

    cases: np.ndarray
    weights: np.ndarray
    counts: list[float]
    weight: float


@dataclass
class Test:
    """A test on an attribute, and what it is worth at the node it was made for.

    `kind` is 'threshold' (branch 0: values up to the cut), 'values' (a branch for each value) or 'one value' (branch 0:
    that value; branch 1: the others).
    """

    __test__ = False  # not one of pytest's

    kind: str
    attribute: int
    n_branches: int
    gain: float
    ratio: float
    cut: float | None = None
    value: int | None = None

    def branches_of(self, column: np.ndarray) -> np.ndarray:
        """Number of the branch for each value of the tested attribute; -1 where it is unknown."""
        if self.kind == "threshold":
            branches = np.where(column <= self.cut, 0, 1)
        elif self.kind == "one value":
            branches = np.where(column == self.value, 0, 1)
        else:
            branches = np.nan_to_num(column).astype(int)
        return np.where(np.isnan(column), -1, branches)


@dataclass
class Node:
    """A node of a tree, made from some cases; a leaf if it has no test."""

    share: Share
    test: Test | None = None
    branches: list["Node"] = field(default_factory=list)

    @property
    def cases(self) -> float:
        return self.share.weight

    @property
    def cls(self) -> int:
        return first_greatest(self.share.counts)

    @property
    def errors(self) -> float:
        return self.share.weight - self.share.counts[self.cls]

    @property
    def is_empty(self) -> bool:
        return not gr(self.share.weight, 0)


class Grower:
    """What stays the same all over a tree while it grows."""

    def __init__(
        self,
        data: Data,
        *,
        min_cases: float = 2,
        binary: bool = False,
        mdl_correction: bool = True,
        actual_cut: bool = True,
    ):
        self.data = data
        self.min_cases = min_cases
        self.binary = binary
        self.mdl_correction = mdl_correction
        self.actual_cut = actual_cut
        limit = 0.3 * len(data.classes)
        self.few_valued = {a for a, n in enumerate(data.n_values) if n < limit}
        if not self.few_valued:
            self.few_valued = set(range(len(data.columns)))

    def node(self, share: Share) -> Node:
        """The tree for some cases."""
        node = Node(share)
        if sm(node.cases, 2 * self.min_cases) or eq(node.errors, 0):
            return node
        test = self.best_test(share)
        if test is None:
            return node
        if test.cut is not None and self.actual_cut:
            test.cut = self.greatest_up_to(test.cut, test.attribute)
        return Node(share, test, [self.node(part) for part in divide(self.data, test, share)])

    def best_test(self, share: Share) -> Test | None:
        """The test with the greatest gain ratio, the first of equals, among those of at least average gain."""
        tests = []
        for attribute, n_values in enumerate(self.data.n_values):
            if n_values == 0:
                tests.append(self.threshold_test(attribute, share))
            elif self.binary:
                tests.append(self.one_value_test(attribute, share))
            else:
                tests.append(self.values_test(attribute, share))
        tests = [test for test in tests if test is not None]
        gains = [test.gain for test in tests if test.attribute in self.few_valued]
        if not gains:
            return None
        average = in_order(gains) / len(gains)
        best, best_ratio = None, 0.0
        for test in tests:
            if test.gain >= average - 1e-3 and gr(test.ratio, best_ratio):
                best, best_ratio = test, test.ratio
        return best

    def frequencies(self, attribute: int, share: Share) -> tuple[np.ndarray, float]:
        """Class weights of the cases with each value of a discrete attribute; and weight of those of unknown value."""
        column = self.data.columns[attribute][share.cases]
        classes = self.data.classes[share.cases]
        known = ~np.isnan(column)
        table = np.zeros((self.data.n_values[attribute], self.data.n_classes))
        np.add.at(table, (column[known].astype(int), classes[known]), share.weights[known])
        return table, in_order(share.weights[~known])

    def values_test(self, attribute: int, share: Share) -> Test | None:
        """The test with a branch for each value of a discrete attribute."""
        table, unknown = self.frequencies(attribute, share)
        if sum(gr_or_eq(size, self.min_cases) for size in table.sum(axis=1)) < 2:
            return None
        gain = float(gain_of(table, unknown))
        return Test("values", attribute, len(table), gain, ratio_of(gain, split_info_of(table, unknown)))

    def one_value_test(self, attribute: int, share: Share) -> Test | None:
        """The best test of one value of a discrete attribute against the others, by gain ratio."""
        table, unknown = self.frequencies(attribute, share)
        best = None
        for value in range(len(table)):
            halves = np.array([table[value], np.delete(table, value, axis=0).sum(axis=0)])
            if not all(gr_or_eq(size, self.min_cases) for size in halves.sum(axis=1)):
                continue
            gain = float(gain_of(halves, unknown))
            ratio = ratio_of(gain, split_info_of(halves, unknown))
            if best is None or gr(ratio, best.ratio):
                best = Test("one value", attribute, 2, gain, ratio, value=value)
        return best

    def threshold_test(self, attribute: int, share: Share) -> Test | None:
        """The best cut of a continuous attribute, by gain; None if there is none or it gains too little."""
        column = self.data.columns[attribute][share.cases]
        known = ~np.isnan(column)
        unknown = in_order(share.weights[~known])
        order = np.argsort(column[known], kind="stable")
        values = column[known][order]
        weights = share.weights[known][order]
        classes = self.data.classes[share.cases][known][order]

        n_known = in_order(weights)
        min_split = 0.1 * n_known / self.data.n_classes
        if sm_or_eq(min_split, self.min_cases):
            min_split = self.min_cases
        elif gr(min_split, 25):
            min_split = 25
        if sm(len(values), 2 * min_split):  # their number, though some of them may be but parts of cases
            return None

        low = np.zeros((len(values), self.data.n_classes))
        low[np.arange(len(values)), classes] = weights
        low = np.cumsum(low, axis=0)  # class weights of the cases up to each one
        cuts = [
            i
            for i in np.flatnonzero(values[:-1] + 1e-5 < values[1:])
            if gr_or_eq(low[i].sum(), min_split) and gr_or_eq(n_known - low[i].sum(), min_split)
        ]
        tables = np.stack([low[cuts], low[-1] - low[cuts]], axis=1)
        best, best_gain = None, 0.0
        for number, gain in enumerate(gain_of(tables, unknown)):
            if gr(gain, best_gain):
                best, best_gain = number, float(gain)
        if best is None:
            return None
        if self.mdl_correction:
            best_gain -= np.log2(len(cuts)) / (n_known + unknown)
        if not gr(best_gain, 0):
            return None
        below, above = values[cuts[best]], values[cuts[best] + 1]
        middle = float((Fraction(float(below)) + Fraction(float(above))) / 2)  # also where their sum is infinite
        ratio = ratio_of(best_gain, split_info_of(tables[best], unknown))
        return Test("threshold", attribute, 2, best_gain, ratio, cut=float(below if middle == above else middle))

    def greatest_up_to(self, cut: float, attribute: int) -> float:
        """The greatest value of an attribute, among all the data, that is not above the cut."""
        column = self.data.columns[attribute]
        return float(max(column[column <= cut]))


def make_share(data: Data, cases: np.ndarray, weights: np.ndarray, order: np.ndarray | None = None) -> Share:
    """Some cases with their weights; the sums are made in the `order` of the places given, if any.

    The order can make a difference of half a cent where weights are fractions, as 14.625 is printed with two decimals.
    """
    order = np.arange(len(cases)) if order is None else order
    counts = np.bincount(data.classes[cases[order]], weights[order], data.n_classes)
    return Share(cases, weights, counts.tolist(), in_order(weights[order]))


def divide(data: Data, test: Test, share: Share, sizes: Sequence[float] | None = None) -> list[Share]:
    """The cases for each branch of a test; one of unknown value goes to all, in parts as the known ones do.

    Or in parts like the `sizes`, if they are given.
    """
    column = data.columns[test.attribute][share.cases]
    branches = test.branches_of(column)
    order = np.arange(len(column)) if test.kind != "threshold" else np.argsort(column, kind="stable")
    known = [order[branches[order] == number] for number in range(test.n_branches)]
    unknown = np.flatnonzero(branches == -1)
    if sizes is None:
        sizes = [in_order(share.weights[places]) for places in known]
    parts = []
    for places, size in zip(known, sizes, strict=True):
        rate = size / in_order(sizes)
        weights = np.where(branches == -1, rate * share.weights, share.weights)
        if gr(rate, 0):
            places = np.append(places, unknown)
        chosen = np.sort(places)
        parts.append(make_share(data, share.cases[chosen], weights[chosen], np.searchsorted(chosen, places)))
    return parts
