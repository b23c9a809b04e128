"""Chains on trees against the definitions: every proposal and its ratio, and the distribution where a chain stays.

Longer than 400 lines because every move is checked against the same few problems and their listed trees.
"""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.tree_chain import (
    INVALID,
    Problem,
    Proposal,
    from_preorder,
    grid_tests,
    inner_tests,
    n_leaves,
    posterior,
    preorder,
    stationary,
    transition_matrix,
)

from ctree_ext.mcmc.chain import TREATMENTS, Chain
from ctree_ext.mcmc.rng import Stream
from ctree_ext.mcmc.test_grid import TestGrid
from ctree_ext.mcmc.transitions import drawn_proposal, listed_proposals, log_exchange_ratio, log_values

WITH_SWAP = (0.1, 0.1, 0.2, 0.5, 0.1)

# Fourteen cases on a grid of four by three, in the pattern of exclusive or, one of them wrong.
XOR = [[0.0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2], [0.0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1]], [0, 0]
XOR_CLASSES = [int((a > 1.5) != (b > 0.5)) for a, b in zip(*XOR[0], strict=True)]
XOR_CLASSES[3] ^= 1


def grid_of(columns, n_values, classes, n_classes, weights=None, **options):
    """The kernel's grid of the same tests as the slow problem's."""
    levels, n_levels, ordered = [], [], []
    for column, n in zip(columns, n_values, strict=True):
        values = sorted(set(column))
        if len(values) > 1:
            levels.append(np.array([values.index(x) for x in column], dtype=np.int32))
            n_levels.append(len(values))
            ordered.append(n == 0)
    weights = None if weights is None else np.array(weights)
    return TestGrid(levels, n_levels, ordered, np.array(classes, dtype=np.int32), n_classes, weights, **options)


def pair(columns, n_values, classes, n_classes=2, weights=None, grid_options=None, seed=0, **asked):
    """The slow problem and the kernel's chain."""
    tests, ordered = grid_tests(columns, n_values)
    problem = Problem(tests, classes, n_classes, weights, ordered=ordered, **asked)
    grid = grid_of(columns, n_values, classes, n_classes, weights, **(grid_options or {}))
    assert grid.n_tests == len(tests)
    return problem, chain_of(problem, grid, seed)


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
        treatment=problem.treatment,
        moves=problem.moves,
        rule_step=problem.rule_step or 0.0,
        rule_spread=(problem.rule_variance or 0.0) ** 0.5,
        **{"temperatures": (problem.power,), **options},
    )


def kernel_proposals(chain, tree):
    chain.set_tree(preorder(tree))
    return [
        Proposal(move, chance, from_preorder(new) if available else INVALID, math.exp(min(log_ratio, 700.0)))
        for move, _, _, chance, available, log_ratio, new in listed_proposals(chain)
    ]


def gathered(proposals):
    """By move and tree the chance, and R."""
    result = {}
    for p in proposals:
        chance, _ = result.get((p.move, p.tree), (0.0, 0.0))
        result[p.move, p.tree] = (chance + p.chance, p.ratio)
    return result


def same_proposals(problem, chain, tree):
    expected, found = gathered(problem.proposals(tree)), gathered(kernel_proposals(chain, tree))
    # a change to no effect may be listed by one and not by the other, with a chance of nothing
    assert {k for k, (q, _) in expected.items() if q > 1e-15} == {k for k, (q, _) in found.items() if q > 1e-15}
    for key, (chance, ratio) in expected.items():
        if chance > 1e-15:
            assert found[key][0] == pytest.approx(chance, rel=1e-12, abs=1e-15), key
            if key[1] is not INVALID:
                assert found[key][1] == pytest.approx(ratio, rel=1e-9), key
    assert log_values(chain)[0] == pytest.approx(problem.log_likelihood(tree), rel=1e-12)
    assert log_values(chain)[1] == pytest.approx(problem.log_prior(tree), rel=1e-12, abs=1e-12)


