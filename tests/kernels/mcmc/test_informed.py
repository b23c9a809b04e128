"""Moves that weigh all tests of a node, against their definitions: chances, ratios, and where a chain stays."""

import math
from collections import Counter

import numpy as np
import pytest
from naive.informed_chain import Informed
from naive.tree_chain import (
    INVALID,
    from_preorder,
    grid_tests,
    inner_tests,
    n_leaves,
    nodes,
    posterior,
    preorder,
    stationary,
)

from ctree_ext.mcmc.chain import TREATMENTS, Chain
from ctree_ext.mcmc.rng import Stream
from ctree_ext.mcmc.test_grid import TestGrid
from ctree_ext.mcmc.transitions import drawn_change, log_values

CHANCES = (0.1, 0.4, 0.2, 0.3)

# Twelve cases: numbers of four values, values of three, and of two; the class is mostly exclusive or.
COLUMNS = [[0.0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 1, 1, 1, 2, 2, 0, 0, 2, 1, 1], [0, 1] * 5 + [1, 1]]
N_VALUES = [0, 3, 2]
CLASSES = [int((a > 1.5) != (c == 1)) for a, c in zip(COLUMNS[0], COLUMNS[2], strict=True)]
CLASSES[3] ^= 1

MIXED = {"others": (0.1, 0.1, 0.1, 0.2), "chances": (0.1, 0.2, 0.1, 0.1)}

SETTINGS = [
    {},
    MIXED,
    {"alpha": 0.4, "power": 0.5},
    {"prior": "implicit", "max_depth": 2},
    {"prior": "chipman"},
    {"prior": "chipman", "test_prior": "per_test", "gamma": 0.5, "delta": 0.3, "max_depth": 2},
]


def pair(columns=COLUMNS, n_values=N_VALUES, classes=CLASSES, n_classes=2, weights=None, seed=0, grid=None, **asked):
    """The slow problem and the kernel's chain."""
    tests, ordered = grid_tests(columns, n_values)
    problem = Informed(tests, classes, n_classes, weights, ordered=ordered, **{"chances": CHANCES, **asked})
    levels = [np.unique(column, return_inverse=True)[1].astype(np.int32) for column in columns]
    numbers = [int(column.max()) + 1 for column in levels]
    made = TestGrid(
        levels,
        numbers,
        [n == 0 for n in n_values],
        np.array(classes, dtype=np.int32),
        n_classes,
        None if weights is None else np.array(weights),
        **(grid or {}),
    )
    assert made.n_tests == len(tests)
    return problem, chain_of(problem, made, seed)


def chain_of(problem, grid, seed=0, **options):
    return Chain(
        grid,
        Stream(seed),
        min_cases=problem.min_cases,
        max_depth=problem.max_depth,
        max_leaves=problem.max_leaves,
        alpha=problem.alpha,
        prior=problem.prior,
        gamma=problem.gamma,
        delta=problem.delta,
        per_test=problem.test_prior == "per_test",
        moves=(*problem.others, *problem.chances),
        **{"temperatures": (problem.power,), **options},
    )


@pytest.mark.parametrize("asked", SETTINGS, ids=str)
def test_the_moves_leave_the_posterior_as_it_is(asked):
    problem, _ = pair(min_cases=3, **asked)
    trees = problem.all_trees()
    assert len(trees) > 20
    place = {tree: i for i, tree in enumerate(trees)}
    law = posterior(problem, trees)
    ways = [problem.gathered(tree) for tree in trees]
    matrix = np.zeros((len(trees), len(trees)))
    for i, tree in enumerate(trees):
        share = 1 - sum(problem.others) if tree is not None else 1 - problem.others[0]
        assert math.isclose(math.fsum(ways[i].values()), share, abs_tol=1e-12)
        for (name, new), chance in ways[i].items():
            if new is not INVALID and new != tree and problem.allowed(new):
                back = ways[place[new]][name, tree]
                ratio = law[place[new]] * back / (law[i] * chance)
                matrix[i, place[new]] += chance * min(1.0, ratio)
        matrix[i, i] = 1 - matrix[i].sum()
    flux = law[:, None] * matrix
    assert abs(flux - flux.T).max() < 1e-14
    assert 0.5 * abs(stationary(matrix) - law).sum() < 1e-10


