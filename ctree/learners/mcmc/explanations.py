"""What the drawn trees ask on the path of a case, and what they vote for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.learners.mcmc.sampled_trees import ChainRecord, Forest
from ctree.tree.binary_tree import condition_of
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.rules import Condition

LEAST = 0.01
"""A condition that fewer of the trees have on the path of a case is left out."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Visits = list[tuple[Places, Places]]
"""Level by level, the trees that go on and the test that each of them makes."""


def explain_by_draws(
    forest: Forest, tests: BinaryTests, data: Dataset, decide: Callable[[Floats], npt.NDArray[np.intp]]
) -> list[EnsembleExplanation]:
    """Why the average over the drawn trees gives each case its class, which `decide` makes of the probabilities."""
    labels = tests.schema.classes
    probabilities = forest.probabilities(data)
    chosen = decide(probabilities).tolist()
    votes = np.concatenate(list(forest.votes(data)))
    walks = _Walks(forest.records)
    result = []
    for case, passed in enumerate(_passed(tests, data)):
        visits = walks.visits(passed)
        shares = np.bincount(votes[:, case], minlength=len(labels)) / len(votes)
        result.append(
            EnsembleExplanation(
                labels[chosen[case]],
                dict(zip(labels, probabilities[case].tolist(), strict=True)),
                dict(zip(labels, shares.tolist(), strict=True)),
                _attributes(tests, walks.attribute_shares(visits, tests)),
                _conditions(tests, passed, walks.test_shares(visits, len(tests))),
                forest.n_draws,
            )
        )
    return result


def _passed(tests: BinaryTests, data: Dataset) -> npt.NDArray[np.bool_]:
    """Which tests each case passes, (cases, tests)."""
    levels = tests.of(data)[:, tests.attribute]
    return np.asarray(np.where(tests.ordered[tests.attribute], levels <= tests.level, levels == tests.level))


def _conditions(
    tests: BinaryTests, passed: npt.NDArray[np.bool_], shares: Floats
) -> tuple[tuple[Condition, float], ...]:
    frequent = [int(test) for test in np.argsort(-shares, kind="stable") if shares[test] >= LEAST]
    return tuple((condition_of(tests, test, bool(passed[test])), float(shares[test])) for test in frequent)


def _attributes(tests: BinaryTests, shares: Floats) -> dict[str, float]:
    """The share of trees that test each attribute on the path, the greatest first; without those that none tests."""
    asked = [int(k) for k in np.argsort(-shares, kind="stable") if shares[k] > 0]
    return {tests.schema[tests.levels[k].attribute].name: float(shares[k]) for k in asked}


class _Walks:
    """All drawn trees in a row, gone down at once by one case after the other."""

    def __init__(self, records: Sequence[ChainRecord]) -> None:
        self.tests: Places = np.concatenate([record.bank["tests"] for record in records]).astype(np.int64)
        self.end = _subtree_ends(self.tests)
        starts, weights, offset = [], [], 0
        for record in records:
            starts.append(record.bank["node_start"][:-1] + offset)
            weights.append(np.bincount(record.traces["tree"], minlength=len(record.bank["node_start"]) - 1))
            offset += len(record.bank["tests"])
        self.start: Places = np.concatenate(starts)
        self.draws: Places = np.concatenate(weights)
        self.n_draws = max(int(self.draws.sum()), 1)

    def visits(self, passed: npt.NDArray[np.bool_]) -> Visits:
        """Level by level, the trees that go on and the test that each of them makes."""
        trees, at = np.arange(len(self.start)), self.start
        result = []
        while len(trees):
            inner = self.tests[at] >= 0
            trees, at = trees[inner], at[inner]
            test = self.tests[at]
            result.append((trees, test))
            # the branch of those that pass stands next, the other one behind all of it
            at = np.where(passed[test], at + 1, self.end[at + 1]) if len(at) else at
        return result

    def test_shares(self, visits: Visits, n_tests: int) -> Floats:
        """The share of draws that make each test on the path of a case."""
        draws = np.zeros(n_tests)
        for trees, test in visits:
            draws += np.bincount(test, self.draws[trees], n_tests)
        return draws / self.n_draws

    def attribute_shares(self, visits: Visits, tests: BinaryTests) -> Floats:
        """The share of draws that test each attribute that has tests on the path of a case."""
        asked = np.zeros((len(self.start), len(tests.levels)), dtype=bool)
        for trees, test in visits:
            asked[trees, tests.attribute[test]] = True
        return np.asarray(self.draws @ asked / self.n_draws)


def _subtree_ends(tests: Places) -> Places:
    """Of each node of trees in a row, every node before its branches, the place behind all that is below it."""
    end = [0] * len(tests)
    below = tests.tolist()
    for node in range(len(end) - 1, -1, -1):
        end[node] = node + 1 if below[node] < 0 else end[end[node + 1]]
    return np.array(end, dtype=np.int64)
