"""Tests of significance against scipy, Demšar's tables and numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ctree.errors import DataError, ParameterError
from ctree.evaluate.significance import corrected_t, friedman, paired_t

DEMSAR = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Critical values of the two-tailed Nemenyi test at 0.05, by the number of learners (Demšar 2006, Table 5a)."""


def with_moments(mean, deviation, k):
    values = np.random.default_rng(0).normal(size=k)
    return mean + deviation * (values - values.mean()) / values.std(ddof=1)


def test_the_worked_example():
    differences = with_moments(0.012433, 0.029009, 100)
    test = corrected_t(differences, 1 / 9)
    assert (round(test.t, 4), round(test.p, 3), test.df) == (1.2315, 0.221, 99)
    assert round(paired_t(differences).t, 2) == 4.29
    assert paired_t(differences).t / test.t == pytest.approx(math.sqrt(1 + 100 / 9))


@settings(deadline=None)
@given(st.integers(2, 40), st.floats(-1, 1), st.integers(0, 1000))
def test_the_paired_test_is_scipys(k, shift, seed):
    differences = np.random.default_rng(seed).normal(shift, 1, k)
    ours, theirs = paired_t(differences), stats.ttest_1samp(differences, 0.0)
    assert (ours.t, ours.p, ours.df) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue), k - 1)


@pytest.mark.parametrize("test", [paired_t, lambda d: corrected_t(d, 1 / 9)])
def test_equal_differences(test):
    assert test([0.0] * 10)[2] == 1.0
    assert test([0.1] * 10)[1:3] == (math.inf, 0.0)
    assert test([-0.1] * 10)[1:3] == (-math.inf, 0.0)


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(3, 6), st.integers(0, 1000))
def test_friedman_is_scipys(n, k, seed):
    table = np.random.default_rng(seed).integers(0, 5, (n, k)).astype(float)
    if all(len(set(row)) == 1 for row in table.tolist()):
        return
    ours, theirs = friedman(table), stats.friedmanchisquare(*table.T)
    assert (ours.statistic, ours.p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))
    assert ours.ranks == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0))


def test_two_learners_by_the_same_formula():
    # 8 wins, 2 losses: (8 - 2)² / 10
    table = [[1.0, 0.0]] * 8 + [[0.0, 1.0]] * 2
    assert friedman(table).statistic == pytest.approx(3.6)
    # a tie counts for nothing
    assert friedman([*table, [1.0, 1.0]]).statistic == pytest.approx(3.6)


@pytest.mark.parametrize("k", DEMSAR)
def test_critical_differences_are_demsars(k):
    n = 20
    table = np.random.default_rng(k).normal(size=(n, k))
    result = friedman(table)
    assert result.critical_difference == pytest.approx(DEMSAR[k] * math.sqrt(k * (k + 1) / (6 * n)), rel=4e-4)
    # a pair is significant exactly if its ranks are that far apart
    gaps = np.abs(result.ranks[:, None] - result.ranks[None, :])
    assert ((result.pairs < 0.05) == (gaps > result.critical_difference)).all()
    assert np.diag(result.pairs) == pytest.approx(np.ones(k))


def test_all_ties():
    result = friedman(np.ones((4, 3)))
    assert (result.statistic, result.p, result.ranks.tolist()) == (0.0, 1.0, [2.0, 2.0, 2.0])


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="at least 2 differences"):
        paired_t([0.1])
    with pytest.raises(DataError, match="finite"):
        corrected_t([0.1, math.nan], 1 / 9)
    with pytest.raises(ParameterError, match="test_ratio"):
        corrected_t([0.1, 0.2], 0)
    with pytest.raises(DataError, match="at least 2 data sets"):
        friedman([[1, 2, 3]])
    with pytest.raises(DataError, match="finite"):
        friedman([[1, 2], [math.nan, 2]])
    with pytest.raises(ParameterError, match="significance"):
        friedman([[1, 2], [2, 1]], significance=1)
