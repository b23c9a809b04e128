"""Gain and split info against the naive arithmetic, against scipy's entropy, and on worked examples."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import release8_numbers as naive
from naive.release8_numbers import f, float_sum

from ctree_ext.grow.criteria import information_gain


@st.composite
def count_matrices(draw, whole: bool | None = None):
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = rng.integers(0, draw(st.sampled_from([2, 10, 1000])), size=shape).astype(float)
    if not (draw(st.booleans()) if whole is None else whole):
        counts = (counts * rng.random(shape)).astype(np.float32).astype(float)
    return counts


def naive_gain(counts, unknown, threshold, min_cases):
    rows = counts.tolist()
    sizes = [float_sum(row) for row in rows]
    known = float_sum(sizes)
    total = f(known + unknown)
    if known <= 0:
        return naive.NO_GAIN, 0.0
    classes = [float_sum(column) for column in zip(*rows, strict=True)]
    if threshold:
        base, rate = naive.continuous_base_info(classes, known), f(1.0 - f(known / total))
    else:
        base, rate = naive.discrete_base_info(classes, known), f(unknown / total)
    infos = [naive.total_info(row) for row in rows]
    return naive.gain(base, rate, infos, sizes, known, min_cases), naive.split_info(unknown, sizes, total)


def entropy_gain(counts, unknown):
    """The textbook formulas, in doubles."""
    total, known = counts.sum() + unknown, counts.sum()
    before = scipy.stats.entropy(counts.sum(axis=0), base=2)
    sizes = counts.sum(axis=1)
    after = sum(n / known * scipy.stats.entropy(row, base=2) for n, row in zip(sizes, counts, strict=True) if n > 0)
    return known / total * (before - after), scipy.stats.entropy([unknown, *sizes], base=2)


@given(
    count_matrices(),
    st.sampled_from([0.0, 1.0, 2.5, 17.0]).map(f),
    st.booleans(),
    st.sampled_from([0.0, 1.0, 2.0, 10.0]),
)
@settings(deadline=None, max_examples=500)
def test_gain_and_info_equal_the_naive_ones_to_the_last_bit(counts, unknown, threshold, min_cases):
    assert information_gain(counts, unknown, threshold, min_cases) == naive_gain(counts, unknown, threshold, min_cases)


@given(count_matrices(), st.sampled_from([0.0, 1.0, 2.5, 17.0]), st.booleans())
@settings(deadline=None, max_examples=300)
def test_in_doubles_gain_and_info_are_the_entropies_of_the_textbook(counts, unknown, threshold):
    sizes = counts.sum(axis=1)
    assume((sizes > 0).sum() >= 2)
    gain, info = information_gain(counts, unknown, threshold, min_cases=1e-12, single=False)
    assert (gain, info) == pytest.approx(entropy_gain(counts, unknown), rel=1e-9, abs=1e-9)


@given(count_matrices(whole=True))
@settings(deadline=None)
def test_gain_is_never_negative_in_doubles(counts):
    gain, info = information_gain(counts, single=False)
    assert gain >= -1e-9 or gain == naive.NO_GAIN
    assert -1e-9 <= info <= math.log2(len(counts)) + 1e-9


class TestGolf:
    """The root of the golf cases, 9 Play and 5 Don't."""

    def test_outlook(self):
        gain, info = information_gain(np.array([[2.0, 3], [4, 0], [3, 2]]))
        assert (gain, info, gain / info) == pytest.approx((0.246750, 1.577406, 0.156428), abs=5e-7)

    def test_windy(self):
        gain, info = information_gain(np.array([[3.0, 3], [6, 2]]))
        assert (gain, info, gain / info) == pytest.approx((0.048127, 0.985228, 0.048849), abs=5e-7)

    def test_humidity_below_the_sunny_branch(self):
        gain, info = information_gain(np.array([[2.0, 0], [0, 3]]), threshold=True)
        assert (gain, info) == pytest.approx((0.970951, 0.970951), abs=5e-7)
        assert gain - math.log2(2) / 5 == pytest.approx(0.770951, abs=5e-7)
        assert (gain - math.log2(2) / 5) / info == pytest.approx(0.794016, abs=5e-7)

    def test_outlook_with_an_unknown_value(self):
        gain, info = information_gain(np.array([[2.0, 3], [3, 0], [3, 2]]), unknown=1.0)
        assert (gain, info, gain / info) == pytest.approx((0.199041, 1.809200, 0.110016), abs=5e-7)


def test_exclusive_or_gains_nothing_and_is_still_a_test():
    assert information_gain(np.array([[2.0, 2], [2, 2]])) == (0.0, 1.0)


def test_fewer_than_two_branches_of_enough_cases_make_no_test():
    counts = np.array([[5.0, 5], [1, 0]])
    assert information_gain(counts, min_cases=2)[0] == naive.NO_GAIN < -0.001
    assert information_gain(counts, min_cases=1)[0] > 0


def test_without_known_cases_there_is_no_gain():
    assert information_gain(np.zeros((2, 2)), unknown=3.0) == (naive.NO_GAIN, 0.0)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_an_empty_matrix_is_refused(shape):
    with pytest.raises(ValueError, match="at least one branch and one class"):
        information_gain(np.zeros(shape))
