"""The sort of a continuous column against numpy's stable one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree_ext.grow.sorting import sorted_column

LARGEST = float(np.finfo(np.float32).max)

values = st.one_of(
    st.floats(allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 1 - 1e-9, -1.0, 5e-324, 1e-40, -1e-40, 1e300, -1e300, np.nan]),
    st.integers(-5, 5).map(float),
)
columns = st.lists(values, max_size=80).map(lambda x: np.array(x, dtype=np.float64))


def held(column, single):
    """The numbers as the learner holds them."""
    return np.clip(column, -LARGEST, LARGEST).astype(np.float32).astype(np.float64) if single else column


@pytest.mark.parametrize("single", [True, False])
@given(column=columns)
@settings(deadline=None, max_examples=400)
def test_sorting_agrees_with_numpy(column, single):
    rows, ordered, distinct = sorted_column(column, single)
    numbers = held(column, single)
    assert rows.tolist() == np.argsort(numbers, kind="stable").tolist()  # NaN last, as in numpy
    assert np.array_equal(ordered, np.sort(numbers), equal_nan=True)
    assert distinct.tolist() == np.unique(numbers[~np.isnan(column)]).tolist()


@pytest.mark.parametrize("single", [True, False])
def test_many_rows_sort_as_in_numpy(single):
    column = np.random.default_rng(0).normal(size=100_000) * 1e3
    column[::7] = np.nan
    column[::3] = np.round(column[::3])
    rows, _, distinct = sorted_column(column, single)
    assert (rows == np.argsort(held(column, single), kind="stable")).all()
    assert (np.diff(distinct) > 0).all()


def test_numbers_that_are_one_32_bit_float_are_one_value():
    column = np.array([1 + 1e-9, 1.0, 1 - 1e-9])
    rows, ordered, distinct = sorted_column(column, True)
    assert (rows.tolist(), ordered.tolist(), distinct.tolist()) == ([0, 1, 2], [1, 1, 1], [1])
    rows, ordered, _ = sorted_column(column, False)
    assert (rows.tolist(), ordered.tolist()) == ([2, 1, 0], column[::-1].tolist())


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
def test_both_zeros_are_one_value_without_a_sign(zeros, single):
    rows, ordered, distinct = sorted_column(np.array([5.0, *zeros]), single)
    assert (rows.tolist(), ordered.tolist(), len(distinct)) == ([1, 2, 0], [0, 0, 5], 2)
    assert not np.signbit(distinct[0])


def test_numbers_beyond_32_bits_become_the_largest():
    rows, _, distinct = sorted_column(np.array([1e300, 3.0, -1e300, 1e39]), True)
    assert rows.tolist() == [2, 1, 0, 3]
    assert distinct.tolist() == [-LARGEST, 3.0, LARGEST]
    assert sorted_column(np.array([1e300, -1e300]), False)[2].tolist() == [-1e300, 1e300]


def test_only_unknown_values():
    rows, ordered, distinct = sorted_column(np.array([np.nan, np.nan]))
    assert (rows.tolist(), np.isnan(ordered).tolist(), distinct.tolist()) == ([0, 1], [True, True], [])


def test_no_rows():
    assert [part.tolist() for part in sorted_column(np.empty(0))] == [[], [], []]


@pytest.mark.parametrize("n", [5, 20, 33, 500, 5000])
def test_doubles_that_differ_in_their_last_bits_only(n):
    # They agree in the upper half of their bits, by which they are sorted first.
    rng = np.random.default_rng(n)
    for scale in (1e-9, 1e-6, 1e-4):
        values = 1e3 + rng.integers(n // 2 + 1, size=n) * scale
        values[rng.random(n) < 0.1] = np.nan
        rows, held, distinct = sorted_column(values, False)
        known = np.flatnonzero(~np.isnan(values))
        expected = known[np.argsort(values[known], kind="stable")]
        assert rows[: len(known)].tolist() == expected.tolist()
        assert held[: len(known)].tolist() == values[expected].tolist()
        assert distinct.tolist() == np.unique(values[known]).tolist()