EXACT = [
    {},
    {"moves": WITH_SWAP},
    {"rule_step": 0.3},
    {"rule_variance": 1.0},
    {"prior": "implicit", "max_leaves": 4},
    {"prior": "implicit", "treatment": "sweep-latent", "max_leaves": 4, "rule_variance": 2.0},
    {"power": 0.4, "moves": WITH_SWAP},
    {"max_depth": 2},
    {"prior": "chipman"},
    {"prior": "chipman", "moves": WITH_SWAP, "gamma": 0.95, "delta": 0.5},
    {"prior": "chipman", "test_prior": "per_test", "moves": WITH_SWAP, "rule_step": 0.2},
    {"prior": "chipman", "max_depth": 2, "moves": WITH_SWAP, "power": 0.5},
    {"treatment": "sweep-latent", "max_leaves": 4},
    {"treatment": "sweep-latent", "max_leaves": 4, "moves": WITH_SWAP, "rule_step": 0.4},
    {"treatment": "sweep-latent", "max_leaves": 4, "prior": "chipman", "moves": WITH_SWAP},
    {"treatment": "sweep-latent", "max_leaves": 4, "prior": "chipman", "test_prior": "per_test", "max_depth": 2},
]


@pytest.mark.parametrize("asked", EXACT, ids=str)
def test_the_exact_transition_matrix_leaves_the_posterior_as_it_is(asked):
    problem, chain = pair(*XOR, XOR_CLASSES, min_cases=2, **asked)
    trees = problem.all_trees()
    assert len(trees) > 40
    expected = posterior(problem, trees)
    matrix = transition_matrix(problem, trees, lambda tree: kernel_proposals(chain, tree))
    assert 0.5 * abs(stationary(matrix) - expected).sum() < 1e-10
    flux = expected[:, None] * matrix
    assert abs(flux - flux.T).max() < 1e-14
    assert 0.5 * abs(expected @ matrix - expected).sum() < 1e-13


def test_resampling_samples_the_posterior_times_what_is_available():
    problem, chain = pair(*XOR, XOR_CLASSES, min_cases=2, treatment="resample")
    trees = problem.all_trees()
    listed = [kernel_proposals(chain, tree) for tree in trees]
    available = np.array([math.fsum(p.chance for p in ps if p.tree is not INVALID) for ps in listed])
    expected = posterior(problem, trees)
    law = expected * available / (expected @ available)
    found = stationary(transition_matrix(problem, trees, dict(zip(trees, listed, strict=True)).get))
    assert 0.5 * abs(found - law).sum() < 1e-10
    assert 0.5 * abs(found - expected).sum() > 0.1


def test_resampling_with_the_same_move_makes_trees_larger():
    leaves = {}
    for treatment in ("reject", "resample", "resample-move"):
        problem, chain = pair(*XOR, XOR_CLASSES, min_cases=2, treatment=treatment)
        trees = problem.all_trees()
        law = stationary(transition_matrix(problem, trees, lambda tree, chain=chain: kernel_proposals(chain, tree)))
        leaves[treatment] = law @ [n_leaves(tree) for tree in trees]
    assert leaves["reject"] < leaves["resample"] < leaves["resample-move"]


def test_where_nothing_is_available_a_step_costs_nothing():
    # three cases in a leaf, of five
    grid = grid_of([[0.0, 1, 2, 3, 4], [0, 1, 0, 1, 0]], [0, 2], [0, 1, 0, 1, 0], 2)
    for treatment in ("resample", "resample-move", "resample-local", "sweep-paper"):
        chain = Chain(grid, Stream(0), min_cases=3, treatment=treatment)
        assert chain.advance(10**6, 1000)
        assert set(chain.traces()["leaves"].tolist()) == {1}
        assert sum(counts["proposed"] for counts in chain.moves.values()) == 0


def test_where_births_are_rare_they_come_with_their_chances_all_the_same():
    # Thresholds of the first attribute at 1.5 and 2.5 leave two cases on both sides; of two values the one test does.
    grid = grid_of([[0.0, 1, 2, 3, 4], [0, 1, 0, 1, 0]], [0, 2], [0, 1, 0, 1, 0], 2)
    seen = Counter()
    n = 3000
    for seed in range(n):
        # births are so rare that all but a tenth of the chains have to look through them
        chain = Chain(grid, Stream(seed), min_cases=2, treatment="resample", moves=(1e-4, 0.3, 0.3, 0.3999, 0))
        chain.advance(1, 0)
        seen[chain.tree()[0]] += 1
    assert set(seen) == {1, 2, 4}
    # A threshold is drawn with the chance of 1/2 * 1/4, the value with 1/2; two thresholds are available.
    for test, chance in ((1, 1 / 6), (2, 1 / 6), (4, 2 / 3)):
        assert abs(seen[test] / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n)


