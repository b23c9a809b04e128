"""Cost matrices, however they are given, and the files that say what errors cost."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.costs import as_matrix, cheapest

import ctree
from ctree.data.costs import cost_by_class, cost_matrix, worth
from ctree.errors import DataError
from ctree.tree.interface import decided

CLASSES = ("well", "ill", "dead")

COSTS = st.floats(0, 1e6, allow_nan=False) | st.integers(0, 9).map(float)


def matrices(n):
    rows = st.lists(st.lists(COSTS, min_size=n, max_size=n), min_size=n, max_size=n)
    return rows.map(lambda table: np.array(table) * (1 - np.eye(n))).filter(np.any)


@given(st.integers(2, 5).flatmap(matrices), st.randoms(use_true_random=False))
def test_all_forms_say_the_same(matrix, random):
    pandas = pytest.importorskip("pandas")
    classes = [f"c{i}" for i in range(len(matrix))]
    pairs = {(t, p): matrix[i, j] for i, t in enumerate(classes) for j, p in enumerate(classes) if i != j}
    named = {pair: cost for pair, cost in pairs.items() if cost != 1}
    rows, columns = random.sample(classes, len(classes)), random.sample(classes, len(classes))
    frame = pandas.DataFrame(matrix, classes, classes).loc[rows, columns]
    for form in (matrix, matrix.tolist(), pairs, frame):
        assert (cost_matrix(form, classes) == matrix).all()
    if matrix.max() != 1 or named:
        assert (cost_matrix(named, classes) == as_matrix(named, classes)).all()


@given(
    st.integers(2, 5).flatmap(lambda n: st.tuples(matrices(n), st.lists(st.integers(0, 12), min_size=n, max_size=n)))
)
def test_the_cheapest_class_is_that_of_the_loops(drawn):
    matrix, counts = drawn
    if not any(counts):
        counts[0] = 1
    p = np.array(counts) / sum(counts)
    assert decided(p[None, :], worth(matrix)).tolist() == [cheapest(p.tolist(), matrix.tolist())]


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(matrices(n), st.lists(st.integers(1, 9), min_size=n, max_size=n))))
def test_weights_by_cost_are_taken_out_of_the_decision(drawn):
    matrix, counts = drawn
    paid = cost_by_class(matrix)
    if (paid < 1e-3).any() or matrix.max() > 1e5:  # nothing is left of what was weighed 0, and little of the smallest
        return
    p = np.array(counts) / sum(counts)
    q = p * paid / (p * paid).sum()
    expected = cheapest(p.tolist(), matrix.tolist(), 1e-7)
    if expected == cheapest(p.tolist(), matrix.tolist(), 1e-11):  # no tie but for rounding
        assert decided(q[None, :], worth(matrix, weighed=True)).tolist() == [expected]


def test_where_costs_depend_on_the_true_class_only_the_weights_say_all():
    matrix = np.array([[0.0, 3, 3], [1, 0, 1], [7, 7, 0]])
    assert worth(matrix, weighed=True).tolist() == np.eye(3).tolist()
    assert cost_by_class(matrix).tolist() == [3, 1, 7]


def test_one_class_has_no_errors():
    assert cost_matrix([[0]], ["a"]).tolist() == [[0.0]]
    assert decided(np.ones((2, 1)), worth(np.zeros((1, 1)))).tolist() == [0, 0]


def frame(**columns):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(columns, index=list(columns))


WRONG = [
    ({("well", "il"): 2}, "the costs name a class 'il', not one of well, ill, dead (did you mean 'ill'?)"),
    ({("well", "ill"): -2}, "the cost of predicting 'ill' where 'well' is true is negative, -2; it should be a number"),
    ({("well", "ill"): np.nan}, "predicting 'ill' where 'well' is true is not a finite number, nan"),
    ({("well", "ill"): np.inf}, "is not a finite number, inf"),
    ({("well", "ill"): 1e200}, "is too large, 1e+200"),
    ({("well", "ill"): "much"}, "a cost is 'much'; it should be a number from 0 on"),
    ({("well", "ill"): True}, "a cost is True"),
    ({("well", "well"): 1}, "cases of the class 'well' that are predicted right cost 1; they should cost 0"),
    ({"well": 1}, "a key of the costs is 'well'; it should be a pair of classes, the true and the predicted"),
    ({("well", "ill", "dead"): 1}, "it should be a pair of classes"),
    ([[0, 1], [1, 0]], "a matrix of costs for 3 classes should have shape (3, 3), not (2, 2)"),
    ([[0, 1, 2], [1, 0], [1, 1, 0]], "should have shape (3, 3), not (3,)"),
    ([[0, 1, 1], [1, 0, 1], [1, 1, 2]], "cases of the class 'dead' that are predicted right cost 2"),
    ([[0, 1, 1], [1, 0, "x"], [1, 1, 0]], "a cost is 'x'"),
    (np.zeros((3, 3)), "all costs are 0, so that no error would matter"),
    (5, "should have shape (3, 3), not ()"),
]


@pytest.mark.parametrize(("costs", "message"), WRONG)
def test_what_is_wrong_is_named(costs, message):
    with pytest.raises(DataError, match=re.escape(message)):
        cost_matrix(costs, CLASSES)


def test_frames_that_do_not_fit():
    for costs, message in [
        (frame(well=[0, 1], ill=[1, 0]), "the rows of the costs lack the class 'dead'"),
        (frame(well=[0, 1, 1], ill=[1, 0, 1], dad=[1, 1, 0]), "name a class 'dad', not one of .* 'dead'"),
        (frame(well=[0, 1, 1], ill=[1, 0, 1], dead=[1, 1, 0]).iloc[:, [0, 1, 1, 2]], "columns .* have 'ill' twice"),
    ]:
        with pytest.raises(DataError, match=message):
            cost_matrix(costs, CLASSES)


def test_a_fold_may_lack_a_class_that_is_named():
    assert cost_matrix({("well", "ill"): 3, ("ill", "dead"): 2}, ("well", "ill")).tolist() == [[0, 3], [1, 0]]
    table = frame(well=[0, 1, 5], ill=[2, 0, 6], dead=[3, 4, 0])
    assert cost_matrix(table, ("well", "dead")).tolist() == [[0, 3], [5, 0]]


def test_labels_of_other_types():
    assert cost_matrix({("1", "0"): 4}, (0, 1)).tolist() == [[0, 1], [4, 0]]
    assert cost_matrix({(1, 0): 4}, (0, 1)).tolist() == [[0, 1], [4, 0]]


def test_a_costs_file_of_c50(tmp_path):
    file = tmp_path / "health.costs"
    file.write_text("| predicted, true: cost\n\nwell, ill: 5\nwell,dead:12.5  | dear\nvery\\, very ill, ill: .5\n")
    assert ctree.read_costs(file) == {("ill", "well"): 5, ("dead", "well"): 12.5, ("ill", "very, very ill"): 0.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "h.costs: the file is empty; it should have lines 'predicted class, true class: cost'"),
        ("well, ill 5\n", "h.costs:1: a line should be 'predicted class, true class: cost'"),
        ("well, ill: 5\nwell: 3\n", "h.costs:2: a line should be"),
        ("well, ill: 5\nwell, ill,\n", "h.costs:2: a line should be"),
        ("well,\nill: 5\n", "h.costs:1: a line should be"),
        ("well, ill: much\n", "h.costs:1: a cost should be a number from 0 on, not 'much'"),
        ("well, ill: -1\n", "h.costs:1: a cost should be a number from 0 on, not '-1'"),
        ("well, ill: nan\n", "h.costs:1: a cost should be a number from 0 on, not 'nan'"),
        ("well, well: 2\n", "h.costs:1: cases of 'well' that are predicted right should cost 0, not 2"),
        ("well, ill: 1\n\nwell, ill: 2\n", "h.costs:3: there is a cost for the same two classes before"),
    ],
)
def test_wrong_costs_files(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.costs").write_text(text)
    with pytest.raises(DataError, match=re.escape(message)):
        ctree.read_costs("h.costs")
