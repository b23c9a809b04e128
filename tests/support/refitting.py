"""Learners that are fitted to one set and then to another, and calls that are looked at line by line."""

from __future__ import annotations

import sys
import threading

import numpy as np

import ctree
from ctree.learners.registry import learner_class

QUICK = {
    "MCMCTreeClassifier": {"samples": 40, "burn_in": 40, "chains": 2, "random_state": 1, "min_cases": 1},
    "BayesOptimalClassifier": {"max_depth": 2},
    "OptimalTreeClassifier": {"max_depth": 2},
    "CommitteeClassifier": {"members": 5, "random_state": 1},
}


def learner(kind, **options):
    return learner_class(kind)(**QUICK.get(kind, {}), **options)


def data_sets():
    """Two sets of other attributes, values and classes: whatever is mixed of their models fails, or shows."""
    rng = np.random.default_rng(0)
    first = ctree.from_arrays(
        {"a": rng.random(60).round(2), "b": rng.choice(["x", "y"], 60)}, rng.choice(["p", "q"], 60)
    )
    second = ctree.from_arrays(
        {"b": rng.choice(["x", "y", "z"], 60), "c": rng.choice(["u", "v"], 60), "a": rng.random(60).round(2)},
        rng.choice(["p", "q", "r"], 60),
    )
    return first, second


def asked():
    """Cases that both models take, as a table."""
    rng = np.random.default_rng(1)
    return {"a": rng.random(8).round(2), "b": rng.choice(["x", "y"], 8), "c": rng.choice(["u", "v"], 8)}


def is_own(frame):
    return frame.f_globals.get("__name__", "").startswith("ctree.")


def traced(call, function):
    before = sys.gettrace()
    sys.settrace(function)
    try:
        call()
    finally:
        sys.settrace(before)


def wrong_while_fitting(model, sets, fits, wrong):
    """What `wrong()` yields in two threads, over and over, while another one fits the model to the sets in turn."""
    stop, found = threading.Event(), []

    def ask():
        try:
            while not stop.is_set():
                found.extend(wrong())
        except BaseException as problem:
            found.append(problem)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for i in range(fits):
            model.fit(sets[(i + 1) % 2])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    return found
