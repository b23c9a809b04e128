"""The ends of an average gain, beside all ways in which attributes may count."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctree.learners.levels.average_gain import AverageGain, Gain

ENDS = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: (min(ends) / 8, max(ends) / 8))
GAINS = st.builds(lambda ends, certain: Gain(*ends, certain), ENDS, st.booleans())


def naive_ends(gains: Sequence[Gain]) -> tuple[float, float]:
    """The greatest average of attributes that count, and a least one: those that may not count gain nothing, and do."""
    averages = []
    for counted in product([False, True], repeat=len(gains)):
        if any(counted) and all(counts or not gain.certain for counts, gain in zip(counted, gains, strict=True)):
            some = [gain.most for counts, gain in zip(counted, gains, strict=True) if counts]
            averages.append(sum(some) / len(some))
    return sum(gain.least for gain in gains if gain.certain) / len(gains), max(averages)


@given(st.lists(GAINS, min_size=2, max_size=8))
def test_ends_without_each_attribute_are_those_of_all_ways_to_count_the_others(gains: list[Gain]) -> None:
    averages = AverageGain(dict(enumerate(gains)))
    for a in range(len(gains)):
        others = gains[:a] + gains[a + 1 :]
        assert averages.of_others(a) == pytest.approx(naive_ends(others), abs=1e-12)
        assert averages.n_others(a) == len(others)
        assert averages.counts_others(a) == any(gain.certain for gain in others)


@given(st.lists(GAINS, min_size=1, max_size=8))
def test_an_attribute_that_never_counts_is_compared_with_all(gains: list[Gain]) -> None:
    averages = AverageGain(dict(enumerate(gains)))
    assert averages.of_others(-1) == pytest.approx(naive_ends(gains), abs=1e-12)
    assert averages.n_others(-1) == len(gains)
    assert averages.counts_others(-1) == any(gain.certain for gain in gains)
