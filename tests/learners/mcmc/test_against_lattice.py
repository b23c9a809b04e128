"""Sampled trees against the exact average over all trees, which another learner makes another way."""

import numpy as np
import pytest

import ctree
from ctree.learners.mcmc.convergence import effective_size

pytestmark = pytest.mark.slow

MOVES = (0.25, 0.25, 0.2, 0.2, 0.1)


def small_set(seed, n_cases, n_classes):
    """Two numbers of few values, a value of three and one of two; the class has to do with two of them."""
    rng = np.random.default_rng(seed)
    number, other, letter, flag = (rng.integers(0, n, n_cases) for n in (5, 4, 3, 2))
    true = (number > 2) + (letter == flag)
    classes = np.where(rng.random(n_cases) < 0.2, rng.integers(0, n_classes, n_cases), true % n_classes)
    columns = [number.astype(float), other.astype(float), letter.astype(np.int32), flag.astype(np.int32)]
    attributes = (
        ctree.Attribute("number", ctree.Kind.CONTINUOUS),
        ctree.Attribute("other", ctree.Kind.CONTINUOUS),
        ctree.Attribute("letter", ctree.Kind.DISCRETE, ("a", "b", "c")),
        ctree.Attribute("flag", ctree.Kind.DISCRETE, ("no", "yes")),
    )
    schema = ctree.Schema(attributes, tuple(f"class {c}" for c in range(n_classes)))
    return ctree.Dataset(schema, columns, classes.astype(np.int32))


def both(data, *, max_depth, min_cases, test_prior, alpha=1.0, gamma=0.8, delta=0.8, **chains):
    """The exact average and the sample, of the same posterior."""
    shared = {"max_depth": max_depth, "test_prior": test_prior, "alpha": alpha, "gamma": gamma, "delta": delta}
    exact = ctree.BayesOptimalClassifier(min_cases=min_cases, bins=None, **shared).fit(data)
    sampled = ctree.MCMCTreeClassifier(tree_prior="chipman", min_cases=min_cases, **shared, **chains).fit(data)
    assert exact.complete_
    assert sampled.posterior_exact_
    return exact, sampled


def errors_of_mean(draws):
    """Standard errors of the means of draws (chains, draws, …), by how many independent ones they are worth."""
    size = effective_size(draws, ranked=False)
    return np.sqrt(draws.var(axis=(0, 1)) / size)


def check_agreement(exact, sampled, data, n_errors):
    """Leaves, attributes and predictions are so many standard errors from the exact ones, at most."""
    leaves = sampled.traces_["leaves"].astype(float)
    assert abs(leaves.mean() - exact.expected_leaves_) < n_errors * errors_of_mean(leaves)
    trees = list(sampled.trees_)
    used = np.array([[a in tree.attribute[tree.test > 0] for a in range(len(data.schema))] for tree in trees], float)
    draws = used.reshape(*leaves.shape, -1)
    inclusion = exact.feature_inclusion_
    assert np.allclose(used.mean(axis=0), sampled.feature_inclusion_)
    assert (abs(sampled.feature_inclusion_ - inclusion) <= n_errors * errors_of_mean(draws) + 1e-9).all()
    expected = exact.predict_proba(data)
    for c, said in enumerate(sampled._draws(data)):
        off = abs(sampled.predict_proba(data)[:, c] - expected[:, c])
        assert (off <= n_errors * errors_of_mean(said) + 1e-9).all()
        assert off.max() < 0.02


@pytest.mark.parametrize(
    ("seed", "n_cases", "n_classes", "options"),
    [
        (0, 14, 2, {"max_depth": 2, "min_cases": 1, "test_prior": "per-test"}),
        (1, 20, 2, {"max_depth": 3, "min_cases": 2, "test_prior": "per-test"}),
        (2, 20, 3, {"max_depth": 3, "min_cases": 1, "test_prior": "per-feature"}),
        (3, 16, 3, {"max_depth": None, "min_cases": 3, "test_prior": "per-feature", "alpha": 0.5}),
        (4, 24, 2, {"max_depth": None, "min_cases": 2, "test_prior": "per-test", "gamma": 0.6, "delta": 1.5}),
        (5, 30, 2, {"max_depth": 4, "min_cases": 4, "test_prior": "per-feature", "gamma": 0.5, "delta": 0.0}),
    ],
)
@pytest.mark.parametrize("more", [{}, {"temperatures": 3}], ids=["one temperature", "three"])
def test_a_sample_differs_from_all_trees_by_its_error_only(seed, n_cases, n_classes, options, more):
    data = small_set(seed, n_cases, n_classes)
    chains = {"burn_in": 3000, "samples": 1000, "thin": 60, "moves": MOVES, "random_state": seed}
    exact, sampled = both(data, **options, **chains, **more)
    assert max(sampled.r_hat_.values()) < 1.02
    # some seventy numbers are compared in each of twelve runs
    check_agreement(exact, sampled, data, n_errors=4.5)


def test_the_error_is_small_enough_to_tell_one_posterior_from_another():
    # The same chains do not agree with the average for a prior that is a little different.
    data = small_set(1, 20, 2)
    chains = {"burn_in": 3000, "samples": 1000, "thin": 60, "moves": MOVES, "random_state": 1}
    options = {"max_depth": 2, "min_cases": 2, "test_prior": "per-test"}
    _, sampled = both(data, **options, **chains)
    for other in ({"max_depth": 3}, {"test_prior": "per-feature"}, {"min_cases": 3}, {"gamma": 0.7}, {"alpha": 0.9}):
        exact, _ = both(data, **{**options, **other}, burn_in=0, samples=1, chains=1)
        with pytest.raises(AssertionError):
            check_agreement(exact, sampled, data, n_errors=4.5)


@pytest.mark.slow
def test_temperatures_find_what_the_exact_average_says_where_trees_are_far_apart():
    # The class is a matter of pairs, so that trees that begin with another test are far from each other.
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 10))
    y = np.where(rng.random(150) < 0.15, rng.integers(0, 2, 150), (X[:, 0] ^ X[:, 1]) | (X[:, 2] & X[:, 3]))
    data = ctree.from_arrays(X, y, categorical_features=list(range(10)))
    chains = {"burn_in": 20_000, "samples": 2000, "thin": 50, "temperatures": 6, "random_state": 0, "n_jobs": 2}
    exact, sampled = both(
        data, max_depth=3, min_cases=2, test_prior="per-test", moves=(0.2, 0.2, 0.5, 0.0, 0.1), **chains
    )
    assert max(measures["r_hat"] for measures in sampled.diagnostics(data).values()) < 1.05
    error = float(errors_of_mean(sampled.traces_["leaves"].astype(float)))
    assert abs(sampled.traces_["leaves"].mean() - exact.expected_leaves_) < 5 * error < 0.25
    inclusion = exact.feature_inclusion_
    assert abs(sampled.feature_inclusion_ - inclusion).max() < 0.05
    assert abs(sampled.predict_proba(data) - exact.predict_proba(data)).max() < 0.04
