"""Fisher's test, against the naive version and without a table as large as the cases are many."""

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive.rules_bits import LogTables
from naive.rules_extract import Count, significance
from support.problems import GOLF, grown

from ctree_ext.rules.fisher import MAX_CASES, FisherTest
from ctree_ext.rules.generalise import generalised_paths

MANY = 150_000
"""Cases of which not every factorial is in the table."""


@st.composite
def tables(draw, most):
    above, below = draw(st.integers(0, most // 2)), draw(st.integers(0, most // 2))
    wrong_above, wrong_below = draw(st.integers(0, above)), draw(st.integers(0, below))
    return above, wrong_above, below, wrong_above + wrong_below


def expected(table, log_tables):
    above, wrong_above, below, wrong = table
    return significance(Count(above, wrong_above), Count(above + below, wrong), log_tables)


@given(tables(60))
@settings(deadline=None, max_examples=300)
def test_the_sum_is_that_of_the_naive_version(table):
    assert FisherTest(60).significance(*table) == expected(table, LogTables(MANY))


@given(tables(MANY))
@example((70_000, 30_000, 70_000, 61_000))
@example((70_000, 35_100, 70_000, 70_000))
@example((70_000, 0, 70_000, 70_000))
@example((140_000, 2_000, 10_000, 12_000))
@settings(deadline=None, max_examples=20)
def test_of_many_cases_it_is_so_to_the_last_bit(table):
    assert FisherTest(MANY).significance(*table) == expected(table, LogTables(MANY))


def test_all_tables_of_some_margins_are_added_where_they_are_not_nothing():
    test, log_tables = FisherTest(4000), LogTables(MANY)
    for wrong in (0, 1, 500, 1999, 2000, 3999):
        for wrong_above in range(max(0, wrong - 2000), min(wrong, 2000) + 1, 97):
            table = 2000, wrong_above, 2000, wrong
            assert test.significance(*table) == expected(table, log_tables)


def test_neither_memory_nor_time_goes_by_the_number_of_cases():
    tracemalloc.start()
    try:
        test = FisherTest(MAX_CASES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e6
    began = time.monotonic()
    half = MAX_CASES // 2
    assert 0 < test.significance(half, half // 2 - 100, half, half) < 1
    assert time.monotonic() - began < 2


def test_weights_of_cases_do_not_either():
    arrays, _ = grown(GOLF)
    table = GOLF.table([float(MAX_CASES // 14)] * 14)
    tracemalloc.start()
    try:
        generalised_paths(table, arrays, 0.25, 0.1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e6
    with pytest.raises(ValueError, match="more cases than the test can count"):
        generalised_paths(GOLF.table(np.full(14, 2.0**21)), arrays, 0.25, 0.1)


@pytest.mark.parametrize("table", [(3, 4, 3, 4), (3, 1, 3, 5), (-1, 0, 3, 0), (30, 1, 31, 4), (3, -1, 3, 2)])
def test_counts_of_no_table_are_refused(table):
    with pytest.raises(ValueError, match="no table"):
        FisherTest(60).significance(*table)
