"""Data at the edge of what can be learned from."""

import numpy as np
import pytest
from naive.release8_grow import grow as naive_grow
from support.problems import Problem, as_nodes, grown, naive_options, pruned, random_problem

from ctree import Attribute, C45Classifier, Dataset, Kind, Schema
from ctree.errors import DataError
from ctree_ext.base.cases import CaseTable
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower


def tree_of(problem, **parameters):
    return C45Classifier(**parameters).fit(problem.dataset()).tree_


def assert_naive(problem, **options):
    assert as_nodes(problem, grown(problem, **options)[0]) == naive_grow(*problem.arguments, **naive_options(options))


def test_one_class():
    problem = Problem([[1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]], [0, 2], [0] * 4, 1)
    tree = tree_of(problem)
    assert (tree.n_nodes, tree.class_counts.tolist()) == (1, [[4]])
    assert tree.predict_proba(problem.dataset()).tolist() == [[1]] * 4


def test_one_case():
    problem = Problem([[1.0], [1]], [0, 2], [1], 2)
    tree = tree_of(problem)
    assert (tree.n_nodes, tree.predict_proba(problem.dataset()).tolist()) == (1, [[0, 1]])


@pytest.mark.parametrize("group_values", [False, True])
def test_attributes_that_never_change(group_values):
    problem = Problem([[2.5] * 8, [1] * 8], [0, 3], [0, 0, 0, 1, 1, 1, 1, 1], 2)
    tree = tree_of(problem, group_values=group_values)
    assert (tree.n_nodes, tree[0].prediction) == (1, "c1")


@pytest.mark.parametrize("n_values", [0, 3])
@pytest.mark.parametrize("group_values", [False, True])
def test_a_column_without_a_known_value(n_values, group_values):
    useful = [0.0] * 4 + [1.0] * 4
    problem = Problem([[None] * 8, useful], [n_values, 0], [0] * 4 + [1] * 4, 2)
    assert_naive(problem, group_values=group_values)
    tree = tree_of(problem, group_values=group_values)
    assert (tree.n_nodes, tree.attribute[0]) == (3, 1)


def test_an_attribute_with_one_value():
    problem = Problem([[0] * 8, [0] * 4 + [1] * 4], [1, 2], [0] * 4 + [1] * 4, 2)
    assert_naive(problem)
    assert tree_of(problem).attribute[0] == 1


@pytest.mark.parametrize("prune", [True, False])
def test_no_attributes_at_all(prune):
    data = Dataset(Schema((), ("a", "b")), [], [0, 1, 1])
    model = C45Classifier(prune=prune).fit(data)
    assert (model.tree_.n_nodes, model.predict(data).tolist()) == (1, ["b"] * 3)


@pytest.mark.parametrize("prune", [True, False])
def test_only_ignored_attributes(prune):
    data = Dataset(Schema((Attribute("id", Kind.IGNORE),), ("a", "b")), [None], [0, 1, 1])
    model = C45Classifier(prune=prune).fit(data)
    assert (model.tree_.n_nodes, model.predict_proba(data).tolist()) == (1, [pytest.approx([1 / 3, 2 / 3])] * 3)


@pytest.mark.parametrize("group_values", [False, True])
def test_a_discrete_attribute_without_values(group_values):
    schema = Schema((Attribute("d", Kind.DISCRETE), Attribute("x", Kind.CONTINUOUS)), ("a", "b"))
    columns = [np.full(8, -1, dtype=np.int32), np.repeat([0.0, 1.0], 4)]
    model = C45Classifier(group_values=group_values).fit(Dataset(schema, columns, [0] * 4 + [1] * 4))
    assert (model.tree_.n_nodes, model.tree_.attribute[0]) == (3, 1)


@pytest.mark.parametrize("n_values", [255, 256, 257, 300, 1000])
@pytest.mark.parametrize("unknown", [False, True])
def test_more_values_than_a_byte_counts(n_values, unknown):
    rng = np.random.default_rng(n_values)
    column = rng.integers(n_values, size=5 * n_values)
    classes = (column % 3).tolist()
    values = [None if unknown and i % 17 == 0 else int(v) for i, v in enumerate(column)]
    problem = Problem([values, rng.random(len(values)).round(2).tolist()], [n_values, 0], classes, 3)
    assert_naive(problem)
    assert len(tree_of(problem, prune=False)[0].branches) == n_values


@pytest.mark.parametrize("n_values", [127, 128, 140])
def test_groups_among_many_values(n_values):
    column = list(range(n_values)) * 2
    problem = Problem([column], [n_values], [v % 2 for v in column], 2)
    tree = tree_of(problem, group_values=True)
    evens, odds = tuple(range(0, n_values, 2)), tuple(range(1, n_values, 2))
    assert tree.groups(0) == [evens, odds]
    assert tree.errors.sum() < 8


def test_groups_that_are_mixed_among_many_values():
    rng = np.random.default_rng(4)
    column = rng.integers(30, size=300)
    problem = Problem([column.tolist()], [30], ((column % 4 == 0) ^ (rng.random(300) < 0.2)).astype(int).tolist(), 2)
    assert_naive(problem, group_values=True)


