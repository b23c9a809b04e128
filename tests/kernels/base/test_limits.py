"""What the kernels' index types cannot hold is refused at the entry, before memory is asked for.

The arrays here are views of one element: they are as long as they say, and take no memory.
"""

import threading

import numpy as np
import pytest

import ctree
from ctree.errors import DataError
from ctree.learners.base import kernels
from ctree_ext.base.cases import MAX_CASES, MAX_CLASSES, MAX_VALUES, CaseTable
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.mcmc.chain import Chain
from ctree_ext.mcmc.rng import Stream
from ctree_ext.mcmc.test_grid import TestGrid as Grid
from ctree_ext.rules.covers import RuleSet


def endless(n: int, dtype: type = np.int32) -> np.ndarray:
    return np.broadcast_to(np.zeros(1, dtype=dtype), (n,))


@pytest.mark.parametrize("n", [MAX_CASES + 1, 2**32, 2**40])
def test_more_cases_than_32_bits_can_number_are_refused(n):
    for columns, classes in (([endless(n)], None), ([endless(n, np.float64)], None), ([], endless(n))):
        with pytest.raises(ValueError, match=f"there are {n} cases, but at most 2147483647 are possible"):
            CaseTable(columns, [2] * len(columns), classes, 2)
    with pytest.raises(ValueError, match=f"there are {n} cases"):
        CaseTable([None], [0], None, 2, n_cases=n)


@pytest.mark.parametrize("n", [MAX_CLASSES + 1, 2**32 + 2, 10**30, -1])
def test_more_classes_than_16_bits_can_number_are_refused(n):
    with pytest.raises(ValueError, match=f"there are {n} classes, but at most 65535 are possible"):
        CaseTable([], [], np.zeros(3, dtype=np.int32), n)


@pytest.mark.parametrize("n", [MAX_VALUES + 1, 2**31 - 1, 2**32 + 3, 10**30, -2])
def test_more_values_than_can_be_added_up_are_refused(n):
    with pytest.raises(ValueError, match=f"attribute 0 has {n} values, but at most 1073741824 are possible"):
        CaseTable([np.zeros(3, dtype=np.int32)], [n], None, 2)


def test_as_many_classes_as_possible_are_accepted():
    table = CaseTable([np.zeros(2, dtype=np.int32)], [3], np.array([0, MAX_CLASSES - 1], dtype=np.int32), MAX_CLASSES)
    assert (table.n_cases, table.n_classes) == (2, MAX_CLASSES)


def test_a_person_is_told_of_too_many_classes(monkeypatch):
    monkeypatch.setattr(kernels, "MAX_CLASSES", 1)
    with pytest.raises(DataError, match="there are 2 classes, but at most 1 are possible"):
        ctree.C45Classifier().fit(ctree.load_golf())
    monkeypatch.setattr(kernels, "MAX_CASES", 3)
    with pytest.raises(DataError, match="there are 14 cases to learn from, but at most 3 are possible"):
        ctree.C45Classifier().fit(ctree.load_golf())


def test_a_grid_of_tests_has_limits():
    levels, classes = np.array([0, 1], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match=r"fewer than 2\^30 cases and 2\^16 classes"):
        Grid([levels], [2], [True], classes, 65536)
    for n_levels in ([2**31 - 1], [2**40], [2**30, 2**30, 2**30]):
        with pytest.raises(ValueError, match="more tests than can be counted"):
            Grid([levels] * len(n_levels), n_levels, [True] * len(n_levels), classes, 2)


def test_a_condition_on_a_code_beyond_32_bits_is_not_taken_for_another_code():
    table = CaseTable([np.array([1, 0], dtype=np.int32)], [2], None, 2)
    start, attribute, kind = np.array([0, 1]), np.zeros(1, dtype=np.int32), np.full(1, 2, dtype=np.int8)
    members = np.zeros(0, dtype=np.uint8)
    assert RuleSet(start, attribute, kind, np.zeros(1), np.array([1]), members).first(table).tolist() == [0, -1]
    for code in (2**32 + 1, -(2**32) + 1):
        with pytest.raises(ValueError, match="condition 0 is on a value that no attribute has"):
            RuleSet(start, attribute, kind, np.zeros(1), np.array([code]), members).first(table)


@pytest.mark.parametrize("prior_weight", [1e308, np.inf, 5e-324])
def test_a_prior_weight_whose_scores_are_infinite_is_refused(prior_weight):
    with pytest.raises(ValueError, match="beyond all numbers"):
        SplitScore("bayes", 100, 3, prior_weight=prior_weight)


def chain() -> Chain:
    rng = np.random.default_rng(0)
    levels = [rng.integers(0, 8, 2000).astype(np.int32) for _ in range(4)]
    grid = Grid(levels, [8] * 4, [True] * 4, rng.integers(0, 2, 2000).astype(np.int32), 2)
    return Chain(grid, Stream(1))


def test_of_many_threads_one_advances_a_chain_and_the_others_are_refused():
    # each finds out and takes possession in one step: with a flag, two could both find it free
    shared, barrier, outcomes = chain(), threading.Barrier(8), []

    def advance():
        barrier.wait()
        try:
            outcomes.append(shared.advance(0, 30_000))
        except RuntimeError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=advance) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) >= 1
    assert set(outcomes) <= {True, "the chain is advanced by another thread"}
    expected = chain()
    expected.advance(0, 30_000)
    assert shared.state() == expected.state()


def test_a_chain_can_be_read_and_advanced_again_after_an_error():
    one = chain()
    with pytest.raises(IndexError):
        one.tree(5)
    assert one.advance(0, 10)
    assert len(one.state()["trees"]) == 1