@pytest.mark.parametrize("asked", SETTINGS, ids=str)
@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 2.0, 1.5] * 3], ids=["unweighted", "weighted"])
def test_the_kernel_draws_them_with_their_chances_and_ratios(asked, weights):
    problem, chain = pair(min_cases=3, weights=weights, **asked)
    trees = problem.all_trees()
    n = 4000
    for tree in (None, *trees[1 :: max(1, len(trees) // 6)]):
        chain.set_tree(preorder(tree))
        paths = [path for path, _ in nodes(tree)]
        expected, seen = Counter(), Counter()
        for (name, new), chance in problem.gathered(tree).items():
            # of what cannot be done, the kernel does not say where
            invalid = new is INVALID or not problem.allowed(new)
            expected[(name[0], INVALID) if invalid else (name, new)] += chance
        ratios = {}
        for _ in range(n):
            move, place, log_ratio, new = drawn_change(chain)
            if move in ("birth", "death", "change-split", "change-rule"):
                continue
            way = (move, INVALID) if new is None else ((move, paths[place]), from_preorder(new))
            seen[way] += 1
            ratios[way] = log_ratio
        assert set(seen) <= set(expected)
        for way, chance in expected.items():
            assert abs(seen[way] / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n) + 1e-3, way
        for (name, new), log_ratio in ratios.items():
            if new is not INVALID and new != tree:
                assert log_ratio == pytest.approx(problem.log_ratio(tree, name, new), abs=1e-8), (name, new)


@pytest.mark.parametrize(
    ("asked", "weighted", "max_bytes"),
    [({}, False, 1 << 26), ({}, True, 500), ({"prior": "chipman"}, False, 500), ({"power": 0.3}, True, 1 << 26)],
    ids=str,
)
def test_ratios_of_larger_trees_are_as_defined(asked, weighted, max_bytes):
    # enough cases that gains are tempered, and that numbers, values and columns are gone through in all ways
    rng = np.random.default_rng(3)
    n = 110
    columns = [rng.integers(0, 40, n).astype(float), *(rng.integers(0, values, n) for values in (4, 2, 2))]
    classes = ((columns[0] > 15) + 2 * columns[2] + (columns[1] > 1)) % 3
    weights = rng.choice([0.5, 1.0, 2.0], n).tolist() if weighted else None
    data = [column.tolist() for column in columns], [0, 4, 2, 2], classes.tolist(), 3, weights
    problem, chain = pair(*data, seed=7, grid={"max_bytes": max_bytes}, min_cases=2, **asked)
    checked = Counter()
    for steps in range(50, 200, 50):
        chain.advance(steps, 0)
        tree = from_preorder(chain.tree())
        assert log_values(chain)[0] == pytest.approx(problem.log_likelihood(tree), rel=1e-12)
        assert log_values(chain)[1] == pytest.approx(problem.log_prior(tree), rel=1e-12)
        paths = [path for path, _ in nodes(tree)]
        for _ in range(25):
            move, place, log_ratio, new = drawn_change(chain)
            if new is not None and new != preorder(tree):
                expected = problem.log_ratio(tree, (move, paths[place]), from_preorder(new))
                assert log_ratio == pytest.approx(expected, abs=1e-6)
                checked[move] += 1
    assert min(checked[move] for move in ("redraw", "retest", "regrow")) > 2


@pytest.mark.parametrize("asked", SETTINGS, ids=str)
@pytest.mark.parametrize("temperatures", [1, 3])
def test_a_long_run_visits_trees_as_often_as_it_should(asked, temperatures):
    problem, chain = pair(min_cases=3, **asked)
    trees = problem.all_trees()
    law = posterior(problem, trees)
    powers = (problem.power, 0.4 * problem.power, 0.1 * problem.power)[:temperatures]
    chain = chain_of(problem, chain.grid, seed=5, temperatures=powers, thin=2, exchange_every=2)
    samples = 60_000
    assert chain.advance(200, samples)
    leaves = chain.traces()["leaves"]
    means = [batch.mean() for batch in np.array_split(leaves, 40)]
    error = np.std(means, ddof=1) / math.sqrt(40)
    assert abs(leaves.mean() - law @ [n_leaves(tree) for tree in trees]) < 5 * error < 0.1
    for a in range(3):
        used = law @ [any(problem.tests[t][0] == a for t in inner_tests(tree)) for tree in trees]
        assert abs(chain.used_attributes[a] / samples - used) < 0.02


def test_a_chain_with_nowhere_to_go_stays():
    _, chain = pair(min_cases=7)
    assert chain.advance(100, 100)
    assert set(chain.traces()["leaves"].tolist()) == {1}
    assert chain.moves["redraw"]["proposed"] == chain.moves["redraw"]["invalid"] == 200


def test_they_are_only_for_rejecting():
    _, chain = pair()
    for treatment in TREATMENTS:
        if treatment != "reject":
            with pytest.raises(ValueError, match="for the treatment reject"):
                Chain(chain.grid, Stream(0), treatment=treatment, moves=(0.1, 0.1, 0, 0, 0, 0.8))


@pytest.mark.parametrize("steps", [0, 39, 777])
def test_a_chain_that_was_saved_goes_on_as_it_would_have(steps):
    problem, made = pair(min_cases=1)
    whole, first, second = (
        chain_of(problem, made.grid, 3, thin=4, temperatures=(1.0, 0.5, 0.1), exchange_every=3) for _ in range(3)
    )
    whole.advance(777, 300)
    first.advance(steps, 120 if steps == 777 else 0)
    second.restore(first.state(), first.traces(), first.traces(True), first.stored_trees())
    second.advance(777, 300)
    for name, trace in whole.traces().items():
        assert trace.tolist() == second.traces()[name].tolist(), name
    assert whole.state() == second.state()
