"""The sum over all trees of 0/1 tests up to a depth, by the cases that reach a node and its depth.

Chipman's prior, every valid test as likely. Covers are the bits of whole numbers. Good for some dozens of tests at a
depth of three or four.
"""

import math
from functools import lru_cache

import numpy as np


class CoverSums:
    """All trees of some columns of 0 and 1 (cases, columns), for classes as codes."""

    def __init__(self, columns, classes, n_classes, max_depth, min_cases=1, gamma=0.8, delta=0.8, alpha=1.0):
        columns, classes = np.asarray(columns), np.asarray(classes)
        self.n, self.n_tests = columns.shape
        self.holds = [bits(columns[:, i] == 0) for i in range(self.n_tests)]
        self.of_class = [bits(classes == c) for c in range(n_classes)]
        self.max_depth, self.min_cases, self.alpha = max_depth, min_cases, alpha
        self.splits = [gamma * (1 + d) ** -delta for d in range(max_depth + 1)]
        self.all_cases = (1 << self.n) - 1
        self.inside = lru_cache(maxsize=None)(self._inside)
        self.without = lru_cache(maxsize=None)(self._without)

    def counts(self, cases):
        return [(cases & members).bit_count() for members in self.of_class]

    def branches(self, cases, depth):
        """The valid tests of a node, with the cases of their branches."""
        if depth >= self.max_depth:
            return []
        size, result = cases.bit_count(), []
        for test, holds in enumerate(self.holds):
            n = (cases & holds).bit_count()
            if n >= self.min_cases and size - n >= self.min_cases:
                result.append((test, cases & holds, cases & ~holds))
        return result

    def log_leaf(self, cases):
        counts, A = self.counts(cases), self.alpha * len(self.of_class)
        logs = sum(math.lgamma(n + self.alpha) - math.lgamma(self.alpha) for n in counts)
        return math.lgamma(A) - math.lgamma(A + sum(counts)) + logs

    def _inside(self, cases, depth):
        """ln of the sum, the expected leaves, and for each test its branches and share; the rest is the leaf's."""
        branches = self.branches(cases, depth)
        if not branches:
            return self.log_leaf(cases), 1.0, ()
        logs, leaves = [self.log_leaf(cases) + math.log1p(-self.splits[depth])], [1.0]
        for _, yes, no in branches:
            log_yes, leaves_yes, _ = self.inside(yes, depth + 1)
            log_no, leaves_no, _ = self.inside(no, depth + 1)
            logs.append(math.log(self.splits[depth] / len(branches)) + log_yes + log_no)
            leaves.append(leaves_yes + leaves_no)
        weights = np.exp(np.array(logs) - max(logs))
        shares = (weights / weights.sum()).tolist()
        kept = tuple((t, yes, no, s) for (t, yes, no), s in zip(branches, shares[1:], strict=True) if s > 1e-13)
        return max(logs) + math.log(weights.sum()), float(np.dot(shares, leaves)), kept

    @property
    def expected_leaves(self):
        return self.inside(self.all_cases, 0)[1]

    def _without(self, cases, depth):
        """For each test, the chance that a tree from here on does not have it."""
        branches = self.inside(cases, depth)[2]
        result = np.full(self.n_tests, 1 - sum(share for *_, share in branches))
        for test, yes, no, share in branches:
            both = share * self.without(yes, depth + 1) * self.without(no, depth + 1)
            both[test] = 0.0
            result += both
        return result

    @property
    def inclusion(self):
        """For each test, the chance that a tree has it."""
        return 1 - self.without(self.all_cases, 0)

    @property
    def predictions(self):
        """For each case the averaged class probabilities: from above, the chance that a node is there and a leaf."""
        result = np.zeros((self.n, len(self.of_class)))
        level = {self.all_cases: 1.0}
        for depth in range(self.max_depth + 1):
            below = {}
            for cases, chance in level.items():
                branches = self.inside(cases, depth)[2]
                counts = np.array(self.counts(cases)) + self.alpha
                rows = [i for i in range(self.n) if cases >> i & 1]
                result[rows] += chance * (1 - sum(share for *_, share in branches)) * counts / counts.sum()
                for _, yes, no, share in branches:
                    for part in (yes, no):
                        below[part] = below.get(part, 0.0) + chance * share
            level = below
        return result


def bits(members):
    """The number whose bits are these.

    >>> bits([True, False, True])
    5
    """
    return sum(1 << i for i, member in enumerate(members) if member)
