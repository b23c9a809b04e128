"""The list of cases in release 8's order, against the naive sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import quicksort

from ctree_ext.grow.case_list import sorted_list


@st.composite
def lists(draw):
    ranks = draw(st.lists(st.integers(0, draw(st.sampled_from([1, 3, 10, 1000]))), max_size=60))
    rows = draw(st.permutations(range(len(ranks))))
    return np.array(rows[: draw(st.integers(0, len(rows)))], dtype=np.int32), np.array(ranks, dtype=np.uint32)


def naive_sorted(rows, ranks):
    cases = rows.tolist()
    quicksort(cases, 0, len(cases), ranks.tolist())
    return cases


@given(lists())
@settings(deadline=None, max_examples=400)
def test_the_order_is_the_naive_one(problem):
    rows, ranks = problem
    assert sorted_list(rows, ranks).tolist() == naive_sorted(rows, ranks)


@given(lists())
@settings(deadline=None)
def test_the_list_is_sorted_and_has_the_same_rows(problem):
    rows, ranks = problem
    result = sorted_list(rows, ranks)
    assert sorted(result.tolist()) == sorted(rows.tolist())
    assert (np.diff(ranks[result].astype(np.int64)) >= 0).all()


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("n_distinct", [2, 5, 200, 4000])
def test_a_long_list_with_ties(n_distinct):
    rng = np.random.default_rng(0)
    ranks = rng.integers(n_distinct, size=5000).astype(np.uint32)
    rows = rng.permutation(5000).astype(np.int32)
    assert sorted_list(rows, ranks).tolist() == naive_sorted(rows, ranks)


def test_a_list_in_order_does_not_exhaust_the_stack():
    rows = np.arange(20_000, dtype=np.int32)
    assert sorted_list(rows, rows.astype(np.uint32)).tolist() == rows.tolist()
    assert sorted_list(rows[::-1].copy(), rows.astype(np.uint32)).tolist() == rows.tolist()


def test_equal_values_change_places():
    # The last is the pivot; a case up to its value is swapped to the front, and one equal to it back to the pivot.
    rows = np.arange(5, dtype=np.int32)
    assert sorted_list(rows, np.array([5, 1, 5, 1, 5], dtype=np.uint32)).tolist() == [3, 1, 0, 2, 4]
