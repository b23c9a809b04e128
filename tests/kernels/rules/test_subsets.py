"""Which rules of a class are kept, and code lengths, against the naive version."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from naive.release8_numbers import f
from naive.release8_window import glibc_random
from naive.rules_bits import LogTables
from naive.rules_bits import exception_bits as naive_exception_bits
from naive.rules_extract import Rule
from naive.rules_select import CLIMBS
from naive.rules_select import Chooser as NaiveChooser

from ctree_ext.rules.code_length import exception_bits, log_factorials, rough_exception_bits
from ctree_ext.rules.subsets import SubsetSearch


def choosers(
    seed: int, n: int, n_rules: int, density: float, scale: float, most: int = 40, parts: int = 3
) -> tuple[SubsetSearch, NaiveChooser]:
    """Random covers that prefer the class, and random lengths of the rules: so many parts, up to `most` of them."""
    rng = np.random.default_rng(seed)
    own = rng.random(n) < 0.4
    matches = rng.random((n_rules, n)) < np.where(own, density, density / 5)
    bits = [f(x) for x in (scale * rng.integers(1, most, size=n_rules) / parts).tolist()]
    naive = NaiveChooser.__new__(NaiveChooser)
    naive.rules = [Rule(i + 1, [], 0, 0.1, bits=b) for i, b in enumerate(bits)]
    naive.matches = list(matches)
    naive.in_class, naive.n_in_class, naive.n = own, int(own.sum()), n
    naive.log_tables = LogTables(max(n, n_rules))
    start = np.concatenate([[0], np.cumsum(matches.sum(axis=1))]).astype(np.int64)
    rows = np.nonzero(matches)[1].astype(np.int32)
    return SubsetSearch(start, rows, own.astype(np.uint8), np.array(bits)), naive


arguments = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(1, 80),
    "density": st.sampled_from([0.05, 0.3, 0.9]),
    "scale": st.sampled_from([0.01, 0.3, 1.0, 1000.0]),
}


@given(**arguments, n_rules=st.integers(0, 6))
@settings(deadline=None, max_examples=100)
def test_the_best_of_all_sets_is_the_naive_one(seed, n, n_rules, density, scale):
    chooser, naive = choosers(seed, n, n_rules, density, scale)
    best = chooser.exhaustive()
    assert best.astype(bool).tolist() == naive.best_of_all()
    chosen = best.astype(bool).tolist()
    assert chooser.value(best) == naive.value(chosen, naive.times_covered(chosen))


@given(**arguments, n_rules=st.integers(1, 25))
@example(seed=1, n=150, n_rules=60, density=0.05, scale=0.3)
@example(seed=2, n=150, n_rules=60, density=0.02, scale=0.1)
@settings(deadline=None, max_examples=100)
def test_the_best_set_of_all_climbs_is_the_naive_one(seed, n, n_rules, density, scale):
    chooser, naive = choosers(seed, n, n_rules, density, scale)
    random = glibc_random()
    draws = np.array([next(random) / 2**31 for _ in range(CLIMBS * n_rules)]).reshape(CLIMBS, n_rules)
    beginnings = (draws < np.arange(CLIMBS)[:, None] / (CLIMBS - 1)).astype(np.uint8)
    assert chooser.hill_climb(beginnings).astype(bool).tolist() == naive.best_of_climbs(glibc_random())


@given(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(9, 18), st.sampled_from([0.1, 0.125, 3.0]))
@settings(deadline=None, max_examples=100)
def test_values_with_one_rule_more_or_less_though_sums_are_often_rounded_to_even(seed, n_rules, digits, scale):
    chooser, _ = choosers(seed, 100, n_rules, 0.05, scale, 1 << 20, 1 << digits)
    chosen = (np.random.default_rng(seed).random(n_rules) < 0.7).astype(np.uint8)
    expected = [chooser.value(chosen ^ (np.arange(n_rules) == i)) for i in range(n_rules)]
    assert chooser.changed_values(chosen).tolist() == expected


@pytest.mark.parametrize("scale", [0.3, 3.0, 1000.0])
def test_values_with_one_rule_more_or_less_of_a_thousand(scale):
    chooser, _ = choosers(3, 50, 1000, 0.02, scale, 1 << 20, 1 << 15)
    rng = np.random.default_rng(7)
    for share in (0.1, 0.5, 1.0):
        chosen = (rng.random(1000) < share).astype(np.uint8)
        expected = [chooser.value(chosen ^ (np.arange(1000) == i)) for i in range(1000)]
        assert chooser.changed_values(chosen).tolist() == expected


def slow_climb(chooser: SubsetSearch, chosen: np.ndarray) -> np.ndarray:
    """Every rule is tried at each step."""
    best, least = chosen, chooser.value(chosen)
    while True:
        value = chooser.value(chosen)
        if value < least:
            best, least = chosen, value
        savings = [f(value - other) for other in chooser.changed_values(chosen)]
        which = int(np.argmax(savings))
        if savings[which] <= 0:
            return best
        chosen = chosen ^ (np.arange(len(chosen)) == which)


@pytest.mark.parametrize("scale", [0.03, 1.0, -1.0, 40.0])
@pytest.mark.parametrize("n", [300, 3000])
def test_a_climb_among_many_rules_is_the_slow_one(n, scale):
    # With few cases a rule, and many; rules of negative bits as well.
    for density in (0.005, 0.1):
        chooser, _ = choosers(11, n, 250, density, scale)
        for share in (0.0, 0.5, 1.0):
            start = (np.random.default_rng(1).random(250) < share).astype(np.uint8)
            assert chooser.hill_climb(start[None]).tolist() == slow_climb(chooser, start).tolist()


@pytest.mark.usefixtures("processor")
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([40, 300, 3000, 20000]),
    st.sampled_from([0.004, 0.02, 0.2]),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_rule_saves_more_than_is_thought_possible(seed, n, density, share):
    # Though most of it was estimated some steps ago, with other cases covered.
    chooser, _ = choosers(seed, n, 80, density, 0.3)
    rng = np.random.default_rng(seed)
    chosen = (rng.random(80) < share).astype(np.uint8)
    steps = rng.integers(80, size=30)
    values, most, tolerances = chooser.bounds(chosen, steps)
    for i, step in enumerate(steps):
        chosen[step] ^= 1
        assert values[i] == chooser.value(chosen)
        if i % 5 == 4:
            assert np.all(values[i] - chooser.changed_values(chosen) <= most[i] + tolerances[i])


def test_bounds_hold_after_millions_of_cases_have_come_and_gone():
    rng = np.random.default_rng(3)
    n, n_rules = 2000, 80
    own = (rng.random(n) < 0.4).astype(np.uint8)
    matches = rng.random((n_rules, n)) < np.where(own, 0.05, 0.01)
    start = np.concatenate([[0], np.cumsum(matches.sum(axis=1))]).astype(np.int64)
    weights = rng.integers(1, 3000, size=n)
    bits = rng.integers(1, 40, size=n_rules) / 3.0
    chooser = SubsetSearch(start, np.nonzero(matches)[1].astype(np.int32), own, bits, weights)
    chosen, steps = np.zeros(n_rules, dtype=np.uint8), rng.integers(n_rules, size=300)
    assert (matches @ weights)[steps].sum() > 10 * 2**20
    values, most, tolerances = chooser.bounds(chosen, steps)
    for i, step in enumerate(steps):
        chosen[step] ^= 1
        if i % 10 == 9:
            assert values[i] == chooser.value(chosen)
            assert np.all(values[i] - chooser.changed_values(chosen) <= most[i] + tolerances[i])
    start_of_climb = (rng.random(n_rules) < 0.7).astype(np.uint8)
    assert chooser.hill_climb(start_of_climb[None]).tolist() == slow_climb(chooser, start_of_climb).tolist()


def test_numbers_of_rules_that_are_not_there_are_refused():
    chooser, _ = choosers(0, 50, 5, 0.1, 0.3)
    none = np.zeros(5, dtype=np.uint8)
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match=f"there is no rule {wrong} among 5"):
            chooser.bounds(none, np.array([0, wrong]))
    with pytest.raises(ValueError, match="one entry a rule"):
        chooser.bounds(none[:4], np.array([0]))
    values, most, tolerances = choosers(0, 50, 0, 0.1, 0.3)[0].bounds(none[:0], np.array([], dtype=np.int64))
    assert values.shape == tolerances.shape == (0,)
    assert most.shape == (0, 0)


@pytest.mark.usefixtures("processor")
def test_a_climb_is_the_same_on_every_processor():
    chooser, _ = choosers(17, 20000, 300, 0.01, 0.3)
    start = (np.random.default_rng(2).random(300) < 0.7).astype(np.uint8)
    assert chooser.hill_climb(start[None]).tolist() == slow_climb(chooser, start).tolist()


def test_the_first_of_the_climbs_that_come_to_the_least_value():
    chooser, _ = choosers(5, 400, 60, 0.05, 0.3)
    rng = np.random.default_rng(5)
    points = (rng.random((6, 60)) < np.arange(6)[:, None] / 5).astype(np.uint8)
    points = np.concatenate([points, points])  # each twice
    each = [chooser.hill_climb(point[None]) for point in points]
    values = [chooser.value(subset) for subset in each]
    least, which, subset = chooser.best_climb(points)
    assert least == min(values)
    assert which == values.index(least) < 6
    assert subset.tolist() == each[which].tolist() == chooser.hill_climb(points).tolist()


@given(st.integers(1, 3000), st.data())
@settings(deadline=None, max_examples=300)
def test_rough_bits_for_exceptions_are_as_near_as_they_say(n, data):
    covered = data.draw(st.integers(0, n))
    wrong, missed = data.draw(st.integers(0, covered)), data.draw(st.integers(0, n - covered))
    exact = exception_bits(n, covered, wrong, missed)
    rough, tolerance = rough_exception_bits(n, covered, wrong, missed)
    assert abs(rough - exact) <= tolerance + 4 * 2.0**-24 * exact


def test_too_many_rules_for_all_sets_are_refused():
    chooser, _ = choosers(0, 10, 17, 0.3, 1.0)
    with pytest.raises(ValueError, match="too many"):
        chooser.exhaustive()


def test_arguments_that_do_not_fit_together_are_refused():
    own, bits = np.ones(3, dtype=np.uint8), np.ones(1)
    with pytest.raises(ValueError, match="no case 3"):
        SubsetSearch(np.array([0, 1]), np.array([3], dtype=np.int32), own, bits)
    for start in ([0], [0, 0], [0, 0, 1]):
        with pytest.raises(ValueError, match="differ in number"):
            SubsetSearch(np.array(start), np.array([1], dtype=np.int32), own, bits)
    with pytest.raises(ValueError, match="one entry a rule"):
        SubsetSearch(np.array([0, 1]), np.array([1], dtype=np.int32), own, bits).hill_climb(
            np.ones((2, 2), dtype=np.uint8)
        )


@given(st.integers(1, 500), st.data())
@settings(deadline=None, max_examples=300)
def test_bits_for_exceptions_are_the_naive_ones_to_the_last_bit(n, data):
    covered = data.draw(st.integers(0, n))
    wrong, missed = data.draw(st.integers(0, covered)), data.draw(st.integers(0, n - covered))
    assert exception_bits(n, covered, wrong, missed) == naive_exception_bits(n, covered, wrong, missed, LogTables(n))


def test_worked_code_lengths():
    assert exception_bits(14, 4, 0, 5) == pytest.approx(15.8825, abs=5e-5)
    assert exception_bits(14, 7, 0, 2) == pytest.approx(10.5340, abs=5e-5)
    assert exception_bits(14, 0, 0, 0) == pytest.approx(np.log2(14))
    assert log_factorials(5).tolist() == pytest.approx([0, 0, 1, np.log2(6), np.log2(24), np.log2(120)])
    assert log_factorials(300).tolist() == LogTables(200).log_factorials[:301]


@given(**arguments, n_rules=st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_a_case_of_weight_3_is_three_cases(seed, n, n_rules, density, scale):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, size=n)
    own = rng.random(n) < 0.4
    matches = rng.random((n_rules, n)) < np.where(own, density, density / 5)
    bits = (scale * rng.integers(1, 40, size=n_rules) / 3).astype(np.float32).astype(np.float64)
    points = (rng.random((4, n_rules)) < 0.5).astype(np.uint8)
    searches = []
    for often, given_weights in ((np.ones(n, dtype=np.int64), weights), (weights, None)):
        covers = matches.repeat(often, axis=1)
        start = np.concatenate([[0], np.cumsum(covers.sum(axis=1))]).astype(np.int64)
        rows = np.nonzero(covers)[1].astype(np.int32)
        searches.append(SubsetSearch(start, rows, own.repeat(often).astype(np.uint8), bits, given_weights))
    weighted, repeated = searches
    assert weighted.exhaustive().tolist() == repeated.exhaustive().tolist()
    assert weighted.hill_climb(points).tolist() == repeated.hill_climb(points).tolist()
    assert [weighted.value(point) for point in points] == [repeated.value(point) for point in points]


@pytest.mark.parametrize("weights", [[1], [1, 0], [1, -1], [2**31, 1], [2**30, 2**30]])
def test_weights_of_cases_are_positive_and_can_be_counted(weights):
    with pytest.raises(ValueError, match="one positive weight a case"):
        SubsetSearch(
            np.array([0, 1]), np.array([1], dtype=np.int32), np.ones(2, dtype=np.uint8), np.ones(1), np.array(weights)
        )
