"""The search for a threshold, seen through the root of a tree of one continuous attribute."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import grow as naive_grow
from support.problems import GOLF, Problem, UncollapsedGrower

from ctree_ext.grow.criteria import information_gain
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower

LEAF, THRESHOLD = 0, 1


@st.composite
def one_column(draw, most_unknown=0.4):
    n, n_classes = draw(st.integers(2, 150)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    column = rng.integers(draw(st.sampled_from([2, 5, 30, 10**6])), size=n) * draw(
        st.sampled_from([1.0, 0.1, 1e-5, 7e-6, 1e6, -1.0])
    )
    classes = (column > np.median(column)).astype(int)
    noisy = rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.6]))
    classes[noisy] = rng.integers(n_classes, size=int(noisy.sum()))
    unknown = rng.random(n) < draw(st.sampled_from([0.0, 0.1, most_unknown]))
    values = [None if u else x for u, x in zip(unknown.tolist(), column.tolist(), strict=True)]
    return Problem([values], [0], classes.tolist(), n_classes)


def root(problem, *, weights=None, single=True, **options):
    """The threshold at the root, None for a leaf."""
    arrays = GainRatioGrower(problem.table(weights, single), **options).grow()
    return float(arrays.threshold[0]) if arrays.test[0] == THRESHOLD else None


@given(one_column(), st.sampled_from([1, 2, 5, 30]), st.booleans())
@settings(deadline=None, max_examples=300)
def test_the_threshold_is_the_naive_one(problem, min_cases, gain_only):
    naive = UncollapsedGrower(*problem.arguments, min_cases, gain_only).whole_tree()
    assert root(problem, min_cases=min_cases, gain_only=gain_only) == naive.threshold


@given(one_column(), st.sampled_from([1, 2, 5]), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=150)
def test_with_weights_the_threshold_is_the_naive_one(problem, min_cases, seed):
    n = len(problem.classes)
    weights = np.random.default_rng(seed).choice([0.25, 0.5, 1.0, 1.5, 3.0], size=n).tolist()
    naive = UncollapsedGrower(*problem.arguments, min_cases, False, False, weights).whole_tree()
    assert root(problem, min_cases=min_cases, weights=weights) == naive.threshold


@pytest.mark.parametrize("unknown", [0.0, 0.05])
@pytest.mark.parametrize("min_cases", [26, 30, 40])
@pytest.mark.parametrize("seed", range(10))
def test_a_cut_with_too_few_cases_does_not_hide_others(seed, min_cases, unknown):
    # Cuts begin after 25 cases, but one with fewer than `min_cases` on a side gains nothing, however well it divides.
    rng = np.random.default_rng(seed)
    n = 620 + 50 * seed
    column = np.round(rng.normal(size=n), 1 + seed % 3)
    classes = (column > np.sort(column)[min_cases - 3]).astype(int)
    noisy = rng.random(n) < 0.15
    classes[noisy] = rng.integers(2, size=int(noisy.sum()))
    values = [None if u < unknown else x for u, x in zip(rng.random(n), column.tolist(), strict=True)]
    problem = Problem([values], [0], classes.tolist(), 2)
    naive = UncollapsedGrower(*problem.arguments, min_cases, False).whole_tree()
    assert root(problem, min_cases=min_cases) == naive.threshold


@given(one_column(most_unknown=0.1), st.sampled_from([1, 2, 5]))
@settings(deadline=None, max_examples=150)
def test_in_doubles_no_other_cut_gains_more(problem, min_cases):
    column, classes = problem.arrays[0], np.array(problem.classes)
    total, known = len(classes), np.isfinite(column)
    n_known = int(known.sum())
    least = min(max(0.1 * n_known / problem.n_classes, min_cases), max(25, min_cases))
    values = np.unique(column[known])
    gains, tries = {}, 0
    for below, above in itertools.pairwise(values):
        low = known & (column <= below)
        if not (least <= low.sum() <= n_known - least and below + 1e-5 < above):
            continue
        tries += 1
        sides = [np.bincount(classes[rows], minlength=problem.n_classes) for rows in (low, known & ~low)]
        gains[float(below)] = information_gain(np.array(sides, dtype=float), total - n_known, True, min_cases, False)[0]
    cost = math.log2(tries) / total if tries else 0.0
    threshold = root(problem, min_cases=min_cases, single=False)
    if threshold is None:
        mixed = len(set(problem.classes)) > 1 and total >= 2 * min_cases
        assert not mixed or n_known < 2 * min_cases or max(gains.values(), default=0.0) - cost <= 1e-9
        return
    # The threshold is a value of the column from the cut up to the midpoint; here that is the value below the cut.
    assert gains[threshold] == pytest.approx(max(gains.values()), abs=1e-9)
    assert gains[threshold] > cost - 1e-9


def column(values, classes, n_classes=2):
    return Problem([list(map(float, values))], [0], list(classes), n_classes)


def test_the_threshold_is_a_value_of_any_case_not_above_the_midpoint():
    # Below `sunny` the cut lies between 70 and 85; the 75 and 78 are of overcast cases, and 77.5 is the midpoint.
    sunny = GainRatioGrower(GOLF.table()).grow()
    node = int(sunny.first_branch[0])
    assert sunny.attribute[node] == 2
    assert sunny.threshold[node] == 75


def test_values_nearer_than_a_hundred_thousandth_are_not_told_apart():
    near, apart = 1 + 0.9e-5, 1 + 1.2e-5
    assert root(column([1] * 4 + [near] * 4, [0] * 4 + [1] * 4)) is None
    assert root(column([1] * 4 + [apart] * 4, [0] * 4 + [1] * 4)) == 1


def test_the_first_of_equal_cuts_wins():
    # Cutting off the two at either end gains the same.
    assert root(column([1, 1, 2, 2, 2, 2, 3, 3], [1, 1, 0, 0, 0, 0, 1, 1]), gain_only=True) == 1


def test_gains_are_compared_after_the_cost_is_taken_off():
    # Both cuts leave 6 log 6 - 4 log 4. In floats their gains differ in the last bit, and are equal less the cost.
    values, classes = [1, 2, 3, 3, 4, 5, 6, 7, 8, 8, 9], [0, 0, 0, 0, 0, 1, 0, 2, 2, 2, 2]
    problem = column(values, classes, 3)
    assert naive_grow(*problem.arguments, min_cases=5).threshold == 4
    assert root(problem, min_cases=5) == 4


def test_a_gain_that_does_not_pay_for_the_number_of_cuts_makes_no_test():
    # Golf: the best cut of humidity gains 0.102 of 6 cuts, which cost log2(6) / 14 = 0.185; temperature likewise.
    for attribute in (1, 2):
        assert root(Problem([GOLF.columns[attribute]], [0], GOLF.classes, 2)) is None


def test_at_least_a_tenth_of_the_cases_per_class_are_on_either_side_but_25_suffice():
    # 1000 cases of two classes: a tenth per class is 50, the ceiling 25.
    for n_low, expected in ((24, None), (25, 0.0)):
        values = [0] * n_low + [1] * (1000 - n_low)
        assert root(column(values, [0] * n_low + [1] * (1000 - n_low))) == expected
    # 200 cases of two classes: 10 on either side.
    for n_low, expected in ((9, None), (10, 0.0)):
        values = [0] * n_low + [1] * (200 - n_low)
        assert root(column(values, [0] * n_low + [1] * (200 - n_low))) == expected


def test_many_cases_of_many_classes():
    rng = np.random.default_rng(3)
    values = np.round(rng.normal(size=3000), 2)
    classes = np.clip(np.round(values * 3 + rng.normal(size=3000)) + 10, 0, 19).astype(int)
    problem = Problem([values.tolist()], [0], classes.tolist(), 20)
    assert root(problem) == naive_grow(*problem.arguments, min_cases=300).threshold == root(problem, min_cases=300)


@pytest.mark.parametrize("signal", [0.0, 0.05, 0.3, 2.0])
@pytest.mark.parametrize("n", [40, 90, 500, 2500, 6000])
@pytest.mark.parametrize("whole", [0.0, 0.9, 0.999])
def test_of_many_cases_in_fractions_the_best_cut_is_in_no_block_that_was_left_out(n, signal, whole):
    # The search leaves out blocks of cases by a bound, which is found in another way where most cases count one. Weak
    # signals make many cuts nearly as good as the best.
    for seed in range(3):
        rng = np.random.default_rng([n, seed])
        values = rng.normal(size=n)
        classes = np.clip(np.round(values * signal + rng.normal(size=n)) + 2, 0, 4).astype(int)
        weights = np.where(rng.random(n) < whole, 1.0, rng.choice([0.1, 1 / 3, 0.7, 1.0, 2.5], size=n)).tolist()
        problem = Problem([values.tolist()], [0], classes.tolist(), 5)
        naive = UncollapsedGrower(*problem.arguments, n / 4, False, False, weights).whole_tree()
        assert root(problem, min_cases=n / 4, weights=weights) == naive.threshold