def test_hundreds_of_classes():
    n = 900
    problem = Problem(
        [[float(i // 3) for i in range(n)], [i // 3 % 30 for i in range(n)]], [0, 30], [i // 3 for i in range(n)], 300
    )
    assert_naive(problem)
    model = C45Classifier().fit(problem.dataset())
    assert model.predict_proba(problem.dataset()).shape == (n, 300)


def test_the_first_of_two_like_columns_is_tested():
    column = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    problem = Problem([column, column, [0] * 4 + [1] * 4, [0] * 4 + [1] * 4], [0, 0, 2, 2], [0] * 4 + [1] * 4, 2)
    assert tree_of(problem, criterion="gain").attribute[0] == 2  # a threshold pays for the cuts
    assert tree_of(Problem([column, column], [0, 0], problem.classes, 2)).attribute[0] == 0


def test_a_minimum_beyond_the_number_of_cases():
    problem = random_problem(0, 50, 2, [0, 3])
    assert tree_of(problem, min_cases=26).n_nodes == 1
    assert tree_of(problem, min_cases=1e9).n_nodes == 1


def test_numbers_huge_and_tiny():
    for low, high in ((1e30, 2e30), (-3e38, 3e38), (1e300, -1e300), (1e-4, 2e-4)):
        problem = Problem([[low] * 4 + [high] * 4], [0], [0] * 4 + [1] * 4, 2)
        tree = tree_of(problem)
        assert tree.n_nodes == 3, (low, high)
        assert C45Classifier().fit(problem.dataset()).score(problem.dataset()) == 1, (low, high)


@pytest.mark.parametrize("tiny", [1e-6, 1e-40, 5e-324])
def test_numbers_that_differ_by_next_to_nothing_are_one(tiny):
    assert tree_of(Problem([[0.0] * 4 + [tiny] * 4], [0], [0] * 4 + [1] * 4, 2)).n_nodes == 1


def test_numbers_beyond_32_bits_at_one_side_are_one():
    assert tree_of(Problem([[1e200] * 4 + [1e300] * 4], [0], [0] * 4 + [1] * 4, 2)).n_nodes == 1


def test_classes_that_do_not_occur_keep_their_column():
    problem = Problem([[0.0] * 4 + [1.0] * 4], [0], [1] * 4 + [3] * 4, 5)
    assert_naive(problem)
    assert tree_of(problem).predict_proba(problem.dataset()).shape == (8, 5)


def test_values_that_do_not_occur_are_empty_leaves_of_the_parents_class():
    problem = Problem([[0] * 5 + [2] * 4], [4], [0] * 5 + [1] * 4, 2)
    tree = tree_of(problem, prune=False)
    assert tree.cases.tolist() == [9, 5, 0, 4, 0]
    assert [node.prediction for node in tree[0].branches] == ["c0", "c0", "c1", "c0"]


def test_empty_data_are_refused():
    data = Dataset(Schema((Attribute("x", Kind.CONTINUOUS),), ("a", "b")), [np.empty(0)], np.empty(0, dtype=np.int32))
    with pytest.raises(DataError, match="there are no cases to learn from"):
        C45Classifier().fit(data)
    with pytest.raises(ValueError, match="no cases to grow a tree from"):
        GainRatioGrower(Problem([[]], [0], [], 2).table()).grow()


def test_predicting_no_cases_gives_none():
    problem = random_problem(0, 30, 2, [0, 3])
    model = C45Classifier().fit(problem.dataset())
    none = problem.dataset().take(slice(0, 0))
    assert model.predict_proba(none).shape == (0, 2)
    assert model.predict(none).shape == model.tree_.apply(none).shape == (0,)


@pytest.mark.parametrize(
    ("columns", "n_values", "classes", "n_classes", "message"),
    [
        ([np.array([0, 3], dtype=np.int32)], [3], [0, 1], 2, "code 3 of attribute 0 is out of range"),
        ([np.array([0, -2], dtype=np.int32)], [3], [0, 1], 2, "code -2 of attribute 0 is out of range"),
        ([np.zeros(2), np.zeros(3)], [0, 0], [0, 1], 2, "columns differ in length"),
        ([np.zeros(2)], [0], [0], 2, "columns and classes differ in length"),
        ([np.zeros(2)], [0], [0, 2], 2, "class 2 is out of range"),
        ([np.zeros(2)], [0], [0, -1], 2, "class -1 is out of range"),
        ([np.zeros(2)], [0], [0, 1], 65536, "there are 65536 classes, but at most 65535 are possible"),
    ],
)
def test_the_table_refuses_what_would_lead_a_kernel_astray(columns, n_values, classes, n_classes, message):
    with pytest.raises(ValueError, match=message):
        CaseTable(columns, n_values, np.array(classes, dtype=np.int32), n_classes)


def test_xor_of_numbers_is_out_of_reach_of_thresholds():
    # Each threshold alone gains nothing, and unlike a discrete test it must gain.
    x, y = [0.0, 0.0, 1.0, 1.0] * 4, [0.0, 1.0, 0.0, 1.0] * 4
    problem = Problem([x, y], [0, 0], [0, 1, 1, 0] * 4, 2)
    assert_naive(problem)
    assert len(pruned(problem).test) == 1


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_threshold_is_zero_without_a_sign_where_no_case_of_the_node_has_it(zero):
    # The cut -1 | 1 of the second test moves up to the zero, which only cases of the other branch have.
    rng = np.random.default_rng(0)
    n = 4000
    first = np.repeat([0.0, 1.0], n // 2) + 5
    second = np.where(first == 5, zero, rng.choice([-1.0, 1.0], n))
    classes = np.where(first == 5, 0, np.where(second > 0, 1, 2))
    holes = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    tree = C45Classifier(prune=False).fit(np.column_stack([first, second, holes]), classes).tree_
    thresholds = tree.threshold[(tree.attribute == 1)]
    assert 0.0 in thresholds
    assert not any(np.signbit(t) for t in thresholds if t == 0)