def test_sweeping_as_in_the_paper_is_not_reversible():
    problem, chain = pair(*XOR, XOR_CLASSES, min_cases=2, treatment="sweep-paper")
    trees = problem.all_trees()
    matrix = transition_matrix(problem, trees, lambda tree: kernel_proposals(chain, tree))
    own = stationary(matrix)
    flux = own[:, None] * matrix
    assert abs(flux - flux.T).max() > 1e-4
    assert 0.5 * abs(own - posterior(problem, trees)).sum() > 0.1


def test_exchanges_of_temperatures_are_reversible():
    problem, _ = pair(*XOR, XOR_CLASSES, min_cases=4)
    hot, _ = pair(*XOR, XOR_CLASSES, min_cases=4, power=0.3)
    grid = grid_of(*XOR, XOR_CLASSES, 2)
    chain = chain_of(problem, grid, temperatures=(1.0, 0.3))
    trees = problem.all_trees()[::5]
    cold_law, hot_law = posterior(problem, trees), posterior(hot, trees)
    flux = np.zeros((len(trees), len(trees)))
    for i, one in enumerate(trees):
        for j, other in enumerate(trees):
            chain.set_tree(preorder(one), 0)
            chain.set_tree(preorder(other), 1)
            flux[i, j] = cold_law[i] * hot_law[j] * min(1.0, math.exp(log_exchange_ratio(chain)))
    # what goes from (T, T') to (T', T) goes back
    assert abs(flux - flux.T).max() < 1e-15


@st.composite
def problems(draw):
    n = draw(st.integers(4, 14))
    n_classes = draw(st.integers(1, 3))
    columns, n_values = [], []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(st.sampled_from([0, 0, 2, 3, 4]))
        levels = draw(st.lists(st.integers(0, max(values, 4) - 1), min_size=n, max_size=n))
        columns.append([float(x) for x in levels] if values == 0 else [x % values for x in levels])
        n_values.append(values)
    classes = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(st.sampled_from([0.25, 1.0, 1.5, 2.0]), min_size=n, max_size=n))
    asked = {
        "alpha": draw(st.sampled_from([0.5, 1.0])),
        "min_cases": draw(st.sampled_from([1, 2, 2.5])),
        "max_depth": draw(st.sampled_from([None, None, 2])),
        "prior": draw(st.sampled_from(["denison", "chipman", "implicit"])),
        "test_prior": draw(st.sampled_from(["per_feature", "per_test"])),
        "power": draw(st.sampled_from([1.0, 0.5])),
        "moves": draw(st.sampled_from([(0.1, 0.1, 0.2, 0.6, 0.0), WITH_SWAP])),
        **draw(st.sampled_from([{}, {"rule_step": 0.3}, {"rule_variance": 1.0}, {"rule_variance": 2.0}])),
        "treatment": draw(st.sampled_from(list(TREATMENTS))),
        "max_leaves": draw(st.sampled_from([4, 6])),
    }
    if asked["treatment"] in ("sweep-paper", "resample-local") and asked["prior"] == "chipman":
        asked["prior"] = "denison"
    max_bytes = draw(st.sampled_from([1 << 26, 24, 1]))
    return columns, n_values, classes, n_classes, weights, {"max_bytes": max_bytes}, asked


@settings(max_examples=300, deadline=None)
@given(problems(), st.integers(0, 1000))
def test_every_proposal_and_its_ratio_is_as_the_definitions_say(drawn, seed):
    *data, asked = drawn
    problem, chain = pair(*data, seed=seed, **asked)
    if not problem.allowed(None):
        return
    tree = None
    for steps in (7, 14, 40):
        chain.set_tree(preorder(tree))
        chain.advance(steps, 0)
        tree = from_preorder(chain.tree())
        assert problem.allowed(tree)
        same_proposals(problem, chain, tree)


