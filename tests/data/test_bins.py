"""Bins of equal width, against the slow version and at the ends of what numbers can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.candidate_tests import equal_width_cuts as naive_cuts

from ctree.data.bins import bin_codes, equal_width_cuts

LARGEST = float(np.finfo(np.float64).max)
quarters = st.one_of(st.none(), st.integers(-40, 40).map(lambda x: x / 4))


@given(st.lists(quarters, max_size=40), st.one_of(st.integers(1, 12), st.integers(100, 400)))
def test_cuts_are_the_naive_ones(column, bins):
    values = np.array([np.nan if x is None else x for x in column], dtype=np.float64)
    cuts = equal_width_cuts(values, bins)
    assert cuts.tolist() == pytest.approx(naive_cuts(column, bins), rel=1e-14, abs=1e-14)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20),
    st.sampled_from([1, 2, 3, 10, 1000, 10**9, 2**63 - 1]),
)
def test_every_bin_has_a_value_whatever_the_numbers(column, bins):
    values = np.array(column)
    cuts = equal_width_cuts(values, bins)
    assert np.isfinite(cuts).all()
    assert (np.diff(cuts) > 0).all()
    assert len(cuts) < min(bins, len(np.unique(values)))
    assert np.unique(bin_codes(values, cuts)).tolist() == list(range(len(cuts) + 1))


@pytest.mark.parametrize(
    ("low", "high"),
    [(-LARGEST, LARGEST), (0.0, LARGEST), (1e300, LARGEST), (0.0, 5e-324), (1.0, float(np.nextafter(1.0, 2.0)))],
)
@pytest.mark.parametrize("bins", [2, 3, 7, 2**62])
def test_two_values_are_told_apart_wherever_they_are(low, high, bins):
    (cut,) = equal_width_cuts(np.array([high, low, np.nan]), bins).tolist()
    assert low <= cut < high


def test_zeros_of_both_signs_are_one_value():
    assert equal_width_cuts(np.array([-0.0, 0.0]), 4).tolist() == []
