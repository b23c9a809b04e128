"""Which itemsets carry the average over all trees: P(a leaf has these conditions)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree_ext.base.elementary import exp

Item = tuple[int, bool]
"""The number of a test, and whether it is passed."""


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
    """Itemsets by their probability to be a leaf.

    P(I is a node) = u(I) v(I) / u(∅) is no more than that of its parents together, of which it has as many as items. So
    one that is a leaf with a probability of `least` is reached from the root over itemsets that are not much less
    probable (by d! for d items), and others need not be looked at. The v of those that are found is then made anew,
    from all of their parents. In trees of more than five levels, an itemset could be missed that has six ways to it,
    all of them less than a 120th as probable.
    """

    def __init__(self, lattice: Any, max_depth: int) -> None:
        self.expansions = Expansions(lattice)
        self.max_depth = max_depth
        self.log_evidence = self.expansions.below(()).log_u()
        self.paths: dict[frozenset[Item], tuple[float, tuple[Item, ...]]] = {frozenset(): (0.0, ())}

    def leaves(self, least: float, sides: Any = None) -> list[tuple[frozenset[Item], float]]:
        """Itemsets that are a leaf with at least this probability, the most probable first.

        `sides` says which tests a case passes: then only itemsets that hold for it.
        """
        layer: dict[frozenset[Item], tuple[float, tuple[Item, ...]]] = {frozenset(): (0.0, ())}
        found: list[tuple[frozenset[Item], float]] = []
        for depth in range(self.max_depth + 1):
            below: dict[frozenset[Item], tuple[float, tuple[Item, ...]]] = {}
            enough = math.log(least) + min(math.lgamma(depth + 1) - math.lgamma(min(self.max_depth, 5) + 1), 0.0)
            for itemset, (log_v, path) in layer.items():
                expansion = self.expansions.below(path)
                if self.log_weight(itemset) >= math.log(least):
                    found.append((itemset, math.exp(self.log_weight(itemset))))
                both = log_v + expansion.chance + expansion.passed + expansion.failed - self.log_evidence
                for i in np.flatnonzero(both >= enough):
                    test = int(expansion.tests[i])
                    for side in (True, False) if sides is None else (bool(sides[test]),):
                        other = expansion.failed[i] if side else expansion.passed[i]
                        key = itemset | {(test, side)}
                        weight = log_v + float(expansion.chance[i] + other)
                        known = below.get(key)
                        if known is not None:
                            weight = float(np.logaddexp(weight, known[0]))
                        below[key] = weight, (*path, (test, side))
            layer = below
        return sorted(found, key=lambda pair: (-pair[1], len(pair[0]), sorted(pair[0])))

    def log_weight(self, itemset: frozenset[Item]) -> float:
        """ln P(the itemset is a leaf), from all that leads to it."""
        log_v, path = self.log_v(itemset)
        if log_v == -math.inf:
            return log_v
        return log_v + self.expansions.below(path).leaf - self.log_evidence

    def log_v(self, itemset: frozenset[Item]) -> tuple[float, tuple[Item, ...]]:
        """ln v, and an order of the items in which tests lead there."""
        if itemset not in self.paths:
            total = -math.inf
            path: tuple[Item, ...] = ()
            for item in sorted(itemset):
                log_v, before = self.log_v(itemset - {item})
                if log_v == -math.inf:
                    continue
                expansion = self.expansions.below(before)
                at = np.flatnonzero(expansion.tests == item[0])
                if len(at):
                    other = expansion.failed[at[0]] if item[1] else expansion.passed[at[0]]
                    total = float(np.logaddexp(total, log_v + expansion.chance[at[0]] + other))
                    path = (*before, item)
            self.paths[itemset] = total, path
        return self.paths[itemset]
