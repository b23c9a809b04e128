"""Random problems for the search over all trees, and its trees in the form of the naive version."""

import math

import numpy as np
from naive.all_trees import Problem

from ctree_ext.lattice.lattice import Lattice


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


def wide_problem(seed: int):
    """So many tests of so many cases that the first look at the clock comes within a state."""
    rng = np.random.default_rng(seed)
    rows = (rng.random((3000, 450)) < rng.choice([0.02, 0.5], size=450)).astype(np.uint8)
    return rows, (rows[:, 3] ^ (rows[:, 5] & rows[:, 7]) ^ (rng.random(3000) < 0.2)).astype(np.int32)


def worth(rows, classes, tree, groups, uniform, left, depth=0, least=2):
    """ln of prior times likelihood of a tree, and its errors, by the definitions with α = 1, γ = δ = 0.8."""
    n, ones = len(rows), rows.sum(axis=0)
    valid = np.flatnonzero((ones >= least) & (n - ones >= least)) if left else []
    split = 0.8 * (1 + depth) ** -0.8
    if tree is None:
        counts = np.bincount(classes, minlength=2).tolist()
        prior = 0.0 if uniform or len(valid) == 0 else math.log(1 - split)
        return prior + math.lgamma(2) - math.lgamma(n + 2) + sum(math.lgamma(c + 1) for c in counts), min(counts)
    test, branches = tree
    assert test in valid
    of_group = sum(groups[t] == groups[test] for t in valid)
    prior = 0.0 if uniform else math.log(split / len({groups[t] for t in valid}) / of_group)
    errors = 0
    for side, branch in enumerate(branches):
        has = rows[:, test] == side
        below = worth(rows[has], classes[has], branch, groups, uniform, left - 1, depth + 1, least)
        prior, errors = prior + below[0], errors + below[1]
    return prior, errors
