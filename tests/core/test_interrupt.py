"""Ctrl-C while a tree is being learned."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import sys
import numpy as np
import ctree

n, unknown, n_jobs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
X, y = rng.random((n, 12)), rng.integers(2, size=n)
X[rng.random(X.shape) < unknown] = np.nan
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
