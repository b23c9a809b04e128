"""Averages along paths and over prunings."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import bayes_criteria
from naive.bayesian_averages import (
    Node,
    all_leaves,
    average_along,
    average_along_by_listing,
    average_of_prunings,
    average_of_prunings_by_listing,
    log_u,
    mixed,
    normalised,
    path_weights,
    prunings,
)
from naive.bayesian_tree import BayesianTree
from naive.candidate_tests import Data, Test

from ctree.errors import ParameterError
from ctree.tree.averages import (
    average_along_paths,
    average_over_prunings,
    log_bayes_factors,
    log_marginals,
    node_alphas,
)
from ctree.tree.leaves import leaf_probabilities

# The worked example: root, L, R, LL, LR.
COUNTS = np.array([[6.0, 4.0], [6.0, 1.0], [0.0, 3.0], [5.0, 0.0], [1.0, 1.0]])
PARENT = np.array([-1, 0, 0, 1, 1])


def prepared(counts, parent, prior_weight=2.0, nonuniform=False):
    """The estimates and ln m of every node."""
    alphas = node_alphas(counts, parent, prior_weight, nonuniform)
    return leaf_probabilities(counts, estimate="dirichlet", alphas=alphas), log_marginals(counts, alphas)


def path_of(parent, node: int) -> list[int]:
    """The nodes from the root to this one."""
    path = [node]
    while path[-1] > 0:
        path.append(int(parent[path[-1]]))
    return path[::-1]


def shares_along(parent, weights, node: int) -> list[float]:
    """The weight of each node of a path in the average at its end."""
    path = path_of(parent, node)
    return [weights[a] * math.prod(1 - weights[b] for b in path[i + 1 :]) for i, a in enumerate(path)]


@st.composite
def trees(draw, most_inner: int = 5):
    """Parents of nodes in level order, and class counts of which those of a node are the sums over its branches."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_inner, n_classes = draw(st.integers(0, most_inner)), draw(st.integers(1, 5))
    parent, node = [-1], 0
    for _ in range(n_inner):
        node = int(rng.integers(node, len(parent)))
        parent += [node] * int(rng.integers(1, 4))
        node += 1
        if node == len(parent):
            break
    counts = rng.integers(0, 9, (len(parent), n_classes)) * draw(st.sampled_from([1.0, 0.3, 100.0]))
    counts *= rng.random(counts.shape) < draw(st.sampled_from([0.2, 0.5, 1.0]))
    for i in reversed(range(len(parent))):
        if i in parent:
            counts[i] = sum(counts[b] for b in range(len(parent)) if parent[b] == i)
    return np.array(parent), counts


priors = {
    "prior_weight": st.sampled_from([0.5, 2.0, 2, "classes"]),
    "nonuniform": st.booleans(),
}


def naive_nodes(counts, parent, prior_weight, nonuniform) -> list[Node]:
    """The nodes as the naive version has them. The test of each is of an attribute of its own, with its number."""
    nodes = []
    for i, row in enumerate(counts.tolist()):
        if i == 0 or not nonuniform:
            alphas = bayes_criteria.uniform_priors(len(row), prior_weight)
        else:
            alphas = bayes_criteria.nonuniform_priors(counts[parent[i]].tolist(), prior_weight)
        nodes.append(Node(row, alphas=alphas))
    for i, node in enumerate(nodes):
        node.branches = [nodes[b] for b in range(1, len(nodes)) if parent[b] == i]
        if node.branches:
            node.test = Test("values", i, len(node.branches))
    return nodes


def case_for(nodes: list[Node], path: list[int]) -> list[int]:
    """A case that goes down this path."""
    case = [0] * len(nodes)
    for above, below in pairwise(path):
        case[above] = next(k for k, branch in enumerate(nodes[above].branches) if branch is nodes[below])
    return case


