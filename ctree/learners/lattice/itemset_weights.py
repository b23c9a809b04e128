"""Which itemsets carry the average over all trees: P(a leaf has these conditions)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ctree.data.binary_tests import BinaryTest, BinaryTests
from ctree_ext.base.elementary import exp
from ctree_ext.base.interrupts import check_requests

Item = tuple[int, bool]
"""The number of a test, and whether it is passed."""

Region = frozenset[tuple[int, Any]]
"""What conditions say: of each attribute that they are about, between which numbers it is, or which values it has."""

NO_CONDITIONS: Region = frozenset()
NEGLIGIBLE = 1e-7
"""Ways to a region that are less probable are left out."""

MANY = 1000
"""So many regions of a level are followed, however improbable they are."""


@dataclass(frozen=True)
class Expansion:
    """What is below an itemset; all are natural logarithms but for the class counts and the tests."""

    leaf: float
    class_counts: Any
    tests: Any
    chance: Any
    passed: Any
    failed: Any

    def log_u(self) -> float:
        terms = np.append(self.chance + self.passed + self.failed, self.leaf)
        most = terms.max()
        return float(most + math.log(exp(terms - most).sum()))


class Expansions:
    """The itemsets of a lattice that have been looked at; each is worked out once."""

    def __init__(self, lattice: Any) -> None:
        self.lattice = lattice
        self.known: dict[frozenset[Item], Expansion] = {}

    def below(self, path: Sequence[Item]) -> Expansion:
        """What is below these items, which tests lead to in this order."""
        key = frozenset(path)
        if key not in self.known:
            self.known[key] = Expansion(*self.lattice.expand(path))
        return self.known[key]


class LeafSearch:
    """Itemsets by their probability to be a leaf; those that say the same are one.

    With thresholds, or several values of an attribute, many itemsets say the same: a leaf of ``x <= 3`` may stand below
    ``x <= 5`` or not. What is below an itemset depends only on the cases that meet it and on its depth, so all itemsets
    of a depth that say the same are followed as one *region*: its probability to be a node, u v / u(∅), is the sum of
    theirs. Only at the end those are left out that are less probable than was asked for, so that the weights of the
    others do not depend on it.

    On the way, what can hardly matter is left out: ways to a region that are less probable than `NEGLIGIBLE`, and where
    a level has more than `MANY` regions, the least probable of them, unless a leaf that was asked for could be below
    one: P(a region is a node) is no more than that of its parents together.
    """

    def __init__(self, lattice: Any, tests: BinaryTests, max_depth: int) -> None:
        self.expansions = Expansions(lattice)
        self.tests = tests
        self.n_values = [len(tests.schema[test.attribute].values) for test in tests.tests]
        self.max_depth = max_depth
        self.log_evidence = self.expansions.below(()).log_u()

    def leaves(self, least: float, sides: Any = None) -> list[Leaf]:
        """What is a leaf with at least this probability, the most probable first.

        `sides` says which tests a case passes: then only what holds for it.
        """
        layer = {NO_CONDITIONS: Node(0.0, ())}
        found: dict[Region, Leaf] = {}
        for depth in range(self.max_depth + 1):
            for region, node in layer.items():
                expansion = self.expansions.below(node.path)
                weight = math.exp(node.log_v + expansion.leaf - self.log_evidence)
                known = found.get(region)
                found[region] = Leaf(node.path, weight) if known is None else known.with_more(weight)
            if depth < self.max_depth:
                layer = self._kept(self._below(layer, min(least, NEGLIGIBLE), sides), self._enough(least, depth))
        leaves = [leaf for leaf in found.values() if leaf.weight >= least]
        return sorted(leaves, key=lambda leaf: (-leaf.weight, len(leaf.path), sorted(leaf.path)))

    def _enough(self, least: float, depth: int) -> float:
        """How probable a region must be that could have such a leaf below it: one of d items is reached in d! ways."""
        return math.log(least) + min(math.lgamma(depth + 2) - math.lgamma(min(self.max_depth, 5) + 1), 0.0)

    def _below(self, layer: dict[Region, Node], least: float, sides: Any) -> dict[Region, Node]:
        """The regions one level deeper, each with all the ways to it that are at least so probable."""
        below: dict[Region, Node] = {}
        for region, node in layer.items():
            check_requests()
            expansion = self.expansions.below(node.path)
            both = node.log_v + expansion.chance + expansion.passed + expansion.failed - self.log_evidence
            for i in np.flatnonzero(both >= math.log(least)).tolist():
                test = int(expansion.tests[i])
                for side in (True, False) if sides is None else (bool(sides[test]),):
                    within, other = expansion.passed, expansion.failed
                    if not side:
                        within, other = other, within
                    key = narrowed(region, self.tests.tests[test], side, self.n_values[test])
                    log_v = node.log_v + float(expansion.chance[i] + other[i])
                    known = below.get(key)
                    if known is None:
                        log_p = log_v + float(within[i]) - self.log_evidence
                        below[key] = Node(log_v, (*node.path, (test, side)), log_p)
                    else:
                        more = log_added(known.log_v, log_v)
                        below[key] = Node(more, known.path, known.log_p + more - known.log_v)
        return below

    def _kept(self, layer: dict[Region, Node], enough: float) -> dict[Region, Node]:
        if len(layer) <= MANY:
            return layer
        by_probability = sorted((node.log_p for node in layer.values()), reverse=True)
        enough = min(enough, by_probability[MANY])
        return {region: node for region, node in layer.items() if node.log_p >= enough}


class Node(NamedTuple):
    """All itemsets of one depth that say the same: ln of the sum of their v, one of them, ln P(one is a node)."""

    log_v: float
    path: tuple[Item, ...]
    log_p: float = 0.0


class Leaf(NamedTuple):
    """An itemset, with the probability that it, or one that says the same, is a leaf."""

    path: tuple[Item, ...]
    weight: float

    def with_more(self, weight: float) -> Leaf:
        return Leaf(self.path, self.weight + weight)


def narrowed(region: Region, test: BinaryTest, passed: bool, n_values: int = 0) -> Region:
    """The part of a region where a test is passed, or is not.

    >>> high, low = BinaryTest(0, threshold=5.0), BinaryTest(0, threshold=3.0)
    >>> narrowed(narrowed(NO_CONDITIONS, high, True), low, True) == narrowed(NO_CONDITIONS, low, True)
    True
    """
    parts = dict(region)
    if test.is_threshold:
        low, high = parts.get(test.attribute, (-math.inf, math.inf))
        parts[test.attribute] = (low, min(high, test.threshold)) if passed else (max(low, test.threshold), high)
    else:  # the values that are left, as bits
        left, value = parts.get(test.attribute, (1 << n_values) - 1), 1 << test.value
        parts[test.attribute] = left & value if passed else left & ~value
    return frozenset(parts.items())


def log_added(x: float, y: float) -> float:
    """ln(exp(x) + exp(y))."""
    return max(x, y) + math.log1p(math.exp(-abs(x - y)))
