"""Tree: what a person asks of it, and what it refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from support.problems import GOLF, Problem, growing_options, grown, problems

import ctree
from ctree import Attribute, C45Classifier, Kind, Schema, Tree
from ctree.errors import ModelError
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.tree import Test as Kinds


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


@pytest.fixture
def tree(golf):
    return C45Classifier(prune=False).fit(golf).tree_


def grouped():
    problem = Problem([[0, 1, 2] * 4], [3], [0, 0, 1] * 4, 2)
    return C45Classifier(group_values=True, prune=False).fit(problem.dataset()).tree_


def test_its_size(tree):
    assert (tree.n_nodes, len(tree), tree.n_leaves, tree.depth) == (8, 8, 5, 2)
    assert repr(tree) == "<Tree: 8 nodes, 5 leaves, depth 2>"


def test_its_nodes_level_by_level(tree):
    assert tree.parent.tolist() == [-1, 0, 0, 0, 1, 1, 3, 3]
    assert tree.node_depth.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert [list(tree.branches(i)) for i in range(3)] == [[1, 2, 3], [4, 5], []]


def test_iteration_goes_to_each_node_before_its_branches(tree):
    assert [node.index for node in tree] == [0, 1, 4, 5, 2, 3, 6, 7]


def test_paths_lead_to_the_leaves_from_left_to_right(tree):
    paths = [[node.index for node in path] for path in tree.paths()]
    assert paths == [[0, 1, 4], [0, 1, 5], [0, 2], [0, 3, 6], [0, 3, 7]]


def test_conditions_in_words(tree):
    assert [tree[i].condition for i in range(8)] == [
        "",
        "outlook = sunny",
        "outlook = overcast",
        "outlook = rain",
        "humidity <= 75",
        "humidity > 75",
        "windy = true",
        "windy = false",
    ]
    assert [branch.condition for branch in grouped()[0].branches] == ["a0 in {v0, v1}", "a0 = v2"]


def test_a_node(tree):
    root, sunny, leaf = tree[0], tree[1], tree[4]
    assert (root.test, root.attribute.name, root.threshold, root.parent) == (Kinds.VALUES, "outlook", None, None)
    assert (sunny.test, sunny.threshold, sunny.depth, sunny.cases) == (Kinds.THRESHOLD, 75.0, 1, 5.0)
    assert (sunny.prediction, sunny.errors) == ("Don't Play", 0.0)
    assert sunny.class_counts == {"Play": 2.0, "Don't Play": 3.0}
    assert sunny.probabilities == {"Play": 0.4, "Don't Play": 0.6}
    assert [branch.index for branch in sunny.branches] == [4, 5]
    assert leaf.is_leaf
    assert (leaf.attribute, leaf.branches, leaf.parent) == (None, (), sunny)
    assert [node.index for node in leaf.path] == [0, 1, 4]
    assert repr(root) == "<Node 0: tests outlook, 14 cases>"
    assert repr(leaf) == "<Node 4: -> Play, 2 cases>"


@pytest.mark.parametrize("index", [-1, 8])
def test_there_are_no_other_nodes(tree, index):
    with pytest.raises(IndexError, match=f"node {index} of a tree with 8 nodes"):
        tree[index]


def test_groups_of_values(tree):
    assert tree.groups(0) == [(0,), (1,), (2,)]
    assert grouped().groups(0) == [(0, 1), (2,)]


def test_apply_gives_leaves(tree, golf):
    leaves = tree.apply(golf)
    assert leaves[:3].tolist() == [5, 5, 2]
    assert all(tree[int(leaf)].is_leaf for leaf in leaves)


def test_nothing_in_it_can_be_written_to(tree):
    for name, array in tree.arrays.by_name().items():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, {"counts": "class_counts"}.get(name, name), array)[...] = 0
    with pytest.raises(AttributeError):
        tree.arrays.test = None
    for array in tree.arrays.by_name().values():
        assert isinstance(array.base, bytes)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    for name in ("schema", "arrays", "float32"):
        with pytest.raises(AttributeError):
            setattr(tree, name, getattr(tree, name))


def test_who_gave_the_arrays_cannot_write_to_them_either(tree):
    given = {name: array.copy() for name, array in tree.arrays.by_name().items()}
    made = Tree(tree.schema, given, float32=tree.float32)
    given["threshold"][:] = 0
    assert made == tree


def test_equality(golf, tree):
    assert C45Classifier(prune=False).fit(golf).tree_ == tree
    assert tree != C45Classifier(min_cases=4, prune=False).fit(golf).tree_
    assert tree != Tree(tree.schema, tree.arrays, float32=not tree.float32)
    assert tree != "a tree"
    with pytest.raises(TypeError, match="unhashable"):
        hash(tree)


def test_pickling(tree, golf):
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert (again.predict_proba(golf) == tree.predict_proba(golf)).all()
    assert not again.test.flags.writeable


@given(problems(most_cases=40), growing_options)
@settings(deadline=None, max_examples=50)
def test_the_arrays_of_any_grown_tree_pass_the_check(problem, options):
    arrays, _ = grown(problem, **options)
    tree = Tree(problem.schema, arrays.replace(probabilities=leaf_probabilities(arrays.counts, arrays.best)))
    leaves = [node for node in tree if node.is_leaf]
    assert len(leaves) == tree.n_leaves == len(list(tree.paths()))
    assert sum(len(node.branches) for node in tree) == tree.n_nodes - 1


class TestRefusals:
    """Arrays that are not a tree of the schema."""

    @pytest.fixture
    def arrays(self):
        tree = C45Classifier().fit(GOLF.dataset()).tree_
        return {name: array.copy() for name, array in tree.arrays.by_name().items()}

    def refuse(self, arrays, message):
        with pytest.raises(ModelError) as caught:
            Tree(GOLF.schema, arrays)
        assert str(caught.value) == message

    def test_the_arrays_as_they_are_pass(self, arrays):
        assert Tree(GOLF.schema, arrays).n_nodes == 8

    @pytest.mark.parametrize("name", ["test", "counts", "group"])
    def test_a_missing_array(self, arrays, name):
        del arrays[name]
        self.refuse(arrays, f"a tree needs the array '{name}'")

    def test_no_nodes(self, arrays):
        self.refuse({name: array[:0] for name, array in arrays.items()}, "a tree has at least one node")

    def test_an_array_of_another_length(self, arrays):
        arrays["best"] = arrays["best"][:7]
        self.refuse(arrays, "the array 'best' of the tree has the shape (7,), not (8,)")

    def test_counts_for_other_classes(self, arrays):
        arrays["counts"] = np.zeros((8, 3))
        self.refuse(arrays, "the array 'counts' of the tree has the shape (8, 3), not (8, 2)")

    def test_an_array_of_other_dimensions(self, arrays):
        arrays["group"] = np.zeros((2, 2), dtype=np.int32)
        self.refuse(arrays, "the array 'group' of the tree has the shape (2, 2), not (8,)")

    @pytest.mark.parametrize("kind", [4, -1])
    def test_an_unknown_kind_of_test(self, arrays, kind):
        arrays["test"][0] = kind
        self.refuse(arrays, "a node of the tree has an unknown kind of test")

    def test_a_leaf_with_branches(self, arrays):
        arrays["n_branches"][2] = 1
        self.refuse(arrays, "the numbers of branches of the tree do not fit its tests")

    def test_a_test_without_branches(self, arrays):
        arrays["n_branches"][1] = 0
        self.refuse(arrays, "the numbers of branches of the tree do not fit its tests")

    def test_branches_that_are_not_there(self, arrays):
        arrays["n_branches"][0] = 4
        self.refuse(arrays, "the branches of the tree do not make up its nodes")

    def test_branches_in_another_order(self, arrays):
        arrays["first_branch"][[1, 3]] = arrays["first_branch"][[3, 1]]
        self.refuse(arrays, "the nodes of the tree are not numbered level by level")

    def test_a_node_below_itself(self):
        schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("a", "b"))
        arrays = {
            "test": [0, 1, 0],
            "attribute": [-1, 0, -1],
            "threshold": [0.0] * 3,
            "first_branch": [-1, 1, -1],
            "n_branches": [0, 2, 0],
            "group_start": [-1] * 3,
            "group": [],
            "best": [0] * 3,
            "cases": [1.0] * 3,
            "errors": [0.0] * 3,
            "counts": [[1.0, 0.0]] * 3,
            "probabilities": [[1.0, 0.0]] * 3,
        }
        with pytest.raises(ModelError, match=r"^the nodes of the tree are not numbered level by level$"):
            Tree(schema, arrays)

    @pytest.mark.parametrize("attribute", [-1, 4])
    def test_an_attribute_that_is_not_there(self, arrays, attribute):
        arrays["attribute"][0] = attribute
        self.refuse(arrays, "the tree tests an attribute that its schema does not have")

    @pytest.mark.parametrize("best", [-1, 2])
    def test_a_class_that_is_not_there(self, arrays, best):
        arrays["best"][5] = best
        self.refuse(arrays, "a node of the tree has a class that its schema does not have")

    @pytest.mark.parametrize(
        ("node", "name", "value", "attribute"),
        [
            (1, "attribute", 0, "a0"),  # a threshold on a discrete attribute
            (1, "test", Kinds.VALUES, "a2"),  # values of a continuous one
            (3, "attribute", 0, "a0"),  # two branches for three values
            (1, "test", Kinds.GROUPS, "a2"),  # groups of a continuous one
        ],
    )
    def test_a_test_that_does_not_fit_its_attribute(self, arrays, node, name, value, attribute):
        arrays[name][node] = value
        self.refuse(arrays, f"the test of node {node} does not fit the attribute '{attribute}'")

    @pytest.mark.parametrize("attribute", [0, 2**31 - 1, -2])
    def test_a_leaf_with_an_attribute(self, arrays, attribute):
        arrays["attribute"][7] = attribute
        self.refuse(arrays, "a leaf of the tree names an attribute, where -1 should stand")

    @pytest.mark.parametrize(("start", "group"), [(-1, [0, 1, 2]), (1, [0, 1, 2]), (0, [0, 1]), (0, [0, 1, 2, 0])])
    def test_groups_that_do_not_make_up_the_list(self, arrays, start, group):
        arrays["test"][0] = Kinds.GROUPS
        arrays["group_start"][0] = start
        arrays["group"] = np.array(group, dtype=np.int32)
        self.refuse(arrays, "the groups of values of the tree do not follow each other in the order of its nodes")

    @pytest.mark.parametrize("starts", [(0, 0), (2, 0), (0, 1), (0, 3), (2**62, 3)])
    def test_a_group_that_overlaps_another_is_refused(self, arrays, starts):
        arrays["test"][[0, 3]] = Kinds.GROUPS
        arrays["group_start"][[0, 3]] = starts
        arrays["group"] = np.array([0, 1, 2, 0, 1], dtype=np.int32)
        if starts == (0, 3):
            assert Tree(GOLF.schema, arrays).groups(3) == [(0,), (1,)]
        else:
            message = "the groups of values of the tree do not follow each other in the order of its nodes"
            self.refuse(arrays, message)

    @pytest.mark.parametrize("group", [[0, 1, 3], [0, -2, 1]])
    def test_groups_that_lead_out_of_the_tree(self, arrays, group):
        arrays["test"][0] = Kinds.GROUPS
        arrays["group_start"][0] = 0
        arrays["group"] = np.array(group, dtype=np.int32)
        self.refuse(arrays, "the test of node 0 does not fit the attribute 'a0'")

    def test_groups_that_fit_pass(self, arrays):
        arrays["test"][0] = Kinds.GROUPS
        arrays["group_start"][0] = 0
        arrays["group"] = np.array([2, -1, 0], dtype=np.int32)
        assert Tree(GOLF.schema, arrays).groups(0) == [(2,), (), (0,)]
