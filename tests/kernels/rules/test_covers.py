"""Which cases rules cover, against a look at every case."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_numbers import f
from support.problems import Problem, problems

from ctree_ext.rules.covers import ConditionKind, RuleSet, first_two
from ctree_ext.rules.subsets import SubsetSearch


def holds(problem: Problem, condition: tuple, case: int) -> bool:
    attribute, kind, cut, codes = condition
    x = problem.columns[attribute][case]
    if x is None:
        return False
    if kind == ConditionKind.AT_MOST:
        return f(x) <= cut
    if kind == ConditionKind.ABOVE:
        return f(x) > cut
    return x in codes


def rule_set(problem: Problem, rules: list[list[tuple]]) -> RuleSet:
    members: list[int] = []
    value = []
    for attribute, kind, _, codes in (condition for rule in rules for condition in rule):
        if kind == ConditionKind.AMONG:
            value.append(len(members))
            members += [v in codes for v in range(problem.n_values[attribute])]
        else:
            value.append(codes[0] if codes else 0)
    conditions = [condition for rule in rules for condition in rule]
    return RuleSet(
        np.cumsum([0, *map(len, rules)]).astype(np.int64),
        np.array([c[0] for c in conditions], dtype=np.int32),
        np.array([c[1] for c in conditions], dtype=np.int8),
        np.array([c[2] for c in conditions], dtype=np.float64),
        np.array(value, dtype=np.int64),
        np.array(members, dtype=np.uint8),
    )


@st.composite
def random_rules(draw) -> tuple[Problem, list[list[tuple]]]:
    problem = draw(problems())
    usable = [a for a, column in enumerate(problem.columns) if column is not None]
    rules: list[list[tuple]] = []
    for _ in range(draw(st.integers(0, 6))):
        rules.append([])
        for attribute in draw(st.lists(st.sampled_from(usable), max_size=4)) if usable else []:
            n = problem.n_values[attribute]
            if n:
                codes = draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True))
                kind = ConditionKind.EQUAL if len(codes) == 1 and draw(st.booleans()) else ConditionKind.AMONG
                rules[-1].append((attribute, kind, 0.0, codes))
            else:
                known = [x for x in problem.columns[attribute] if x is not None] or [0.0]
                cut = f(draw(st.sampled_from(known)))
                rules[-1].append(
                    (attribute, draw(st.sampled_from([ConditionKind.AT_MOST, ConditionKind.ABOVE])), cut, [])
                )
    return problem, rules


@given(random_rules(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=300)
def test_covers_and_first_rules(drawn, random):
    problem, rules = drawn
    n = len(problem.classes)
    kernel = rule_set(problem, rules)
    expected = [[i for i in range(n) if all(holds(problem, c, i) for c in rule)] for rule in rules]
    start, rows = kernel.covers(problem.table())
    assert [rows[start[i] : start[i + 1]].tolist() for i in range(len(rules))] == expected
    applying = [[r for r in range(len(rules)) if i in expected[r]] for i in range(n)]
    assert kernel.first(problem.table()).tolist() == [rules[0] if rules else -1 for rules in applying]
    order = list(range(len(rules)))
    random.shuffle(order)
    order = order[: random.randint(0, len(order))]
    first, second = first_two(start, rows, np.array(order, dtype=np.int32), n)
    in_order = [[r for r in order if r in rules] for rules in applying]
    assert first.tolist() == [[*rules, -1, -1][0] for rules in in_order]
    assert second.tolist() == [[*rules, -1, -1][1] for rules in in_order]


def test_conditions_that_do_not_fit_the_cases_are_refused():
    problem = Problem([[0, 1], [0.5, 1.5]], [2, 0], [0, 1], 2)
    for condition, message in [
        ((2, ConditionKind.EQUAL, 0.0, [0]), "do not have"),
        ((-1, ConditionKind.EQUAL, 0.0, [0]), "do not have"),
        ((0, ConditionKind.ABOVE, 0.0, []), "does not fit"),
        ((1, ConditionKind.EQUAL, 0.0, [0]), "does not fit"),
        ((0, 7, 0.0, [0]), "no known kind"),
    ]:
        with pytest.raises(ValueError, match=message):
            rule_set(problem, [[condition]]).first(problem.table())


def test_values_that_are_not_listed_are_refused():
    problem = Problem([[0, 1]], [2], [0, 1], 2)
    one = (np.array([0, 1]), np.array([0], dtype=np.int32), np.array([ConditionKind.AMONG], dtype=np.int8), np.zeros(1))
    for place in (-1, 1):
        with pytest.raises(ValueError, match="not listed"):
            RuleSet(*one, np.array([place]), np.ones(2, dtype=np.uint8)).covers(problem.table())


def test_arrays_that_do_not_fit_together_are_refused():
    none = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int8), np.empty(0), np.empty(0, dtype=np.int64)
    for start in ([], [1], [0, 1], [0, 1, 0]):
        with pytest.raises(ValueError, match="share out"):
            RuleSet(np.array(start, dtype=np.int64), *none, np.empty(0, dtype=np.uint8))
    with pytest.raises(ValueError, match="differ in length"):
        RuleSet(np.array([0, 0]), *none[:3], np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8))
    with pytest.raises(ValueError, match="no rule 3"):
        first_two(np.array([0, 0]), np.empty(0, dtype=np.int32), np.array([3], dtype=np.int32), 1)


def test_threads_may_share_rules():
    rng = np.random.default_rng(0)
    tables = [
        Problem([rng.random(5000).tolist()], [0], rng.integers(2, size=5000).tolist(), 2).table() for _ in range(4)
    ]
    rules = [[(0, ConditionKind.ABOVE, cut, [])] for cut in (0.99, 0.9, 0.7, 0.5)]
    kernel = rule_set(Problem([[0.0]], [0], [0], 2), rules)
    alone = [kernel.first(table).tolist() for table in tables]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda i: kernel.first(tables[i % 4]).tolist(), range(40)))
    assert together == alone * 10


@pytest.mark.parametrize(
    ("start", "rows", "message"),
    [
        ([0, 1], [10**9], "there is no case 1000000000"),
        ([0, 1], [-1], "there is no case -1"),
        ([0, 2, 1], [0], "the covers do not follow each other"),
        ([-(10**9), 1], [0], "rules and covers differ in number"),
        ([0, 2], [0], "rules and covers differ in number"),
    ],
)
def test_lists_of_cases_that_cannot_be(start, rows, message):
    check_refusal(start, rows, 1, message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([0, 2, 1, 0, 1], "not in ascending order: 1 after 2"), ([0, 1, 2, 1, 1], "not in ascending order: 1 after 1")],
)
def test_cases_of_a_rule_out_of_order(rows, message):
    check_refusal([0, 3, 5], rows, 3, message)
    first_two(*as_lists([0, 3, 5], [0, 1, 2, 0, 1]), np.arange(2, dtype=np.int32), 3)


def as_lists(start, rows):
    return np.array(start, dtype=np.int64), np.array(rows, dtype=np.int32)


def check_refusal(start, rows, n_cases, message):
    lists, n_rules = as_lists(start, rows), len(start) - 1
    with pytest.raises(ValueError, match=message):
        first_two(*lists, np.arange(n_rules, dtype=np.int32), n_cases)
    with pytest.raises(ValueError, match=message):
        SubsetSearch(*lists, np.ones(n_cases, dtype=np.uint8), np.ones(n_rules))
