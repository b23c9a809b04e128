"""Paths of a tree as rules, against the naive version."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive.rules_extract import CUT, GROUP, VALUE, Table, generalise, ordered, paths
from support.problems import GOLF, Problem, as_nodes, growing_options, grown, problems, random_problem

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.rules.condition_bits import ConditionBits
from ctree_ext.rules.generalise import Paths, generalised_paths

pytestmark = pytest.mark.usefixtures("processor")

confidences = st.sampled_from([0.25, 0.25, 0.1, 0.001, 0.5, 1.0])
levels = st.sampled_from([None, None, 0.01, 0.1, 0.9])
KIND_OF_TEST = {1: CUT, 2: VALUE, 3: GROUP}


def naive_rules(problem: Problem, arrays: NodeArrays, confidence: float, level: float | None) -> list[tuple]:
    """For each leaf that gives a rule its conditions, class, error, and the cases that it covers."""
    table = Table(*problem.arguments)
    rules = []
    for path, leaf in paths(as_nodes(problem, arrays)):
        if leaf.cases < 1:
            continue
        kept, error = generalise(path, leaf.cls, table, confidence, None if level is None else float(np.float32(level)))
        if error is not None:
            covered = table.covered(kept)
            wrong = int(np.sum(covered & (table.classes != leaf.cls)))
            conditions = [(c.attribute, c.kind, c.branch, c.cut) for c in ordered(path, kept)]
            rules.append((conditions, leaf.cls, error, int(np.sum(covered)), wrong, np.flatnonzero(covered).tolist()))
    return rules


def rows_of(found: dict, rule: int) -> np.ndarray:
    return found["rows"][found["row_start"][rule] : found["row_start"][rule + 1]]


def rules_of(problem: Problem, arrays: NodeArrays, confidence: float, level: float | None) -> list[tuple]:
    found = generalised_paths(problem.table(), arrays, confidence, level)
    above = np.repeat(np.arange(len(arrays.test)), arrays.n_branches)  # of node 1, 2, ...
    rules = []
    for i, leaf in enumerate(found["leaf"]):
        conditions = []
        for node in found["branch"][found["start"][i] : found["start"][i + 1]].tolist():
            parent = int(above[node - 1])
            kind = KIND_OF_TEST[int(arrays.test[parent])]
            cut = float(arrays.threshold[parent]) if kind == CUT else None
            conditions.append((int(arrays.attribute[parent]), kind, node - int(arrays.first_branch[parent]), cut))
        figures = (float(found["error"][i]), int(found["covered"][i]), int(found["wrong"][i]))
        rules.append((conditions, int(arrays.best[leaf]), *figures, rows_of(found, i).tolist()))
    return rules


@given(problems(), growing_options, confidences, levels)
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_path_is_generalised_as_by_the_naive_version(problem, options, confidence, level):
    arrays, _ = grown(problem, **options)
    assert rules_of(problem, arrays, confidence, level) == naive_rules(problem, arrays, confidence, level)


@pytest.mark.parametrize("n", [63, 64, 65, 128, 500, 513, 1100])
@pytest.mark.parametrize("options", [{}, {"group_values": True}, {"min_cases": 1}], ids=str)
def test_more_cases_than_a_word_has_bits(n, options):
    problem = random_problem(n, n, 3, [0, 0, 4, 10, 2, 0], 0.05, noise=0.3)
    arrays, _ = grown(problem, **options)
    assert rules_of(problem, arrays, 0.25, None) == naive_rules(problem, arrays, 0.25, None)


def test_blocks_of_cases_that_all_fail_two_conditions():
    # In the order of their values, so that there are some.
    problem = random_problem(4, 1500, 3, [3, 4, 4, 0, 0, 5], 0.02, noise=0.5)
    order = np.lexsort(problem.arrays[2::-1]).tolist()
    columns = [[column[i] for i in order] for column in problem.columns]
    problem = Problem(columns, problem.n_values, [problem.classes[i] for i in order], 3)
    arrays, _ = grown(problem)
    assert len(arrays.test) > 300
    assert rules_of(problem, arrays, 0.25, None) == naive_rules(problem, arrays, 0.25, None)


def test_the_rules_of_golf():
    arrays, _ = grown(GOLF)
    found = generalised_paths(GOLF.table(), arrays)
    # sunny & humidity <= 75 -> Play becomes humidity <= 75, which is worse than no rule at all.
    assert found["error"].tolist() == pytest.approx([0.3700, 0.2929, 0.5000, 0.3700], abs=5e-5)
    assert (found["covered"] - found["wrong"]).tolist() == [3, 4, 2, 3]
    assert np.diff(found["start"]).tolist() == [2, 1, 2, 2]


def test_a_tree_of_one_leaf_gives_no_rule():
    problem = Problem([[0, 1]], [2], [0, 0], 2)
    arrays, _ = grown(problem)
    assert found_nothing(generalised_paths(problem.table(), arrays))


def test_a_tree_that_does_not_fit_the_cases_is_refused():
    arrays, _ = grown(GOLF)
    column, classes = np.zeros(14), np.array(GOLF.classes, dtype=np.int32)
    with pytest.raises(ValueError, match="does not fit"):
        generalised_paths(CaseTable([column] * 4, [0] * 4, classes, 2), arrays)
    with pytest.raises(ValueError, match="do not have"):
        generalised_paths(CaseTable([], [], classes, 2), arrays)
    with pytest.raises(ValueError, match="no classes"):
        generalised_paths(CaseTable(GOLF.arrays, GOLF.n_values, None, 2), arrays)


def found_nothing(found: dict) -> bool:
    return len(found["leaf"]) == 0 and found["start"].tolist() == [0]


@given(problems(), growing_options, confidences, levels, st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=100)
def test_a_case_of_weight_3_is_three_cases(problem, options, confidence, level, seed):
    weights = np.random.default_rng(seed).integers(1, 5, size=len(problem.classes))
    repeated = repeated_cases(problem, weights)
    arrays, _ = grown(repeated, **options)
    found = generalised_paths(problem.table(weights), arrays, confidence, level)
    expected = generalised_paths(repeated.table(), arrays, confidence, level)
    for name in ("leaf", "error", "covered", "wrong", "start", "branch"):
        assert found[name].tolist() == expected[name].tolist()
    of_repeated = np.repeat(np.arange(len(weights)), weights)
    for i in range(len(found["leaf"])):
        rows = rows_of(found, i)
        assert np.repeat(rows, weights[rows]).tolist() == of_repeated[rows_of(expected, i)].tolist()


@pytest.mark.parametrize("n_parts", [1, 2, 5, 1000])
def test_the_parts_of_a_tree_have_its_rules_from_left_to_right(n_parts):
    problem = random_problem(9, 700, 3, [0, 0, 4, 10, 2, 0], 0.05, noise=0.3)
    arrays, _ = grown(problem, min_cases=1)
    paths = Paths(problem.table(), arrays)
    tops = paths.shares(n_parts)
    assert len(tops) >= min(n_parts, 5)
    parts = [paths.rules_below(top) for top in tops]
    whole = generalised_paths(problem.table(), arrays)
    for name in ("leaf", "error", "covered", "wrong", "branch", "rows"):
        assert np.concatenate([part[name] for part in parts]).tolist() == whole[name].tolist()
    for name in ("start", "row_start"):
        assert np.concatenate([np.diff(part[name]) for part in parts]).tolist() == np.diff(whole[name]).tolist()


@pytest.mark.parametrize("n_marks", [1, 3, 20, 10**6])
def test_of_rules_that_are_the_same_the_first_is_found_with_the_largest_error(n_marks):
    problem = random_problem(9, 700, 3, [0, 0, 4, 10, 2, 0], 0.05, noise=0.3)
    arrays, _ = grown(problem, min_cases=1)
    marks = np.random.default_rng(n_marks).integers(n_marks, size=len(arrays.test))
    every = generalised_paths(problem.table(), arrays)
    merged: dict[tuple, list] = {}
    for i, leaf in enumerate(every["leaf"].tolist()):
        branches = every["branch"][every["start"][i] : every["start"][i + 1]].tolist()
        facts = [leaf, int(every["covered"][i]), int(every["wrong"][i]), branches, rows_of(every, i).tolist()]
        known = merged.setdefault((int(arrays.best[leaf]), *marks[branches].tolist()), [0.0, *facts])
        known[0] = max(known[0], float(every["error"][i]))
    found = Paths(problem.table(), arrays, marks=marks).rules_below()
    for i, (error, leaf, covered, wrong, branches, rows) in enumerate(merged.values()):
        assert (found["error"][i], found["leaf"][i], found["covered"][i], found["wrong"][i]) == (
            error,
            leaf,
            covered,
            wrong,
        )
        assert found["branch"][found["start"][i] : found["start"][i + 1]].tolist() == branches
        assert rows_of(found, i).tolist() == rows
    assert len(found["leaf"]) == len(merged) <= len(every["leaf"])


def test_there_is_a_mark_for_each_node():
    arrays, _ = grown(GOLF)
    with pytest.raises(ValueError, match="one mark a node"):
        Paths(GOLF.table(), arrays, marks=np.zeros(1, dtype=np.int64))


def test_there_is_no_path_to_a_node_that_is_not_there():
    arrays, _ = grown(GOLF)
    for top in (-1, len(arrays.test)):
        with pytest.raises(ValueError, match="there is no node"):
            Paths(GOLF.table(), arrays).rules_below(top)


def repeated_cases(problem: Problem, weights: np.ndarray) -> Problem:
    """Each case as often as its weight says."""
    rows = np.repeat(np.arange(len(weights)), weights).tolist()
    columns = [None if column is None else [column[row] for row in rows] for column in problem.columns]
    return Problem(columns, problem.n_values, [problem.classes[row] for row in rows], problem.n_classes)


def test_weights_that_are_not_whole_or_beyond_counting_are_refused():
    arrays, _ = grown(GOLF)
    for weight, message in ((1.5, "not whole"), (2.0**60, "more than can be counted")):
        with pytest.raises(ValueError, match=message):
            generalised_paths(GOLF.table([weight] * len(GOLF.classes)), arrays)


@pytest.mark.parametrize("single", [True, False])
def test_cases_that_fail_a_condition(single):
    rng = np.random.default_rng(5)
    n = 130
    codes = rng.integers(-1, 4, n).astype(np.int32)
    values = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    values[:2] = 0.1, float(np.float32(0.1))
    table = CaseTable([codes, values], [4, 0], np.zeros(n, dtype=np.int32), 1, None, single)
    conditions = ConditionBits(table)

    def fail(words):
        return np.unpackbits(words.view(np.uint8), bitorder="little")[:n].astype(bool).tolist()

    seen = values.astype(np.float32).astype(np.float64) if single else values
    for keep in (False, True):
        assert fail(conditions.of_value(0, 2, keep)) == [code != 2 for code in codes]
    cut = float(np.float32(0.1))
    assert fail(conditions.of_cut(1, cut, above=False)) == [not x <= cut for x in seen]
    assert fail(conditions.of_cut(1, cut, above=True)) == [not x > cut for x in seen]
    groups = np.array([1, 0, -1, 1], dtype=np.int32)
    assert fail(conditions.of_group(0, groups, 1)) == [code not in (0, 3) for code in codes]
