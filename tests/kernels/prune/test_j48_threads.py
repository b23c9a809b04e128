"""J48's pruning by several threads: requests to stop, and failures."""

import threading
import time

import pytest
from support.problems import random_problem

from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune import j48

N_CASES = 100_000  # enough for subtrees, and for each thread to look for requests


@pytest.fixture(scope="module")
def grown():
    table = random_problem(11, N_CASES, 3, [0, 0, 0, 5, 2, 10, 40], 0.05, noise=0.3).table(single=False)
    return table, GainRatioGrower(table, j48=True, min_cases=1).grow()


def test_threads_end_when_asked_to(grown, monkeypatch):
    table, tree = grown
    expected = j48.J48Pruner(table).prune(tree)
    assert j48.J48Pruner(table).prune(tree, n_threads=2) == expected

    def asked_at_once(work, stop):
        stop()
        return work()

    monkeypatch.setattr(j48, "run_interruptible", asked_at_once)
    with pytest.raises(KeyboardInterrupt):
        j48.J48Pruner(table).prune(tree, n_threads=2)


class Failing(j48.J48Pruner):
    """Whose second thread runs out of memory, and keeps what the others need then."""

    def __init__(self, *_):
        self.failed = threading.Event()

    def _prune_subtree(self, subtree):
        if self.failed.is_set():
            raise IndexError("pop from empty list")
        if threading.current_thread().name.startswith("ctree"):
            self.failed.set()
            raise MemoryError
        assert self.failed.wait(60)
        time.sleep(0.2)  # until that has been noted


def test_the_first_failure_is_the_one_that_is_raised(grown):
    table, tree = grown
    with pytest.raises(MemoryError):
        Failing(table).prune(tree, n_threads=2)
