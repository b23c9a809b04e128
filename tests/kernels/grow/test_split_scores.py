"""Split criteria as functions of a count matrix, against scipy and the naive version."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import bayes_criteria as naive
from scipy.special import gammaln
from scipy.stats import chi2, chi2_contingency, entropy

from ctree import criteria
from ctree.errors import ParameterError

counts = st.one_of(
    st.integers(0, 40).map(float),
    st.floats(0.01, 50).map(lambda x: round(x, 3)),
    st.sampled_from([0.0, 0.0, 1.0, 100000.0]),
)


@st.composite
def matrices(draw):
    n_classes = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(counts, min_size=n_classes, max_size=n_classes), min_size=1, max_size=5))
    return np.array(rows)


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-8)


@settings(deadline=None, max_examples=300)
@given(matrices(), st.floats(0, 20))
def test_gains_are_entropies_by_scipy(matrix, unknown):
    total = matrix.sum()
    if total == 0:
        assert (criteria.gain(matrix), criteria.gain_ratio(matrix), criteria.n_gain(matrix)) == (0, 0, 0)
        return
    before = total * entropy(matrix.sum(axis=0), base=2)
    after = sum(row.sum() * entropy(row, base=2) for row in matrix if row.sum() > 0)
    assert criteria.n_gain(matrix) == near(before - after)
    assert criteria.gain(matrix, unknown) == near((before - after) / (total + unknown))
    info = entropy([*matrix.sum(axis=1), unknown], base=2)
    assert criteria.split_info(matrix, unknown) == near(info)
    if info > 1e-6:
        assert criteria.gain_ratio(matrix, unknown) == near((before - after) / (total + unknown) / info)


@settings(deadline=None, max_examples=300)
@given(matrices())
def test_chi_square_is_scipys(matrix):
    filled = matrix[matrix.sum(axis=1) > 0][:, matrix.sum(axis=0) > 0]
    expected = chi2_contingency(filled, correction=False).statistic if filled.size else 0.0
    assert criteria.chi_square(matrix) == near(expected)


@settings(deadline=None, max_examples=300)
@given(matrices(), st.sampled_from([0.5, 1.0, 2.0, 7.5, "classes"]))
def test_beta_is_a_sum_of_log_gammas(matrix, prior_weight):
    n_classes = matrix.shape[1]
    S = n_classes if prior_weight == "classes" else prior_weight
    alphas = np.full(n_classes, S / n_classes)
    leaves = gammaln(S) - gammaln(S + matrix.sum(axis=1)) + (gammaln(matrix + alphas) - gammaln(alphas)).sum(axis=1)
    assert criteria.beta(matrix, prior_weight) == near(leaves.sum())
    assert criteria.beta(matrix[0], prior_weight) == near(leaves[0])
    assert criteria.log_bayes_factor(matrix, prior_weight) == near(naive.log_bayes_factor(matrix, prior_weight))
    parent = matrix.sum(axis=0)
    assert criteria.nonuniform_priors(parent, prior_weight).tolist() == near(
        naive.nonuniform_priors(parent.tolist(), prior_weight)
    )
    assert criteria.nonuniform_priors(parent, prior_weight).sum() == near(S)


@given(st.floats(1, 1e6), st.integers(1, 30), st.integers(1, 500), st.integers(2, 6), st.sampled_from([0.01, 0.1]))
def test_thresholds(n, n_classes, n_tests, branches, level):
    assert criteria.bic_threshold(n, n_classes, branches) == near(naive.bic_threshold(n, n_classes, branches))
    mdl = criteria.mdl_threshold(n, n_classes, n_tests, branches)
    assert mdl == near(naive.mdl_threshold(n, n_classes, n_tests, branches))
    cutoff = criteria.chi_square_cutoff(n_tests, n_classes, branches, level)
    if n_classes == 1:
        assert cutoff == math.inf
    else:
        assert chi2.sf(cutoff, (branches - 1) * (n_classes - 1)) == near(level / n_tests)


def test_worked_numbers():
    # spec §5
    matrix = [[50, 10], [10, 30]]
    assert round(criteria.n_gain(matrix), 4) == 25.6426
    assert round(criteria.bic_threshold(200, 2), 4) == 3.8219
    assert round(criteria.mdl_threshold(200, 2, 16), 4) == 9.8219
    assert round(criteria.n_gain(matrix) - criteria.mdl_threshold(200, 2, 16), 4) == 15.8207
    assert [round(criteria.chi_square_cutoff(16, c), 4) for c in (2, 10)] == [7.4768, 22.9762]
    # §4.1: only the observed values matter
    assert round(criteria.log_bayes_factor([[4, 0], [2, 6]]), 2) == 2.25
    assert criteria.log_bayes_factor([[4, 0], [2, 6], [0, 0]]) == criteria.log_bayes_factor([[4, 0], [2, 6]])
    # §4.2
    nodes = [6, 4], [6, 1], [0, 3], [5, 0], [1, 1]
    assert [round(criteria.beta(n), 6) for n in nodes] == [-7.745003, -4.025352, -1.386294, -1.791759, -1.791759]
    assert round(criteria.log_bayes_factor([[6, 1], [0, 3]]), 6) == 2.333357
    assert round(criteria.log_bayes_factor([[5, 0], [1, 1]]), 6) == 0.441833
    assert round(criteria.log_bayes_factor([[2500, 0], [0, 2500]])) == 3454
    # §4.3
    assert criteria.nonuniform_priors([5, 3, 0, 0, 2], 5).tolist() == [1.25, 1.25, 0.625, 0.625, 1.25]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: criteria.gain([1, 2]), "counts must be a matrix of branches by classes, not of shape (2,)"),
        (lambda: criteria.beta([[1, -2]]), "counts must be finite and not negative"),
        (lambda: criteria.n_gain([[1, math.nan]]), "counts must be finite and not negative"),
        (lambda: criteria.beta([1, 2], 0), "prior_weight must be a number greater than 0 or 'classes', not 0"),
        (lambda: criteria.beta([1, 2], "all"), "prior_weight must be a number greater than 0 or 'classes', not 'all'"),
        (lambda: criteria.beta([1, 2], priors=[1, 0]), "priors must be 2 numbers greater than 0, one per class"),
        (lambda: criteria.mdl_threshold(10, 2, 0), "n_tests must be a whole number of at least 1, not 0"),
        (lambda: criteria.bic_threshold(0, 2), "n must be a number greater than 0, not 0"),
        (
            lambda: criteria.chi_square_cutoff(3, 2, level=1),
            "level must be a number greater than 0 and less than 1, not 1",
        ),
        (lambda: criteria.bic_threshold(10, 2, branches=0), "branches must be a whole number of at least 1, not 0"),
        (lambda: criteria.bic_threshold(10, 2.5), "n_classes must be a whole number of at least 1, not 2.5"),
        (lambda: criteria.gain([["a"]]), "counts must be a matrix of numbers, branches by classes"),
        (lambda: criteria.nonuniform_priors([[1, 2], [3, 4]]), "parent must be the class counts of one node, not of 2"),
        (lambda: criteria.gain([[1, 2]], unknown=-1), "unknown must be at least 0, not -1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == message
