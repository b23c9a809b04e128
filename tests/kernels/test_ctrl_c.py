"""Ctrl-C while a tree is being learned."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
import numpy as np
import ctree

n, unknown, n_jobs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
X, y = rng.random((n, 12)), rng.integers(2, size=n)
X[rng.random(X.shape) < unknown] = np.nan
# Whatever a fit imports is imported before: Python takes an interrupt in code that it makes of text, as dataclasses do,
# for one that nobody has caught, and ends by it.
ctree.C45Classifier(n_jobs=n_jobs).fit(X[:100], y[:100])
data = ctree.from_arrays(X, y)
print("fitting", flush=True)
try:
    while True:
        ctree.C45Classifier(min_cases=1, n_jobs=n_jobs).fit(data)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("unknown", [0.0, 0.05])
def test_learning_stops_when_interrupted(unknown, n_jobs):
    arguments = [sys.executable, "-c", PROGRAM, "200000", str(unknown), str(n_jobs)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0), err


MANY = """
import random
import signal
import time

import numpy as np
import ctree

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
rng = np.random.default_rng(0)
data = ctree.from_arrays(rng.random((20000, 6)), rng.integers(2, size=20000))
learner = ctree.C45Classifier(min_cases=1, n_jobs=2)
start = time.perf_counter()
learner.fit(data)
longest = time.perf_counter() - start
random.seed(0)
interrupted = 0
for _ in range(150):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 + random.choice([0.2, 1]) * longest * random.random())
        learner.fit(data)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print("interrupted" if interrupted > 30 else f"only {interrupted} times")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_threads_survive_an_interrupt_at_any_moment():
    # one that came while a thread was being started once left that thread at work on memory that was freed
    done = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


ALL_TREES = """
import sys, time
import numpy as np
import ctree

rng = np.random.default_rng(0)
X, y = rng.integers(2, size=(2000, 120)), rng.integers(2, size=2000)
calls = {
    "average": lambda: ctree.BayesOptimalClassifier(max_depth=6, bins="binary").fit(X, y),
    "tree": lambda: ctree.OptimalTreeClassifier(max_depth=6, bins="binary").fit(X, y),
    "predict": lambda: model.predict_proba(X),
    "mine": lambda: ctree.frequent_itemsets(X, min_support=5, limit=10**12),
}
model = ctree.BayesOptimalClassifier(max_depth=3, bins="binary").fit(X, y)
print("fitting", flush=True)
try:
    while True:
        calls[sys.argv[1]]()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("call", ["average", "tree", "predict", "mine"])
def test_the_search_over_all_trees_stops_when_interrupted(call):
    arguments = [sys.executable, "-c", ALL_TREES, call]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(0.7)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            assert time.monotonic() - start < 1
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0, err
