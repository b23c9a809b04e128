"""Class counts against plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_numbers import f

from ctree_ext.grow.counts import class_counts, value_counts


@st.composite
def coded_cases(draw):
    n, n_classes, n_values = draw(st.integers(1, 50)), draw(st.integers(1, 6)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = rng.permutation(n)[: draw(st.integers(0, n))].astype(np.int32)
    codes = rng.integers(-1, n_values, size=n, dtype=np.int32)
    classes = rng.integers(n_classes, size=n, dtype=np.int32)
    return rows, codes, n_values, classes, n_classes, rng.uniform(0.01, 3, size=n)


def naive_counts(rows, codes, n_values, classes, n_classes, weights, single):
    """Row 0 for unknown values, then a row per value."""
    counts = [[0.0] * n_classes for _ in range(n_values + 1)]
    for row in rows.tolist():
        value, cls = codes[row] + 1, classes[row]
        weight = 1.0 if weights is None else float(weights[row])
        counts[value][cls] = f(counts[value][cls] + f(weight)) if single else counts[value][cls] + weight
    return counts


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@given(cases=coded_cases())
@settings(deadline=None)
def test_value_counts_equal_a_plain_loop(cases, weighted, single):
    rows, codes, n_values, classes, n_classes, weights = cases
    weights = weights if weighted else None
    counts = value_counts(rows, codes, n_values, classes, n_classes, weights, single)
    assert counts.tolist() == naive_counts(rows, codes, n_values, classes, n_classes, weights, single)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@given(cases=coded_cases())
@settings(deadline=None)
def test_class_counts_equal_a_plain_loop(cases, weighted, single):
    rows, codes, _, classes, n_classes, weights = cases
    weights = weights if weighted else None
    counts = class_counts(rows, classes, n_classes, weights, single)
    assert counts.tolist() == naive_counts(rows, np.zeros_like(codes), 1, classes, n_classes, weights, single)[1]


def test_sums_are_rounded_to_32_bits_after_every_case():
    rows, classes = np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.int32)
    weights = [2.0**24, 1.0, 1.0]  # 2^24 + 1 is not a 32-bit float
    assert class_counts(rows, classes, 1, weights, single=True).tolist() == [2.0**24]
    assert class_counts(rows, classes, 1, weights, single=False).tolist() == [2.0**24 + 2]


def test_only_the_rows_listed_count():
    rows = np.array([2, 0], dtype=np.int32)
    classes = np.array([0, 1, 1], dtype=np.int32)
    assert class_counts(rows, classes, 2).tolist() == [1, 1]


def test_no_rows_count_nothing():
    none = np.empty(0, dtype=np.int32)
    assert class_counts(none, none, 2).tolist() == [0, 0]
    assert value_counts(none, none, 2, none, 2).tolist() == [[0, 0], [0, 0], [0, 0]]


def test_unknown_values_are_counted_in_the_first_row():
    rows = np.arange(3, dtype=np.int32)
    codes = np.array([-1, 1, -1], dtype=np.int32)
    classes = np.array([0, 0, 1], dtype=np.int32)
    assert value_counts(rows, codes, 2, classes, 2).tolist() == [[1, 1], [0, 0], [1, 0]]
