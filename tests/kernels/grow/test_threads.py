"""The tree does not depend on the number of threads."""

import numpy as np
import pytest
from support.problems import random_problem

from ctree import C45Classifier
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower

ATTRIBUTES = [0, 0, 0, 5, 2, 10]
N_CASES = 24_000  # enough for threads to share the attributes of large nodes and to take over whole subtrees


@pytest.fixture(scope="module", params=[0.0, 0.05], ids=["complete", "unknown values"])
def problem(request):
    return random_problem(11, N_CASES, 3, ATTRIBUTES, request.param, noise=0.15)


@pytest.mark.parametrize("n_threads", [2, 3, 5])
@pytest.mark.parametrize("options", [{}, {"gain_only": True, "min_cases": 5}, {"group_values": True}], ids=str)
def test_the_arrays_are_the_same_for_any_number_of_threads(problem, options, n_threads):
    table = problem.table()
    alone = GainRatioGrower(table, **options).grow()
    assert len(alone.test) > 100
    assert alone == GainRatioGrower(table, n_threads=n_threads, **options).grow()


@pytest.mark.parametrize("single", [True, False])
def test_with_weights_too(problem, single):
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0, 3.3], size=N_CASES)
    table = problem.table(weights, single)
    assert GainRatioGrower(table).grow() == GainRatioGrower(table, n_threads=3).grow()


def test_a_window_of_the_cases_too(problem):
    rows = np.random.default_rng(0).permutation(N_CASES)[: N_CASES // 2].astype(np.int32)
    table = problem.table()
    assert GainRatioGrower(table).grow(rows) == GainRatioGrower(table, n_threads=3).grow(rows)


def test_a_classifier_with_all_cores_learns_the_same_tree(problem):
    data = problem.dataset()
    alone, together = C45Classifier().fit(data), C45Classifier(n_jobs=-1).fit(data)
    assert (alone.tree_, alone.unpruned_tree_) == (together.tree_, together.unpruned_tree_)


def test_more_threads_than_cases():
    problem = random_problem(1, 10, 2, [0, 3])
    assert GainRatioGrower(problem.table()).grow() == GainRatioGrower(problem.table(), n_threads=40).grow()


def test_several_growers_at_once():
    import concurrent.futures

    tables = [random_problem(seed, 5000, 3, [0, 4, 0], 0.02).table() for seed in range(4)]
    alone = [GainRatioGrower(table).grow() for table in tables]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda table: GainRatioGrower(table, n_threads=2).grow(), tables))
    assert all(one == other for one, other in zip(alone, together, strict=True))
