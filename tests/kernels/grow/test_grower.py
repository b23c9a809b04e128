"""Whole trees, node by node and bit for bit, against the naive version."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import Grower as NaiveGrower
from naive.release8_grow import grow as naive_grow
from support.problems import (
    GOLF,
    Problem,
    UncollapsedGrower,
    as_nodes,
    growing_options,
    grown,
    naive_options,
    problems,
    random_problem,
)

from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.release8 import collapse


def assert_same_tree(problem, options):
    arrays, _ = grown(problem, **options)
    assert as_nodes(problem, arrays) == naive_grow(*problem.arguments, **naive_options(options))


@given(problems(), growing_options)
@settings(deadline=None, max_examples=250)
def test_the_grown_tree_is_the_naive_one(problem, options):
    naive = UncollapsedGrower(*problem.arguments, **naive_options(options))
    assert as_nodes(problem, GainRatioGrower(problem.table(), **options).grow()) == naive.whole_tree()


@given(problems(), growing_options)
@settings(deadline=None, max_examples=250)
def test_the_collapsed_tree_is_the_naive_one(problem, options):
    assert_same_tree(problem, options)


@given(problems(most_cases=40), growing_options)
@settings(deadline=None, max_examples=60)
def test_with_unknown_values_growing_leaves_the_cases_in_the_naive_order(problem, options):
    grower = GainRatioGrower(problem.table(), **options)
    grower.grow()
    naive = UncollapsedGrower(*problem.arguments, **naive_options(options))
    naive.whole_tree()
    if grower.order is not None:
        assert grower.order.tolist() == naive.cases


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize("options", [{}, {"gain_only": True}, {"group_values": True}, {"min_cases": 5}], ids=str)
def test_larger_trees_are_the_naive_ones(options, unknown):
    assert_same_tree(random_problem(5, 500, 3, [0, 0, 4, 10, 2, 0], unknown), options)


@pytest.mark.parametrize("min_cases", [26, 40])
def test_a_minimum_above_the_ceiling_of_25_still_holds(min_cases):
    assert_same_tree(random_problem(1, 900, 2, [0, 0, 3], 0.05), {"min_cases": min_cases})


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (-1e-50, 0.0), (-1e-50, -0.0)])
def test_a_threshold_is_never_minus_zero(zeros, unknown):
    first = [*zeros, *zeros, 1.0, 1.0, 2.0, 2.0]
    other = [np.nan if unknown else 3.0, *[3.0] * 7]
    classes = [0, 0, 0, 0, 1, 1, 1, 1]
    naive = naive_grow(*Problem([np.abs(first).tolist(), other], [0, 0], classes, 2).arguments)
    grower = GainRatioGrower(Problem([first, other], [0, 0], classes, 2).table())
    arrays = grower.grow()
    assert abs(naive.threshold) < 1e-49
    assert arrays.threshold[0] == 0
    assert not np.signbit(arrays.threshold[0])
    assert (grower.order is not None) == unknown  # the list is not kept for zeros


def test_a_tree_from_some_rows_takes_its_thresholds_from_all_cases():
    problem = Problem([[1.0, 1.0, 2.0, 4.0, 4.0]], [0], [0, 0, 0, 1, 1], 2)
    rows = np.array([4, 0, 3, 1], dtype=np.int32)
    arrays = GainRatioGrower(problem.table()).grow(rows)
    assert (arrays.threshold[0], arrays.cases.tolist()) == (2.0, [4, 2, 2])


@given(problems(most_cases=40), growing_options, st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=100)
def test_rows_in_any_order_are_grown_from_as_the_naive_version_does(problem, options, seed):
    rows = np.random.default_rng(seed).permutation(len(problem.classes))
    rows = rows[: max(1, 2 * len(rows) // 3)].astype(np.int32)
    arrays = collapse(GainRatioGrower(problem.table(), **options).grow(rows), problem.n_classes)
    naive = NaiveGrower(*problem.arguments, **naive_options(options))
    naive.cases = rows.tolist() + sorted(set(naive.cases) - set(rows.tolist()))
    assert as_nodes(problem, arrays) == naive.grow(len(rows))


def test_a_grower_grows_the_same_tree_twice():
    problem = random_problem(2, 200, 3, [0, 3, 0], 0.1)
    grower = GainRatioGrower(problem.table())
    first, second = grower.grow(), grower.grow()
    assert first == second


@pytest.mark.parametrize("rows", [[], [0, 0]])
def test_rows_must_be_some_and_each_once(rows):
    with pytest.raises(ValueError, match=r"no cases|listed twice"):
        GainRatioGrower(GOLF.table()).grow(np.array(rows, dtype=np.int32))


class TestGolf:
    def test_the_tree(self):
        arrays, _ = grown(GOLF)
        assert arrays.test.tolist() == [2, 1, 0, 2, 0, 0, 0, 0]
        assert arrays.attribute.tolist() == [0, 2, -1, 3, -1, -1, -1, -1]
        assert arrays.cases.tolist() == [14, 5, 4, 5, 2, 3, 2, 3]
        assert arrays.counts[0].tolist() == [9, 5]
        assert arrays.errors[[2, 4, 5, 6, 7]].tolist() == [0] * 5

    def test_with_an_unknown_outlook_the_case_is_in_all_branches(self):
        outlook = list(GOLF.columns[0])
        outlook[11] = None  # overcast, 72, 90, true
        arrays, _ = grown(Problem([outlook, *GOLF.columns[1:]], GOLF.n_values, GOLF.classes, 2))
        assert arrays.cases.tolist() == pytest.approx([14, 5.385, 3.231, 5.385, 2, 3.385, 2.385, 3], abs=5e-4)
        assert arrays.errors[[4, 5, 6, 7]].tolist() == pytest.approx([0, 0.385, 0.385, 0], abs=5e-4)


def test_exclusive_or_grows_fully_though_no_test_gains():
    problem = Problem([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]], [2, 2], [0, 0, 1, 1, 1, 1, 0, 0], 2)
    arrays, _ = grown(problem)
    assert arrays.attribute.tolist() == [0, 1, 1, -1, -1, -1, -1]
    assert arrays.errors.tolist() == [0] * 7


def test_a_node_that_saves_no_errors_collapses_and_keeps_the_figure_of_its_branches():
    # Two branches, both of class 0: the test gains a little but saves no error.
    problem = Problem([[0] * 4 + [1] * 4], [2], [0, 0, 0, 0, 0, 0, 0, 1], 2)
    before = GainRatioGrower(problem.table()).grow()
    after = collapse(before, 2)
    assert (before.test.tolist(), after.test.tolist()) == ([2, 0, 0], [0])
    assert after.errors.tolist() == [1]


def test_groups_of_values_without_any_known_set_the_minimum_to_one():
    # As in release 8: from the first node on where no value of a grouped attribute is known.
    unknown = [None] * 12
    problem = Problem([unknown, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]], [3, 3], [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1], 2)
    grower = GainRatioGrower(problem.table(), min_cases=5, group_values=True)
    arrays = collapse(grower.grow(), 2)
    assert grower.min_cases == 1
    assert as_nodes(problem, arrays) == naive_grow(*problem.arguments, min_cases=5, subset=True)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("min_cases", [1, 2, 5])
def test_an_attribute_with_a_value_for_nearly_every_case(min_cases, unknown):
    # Most of its values have too few cases for a branch, which is found without a look at all of them.
    rng = np.random.default_rng(3)
    numbers = rng.permutation(np.arange(200) // 2 * 2).tolist()
    columns = [[None if rng.random() < unknown else v for v in numbers], rng.integers(3, size=200).tolist()]
    problem = Problem(columns, [200, 3], rng.integers(2, size=200).tolist(), 2)
    arrays, _ = grown(problem, min_cases=min_cases)
    assert as_nodes(problem, arrays) == NaiveGrower(*problem.arguments, min_cases).grow()