@pytest.mark.parametrize(
    "asked",
    [
        {"moves": WITH_SWAP},
        {"rule_step": 0.3},
        {"rule_variance": 1.0},
        {"treatment": "resample-local", "moves": WITH_SWAP},
        {"treatment": "resample-local", "rule_variance": 2.0},
        {"prior": "chipman", "moves": WITH_SWAP},
        {"prior": "chipman", "test_prior": "per_test", "rule_step": 0.3},
        {"treatment": "sweep-latent", "moves": WITH_SWAP},
        {"treatment": "sweep-latent", "prior": "chipman", "test_prior": "per_test"},
    ],
    ids=str,
)
def test_proposals_are_drawn_with_their_chances(asked):
    columns = [*XOR[0], [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]]
    _, chain = pair(columns, [0, 0, 3], XOR_CLASSES, min_cases=2, seed=5, **asked)
    first_of_b = 3
    chain.set_tree([1, first_of_b, -1, -1, first_of_b, -1, -1])
    chances = Counter()
    for move, place, test, chance, _, _, _ in listed_proposals(chain):
        chances[(move, -1, -1) if place < 0 else (move, place, test)] += chance
    n = 200_000
    seen = Counter(drawn_proposal(chain) for _ in range(n))
    # thresholds that leave too few cases are drawn by their distance too, and found out later
    later = {key: count for key, count in seen.items() if key not in chances}
    assert all(move == "change-rule" and (asked.get("rule_step") or asked.get("rule_variance")) for move, _, _ in later)
    seen["change-rule", -1, -1] += sum(later.values())
    for key, chance in chances.items():
        assert abs(seen[key] / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n) + 1e-12, key


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({}, {}),
        ({"moves": WITH_SWAP}, {"temperatures": (1.0, 0.6, 0.3)}),
        ({"prior": "chipman"}, {}),
        ({"treatment": "sweep-latent", "max_leaves": 5}, {}),
        ({"treatment": "resample"}, {}),
        ({"treatment": "resample-move"}, {}),
    ],
    ids=str,
)
def test_a_long_run_visits_trees_as_often_as_it_should(asked, options):
    problem, _ = pair(*XOR, XOR_CLASSES, min_cases=3, **asked)
    trees = problem.all_trees()
    law = posterior(problem, trees)
    if problem.treatment == "resample":
        shares = [math.fsum(p.chance for p in problem.proposals(t) if p.tree is not INVALID) for t in trees]
        law = law * shares / (law @ shares)
    elif problem.treatment == "resample-move":
        law = stationary(transition_matrix(problem, trees))
    chain = chain_of(problem, grid_of(*XOR, XOR_CLASSES, 2), seed=11, thin=5, **options)
    # a birth that is drawn until it is possible takes its time
    samples = 40_000 if problem.treatment == "resample-move" else 400_000
    assert chain.advance(1000, samples)
    traces = chain.traces()
    standing = [problem.sweep(t, problem.all_cases) if problem.latent else t for t in trees]
    expected_leaves = law @ [n_leaves(t) for t in standing]
    expected_use = law @ [any(problem.tests[t][0] == 0 for t in inner_tests(s)) for s in standing]
    error = 5 * batch_error(traces["leaves"])
    assert abs(traces["leaves"].mean() - expected_leaves) < error < 0.1
    assert abs(chain.used_attributes[0] / samples - expected_use) < 0.02
    likelihoods = law @ [problem.log_likelihood(t) for t in trees]
    assert abs(traces["log_likelihood"].mean() - likelihoods) < 5 * batch_error(traces["log_likelihood"])


def batch_error(trace, n_batches=40):
    means = [batch.mean() for batch in np.array_split(trace, n_batches)]
    return np.std(means, ddof=1) / math.sqrt(n_batches)


