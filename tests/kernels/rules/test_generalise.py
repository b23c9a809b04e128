"""Paths of a tree as rules, against the naive version."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.rules_extract import CUT, GROUP, VALUE, Table, generalise, ordered, paths
from support.problems import GOLF, Problem, as_nodes, growing_options, grown, problems, random_problem

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.rules.generalise import generalised_paths

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
        rules.append((conditions, int(arrays.best[leaf]), *figures, found["rows"][i].tolist()))
    return rules


@given(problems(), growing_options, confidences, levels)
@settings(deadline=None, max_examples=300)
def test_every_path_is_generalised_as_by_the_naive_version(problem, options, confidence, level):
    arrays, _ = grown(problem, **options)
    assert rules_of(problem, arrays, confidence, level) == naive_rules(problem, arrays, confidence, level)


@pytest.mark.parametrize("n", [63, 64, 65, 128, 500])
@pytest.mark.parametrize("options", [{}, {"group_values": True}, {"min_cases": 1}], ids=str)
def test_more_cases_than_a_word_has_bits(n, options):
    problem = random_problem(n, n, 3, [0, 0, 4, 10, 2, 0], 0.05, noise=0.3)
    arrays, _ = grown(problem, **options)
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
    rows, expected_rows = found.pop("rows"), expected.pop("rows")
    assert {name: a.tolist() for name, a in found.items()} == {name: a.tolist() for name, a in expected.items()}
    of_repeated = np.repeat(np.arange(len(weights)), weights)
    assert [np.repeat(r, weights[r]).tolist() for r in rows] == [of_repeated[r].tolist() for r in expected_rows]


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
