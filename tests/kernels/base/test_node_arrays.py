"""NodeArrays: nobody can write to them, and a tree without some of its branches is the one made by hand."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.problems import GOLF, as_nodes, growing_options, grown, problems

from ctree_ext.base.node_arrays import DTYPES, NodeArrays


@pytest.fixture
def golf():
    return grown(GOLF)[0]


def is_frozen(arrays):
    """Whether nobody can write to them, not even who asks for it."""
    for array in arrays.by_name().values():
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    return not any(array.flags.writeable for array in arrays.by_name().values())


def test_a_kernel_returns_arrays_that_own_their_data_and_are_read_only(golf):
    assert is_frozen(golf)
    with pytest.raises(FrozenInstanceError):
        golf.test = None
    assert {name: array.dtype for name, array in golf.by_name().items()} == {
        name: np.dtype(DTYPES[name]) for name in golf.by_name()
    }


@pytest.mark.parametrize("given", ["owned", "view", "list", "other type"])
def test_who_gave_an_array_cannot_change_the_tree(golf, given):
    best = np.array(golf.best)
    made = golf.replace(
        best={"owned": best, "view": best[:], "list": best.tolist(), "other type": best.astype(np.int64)}[given]
    )
    best[:] = 7
    assert made == golf
    assert is_frozen(made)


def test_there_is_nothing_else_to_replace(golf):
    with pytest.raises(TypeError, match="a tree has no array 'classes'"):
        golf.replace(classes=golf.best)


def test_a_read_only_array_is_not_copied(golf):
    assert golf.replace(probabilities=None).counts is golf.counts


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda arrays: pickle.loads(pickle.dumps(arrays))])
def test_copies_are_equal_and_read_only(golf, again):
    assert again(golf) == golf
    assert is_frozen(again(golf))


def test_equality(golf):
    assert golf != golf.replace(errors=golf.errors + 1)
    assert golf != golf.replace(n_tests=None)
    assert golf != "a tree"


def collapsed_by_hand(problem, arrays, nodes):
    """The nodes of the naive version, those of the given numbers without branches."""
    naive = [as_nodes(problem, arrays)]
    for node in naive:
        naive += node.branches  # level by level, as they are numbered
    for node in np.flatnonzero(nodes).tolist():
        leaf = naive[node]
        leaf.kind, leaf.attribute, leaf.threshold, leaf.branches, leaf.groups = "leaf", None, None, [], None
    return naive[0]


@given(problems(most_cases=40), growing_options, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=100)
def test_a_tree_without_some_branches(problem, options, random):
    arrays, _ = grown(problem, **options)
    nodes = np.array([n > 0 and random.random() < 0.3 for n in arrays.n_branches.tolist()])
    fewer = arrays.collapsed(nodes)
    assert is_frozen(fewer)
    expected = collapsed_by_hand(problem, arrays, nodes)
    assert as_nodes(problem, fewer) == expected
    depth, level = [], [expected]
    while level:
        depth += [len(set(depth))] * len(level)
        level = [branch for node in level for branch in node.branches]
    assert fewer.depths().tolist() == depth
    first = fewer.first_branch.tolist()
    for node, parent in enumerate(fewer.parents().tolist()):
        assert parent == -1 if node == 0 else first[parent] <= node < first[parent] + fewer.n_branches[parent]


def test_a_tree_without_no_branches_is_the_same(golf):
    assert golf.collapsed(np.zeros(len(golf), dtype=bool)) is golf


def test_the_arrays_have_the_order_of_the_fields():
    assert tuple(DTYPES) == tuple(NodeArrays.__dataclass_fields__)