class TestWorkedExample:
    def test_likelihoods_and_bayes_factors(self):
        _, log_m = prepared(COUNTS, PARENT)
        assert log_m.round(6).tolist() == [-7.745003, -4.025352, -1.386294, -1.791759, -1.791759]
        assert log_bayes_factors(log_m, PARENT).round(6).tolist() == [2.333357, 0.441833, 0, 0, 0]

    def test_along_the_path_to_ll(self):
        estimates, log_m = prepared(COUNTS, PARENT)
        probabilities, weights = average_along_paths(estimates, log_m, PARENT)
        assert [round(w, 6) for w in shares_along(PARENT, weights, 3)] == [0.036558, 0.376999, 0.586443]
        assert probabilities[3, 0].round(6) == 0.817212
        assert estimates[3, 0].round(6) == 0.857143

    def test_over_prunings(self):
        estimates, log_m = prepared(COUNTS, PARENT)
        probabilities, _, stop = average_over_prunings(estimates, log_m, PARENT)
        assert probabilities[3, 0].round(6) == 0.808964
        assert stop[2:].tolist() == [1, 1, 1]

    def test_a_clean_split_of_5000_cases(self):
        counts, parent = np.array([[2500.0, 2500.0], [2500.0, 0.0], [0.0, 2500.0]]), [-1, 0, 0]
        _, log_m = prepared(counts, parent)
        assert round(log_bayes_factors(log_m, parent)[0]) == 3454

    def test_likelihoods_of_small_leaves(self):
        counts = np.array([[2.0, 4], [0, 3], [2, 1], [1, 3], [1, 1], [0, 2], [0, 1], [0, 0]])
        expected = [0.009524, 0.25, 0.083333, 0.05, 0.166667, 0.333333, 0.5, 1]
        assert np.exp(log_marginals(counts, [1, 1])).round(6).tolist() == expected


class TestAlphas:
    def test_classes_that_the_parent_lacks_share_one_part(self):
        counts = np.array([[5.0, 3, 0, 0, 2], [5, 0, 0, 0, 1]])
        alphas = node_alphas(counts, [-1, 0], 5, nonuniform=True)
        assert alphas.tolist() == [[1] * 5, [1.25, 1.25, 0.625, 0.625, 1.25]]

    @pytest.mark.parametrize("above", [[5.0, 3, 1, 2], [5.0, 3, 0, 2]])
    def test_one_lacking_makes_no_difference_nor_does_none(self, above):
        alphas = node_alphas(np.array([above, [5.0, 0, 0, 0]]), [-1, 0], 2, nonuniform=True)
        assert alphas.tolist() == [[0.5] * 4] * 2

    @given(tree=trees(), **priors)
    def test_they_are_the_naive_ones_and_sum_to_the_weight(self, tree, prior_weight, nonuniform):
        parent, counts = tree
        alphas = node_alphas(counts, parent, prior_weight, nonuniform)
        nodes = naive_nodes(counts, parent, prior_weight, nonuniform)
        assert alphas == pytest.approx(np.array([node.alphas for node in nodes]), rel=1e-15)
        weight = counts.shape[1] if prior_weight == "classes" else prior_weight
        assert alphas.sum(axis=1) == pytest.approx(weight)
        if counts.shape[1] <= 2:
            assert alphas == pytest.approx(np.full(counts.shape, weight / counts.shape[1]))


@given(tree=trees(), **priors)
def test_likelihoods_are_the_naive_ones(tree, prior_weight, nonuniform):
    parent, counts = tree
    _, log_m = prepared(counts, parent, prior_weight, nonuniform)
    nodes = naive_nodes(counts, parent, prior_weight, nonuniform)
    assert log_m.tolist() == pytest.approx([node.log_m for node in nodes], rel=1e-12, abs=1e-10)
    expected = [node.log_factor if node.test else 0 for node in nodes]
    assert log_bayes_factors(log_m, parent).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(tree=trees(), **priors)
