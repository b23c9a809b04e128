"""Error-based pruning against the naive version, and on worked examples."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import Grower as NaiveGrower
from naive.release8_numbers import add_errs, f
from naive.release8_prune import prune_and_tell
from support.problems import (
    GOLF,
    Problem,
    as_nodes,
    growing_options,
    grown,
    naive_options,
    problems,
    pruned,
    random_problem,
)

from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.error_estimate import pessimistic_errors
from ctree_ext.prune.release8 import Pruner, collapse, drop_impossible_values

confidences = st.sampled_from([0.25, 0.25, 0.1, 0.001, 0.5, 1.0])


def naive_pruned(problem, options, confidence):
    """The naive version, grown and pruned, pruning going on from the order in which growing leaves the cases."""
    grower = NaiveGrower(*problem.arguments, **naive_options(options))
    tree = grower.grow()
    return prune_and_tell(tree, *problem.arguments, confidence, grower.cases)[0]


@given(problems(), growing_options, confidences)
@settings(deadline=None, max_examples=400)
def test_the_pruned_tree_is_the_naive_one_to_the_last_bit(problem, options, confidence):
    tree = as_nodes(problem, pruned(problem, confidence=confidence, **options))
    assert tree == naive_pruned(problem, options, confidence)


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize("options", [{}, {"gain_only": True}, {"group_values": True}, {"min_cases": 1}], ids=str)
def test_larger_trees_are_pruned_as_the_naive_ones(options, unknown):
    problem = random_problem(7, 400, 3, [0, 0, 4, 10, 2, 0], unknown, noise=0.3)
    assert as_nodes(problem, pruned(problem, **options)) == naive_pruned(problem, options, 0.25)


class TestEstimate:
    @pytest.mark.parametrize(
        ("n", "e", "expected"),
        [
            (1, 0, 0.7500),
            (2, 0, 1.0000),
            (6, 0, 1.2378),
            (9, 0, 1.2848),
            (2, 1, 1.7962),
            (16, 1, 2.5069),
            (5, 2, 3.2396),
            (14, 5, 6.7950),
            (100, 10, 12.8147),
            (4, 0.5, 1.6805),
            (3, 2.6, 2.8680),
        ],
    )
    def test_worked_numbers_at_a_confidence_of_a_quarter(self, n, e, expected):
        assert pessimistic_errors(n, e) == pytest.approx(expected, abs=5e-5)
        assert pessimistic_errors(n, e, single=False) == pytest.approx(expected, abs=5e-5)

    @given(
        st.one_of(st.integers(1, 1000), st.floats(0.01, 1000)),
        st.floats(0, 1),
        st.one_of(st.sampled_from([0.001, 0.01, 0.1, 0.25, 0.4, 1.0]), st.floats(1e-5, 1)),
    )
    @settings(deadline=None, max_examples=1000)
    def test_the_estimate_is_the_naive_one_to_the_last_bit(self, n, share, confidence):
        n, e = f(n), f(n * share)
        assert pessimistic_errors(n, e, confidence) == f(e + add_errs(n, e, confidence))

    @given(st.integers(1, 200), st.integers(0, 200))
    @settings(deadline=None)
    def test_whole_errors_too(self, n, e):
        n, e = float(n), float(min(n, e))
        assert pessimistic_errors(n, e) == f(e + add_errs(n, e, 0.25))

    def test_the_smaller_the_confidence_the_more_errors_are_expected(self):
        errors = [pessimistic_errors(20.0, 3.0, c) for c in (0.001, 0.01, 0.1, 0.25, 0.5, 1.0)]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] == pytest.approx(3.5)

    def test_where_there_are_no_cases_no_errors_are_expected(self):
        assert pessimistic_errors(0.0, 0.0) == 0


class TestRaising:
    """A tree whose root is replaced by its largest branch, though that is estimated slightly worse."""

    problem = Problem(
        columns=[
            [1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0],  # a: p, q
            [2, 1, 0, 2, 2, 2, 1, 1, 0, 2, 2],  # b: u, v, w
            [3.0, 2, 6, 4, 3, 2, 4, 6, 2, 2, 2],
        ],
        n_values=[2, 3, 0],
        classes=[0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0],
        n_classes=2,
    )

    def test_the_tree_before(self):
        arrays, _ = grown(self.problem)
        assert arrays.test.tolist() == [2, 0, 1, 0, 0]
        assert arrays.cases.tolist() == [11, 3, 8, 5, 3]
        assert arrays.errors.tolist() == [1, 0, 1, 1, 0]

    def test_the_branch_takes_the_place_of_the_root(self):
        arrays = pruned(self.problem)
        assert arrays.test.tolist() == [1, 0, 0]
        assert (arrays.attribute[0], arrays.threshold[0]) == (2, 3)
        assert arrays.cases.tolist() == [11, 7, 4]
        assert arrays.best.tolist() == [0, 0, 1]
        assert arrays.errors.tolist() == pytest.approx([4.56, 2.37, 2.19], abs=5e-3)

    def test_without_raising_the_tree_stays(self):
        arrays = pruned(self.problem, subtree_raising=False)
        assert arrays.test.tolist() == [2, 0, 1, 0, 0]
        assert arrays.errors[0] == pytest.approx(4.49, abs=5e-3)


class TestGolf:
    def test_pruning_leaves_the_tree_alone(self):
        before, after = grown(GOLF)[0], pruned(GOLF)
        assert before.test.tolist() == after.test.tolist()
        assert after.errors.tolist() == pytest.approx([5.39, 2.11, 1.17, 2.11, 1.00, 1.11, 1.00, 1.11], abs=5e-3)
        assert 100 * after.errors[0] / 14 == pytest.approx(38.5, abs=0.05)


def test_exclusive_or_is_not_pruned():
    problem = Problem([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]], [2, 2], [0, 0, 1, 1, 1, 1, 0, 0], 2)
    arrays = pruned(problem)
    assert (len(arrays.test), arrays.errors[0]) == (7, pytest.approx(4.0, abs=5e-3))


@given(problems(most_cases=40), growing_options)
@settings(deadline=None, max_examples=60)
def test_a_pruned_tree_does_not_change_the_tree_it_came_from(problem, options):
    arrays, order = grown(problem, **options)
    before = copy.deepcopy(arrays)
    Pruner(problem.table()).prune(arrays, order)
    drop_impossible_values(arrays, problem.n_classes, np.array(problem.n_values, dtype=np.int32))
    collapse(arrays, problem.n_classes)
    assert before == arrays


def test_values_that_a_test_above_rules_out_are_dropped():
    # Node 2, below {2, 3}, tests the same attribute again: 2 | 3 | values without cases {0, 1}.
    arrays = NodeArrays(
        test=np.array([3, 0, 3, 0, 0, 0], dtype=np.int8),
        attribute=np.array([0, -1, 0, -1, -1, -1], dtype=np.int32),
        threshold=np.zeros(6),
        first_branch=np.array([1, -1, 3, -1, -1, -1], dtype=np.int32),
        n_branches=np.array([2, 0, 3, 0, 0, 0], dtype=np.int32),
        group_start=np.array([0, -1, 4, -1, -1, -1], dtype=np.int64),
        group=np.array([0, 0, 1, 1, 2, 2, 0, 1], dtype=np.int32),
        best=np.zeros(6, dtype=np.int32),
        cases=np.array([8.0, 4, 4, 2, 2, 0]),
        errors=np.zeros(6),
        counts=np.zeros((6, 2)),
    )
    after = drop_impossible_values(arrays, 2, np.array([4], dtype=np.int32))
    assert after.n_branches.tolist() == [2, 0, 2, 0, 0]
    problem = Problem([[0]], [4], [0], 2)
    assert as_nodes(problem, after).branches[1].groups == [(2,), (3,)]


def test_a_raised_branch_counts_cases_as_the_estimates_before_it_left_them():
    # Case 4 goes down several branches in fractions and comes back as 0.99999994; only then is the branch raised.
    values = [2, 2, 2, 5, None, 1, 3, 3, 4, 5, 2, 3, 5, 3, 3]
    column = [0.0, 0.0, 0.0, 0.0, 1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0, 1.0, 1.0]
    problem = Problem([values, column], [6, 0], [1, 4, 1, 0, 3, 3, 4, 2, 2, 0, 4, 2, 4, 2, 0], 5)
    options = {"min_cases": 1, "gain_only": True, "group_values": True}
    tree = as_nodes(problem, pruned(problem, **options))
    assert tree == naive_pruned(problem, options, 0.25)
    assert tree.branches[1].counts[3] == f(0.99999994)


def test_cases_are_counted_though_their_weights_did_not_return_to_one():
    # Some cases come back as 1.0000001, yet no test above the raised branch has an unknown outcome: the shares of its
    # branches are those of the counts, and only the weights of classes are added up.
    rows = [
        "2 1 ? ? ? ? 1 3 ? ? 1 4 1 ? 3 ? ? 3 ? 3 1 4 ? 4 ? 3 ? ? ? 4 3 2 ? ? ? ? 2 ? 2 0",
        "1 ? 0 -1 -1 0 1 0 1 ? 1 ? ? ? ? ? 0 ? 0 -1 1 ? ? 1 -1 -1 -1 ? 0 -1 0 -1 0 0 -1 ? -1 -1 1 0",
        "? 0 ? 1 0 1 0 0 1 4 2 ? 1 ? 4 0 2 4 0 3 ? ? ? 1 1 3 ? 0 2 0 2 1 ? 4 2 0 ? 4 ? 1",
    ]
    columns = [[None if value == "?" else int(value) for value in row.split()] for row in rows]
    columns[1] = [None if value is None else float(value) for value in columns[1]]
    classes = [int(label) for label in "3040230440240024323103240113424201200133"]
    problem = Problem(columns=columns, n_values=[5, 0, 5], classes=classes, n_classes=5)
    options = {"min_cases": 1, "gain_only": True, "group_values": True}
    assert as_nodes(problem, pruned(problem, confidence=0.5, **options)) == naive_pruned(problem, options, 0.5)
