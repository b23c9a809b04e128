"""Thresholds by a score where cases count in fractions, compared with every cut weighed the long way."""

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from ctree_ext.base.cases import CaseTable
from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule

UNIT = 2.0**-30


def branch(name, counts):
    # what a branch of these class weights adds to the score
    n = counts.sum()
    if name == "n_gain":
        return (xlogy(counts, counts).sum() - xlogy(n, n)) / np.log(2)
    alpha = 2.0 / len(counts)
    return (gammaln(counts + alpha) - gammaln(alpha)).sum() - gammaln(n + 2.0) + gammaln(2.0)


def figure(name, low, high):
    both = low + high
    if name == "chi_square":
        return sum(
            ((side - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
            for side, expected in ((low, both * low.sum() / both.sum()), (high, both * high.sum() / both.sum()))
        )
    return branch(name, low) + branch(name, high) - branch(name, both)


def cuts(name, values, classes, weights, n_classes, least):
    """The score of every threshold that leaves enough on either side."""
    totals = [np.bincount(classes[values == v], weights[values == v], n_classes) for v in np.unique(values)]
    below = np.cumsum(totals, axis=0)
    middles = (np.unique(values)[1:] + np.unique(values)[:-1]) / 2
    return {
        middle: figure(name, low, below[-1] - low)
        for middle, low in zip(middles, below, strict=False)
        if low.sum() >= least and (below[-1] - low).sum() >= least
    }


@pytest.mark.parametrize("name", ["n_gain", "chi_square", "bayes"])
@pytest.mark.parametrize("n_classes", [3, 20, 40])
@pytest.mark.parametrize("n", [40, 300, 3000])
@pytest.mark.parametrize("decimals", [1, 9])
def test_the_threshold_is_the_best_and_all_are_counted(name, n_classes, n, decimals):
    rng = np.random.default_rng([n, n_classes, decimals])
    columns = [np.round(rng.normal(size=n), decimals) + 0.0 for _ in range(3)]
    classes = rng.integers(0, n_classes, n).astype(np.int32)
    classes[columns[1] > 0.7] = 1
    weights = np.maximum(np.rint(rng.choice([1.0, 0.3, 1e-3, 1e-8], n) * rng.random(n) / UNIT), 1) * UNIT
    for column in columns:
        column[rng.random(n) < 0.1] = np.nan
    table = CaseTable(columns, [0] * 3, classes, n_classes, weights, False, n, UNIT)
    score = SplitScore(name, n, n_classes, weight=weights.sum())
    # this rule counts the tests of a node, and what it asks for is little enough here
    grown = ScoreGrower(
        table, score, StoppingRule("never", weights.sum(), n_classes, pruning="mdl"), min_cases=0.5
    ).grow()
    found = [
        cuts(name, column[known], classes[known], weights[known], n_classes, 0.5)
        for column in columns
        for known in [~np.isnan(column)]
    ]
    if not grown.n_branches[0]:
        assert n == 40  # too few cases for a test to be worth it
        return
    assert grown.n_tests[0] == sum(map(len, found))
    best = max(max(scores.values()) for scores in found)
    assert found[grown.attribute[0]][grown.threshold[0]] == pytest.approx(best, abs=1e-6)
