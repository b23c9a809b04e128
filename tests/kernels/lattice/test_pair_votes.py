"""What the last two levels say of new cases, with as many tests and cases as tables and groups of tests need."""

import math

import numpy as np
import pytest
from naive.all_trees import Lattice as SlowLattice
from naive.all_trees import Problem
from support.lattices import lattice_of

from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior


def problem_of(seed, *, n, m, max_depth, n_classes, **options):
    """Columns that differ, are equal or are complements, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    rows = (rng.random((n, m)) < rng.choice([0.2, 0.5, 0.8], size=m)).astype(int)
    rows[:, -1], rows[:, -2] = rows[:, 0], 1 - rows[:, 1]
    classes = (rows[:, 0] + rows[:, 2] + rng.integers(2, size=n)) % n_classes
    return Problem(rows.tolist(), classes.tolist(), n_classes, max_depth=max_depth, **options)


def predictions(problem, cases):
    fast = lattice_of(problem)
    fast.search("evidence")
    columns = np.ascontiguousarray(np.array(problem.rows, dtype=np.uint8).T)
    classes = np.array(problem.classes, dtype=np.int32)
    return Posterior(fast, columns, classes, np.ascontiguousarray(cases.T.astype(np.uint8))).probabilities()


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("n_new", [1, 7, 300])
@pytest.mark.parametrize(
    ("n_classes", "max_depth", "options"),
    [
        (2, 2, {}),
        (2, 3, {"min_support": 3, "features": [0, 0, 0, 1, 1, 2, 3, 3, 4]}),
        (3, 2, {"prior": "uniform"}),
        (4, 3, {"min_support": 2, "alpha": 0.5}),
        (2, 3, {"prior": "uniform", "min_support": 4}),
    ],
)
def test_cases_get_the_average_of_the_slow_recursion(n_classes, max_depth, options, n_new):
    problem = problem_of(n_classes + max_depth, n=40, m=9, max_depth=max_depth, n_classes=n_classes, **options)
    # tests that agree on all training cases may differ here
    cases = np.random.default_rng(n_new).integers(2, size=(n_new, 9))
    given, slow = predictions(problem, cases), SlowLattice(problem)
    np.testing.assert_allclose(given[:40], [slow.predict(x) for x in cases[:40].tolist()], rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "alpha", "n_classes"),
    [(2000, 1.0, 2), (1300, 1.0, 2), (300, 1e-6, 6)],
    ids=["only logarithms", "too small for products", "hardly any prior"],
)
def test_likelihoods_that_no_float_has(n, alpha, n_classes):
    problem = problem_of(n, n=n, m=5, max_depth=2, n_classes=n_classes, alpha=alpha, features=[0, 0, 1, 2, 3])
    cases = np.random.default_rng(n).integers(2, size=(9, 5))
    slow = SlowLattice(problem)
    np.testing.assert_allclose(predictions(problem, cases), [slow.predict(x) for x in cases.tolist()], rtol=1e-9)


def test_more_tests_than_a_square_of_pairs_has_room_for():
    rng = np.random.default_rng(5)
    n, m = 60, 1100
    rows, new = rng.integers(2, size=(n, m)), rng.integers(2, size=(3, m))
    classes = (rows[:, 3] ^ (rng.random(n) < 0.2)).astype(np.int32)
    columns = np.ascontiguousarray(rows.T.astype(np.uint8))
    lattice = Lattice(columns, classes, 2, min_support=5, max_depth=2)
    log_evidence, _ = lattice.search("evidence")
    given = Posterior(lattice, columns, classes, np.ascontiguousarray(new.T.astype(np.uint8))).probabilities()

    # the same by the definitions, with all pairs of tests as matrices
    table = np.array([math.lgamma(max(i, 1)) for i in range(n + 3)])

    def log_gamma(x):
        return table[x.astype(int)]

    of_class = [rows[classes == c].astype(float) for c in range(2)]

    def leaves(first, second):
        """The class counts of all leaves of two tests, each passed (1) or not, and ln m of them."""
        counts = [(r == first).astype(float).T @ (r == second) for r in of_class]
        return counts, log_gamma(counts[0] + 1) + log_gamma(counts[1] + 1) - log_gamma(counts[0] + counts[1] + 2)

    quadrants = {(a, b): leaves(a, b) for a in (0, 1) for b in (0, 1)}
    splits = [0.8 * (1 + d) ** -0.8 for d in (0, 1)]
    u, sides = {}, {}
    for a in (0, 1):
        valid = np.all([sum(quadrants[a, b][0]) >= 5 for b in (0, 1)], axis=0)
        both = np.where(valid, np.exp(quadrants[a, 0][1] + quadrants[a, 1][1]), 0.0)
        second = splits[1] * both / np.maximum(valid.sum(axis=1, keepdims=True), 1)
        counts = [(r == a).sum(axis=0) for r in of_class]
        m_side = np.exp(log_gamma(counts[0] + 1) + log_gamma(counts[1] + 1) - log_gamma(counts[0] + counts[1] + 2))
        leaf = np.where(valid.any(axis=1), 1 - splits[1], 1.0) * m_side
        u[a], sides[a] = leaf + second.sum(axis=1), (leaf, second, counts)
    ones = rows.sum(axis=0)
    first = ((ones >= 5) & (n - ones >= 5)).astype(float)
    first *= splits[0] / first.sum()
    all_counts = np.bincount(classes, minlength=2)
    root = (1 - splits[0]) * math.exp(
        math.lgamma(all_counts[0] + 1) + math.lgamma(all_counts[1] + 1) - math.lgamma(n + 2)
    )
    assert math.exp(log_evidence) == pytest.approx(root + (first * u[0] * u[1]).sum(), rel=1e-11)
    for x, p in zip(new, given, strict=True):
        votes = root * (all_counts + 1) / (n + 2)
        for c in range(2):
            for a in (0, 1):
                leaf, second, counts = sides[a]
                below = leaf * (counts[c] + 1) / (counts[0] + counts[1] + 2)
                for b in (0, 1):
                    here = quadrants[a, b][0]
                    said = second * (here[c] + 1) / (here[0] + here[1] + 2)
                    below = below + (said * (x == b)).sum(axis=1)
                votes[c] += (first * u[1 - a] * below * (x == a)).sum()
        np.testing.assert_allclose(p, votes / votes.sum(), rtol=1e-11)
