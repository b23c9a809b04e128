"""Where values are unknown, threads grow subtrees from cases of their own: the trees are those of one thread."""

import subprocess
import sys

import numpy as np
import pytest
from support.problems import random_problem

from ctree import BayesianTreeClassifier, C45Classifier, ProbabilityTreeClassifier, criteria

N_CASES = 9000  # enough for several subtrees, and for threads to share the attributes of the root
LEARNERS = {
    "j48": lambda n: C45Classifier(variant="j48", n_jobs=n),
    "j48, one value against the rest": lambda n: C45Classifier(variant="j48", binary_splits=True, n_jobs=n),
    "j48, unpruned": lambda n: C45Classifier(variant="j48", prune=False, min_cases=1, n_jobs=n),
    "j48, within limits": lambda n: C45Classifier(variant="j48", max_depth=7, first_tests=["a4"], n_jobs=n),
    "release 8 in 64 bits": lambda n: C45Classifier(arithmetic="double", n_jobs=n),
    "bayesian": lambda n: BayesianTreeClassifier(n_jobs=n),
    "bayesian, bins": lambda n: BayesianTreeClassifier(bins=5, n_jobs=n),
    "own criterion": lambda n: ProbabilityTreeClassifier(approach="c4.4", criterion=criteria.stacked(gini), n_jobs=n),
    **{
        f"{approach}, {'binary' if binary else 'values'}": lambda n, approach=approach, binary=binary: (
            ProbabilityTreeClassifier(approach=approach, binary_splits=binary, n_jobs=n)
        )
        for approach in ("c4.5", "c4.4", "mdl-stop", "mdl-prune", "bic-prune", "chi2")
        for binary in (False, True)
    },
}


def gini(counts):
    """How much less mixed the branches are than all cases."""
    n = counts.sum(axis=-1, keepdims=True)
    pure = np.divide(counts**2, n, out=np.zeros_like(counts), where=n > 0).sum(axis=(-1, -2))
    whole = counts.sum(axis=-2)
    return pure - (whole**2).sum(axis=-1) / whole.sum(axis=-1)


@pytest.fixture(scope="module", params=[0.02, 0.3], ids=["few unknown", "many unknown"])
def data(request):
    return random_problem(5, N_CASES, 3, [0, 0, 4, 0, 9, 2], request.param, noise=0.1).dataset()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_tree_is_the_same_for_any_number_of_threads(data, name):
    alone = LEARNERS[name](1).fit(data)
    assert alone.tree_.n_nodes > 3
    for n in (2, 5):
        together = LEARNERS[name](n).fit(data)
        assert together.tree_ == alone.tree_
        assert getattr(together, "unpruned_tree_", None) == getattr(alone, "unpruned_tree_", None)


@pytest.mark.parametrize("name", ["j48", "release 8 in 64 bits", "c4.4, values", "bayesian"])
def test_with_weights_too(data, name):
    weights = np.random.default_rng(0).choice([0.5, 1.0, 1.0, 2.0, 3.25], size=N_CASES)
    alone, together = (LEARNERS[name](n).fit(data, sample_weight=weights) for n in (1, 3))
    assert together.tree_ == alone.tree_


@pytest.mark.parametrize("unknown", [0.0, 0.1, 0.4])
def test_large_trees_are_pruned_the_same(unknown):
    # With so many cases threads prune subtrees, too. Noise makes many a branch that might take the place of its node.
    data = random_problem(7, 20_000, 3, [0, 0, 4, 0, 9, 2], unknown, noise=0.25).dataset()
    for options in ({}, {"confidence": 0.5}, {"subtree_raising": False}):
        alone, *others = (C45Classifier(variant="j48", n_jobs=n, **options).fit(data).tree_ for n in (1, 2, 5))
        assert alone.n_nodes > 50
        assert all(tree == alone for tree in others)


HALF_UNKNOWN = """
import resource, sys
import numpy as np
import ctree

rng = np.random.default_rng(1)
n, values = 20_000, 4
codes = rng.integers(values, size=(n, 12))
score = sum(rng.normal(size=values)[column] for column in codes.T) + rng.normal(size=n)
X = np.where(rng.random(codes.shape) < 0.5, np.nan, codes)
data = ctree.from_arrays(X, score > 0, categorical_features=range(12))

def fit(n_jobs):
    if sys.argv[1] == "j48":
        return ctree.C45Classifier(variant="j48", confidence=0.6, n_jobs=n_jobs).fit(data)
    return ctree.ProbabilityTreeClassifier(approach="c4.4", min_cases=10, n_jobs=n_jobs).fit(data)

def most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)

alone = fit(1)
before = most_memory()
together = fit(4)
print(most_memory() - before, together.tree_ == alone.tree_, alone.tree_.n_nodes > 100)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="asks for memory as POSIX has it")
@pytest.mark.parametrize("learner", ["j48", "c4.4"])
def test_threads_copy_cases_of_unknown_value_within_bounds(learner):
    # Each is in every branch: in all subtrees together there are some hundred times as many cases as in the data.
    arguments = [sys.executable, "-c", HALF_UNKNOWN, learner]
    out = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    assert out[1:] == ["True", "True"]
    assert float(out[0]) < 60
