"""The printed tree against the naive printer."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_text import Names
from naive.release8_text import tree_text as naive_text
from support.problems import Problem, as_nodes, growing_options, grown, problems, pruned

import ctree
from ctree import Attribute, C45Classifier, Dataset, Kind, Schema, Tree
from ctree.render.text import tree_text
from ctree.tree.leaves import leaf_probabilities

EXPECTED_GOLF = """
outlook = overcast: Play (4.0)
outlook = sunny:
|   humidity <= 75 : Play (2.0)
|   humidity > 75 : Don't Play (3.0)
outlook = rain:
|   windy = true: Don't Play (2.0)
|   windy = false: Play (3.0)
"""


def renamed(problem, length):
    """The schema of a problem with names of some length."""
    schema = problem.schema
    attributes = tuple(
        Attribute(a.name + "x" * length, a.kind, tuple(f"{v}{'y' * length}" for v in a.values)) for a in schema
    )
    return Schema(attributes, tuple(f"{c}{'z' * length}" for c in schema.classes))


def make_tree(schema, arrays):
    return Tree(schema, arrays.replace(probabilities=leaf_probabilities(arrays.counts, arrays.best)))


def names_of(schema):
    return Names(list(schema.classes), list(schema.names), [list(a.values) for a in schema])


@given(problems(), growing_options, st.booleans(), st.sampled_from([0, 0, 5, 15, 25]))
@settings(deadline=None, max_examples=150)
def test_the_text_is_the_naive_one(problem, options, prune, length):
    arrays = pruned(problem, **options) if prune else grown(problem, **options)[0]
    schema = renamed(problem, length)
    assert tree_text(make_tree(schema, arrays)) == naive_text(as_nodes(problem, arrays), names_of(schema))


def test_golf():
    golf = ctree.read_c45("examples/golf")
    assert tree_text(C45Classifier(prune=False).fit(golf).tree_) == EXPECTED_GOLF


def test_a_lone_leaf_stands_by_itself():
    problem = Problem([[1.0, 1.0, 1.0]], [0], [0, 0, 1], 2)
    tree = C45Classifier(prune=False).fit(problem.dataset()).tree_
    assert tree_text(tree) == " c0 (3.0/1.0)\n"
    assert tree.to_text() == "c0 (3.0/1.0)"


def test_leaves_are_printed_before_subtrees():
    problem = Problem([[0] * 8 + [1] * 4, [0, 0, 0, 0, 1, 1, 1, 1] + [0, 1] * 2], [2, 2], [0] * 4 + [1] * 8, 2)
    tree = C45Classifier(prune=False).fit(problem.dataset()).tree_
    assert [branch.is_leaf for branch in tree[0].branches] == [False, True]
    assert [line.startswith("|") for line in tree.to_text().split("\n")] == [False, False, True, True]


def wide_problem():
    """The parity of six bits, in attributes with long names."""
    rows = np.arange(64)
    columns = [((rows >> bit) & 1).astype(np.int32) for bit in range(6)]
    classes = np.array([bin(i).count("1") % 2 for i in rows], dtype=np.int32)
    attributes = tuple(Attribute("a" * 30 + str(bit), Kind.DISCRETE, ("no", "yes")) for bit in range(6))
    return Dataset(Schema(attributes, ("odd", "even" * 5)), columns, classes)


def test_a_subtree_too_wide_for_its_place_is_printed_below():
    tree = C45Classifier(prune=False, min_cases=1).fit(wide_problem()).tree_
    text = tree_text(tree)
    assert "[S1]" in text
    assert "\n\n\nSubtree [S1]\n\n" in text
    assert text.index("[S1]") < text.index("Subtree [S1]") < text.index("Subtree [S2]")


def test_a_long_group_is_broken_under_its_first_value():
    values = tuple(f"value{v:02d}" for v in range(24))
    column = list(range(24)) * 2
    data = Dataset(Schema((Attribute("colour", Kind.DISCRETE, values),), ("a", "b")), [column], [v % 2 for v in column])
    lines = C45Classifier(group_values=True, prune=False).fit(data).tree_.to_text().split("\n")
    assert lines[0].startswith("colour in {value00,value02,")
    assert lines[1].startswith(" " * len("colour in {") + "value")
    assert lines[-1].endswith("}: b (24.0)")
    assert all(len(line) <= 80 for line in lines)


def test_a_group_of_one_value_is_an_equation():
    problem = Problem([[0, 1, 2] * 4], [3], [0, 0, 1] * 4, 2)
    tree = C45Classifier(group_values=True, prune=False).fit(problem.dataset()).tree_
    assert tree.to_text() == "a0 in {v0,v1}: c0 (8.0)\na0 = v2: c1 (4.0)"


def test_a_wide_tree_stays_in_one_piece_for_a_person() -> None:
    names = [f"an attribute with a name of more than thirty letters, number {i}" for i in range(3)]
    X = [[a, b, c] for a in "xy" for b in "xy" for c in "xy" for _ in range(4)]
    y = ["odd" if row.count("x") % 2 else "even" for row in X]
    tree = C45Classifier(prune=False).fit({n: [row[i] for row in X] for i, n in enumerate(names)}, y).tree_
    assert "Subtree [S1]" in tree_text(tree)
    assert "[S1]" not in tree.to_text()
    assert sum(": " in line for line in tree.to_text().split("\n")) == tree.n_leaves
