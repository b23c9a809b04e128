"""Ctrl-C while a tree is written or asked: no signal may come to nothing."""

import gc
import random
import signal
import time

import numpy as np
import pytest

import ctree

pytestmark = pytest.mark.slow

WAYS = {
    "text": lambda model, data: model.to_text(),
    "sql": lambda model, data: model.to_sql(),
    "pmml": lambda model, data: model.to_pmml(),
    "python": lambda model, data: model.to_python(),
    "c": lambda model, data: model.to_c(),
    "dot": lambda model, data: model.to_dot(),
    "html": lambda model, data: model.to_html(),
    "rules": lambda model, data: model.to_rules(),
    "explain": lambda model, data: model.explain(data),
    "path": lambda model, data: model.decision_path(data),
    "pruned": lambda model, data: model.pruned("cost-complexity", alpha=1.0),
}


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((1500, 3)), rng.integers(4, size=(1500, 2))])
    data = ctree.from_arrays(X, rng.integers(3, size=1500), categorical_features=[3, 4])
    return ctree.C45Classifier(prune=False, min_cases=1, group_values=True).fit(data), data


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
@pytest.mark.parametrize("way", WAYS)
def test_no_signal_is_lost(way, fitted):
    arrived = []

    def interrupt(*_):
        arrived.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    WAYS[way](*fitted)  # what is imported and remembered the first time
    start = time.perf_counter()
    WAYS[way](*fitted)
    longest = time.perf_counter() - start
    rng, raised = random.Random(0), 0
    gc.disable()  # hypothesis has the collector call a function of its own, where an exception is dropped
    try:
        for _ in range(1000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + longest * rng.random())
                WAYS[way](*fitted)
                signal.setitimer(signal.ITIMER_REAL, 0)
                longest *= 0.95  # the first time may have been a slow one
            except KeyboardInterrupt:
                raised += 1
            if len(arrived) == 20:
                break
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert raised == len(arrived) == 20
