"""Trees that are collapsed as they grow, and pruned with the cases where growing has left them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import Grower as NaiveGrower
from naive.release8_prune import prune_and_tell
from support.problems import as_nodes, growing_options, naive_options, problems, random_problem

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.classify import Router
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.release8 import Pruner, collapse, drop_impossible_values
from ctree_ext.prune.shared_pruning import prune_shared

LARGE = 140_000  # subtrees are grown from parts beyond four times 32,768 cases


@given(problems(), growing_options)
@settings(deadline=None, max_examples=300)
def test_a_tree_that_is_collapsed_as_it_grows_is_the_naive_one(problem, options):
    tree = GainRatioGrower(problem.table(), collapse=True, **options).grow()
    assert as_nodes(problem, tree) == NaiveGrower(*problem.arguments, **naive_options(options)).grow()


@given(problems(most_unknown=0.0), growing_options, st.sampled_from([0.25, 0.25, 0.001, 0.5, 1.0]))
@settings(deadline=None, max_examples=300)
def test_a_tree_that_is_pruned_where_growing_left_the_cases_is_the_naive_one(problem, options, confidence):
    table = problem.table()
    grower = GainRatioGrower(table, collapse=True, **options)
    tree = Pruner(table, confidence=confidence).prune(grower.grow(), None, grower.leaf_rows)
    tree = drop_impossible_values(tree, problem.n_classes, np.array(problem.n_values, dtype=np.int32))
    naive = NaiveGrower(*problem.arguments, **naive_options(options))
    assert as_nodes(problem, tree) == prune_and_tell(naive.grow(), *problem.arguments, confidence, naive.cases)[0]


@pytest.fixture(scope="module", params=[24_000, LARGE])
def large(request):
    rng = np.random.default_rng(3)
    n = request.param
    numbers = [np.round(rng.normal(size=n), decimals) for decimals in (5, 2, 0)]
    codes = [rng.integers(0, k, n).astype(np.int32) for k in (3, 70, 300)]
    concept = (numbers[0] > 0.3) + 2 * (codes[1] % 3 == 1) * (numbers[1] < 0.5) + (codes[0] == 2)
    classes = np.where(rng.random(n) < 0.2, rng.integers(0, 4, n), concept % 4).astype(np.int32)
    return CaseTable([*numbers, *codes], [0, 0, 0, 3, 70, 300], classes, 4)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_large_trees_are_collapsed_and_pruned_the_same(large, n_threads):
    grower = GainRatioGrower(large, collapse=True, n_threads=n_threads)
    tree = grower.grow()
    assert tree == collapse(GainRatioGrower(large).grow(), 4)
    pruned = prune_shared(Pruner(large), tree, None, n_threads, grower.leaf_rows)
    assert pruned == Pruner(large, keep_order=True).prune(tree)  # which passes all cases down
    assert len(pruned) < len(tree)
    without = prune_shared(Pruner(large, subtree_raising=False), tree, None, n_threads, grower.leaf_rows)
    assert without == Pruner(large, subtree_raising=False).prune(tree)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_cases_are_listed_leaf_after_leaf(large, n_threads):
    grower = GainRatioGrower(large, collapse=True, n_threads=n_threads)
    tree = grower.grow()
    rows = grower.leaf_rows
    assert np.array_equal(np.sort(rows), np.arange(large.n_cases))
    leaves = Router(tree, tree.counts, np.ones(len(tree))).leaves(large)[rows]
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        first, n = int(tree.first_branch[node]), int(tree.n_branches[node])
        waiting.extend(range(first + n - 1, first - 1, -1))
        order.extend([node] * (int(tree.cases[node]) if n == 0 else 0))
    assert leaves.tolist() == order


def test_cases_in_several_leaves_are_not_listed():
    for problem, weights in (
        (random_problem(1, 60, 2, [0, 3], 0.2), None),
        (random_problem(1, 4, 2, [0]), [1, 2, 1, 1]),
    ):
        grower = GainRatioGrower(problem.table(weights))
        grower.grow()
        assert grower.leaf_rows is None


@pytest.mark.parametrize("fault", ["fewer", "beyond", "other tree", "weights"])
def test_cases_that_are_not_those_of_the_tree_are_refused(fault):
    problem = random_problem(5, 200, 2, [0, 3, 0])
    grower = GainRatioGrower(problem.table())
    tree = grower.grow()
    rows, table = grower.leaf_rows.copy(), problem.table()
    if fault == "fewer":
        rows = rows[:-1].copy()
    elif fault == "beyond":
        rows[7] = 200
    elif fault == "other tree":
        cases = tree.cases.copy()
        cases[-1] += 1
        tree = tree.replace(cases=cases)
    else:
        table = problem.table([2.0] * 200)
    with pytest.raises(ValueError, match="are not those of the tree"):
        Pruner(table).prune(tree, None, rows)
