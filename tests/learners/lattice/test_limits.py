"""Limits of the learners over all trees are kept also where one state has a great many tests."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ctree
from ctree.errors import LimitWarning, ParameterError

pytestmark = pytest.mark.slow

LIMIT = 0.2
SOON = 5.0  # far less than what the states take, far more than a slow machine makes of the limit


def wide(n_cases=1000):
    """15,000 tests: all thresholds of 15 attributes."""
    rng = np.random.default_rng(0)
    X = rng.random((n_cases, 15))
    return X, (X[:, 0] + 0.3 * rng.random(n_cases) > 0.6).astype(int)


def timed(call):
    """Seconds of work, which do not depend on what else the machine does."""
    start = time.process_time()
    call()
    return time.process_time() - start


@pytest.mark.parametrize(
    ("max_depth", "prior", "test_prior"),
    [
        (2, "chipman", "per-test"),
        (2, "uniform", "auto"),
        (3, "chipman", "auto"),
        (3, "uniform", "per-test"),
        (None, "chipman", "auto"),
        (None, "uniform", "per-test"),
    ],
)
def test_the_time_limit_is_kept_within_a_wide_state(max_depth, prior, test_prior):
    X, y = wide()
    options = {"max_depth": max_depth, "bins": None, "tree_prior": prior, "test_prior": test_prior, "time_limit": LIMIT}
    average = ctree.BayesOptimalClassifier(**options)
    with pytest.warns(LimitWarning, match=r"time_limit=0\.2"):
        assert timed(lambda: average.fit(X, y)) < SOON
    low, high = average.log_evidence_bounds_
    assert -np.inf < low < high
    np.testing.assert_allclose(average.predict_proba(X[:1]).sum(axis=1), 1)  # takes longer than the search
    tree = ctree.OptimalTreeClassifier(objective="posterior", **options)
    with pytest.warns(LimitWarning, match=r"time_limit=0\.2"):
        assert timed(lambda: tree.fit(X, y)) < SOON
    assert low - 1e-9 <= tree.bound_ or prior == "uniform"
    assert tree.objective_ < tree.bound_
    assert (tree.predict(X) != y).mean() < 0.1  # a tree that has begun well, not a leaf
    errors = ctree.OptimalTreeClassifier(**options)
    if max_depth is not None:
        with pytest.warns(LimitWarning, match=r"time_limit=0\.2"):
            assert timed(lambda: errors.fit(X, y)) < SOON
        assert errors.objective_ == (errors.predict(X) != y).sum() < 0.1 * len(y)


def test_an_average_stopped_within_a_state_is_saved_as_it_is(tmp_path):
    X, y = wide(400)
    model = ctree.BayesOptimalClassifier(max_depth=2, bins=None, time_limit=0.1)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    p = model.predict_proba(X[:5])
    ctree.save(model, tmp_path / "m.json")
    for again in (pickle.loads(pickle.dumps(model)), ctree.load(tmp_path / "m.json")):
        assert (again.predict_proba(X[:5]) == p).all()
        assert (again._lattice().low, again._lattice().high) == pytest.approx(model.log_evidence_bounds_, rel=1e-12)


@pytest.mark.parametrize("learner", [ctree.BayesOptimalClassifier, ctree.OptimalTreeClassifier])
def test_a_memory_limit_below_what_the_cases_take_is_refused(learner):
    X, y = wide()
    with pytest.raises(
        ParameterError, match=r"memory_limit=4194304 is too small: \d+ tests of 1000 cases take \d+ bytes"
    ):
        learner(bins=None, memory_limit=1 << 22).fit(X, y)
    with pytest.warns(LimitWarning):  # they fit into this, and the search goes on until its time is over
        learner(max_depth=3, bins=None, memory_limit=1 << 26, time_limit=0.1).fit(X, y)


def test_numbers_of_numpy_are_numbers():
    X, y = wide(60)
    options = {
        "max_depth": np.int32(2),
        "min_cases": np.int64(2),
        "gamma": np.float64(0.5),
        "time_limit": np.int64(60),
    }
    model = ctree.BayesOptimalClassifier(bins=np.int64(3), **options).fit(X, y)
    assert len(model.tests_) == 30
    assert len(model.sample_trees(np.int64(3), random_state=0)) == 3
    assert ctree.OptimalTreeClassifier(bins=np.int8(3), **options).fit(X, y).optimal_


PROGRAM = """
import sys, time
import numpy as np
import ctree
from ctree_ext.lattice.lattice import Lattice

rng = np.random.default_rng(0)
what = sys.argv[1]
if what in ("marginals", "predict"):
    # A model that has just been loaded makes its search first, which takes a moment, then what is asked of it.
    X = rng.random((250, 12))
    y = (X[:, 0] > 0.5).astype(int)
    model = ctree.BayesOptimalClassifier(max_depth=3, bins=None, time_limit=1).fit(X, y)
    new = rng.random((3000, 12))
    work = (lambda: model.predict_proba(new)) if what == "predict" else (lambda: model.feature_inclusion_)
elif what == "mine":
    X = (rng.random((400, 60)) < 0.9).astype(np.uint8)
    work = lambda: ctree.frequent_itemsets(X, min_support=1, limit=10**12)
else:
    X = rng.random((2500, 15))
    y = (X[:, 0] + 0.3 * rng.random(2500) > 0.6).astype(int)
    if what == "evidence":
        model = ctree.BayesOptimalClassifier(max_depth=2, bins=None)
    else:
        model = ctree.OptimalTreeClassifier(objective=what, max_depth=2, bins=None)
    work = lambda: model.fit(X, y)
print("begins", flush=True)
try:
    while True:
        work()
        model.__dict__.pop("_marginals", None)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("what", ["evidence", "posterior", "error", "predict", "marginals", "mine"])
def test_an_interrupt_is_heard_within_a_wide_state(what):
    arguments = [sys.executable, "-W", "ignore", "-c", PROGRAM, what]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            start = time.perf_counter()
            out, err = process.communicate(timeout=60)
            seconds = time.perf_counter() - start
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0), err
    assert seconds < 6  # well under a second, but for what else the machine does; the work takes a minute or more
