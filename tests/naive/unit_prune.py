"""Error-based pruning where cases count whole numbers of a unit: parts of cases are dictionaries of integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Parts = Mapping[int, int]
"""Of each case how many units it counts."""


class UnitPruner:
    """Prunes the arrays of a tree, which become lists and are changed in place; `result` is what is left of it."""

    def __init__(self, arrays: Any, columns: Any, classes: Any, unit: float, estimate: Callable[[float, float], float]):
        self.of = {name: array.tolist() for name, array in arrays.by_name().items()}
        self.columns = columns
        self.classes = classes
        self.unit = unit
        self.pessimistic = estimate
        self.same_as = list(range(len(self.of["test"])))  # the node that has come to the place of each
        self.counts: dict[int, list[int]] = {}
        self.errors: dict[int, float] = {}

    def outcome(self, node: int, case: int) -> int | None:
        """The branch of a case, None if it is unknown."""
        value = self.columns[self.of["attribute"][node]][case]
        if self.of["test"][node] == 1:
            return None if math.isnan(value) else int(value > self.of["threshold"][node])
        return None if value < 0 else int(value)

    def divided(self, node: int, parts: Parts) -> list[tuple[int, float, Parts]]:
        """The branches that have cases of known outcome, with their share of the weight and their cases."""
        known: dict[int, dict[int, int]] = {}
        unknown = {}
        for case, units in parts.items():
            branch = self.outcome(node, case)
            if branch is None:
                unknown[case] = units
            else:
                known.setdefault(branch, {})[case] = units
        total = sum(sum(cases.values()) for cases in known.values())
        found = []
        for branch in sorted(known):
            share = (sum(known[branch].values()) * self.unit) / (total * self.unit)
            shares = {case: max(math.floor(units * share + 0.5), 1) for case, units in unknown.items()}
            found.append((self.of["first_branch"][node] + branch, share, {**known[branch], **shares}))
        return found

    def estimate(self, node: int, parts: Parts, update: bool) -> float:
        """The errors to expect of the tree at a node on these cases; with `update` it is pruned."""
        node = self.same_as[node]
        counts = [sum(u for case, u in parts.items() if self.classes[case] == c) for c in range(self.n_classes)]
        best = max(range(self.n_classes), key=lambda c: (counts[c], c == self.of["best"][node]))
        cases = sum(counts) * self.unit
        as_leaf = self.pessimistic(cases, cases - counts[best] * self.unit)
        if update:
            self.counts[node], self.errors[node], self.of["best"][node] = counts, as_leaf, best
        if self.of["test"][node] == 0:
            return as_leaf
        branches = self.divided(node, parts)
        as_tree = sum(self.estimate(branch, below, update) for branch, _, below in branches)
        if not update:
            return as_tree
        largest = max(reversed(branches), key=lambda entry: entry[1])[0]  # the last of equals
        as_branch = self.estimate(largest, parts, False)
        if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
            self.of["test"][node] = 0
        elif as_branch <= as_tree + 0.1:
            self.estimate(largest, parts, True)
            self.same_as[node] = self.same_as[largest]
        else:
            self.errors[node] = as_tree
        return self.errors[self.same_as[node]]

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.of["counts"][0])

    def result(self) -> list[tuple[int, int, list[float], float]]:
        """Of each node, level by level, its test, its class, its class weights and its errors."""
        level, found = [self.same_as[0]], []
        while level:
            below = []
            for node in level:
                counts = (np.array(self.counts.get(node, [0] * self.n_classes)) * self.unit).tolist()
                found.append((self.of["test"][node], self.of["best"][node], counts, self.errors.get(node, 0.0)))
                if self.of["test"][node]:
                    first = self.of["first_branch"][node]
                    below += [self.same_as[first + b] for b in range(self.of["n_branches"][node])]
            level = below
        return found
