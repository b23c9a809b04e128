"""Searches of less depth in the middle of another, and what their trees are worth among deeper ones."""

import itertools

import numpy as np
import pytest
from naive.all_trees import AllTrees, replace_options
from naive.all_trees import Lattice as SlowLattice
from support.lattices import lattice_of, plain, random_problem, wide_problem, worth

from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior

SIZES = range(60)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("seed", SIZES)
def test_truncated_trees_are_those_of_the_listing(seed):
    """Trees up to a depth, by the prior of deeper ones: a part of the sum over these."""
    for max_depth in (1, 2, 3):
        problem = replace_options(random_problem(seed), max_depth=max_depth, cap="size")
        # A search makes no more levels than there are cases for; with fewer, no node at the last one can be divided.
        slow, fast = AllTrees(problem), lattice_of(problem, truncated=True)
        low, high = fast.search("evidence")
        assert low == high == pytest.approx(slow.log_evidence, rel=1e-10)
        assert low <= AllTrees(replace_options(problem, cap="truncate")).log_evidence + 1e-9
        deeper = lattice_of(replace_options(problem, max_depth=max_depth + 1))
        assert low <= deeper.search("evidence")[0] + 1e-9
        assert lattice_of(problem, truncated=True, pairs=False).search("evidence")[0] == pytest.approx(low, rel=1e-10)
        value, trees = slow.most_probable()
        assert fast.search("posterior") == (pytest.approx(value, rel=1e-10),) * 2
        assert plain(fast.tree("posterior")) in trees
        rows = np.array(problem.rows, dtype=np.uint8)
        columns, classes = np.ascontiguousarray(rows.T), np.array(problem.classes, dtype=np.int32)
        cases = np.array(np.meshgrid(*[[0, 1]] * rows.shape[1])).reshape(rows.shape[1], -1).astype(np.uint8)
        given = Posterior(fast, columns, classes, np.ascontiguousarray(cases)).probabilities()
        for x, p in zip(cases.T.tolist(), given, strict=True):
            np.testing.assert_allclose(p, slow.predict(x), rtol=1e-9)
        tests, included = Posterior(fast, columns, classes, None, np.arange(len(columns), dtype=np.int32)).marginals()
        np.testing.assert_allclose(tests, slow.expected_tests(), atol=1e-11)
        np.testing.assert_allclose(included, slow.test_inclusion(), atol=1e-11)
        sums = SlowLattice(problem).log_u
        leaf, _, found, _, passed, failed = fast.expand([])
        assert leaf == pytest.approx(problem.node(frozenset()).log_v_leaf, rel=1e-10)
        for test, p, f in zip(found.tolist(), passed, failed, strict=True):
            assert p == pytest.approx(sums[frozenset({(test, 1)})], rel=1e-9)
            assert f == pytest.approx(sums[frozenset({(test, 0)})], rel=1e-9)


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_the_score_of_any_tree_is_by_the_definitions(max_depth, uniform):
    rng = np.random.default_rng(max_depth)
    rows, classes = rng.integers(2, size=(60, 7)).astype(np.uint8), rng.integers(2, size=60).astype(np.int32)
    groups = np.array([0, 0, 1, 2, 2, 3, 4], dtype=np.int32)
    options = {"uniform": uniform, "groups": groups, "min_support": 2}
    shallow = Lattice(np.ascontiguousarray(rows.T), classes, 2, max_depth=max_depth, **options)
    deep = Lattice(np.ascontiguousarray(rows.T), classes, 2, max_depth=max_depth + 2, **options)
    for objective in ("errors", "posterior"):
        shallow.search(objective)
        tree = shallow.tree(objective)
        log_joint, errors = worth(rows, classes, plain(tree), groups.tolist(), uniform, max_depth + 2)
        assert deep.score(objective, tree) == (
            -errors if objective == "errors" else pytest.approx(log_joint, rel=1e-10)
        )
    leaf = ((0, 0), -1, None, None)
    for wrong in (((0, 0), 7, leaf, leaf), ((0, 0), 0, ((0, 0), 0, leaf, leaf), leaf)):
        with pytest.raises(ValueError, match="no such tree"):
            deep.score("errors", wrong)


def test_a_search_is_the_same_with_pauses():
    rows, classes = wide_problem(1)
    columns, told = np.ascontiguousarray(rows[:400, :60].T), []

    def pause(elapsed, share):
        told.append((elapsed, share))
        # another search, of the same cases, in the middle of the first
        Lattice(columns, classes[:400], 2, max_depth=2).search("evidence")
        return elapsed

    for objective in ("evidence", "posterior", "errors"):
        told.clear()
        plain_one = Lattice(columns, classes[:400], 2, max_depth=4)
        paused = Lattice(columns, classes[:400], 2, max_depth=4, pause=pause)
        assert paused.search(objective) == plain_one.search(objective)
        assert paused.n_states == plain_one.n_states
        assert len(told) > 1
        assert all(one <= other for one, other in itertools.pairwise(told))
        assert all(0 <= share <= 1 for _, share in told)

    def fails(elapsed, share):
        raise RuntimeError("in a pause")

    with pytest.raises(RuntimeError, match="in a pause"):
        Lattice(columns, classes[:400], 2, max_depth=4, pause=fails).search("evidence")
