"""A short run of the hunt, and its tools."""

from __future__ import annotations

import pytest
from naive.release8_grow import grow
from support.problems import Problem

from hunt.kinds import KINDS, first_difference
from hunt.run import run, set_number, told
from hunt.sets import Set
from hunt.smaller import smaller

SEED = 8
COUNTS = {"release8": 150, "windowing": 40, "j48": 80, "rules": 80}
"""About a second each."""


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_slow_versions_agree(kind):
    outcome = run(kind, SEED, 0, COUNTS[kind])
    assert outcome.count == COUNTS[kind]
    assert not outcome.differences, told(kind, SEED, next(iter(outcome.differences)))


@pytest.mark.parametrize("number", [28910, 99035, 189926])
def test_sets_whose_best_cuts_differ_by_a_bit_before_the_cost_is_taken_off(number):
    assert not run("release8", 11, number, 1).differences


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_depends_on_its_number_alone(kind):
    assert set_number(kind, SEED, 5) == set_number(kind, SEED, 5)
    assert set_number(kind, SEED, 5) != set_number(kind, SEED, 6)
    assert set_number(kind, SEED + 1, 5) != set_number(kind, SEED, 5)


def test_sets_have_unknown_values_weights_and_ties():
    sets = [set_number("release8", SEED, number) for number in range(100)]
    assert any(one.weights for one in sets)
    assert any(None in (column or []) for one in sets for column in one.problem.columns)
    assert all(10 <= len(one.problem.classes) <= 60 for one in sets)
    assert {one.options["min_cases"] for one in sets} == {1, 2, 3, 4, 5, 6}


def test_a_set_is_made_smaller_as_long_as_it_differs():
    given = set_number("release8", SEED, 1)

    def differs(one: Set) -> bool:
        return 1 in one.problem.classes

    small = smaller(given, differs)
    assert (small.problem.classes, len(small.problem.columns)) == ([1], 1)


def test_a_difference_is_told_with_its_place():
    problem = Problem([[0, 0, 1, 1]], [2], [0, 0, 1, 1], 2)
    one, other = (grow(*problem.arguments, min_cases=1) for _ in range(2))
    assert first_difference(one, other) is None
    other.branches[1].cases = 3.0
    assert first_difference(one, other) == "node [1]: cases 2.0 and 3.0"


def test_what_is_replayed_says_what_it_is():
    text = told("j48", SEED, 3)
    assert "min_cases=" in text
    assert "no difference" in text