@pytest.mark.parametrize("steps", [0, 39, 77, 1234, 5987])
def test_a_chain_that_was_saved_goes_on_as_it_would_have(steps):
    for asked in ({}, {"prior": "chipman"}, {"treatment": "sweep-latent"}):
        problem, _ = pair(*XOR, XOR_CLASSES, min_cases=1, moves=WITH_SWAP, **asked)
        grid = grid_of(*XOR, XOR_CLASSES, 2)
        whole, first, second = (
            chain_of(problem, grid, 3, thin=40, temperatures=(1.0, 0.5), exchange_every=3) for _ in range(3)
        )
        whole.advance(5987, 300)
        first.advance(steps, 120 if steps == 5987 else 0)  # it may be stopped between two records as well
        second.restore(first.state(), first.traces(), first.traces(True), first.stored_trees())
        second.advance(5987, 300)
        for name, trace in whole.traces().items():
            assert trace.tolist() == second.traces()[name].tolist(), name
        for name, array in whole.stored_trees().items():
            assert array.tolist() == second.stored_trees()[name].tolist(), name
        assert whole.state() == second.state()
        assert whole.moves == second.moves


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_bytes", [1 << 26, 2000])
@pytest.mark.parametrize("treatment", ["reject", "resample", "sweep-paper", "sweep-latent"])
@pytest.mark.parametrize("prior", ["denison", "chipman"])
def test_large_trees_have_the_likelihood_that_they_would_have_if_built_anew(prior, treatment, max_bytes, weighted):
    if treatment == "sweep-paper" and prior == "chipman":
        return
    rng = np.random.default_rng(5)
    n = 300
    levels = [rng.integers(0, k, n).astype(np.int32) for k in (40, 2, 5, 200)]
    levels = [np.unique(column, return_inverse=True)[1].astype(np.int32) for column in levels]
    n_levels = [int(column.max()) + 1 for column in levels]
    classes = ((levels[0] // 8 + levels[1] + levels[3] // 30) % 3).astype(np.int32)
    weights = rng.choice([0.5, 1.0, 2.0], n) if weighted else None
    grid = TestGrid(levels, n_levels, [True, False, False, True], classes, 3, weights, max_bytes=max_bytes)
    options = {"min_cases": 3, "prior": prior, "treatment": treatment, "moves": WITH_SWAP, "rule_step": 0.1}
    chain, again = (Chain(grid, Stream(seed), **options) for seed in (1, 2))
    most = 0
    for steps in range(200, 8001, 200):
        chain.advance(steps, 0)
        again.set_tree(chain.tree())
        assert log_values(chain) == pytest.approx(log_values(again), rel=1e-12)
        most = max(most, len(chain.tree()))
    assert most > 10


def test_stored_trees_have_the_counts_of_their_leaves():
    problem, chain = pair(*XOR, XOR_CLASSES, min_cases=2)
    chain.advance(0, 500)
    stored, traces = chain.stored_trees(), chain.traces()
    assert len(traces["tree"]) == 500
    assert traces["tree"][-1] == len(stored["node_start"]) - 2
    for t in range(len(stored["node_start"]) - 1):
        tree = from_preorder(stored["tests"][stored["node_start"][t] : stored["node_start"][t + 1]].tolist())
        counts = [problem.counts(leaf) for leaf in problem.leaves(tree, problem.all_cases)]
        assert stored["counts"][stored["leaf_start"][t] : stored["leaf_start"][t + 1]].tolist() == counts
        assert set(traces["leaves"][traces["tree"] == t]) == {n_leaves(tree)}


def test_wrong_trees_and_states_are_refused():
    _, chain = pair(*XOR, XOR_CLASSES, min_cases=2)
    for tests in ([], [0], [-1, -1], [99, -1, -1], [0, -1, -1, -1], [-2]):
        with pytest.raises(ValueError, match="not that of a tree"):
            chain.set_tree(tests)
    with pytest.raises(ValueError, match="too few cases"):
        chain.set_tree([0, 0, -1, -1, -1])


def test_streams_are_split_by_number_and_not_by_use():
    stream = Stream(7)
    before = [stream.part(i).bits() for i in range(100)]
    stream.uniform()
    assert before == [stream.part(i).bits() for i in range(100)]
    assert len(set(before)) == 100
    assert Stream(7).part(1).part(2).key != Stream(7).part(2).part(1).key
    again = Stream(1)
    again.state = stream.state
    assert [again.bits() for _ in range(5)] == [stream.bits() for _ in range(5)]


def test_random_numbers_are_spread_evenly():
    stream = Stream(2024)
    uniform = np.array([stream.uniform() for _ in range(100_000)])
    assert abs(uniform.mean() - 0.5) < 0.005
    assert abs(np.histogram(uniform, 10, (0, 1))[0] - 10_000).max() < 500
    below = Counter(stream.below(7) for _ in range(70_000))
    assert sorted(below) == list(range(7))
    assert max(abs(n - 10_000) for n in below.values()) < 500
    normal = np.array([stream.normal() for _ in range(100_000)])
    assert abs(normal.mean()) < 0.02
    assert abs(normal.std() - 1) < 0.02
