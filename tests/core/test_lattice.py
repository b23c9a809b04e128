"""The compiled search over all trees against the listing of them."""

import math

import numpy as np
import pytest
from naive.all_trees import AllTrees, Problem
from naive.all_trees import Lattice as SlowLattice

from ctree_ext.lattice import Lattice, fast_bits
from ctree_ext.posterior import Posterior

SIZES = range(60)


def random_problem(seed: int) -> Problem:
    """2 or 3 columns (sometimes equal or complementary ones), 2 or 3 classes, both priors, supports and depths."""
    rng = np.random.default_rng(seed)
    n, m, n_classes = int(rng.integers(4, 14)), int(rng.integers(2, 4)), int(rng.integers(2, 4))
    rows = rng.integers(2, size=(n, m))
    if rng.random() < 0.3:
        rows[:, -1] = rows[:, 0] if rng.random() < 0.5 else 1 - rows[:, 0]
    classes = rng.integers(n_classes, size=n)
    return Problem(
        rows.tolist(),
        classes.tolist(),
        n_classes,
        min_support=int(rng.integers(1, 3)),
        max_depth=[None, 0, 1, 2, 3][int(rng.integers(5))],
        prior="uniform" if rng.random() < 0.4 else "size",
        gamma=float(rng.choice([0.8, 0.5])),
        delta=float(rng.choice([0.8, 0.3])),
        alpha=float(rng.choice([0.5, 1.0])),
        features=None if rng.random() < 0.5 else rng.integers(2, size=m).tolist(),
    )


def lattice_of(problem: Problem, **options) -> Lattice:
    rows = np.array(problem.rows, dtype=np.uint8)
    return Lattice(
        np.ascontiguousarray(rows.T),
        np.array(problem.classes, dtype=np.int32),
        problem.n_classes,
        min_support=problem.min_support,
        max_depth=problem.max_depth,
        uniform=problem.prior == "uniform",
        gamma=problem.gamma,
        delta=problem.delta,
        alpha=problem.alpha if isinstance(problem.alpha, float) else problem.alpha[0],
        groups=None if problem.features is None else np.array(problem.features, dtype=np.int32),
        **options,
    )


def plain(tree):
    """A tree of the kernel in the form of the slow version."""
    _, test, passed, failed = tree
    return None if test < 0 else (test, (plain(failed), plain(passed)))


@pytest.mark.parametrize("seed", SIZES)
def test_evidence_best_trees_and_least_errors_are_those_of_the_listing(seed):
    problem = random_problem(seed)
    slow, fast = AllTrees(problem), lattice_of(problem)
    low, high = fast.search("evidence")
    assert low == high == pytest.approx(slow.log_evidence, rel=1e-10)
    value, trees = slow.most_probable()
    assert fast.search("posterior") == (pytest.approx(value, rel=1e-10),) * 2
    assert plain(fast.tree("posterior")) in trees
    assert lattice_of(problem).search("posterior") == (pytest.approx(value, rel=1e-10),) * 2
    errors, trees = slow.least_error()
    assert fast.search("errors") == (-errors, -errors)
    assert plain(fast.tree("errors")) in trees


@pytest.mark.parametrize("seed", range(100, 125))
def test_every_way_to_search_gives_the_same(seed):
    """Known by cases or by itemset, with and without the last two levels from pairs, and with equal tests merged."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(10, 90)), int(rng.integers(3, 8))
    rows = rng.integers(2, size=(n, m))
    rows = np.column_stack([rows, rows[:, 0], 1 - rows[:, 1]])
    problem = Problem(
        rows.tolist(),
        rng.integers(3, size=n).tolist(),
        3,
        min_support=int(rng.integers(1, 4)),
        max_depth=int(rng.integers(3, 5)),
        prior="uniform" if seed % 3 == 0 else "size",
        features=None if seed % 2 else [0, 0, 1, *range(2, m + 1)][: m + 2],
    )
    expected = [lattice_of(problem).search(o) for o in ("evidence", "posterior", "errors")]
    assert all(low == high for low, high in expected)
    for options in (
        {"merge": False},
        {"pairs": False},
        {"by_cover": False},
        {"merge": False, "pairs": False, "by_cover": False},
    ):
        for objective, value in zip(("evidence", "posterior", "errors"), expected, strict=True):
            assert lattice_of(problem, **options).search(objective) == pytest.approx(value, rel=1e-10)
    fast_bits(False)
    try:
        assert [lattice_of(problem).search(o) for o in ("evidence", "posterior", "errors")] == expected
    finally:
        fast_bits(True)


@pytest.mark.parametrize("seed", SIZES)
def test_predictions_and_marginals_are_those_of_the_listing(seed):
    problem = random_problem(seed)
    slow, fast = AllTrees(problem), lattice_of(problem)
    fast.search("evidence")
    rows = np.array(problem.rows, dtype=np.uint8)
    columns, classes = np.ascontiguousarray(rows.T), np.array(problem.classes, dtype=np.int32)
    cases = np.array(np.meshgrid(*[[0, 1]] * rows.shape[1])).reshape(rows.shape[1], -1).astype(np.uint8)
    given = Posterior(fast, columns, classes, np.ascontiguousarray(cases)).probabilities()
    for x, p in zip(cases.T.tolist(), given, strict=True):
        np.testing.assert_allclose(p, slow.predict(x), rtol=1e-9)
    features = problem.features or range(rows.shape[1])
    names = sorted(set(features))
    attributes = np.array([names.index(f) for f in features], dtype=np.int32)
    tests, included = Posterior(fast, columns, classes, None, attributes).marginals()
    np.testing.assert_allclose(tests, slow.expected_tests(), atol=1e-11)
    np.testing.assert_allclose(included, slow.feature_inclusion(), atol=1e-11)
    assert 1 + tests.sum() == pytest.approx(slow.expected_leaves())


@pytest.mark.parametrize("seed", range(200, 220))
def test_every_itemset_has_the_sums_of_the_slow_recursion(seed):
    problem = random_problem(seed)
    slow, fast = SlowLattice(problem), lattice_of(problem)
    fast.search("evidence")
    for itemset, log_u in slow.log_u.items():
        items = reachable_order(problem, itemset)
        leaf, counts, tests, chance, passed, failed = fast.expand(items)
        node = problem.node(itemset)
        assert counts.tolist() == list(node.counts)
        assert leaf == pytest.approx(node.log_v_leaf)
        assert dict(zip(tests.tolist(), chance, strict=True)) == pytest.approx(dict(node.log_splits))
        for t, u1, u0 in zip(tests.tolist(), passed, failed, strict=True):
            assert u1 == pytest.approx(slow.log_u[itemset | {(t, 1)}])
            assert u0 == pytest.approx(slow.log_u[itemset | {(t, 0)}])
        terms = [leaf, *(chance + passed + failed)]
        assert math.log(math.fsum(math.exp(x) for x in terms)) == pytest.approx(log_u)


def reachable_order(problem, itemset):
    """The items in an order in which tests lead to them."""
    if not itemset:
        return []
    for item in itemset:
        rest = itemset - {item}
        if item[0] in problem.node(rest).log_splits:
            before = reachable_order(problem, rest)
            if before is not None:
                return [*before, item]
    return None
