"""Numbers to bins, against numpy's bisection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree_ext.scale.binning import MOST_BINS, Binner, empty_ends

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float) | st.just(-0.0)


def coded(cuts, numbers, dtype=np.uint16):
    binner = Binner(cuts)
    codes, ends = np.empty(len(numbers), dtype=dtype), empty_ends(binner.n_bins)
    return codes, ends, binner.code(numbers, codes, ends)


def check(cuts, numbers, dtype=np.uint16):
    codes, ends, (n_unknown, infinite, negative) = coded(cuts, numbers, dtype)
    unknown = np.isnan(numbers)
    expected = np.where(unknown, 0, np.searchsorted(cuts, numbers, side="left") + 1)
    np.testing.assert_array_equal(codes, expected)
    assert n_unknown == unknown.sum()
    assert infinite == -1
    assert negative == bool((np.signbit(numbers) & (numbers == 0)).any())
    least, most = np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf)
    np.minimum.at(least, expected[~unknown] - 1, numbers[~unknown])
    np.maximum.at(most, expected[~unknown] - 1, numbers[~unknown])
    np.testing.assert_array_equal(ends[:, 0], least)
    np.testing.assert_array_equal(ends[:, 1], most)
    assert not np.signbit(ends[ends == 0]).any()


@settings(max_examples=300, deadline=None)
@given(st.lists(NUMBERS, max_size=40), st.lists(NUMBERS | st.just(float("nan")), max_size=200))
def test_any_numbers(cuts, numbers):
    cuts = np.unique(np.array(cuts) + 0.0)
    check(cuts, np.array([*numbers, *cuts, *np.nextafter(cuts, 0)], dtype=float), np.uint8)


SHAPES = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "wide": lambda rng, n: np.exp(30 * rng.normal(size=n)),
    "both signs": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "far from zero": lambda rng, n: 1e15 + rng.integers(0, 10**6, n),
    "two lumps": lambda rng, n: np.where(rng.random(n) < 0.5, 0, 1000 + rng.random(n)),
    "the whole range": lambda rng, n: rng.choice([-1, 1], n) * 1.7e308 * rng.random(n),
    "denormal": lambda rng, n: 5e-324 * rng.integers(-1000, 1000, n),
    "ten values": lambda rng, n: rng.integers(0, 10, n).astype(float),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_cuts", [0, 1, 2, 3, 100, 5000, MOST_BINS - 1])
def test_shapes_of_columns(shape, n_cuts):
    rng = np.random.default_rng(n_cuts)
    cuts = np.unique(SHAPES[shape](rng, 3 * n_cuts) + 0.0)[:n_cuts]
    numbers = SHAPES[shape](rng, 20_000)
    numbers[rng.random(20_000) < 0.1] = np.nan
    check(cuts, np.concatenate([numbers, cuts, np.nextafter(cuts, -np.inf), [1.79e308, -1.79e308, 0.0, -0.0]]))


def test_the_first_infinite_number_is_told():
    numbers = np.arange(1000.0)
    numbers[[700, 800]] = [-np.inf, np.inf]
    assert coded(np.array([3.0]), numbers)[2][1] == 700


def test_ends_go_on_from_those_before():
    binner, ends = Binner(np.array([0.0])), empty_ends(2)
    for numbers in ([-3.0, 5.0], [-1.0, 7.0], [np.nan]):
        binner.code(np.array(numbers), np.empty(len(numbers), dtype=np.uint8), ends)
    assert ends.tolist() == [[-3.0, -1.0], [5.0, 7.0]]


@pytest.mark.parametrize("cuts", [[1.0, 1.0], [2.0, 1.0], [np.nan], [np.inf], np.arange(float(MOST_BINS))])
def test_wrong_cuts_are_refused(cuts):
    with pytest.raises(ValueError, match="cuts"):
        Binner(np.array(cuts, dtype=float))


def test_wrong_arrays_are_refused():
    binner = Binner(np.arange(300.0))
    with pytest.raises(ValueError, match="more bins than codes"):
        binner.code(np.zeros(2), np.empty(2, dtype=np.uint8), empty_ends(301))
    with pytest.raises(ValueError, match="length"):
        binner.code(np.zeros(2), np.empty(3, dtype=np.uint16), empty_ends(301))
    with pytest.raises(ValueError, match="length"):
        binner.code(np.zeros(2), np.empty(2, dtype=np.uint16), empty_ends(300))