def test_averages_along_paths_are_the_naive_ones(tree, prior_weight, nonuniform):
    parent, counts = tree
    estimates, log_m = prepared(counts, parent, prior_weight, nonuniform)
    nodes = naive_nodes(counts, parent, prior_weight, nonuniform)
    probabilities, weights = average_along_paths(estimates, log_m, parent)
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-12
    assert weights[0] == 1
    for i in range(len(nodes)):
        path = [nodes[k] for k in path_of(parent, i)]
        assert probabilities[i].tolist() == pytest.approx(average_along(path), rel=1e-9)
        assert probabilities[i].tolist() == pytest.approx(average_along_by_listing(path), rel=1e-9)
        assert shares_along(parent, weights, i) == pytest.approx(path_weights(path), rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(tree=trees(), split_prior=st.sampled_from([0.01, 0.5, 0.9]), **priors)
def test_averages_over_prunings_are_the_naive_ones(tree, split_prior, prior_weight, nonuniform):
    parent, counts = tree
    estimates, log_m = prepared(counts, parent, prior_weight, nonuniform)
    nodes = naive_nodes(counts, parent, prior_weight, nonuniform)
    probabilities, found_log_u, stop = average_over_prunings(estimates, log_m, parent, split_prior)
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-12
    for i, node in enumerate(nodes):
        expected = log_u(node, split_prior)
        assert found_log_u[i] == pytest.approx(expected, rel=1e-12, abs=1e-9)
        if node.test is None:
            assert stop[i] == 1
            case = case_for(nodes, path_of(parent, i))
            for naive in (average_of_prunings, average_of_prunings_by_listing):
                assert probabilities[i].tolist() == pytest.approx(naive(nodes[0], case, split_prior), rel=1e-9)
        else:
            assert stop[i] == pytest.approx((1 - split_prior) * math.exp(node.log_m - expected), rel=1e-8)


@settings(deadline=None)
@given(tree=trees(most_inner=4))
def test_at_an_inner_node_prunings_that_go_on_have_its_estimate(tree):
    parent, counts = tree
    estimates, log_m = prepared(counts, parent)
    nodes = naive_nodes(counts, parent, 2.0, False)
    listed = list(prunings(nodes[0]))
    logs = [math.log(prior) + math.fsum(leaf.log_m for leaf in all_leaves(tree)) for prior, tree in listed]
    probabilities = average_over_prunings(estimates, log_m, parent).probabilities
    for i in range(len(nodes)):
        path = path_of(parent, i)
        case = case_for(nodes, path)
        said = []
        for _, pruned in listed:
            for k in path[:-1]:
                if pruned.test is None:
                    break
                pruned = pruned.branches[case[k]]
            said.append(pruned.predictive)
        assert probabilities[i].tolist() == pytest.approx(mixed(normalised(logs), said), rel=1e-9)


@pytest.mark.parametrize("nonuniform", [False, True])
def test_a_grown_tree_predicts_as_the_naive_one(nonuniform):
    rng = np.random.default_rng(3)
    columns = [rng.integers(3, size=80).tolist() for _ in range(4)]
    classes = [(a + b * (c > 0)) % 4 for a, b, c in zip(*columns[:3], strict=True)]
    learned = BayesianTree(Data(columns, [3] * 4, classes, 4), nonuniform=nonuniform)
    nodes, parent, paths = [learned.root], [-1], [[]]
    for i, node in enumerate(nodes):  # which grows meanwhile, level by level
        for value, branch in enumerate(node.branches):
            nodes.append(branch)
            parent.append(i)
            paths.append([*paths[i], (node.test.attribute, value)])
    assert len(nodes) > 10
    counts = np.array([node.counts for node in nodes])
    estimates, log_m = prepared(counts, parent, 2.0, nonuniform)
    along = average_along_paths(estimates, log_m, parent).probabilities
    over = average_over_prunings(estimates, log_m, parent, 0.4).probabilities
    for i, node in enumerate(nodes):
        if node.test is None:
            case = [dict(paths[i]).get(a, 0) for a in range(4)]
            assert along[i].tolist() == pytest.approx(learned.probabilities(case), rel=1e-9)
            assert over[i].tolist() == pytest.approx(learned.probabilities(case, "prunings", 0.4), rel=1e-9)


class TestMillionsOfCases:
    """Likelihoods far beyond what a 64-bit number holds."""

    @pytest.mark.parametrize(
        "leaves",
        [
            [[500_000, 0], [0, 250_000], [0, 250_000]],  # far better divided
            [[250_000, 250_000], [125_000, 125_000], [125_000, 125_000]],  # better not
            [[400_000, 100_000], [90_000, 410_000], [0, 0]],
        ],
    )
    def test_averages_are_finite_and_sum_to_one(self, leaves):
        a, b, c = (np.array(leaf, dtype=float) for leaf in leaves)
        counts, parent = np.array([a + b + c, a, b + c, b, c]), np.array([-1, 0, 0, 2, 2])
        assert counts[0].sum() == 1e6
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            estimates, log_m = prepared(counts, parent)
            along = average_along_paths(estimates, log_m, parent)
            over = average_over_prunings(estimates, log_m, parent)
        nodes = naive_nodes(counts, parent, 2.0, False)
        for found in (along, over):
            assert all(np.isfinite(array).all() for array in found)
            assert np.abs(found.probabilities.sum(axis=1) - 1).max() < 1e-12
        for i in (1, 3, 4):
            path = path_of(parent, i)
            # ln m is of the order of a million, so that some digits of the weights are lost here and there.
            naive = average_along([nodes[k] for k in path])
            assert along.probabilities[i].tolist() == pytest.approx(naive, rel=1e-7)
            naive = average_of_prunings(nodes[0], case_for(nodes, path))
            assert over.probabilities[i].tolist() == pytest.approx(naive, rel=1e-7)

    @pytest.mark.parametrize("log_factor", [-1e6, -5000.0, 0.0, 5000.0, 1e6])
    def test_a_long_chain_of_huge_factors(self, log_factor):
        """Each node has a leaf and the next node below it; all factors are the same."""
        depth = 2000
        parent = np.concatenate([[-1], np.repeat(np.arange(0, 2 * depth, 2), 2)])
        parent = np.where(parent > 0, parent - 1, parent)  # of each pair the first goes on
        log_m = np.zeros(len(parent))
        log_m[1:] = log_factor / 2
        for i in range(1, len(parent) - 2, 2):  # a node that goes on has to make up for its own
            log_m[i + 2 : i + 4] = (log_factor + log_m[i]) / 2
        assert log_bayes_factors(log_m, parent)[parent[1:]] == pytest.approx(log_factor)
        estimates = np.random.default_rng(0).dirichlet([0.5] * 4, len(parent))
        for found in (average_along_paths(estimates, log_m, parent), average_over_prunings(estimates, log_m, parent)):
            assert all(np.isfinite(array).all() for array in found)
            assert np.abs(found.probabilities.sum(axis=1) - 1).max() < 1e-12
        along = average_along_paths(estimates, log_m, parent).probabilities
        if log_factor > 0:
            assert along == pytest.approx(estimates)
        elif log_factor < 0:
            assert along == pytest.approx(np.tile(estimates[0], (len(parent), 1)))
        else:
            path = path_of(parent, len(parent) - 1)
            assert along[-1] == pytest.approx(estimates[path].mean(axis=0), rel=1e-10)


@given(tree=trees(), split_prior=st.sampled_from([0.1, 0.5, 0.7]))
def test_where_nothing_is_told_by_the_cases_the_prior_remains(tree, split_prior):
    parent, counts = tree
    estimates, _ = prepared(counts, parent)
    found = average_over_prunings(estimates, np.zeros(len(parent)), parent, split_prior)
    assert found.log_u == pytest.approx(0, abs=1e-12)
    inner = np.isin(np.arange(len(parent)), parent)
    assert found.stop[inner] == pytest.approx(1 - split_prior)


class TestErrors:
    @pytest.mark.parametrize("split_prior", [0, 1, -0.5, float("nan")])
    def test_split_prior_is_a_probability_between(self, split_prior):
        estimates, log_m = prepared(COUNTS, PARENT)
        with pytest.raises(ParameterError, match=rf"^split_prior must be between 0 and 1, not {split_prior}$"):
            average_over_prunings(estimates, log_m, PARENT, split_prior)

    @pytest.mark.parametrize("average", [average_along_paths, average_over_prunings])
    def test_arrays_are_of_the_same_nodes(self, average):
        estimates, log_m = prepared(COUNTS, PARENT)
        with pytest.raises(ParameterError, match=r"^there are estimates of 4 nodes, but 5 have a likelihood$"):
            average(estimates[:4], log_m, PARENT)
        with pytest.raises(ParameterError, match=r"^there are 5 nodes but parents of shape \(4,\)$"):
            average(estimates, log_m, PARENT[:4])

    def test_the_weight_of_the_prior(self):
        with pytest.raises(ParameterError, match=r"^prior_weight must be a number greater than 0 or 'classes', not 0$"):
            node_alphas(COUNTS, PARENT, 0)
        with pytest.raises(ParameterError, match=r"^alphas must be greater than 0$"):
            log_marginals(COUNTS, [1, 0])
