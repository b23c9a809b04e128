"""Pruning where what a case counts is a whole number of a unit."""

import numpy as np
import pytest
from naive.unit_prune import UnitPruner
from support.problems import random_problem

from ctree_ext.base.cases import CaseTable
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.error_estimate import pessimistic_errors
from ctree_ext.prune.release8 import Pruner

UNIT = 2.0**-40


def random_table(seed, order=None):
    """Cases of three classes; of every other set with unknown values, of half of the sets with weights."""
    problem = random_problem(seed, 200, 3, [0, 3, 0, 4], 0.2 if seed % 2 else 0.0)
    order = np.arange(200) if order is None else order
    weights = np.random.default_rng(seed).integers(1, 2 << 40, 200) * UNIT if seed % 4 >= 2 else None
    columns = [column[order] for column in problem.arrays]
    classes = np.array(problem.classes, dtype=np.int32)[order]
    return CaseTable(
        columns, problem.n_values, classes, 3, None if weights is None else weights[order], False, unit=UNIT
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_errors_of_a_pruned_tree_are_those_that_are_expected_of_it(seed):
    table = random_table(seed)
    pruner = Pruner(table)
    tree = pruner.prune(GainRatioGrower(table, min_cases=1, mdl_correction=False).grow())
    # twice: cases count afterwards what they did before
    assert pruner.expected_errors(tree) == tree.errors[0]
    assert pruner.expected_errors(tree) == tree.errors[0]
    units = tree.counts / UNIT
    assert (units == np.rint(units)).all()


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("confidence", [0.1, 0.25, 0.7])
def test_the_pruned_tree_is_the_naive_one(seed, confidence):
    problem = random_problem(seed, 120, 3, [0, 3, 0, 4], 0.2 if seed % 2 else 0.05)
    weights = np.random.default_rng(seed).integers(1, 2 << 40, 120) if seed % 4 >= 2 else np.full(120, 1 << 40)
    classes = np.array(problem.classes, dtype=np.int32)
    table = CaseTable(problem.arrays, problem.n_values, classes, 3, weights * UNIT, False, unit=UNIT)
    grown = GainRatioGrower(table, min_cases=1, mdl_correction=False).grow()
    tree = Pruner(table, confidence=confidence).prune(grown)
    naive = UnitPruner(grown, problem.arrays, classes, UNIT, lambda n, e: pessimistic_errors(n, e, confidence, False))
    naive.estimate(0, dict(enumerate(weights.tolist())), True)
    expected = naive.result()
    assert len(tree.test) == len(expected)
    for node, (test, best, counts, errors) in enumerate(expected):
        assert tree.test[node] == test
        if sum(counts):
            assert (tree.best[node], tree.counts[node].tolist()) == (best, counts)
            assert tree.errors[node] == pytest.approx(errors, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_the_cases_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(200)
    one, other = (
        Pruner(table).prune(GainRatioGrower(table, min_cases=1, mdl_correction=False).grow())
        for table in (random_table(seed), random_table(seed, order))
    )
    for name, array in one.by_name().items():
        np.testing.assert_array_equal(getattr(other, name), array, err_msg=name)


def test_weights_are_whole_numbers_of_the_unit():
    columns, classes = [np.zeros(2)], np.array([0, 1], dtype=np.int32)
    CaseTable(columns, [0], classes, 2, np.array([0.5, 0.75]), False, unit=0.25)
    with pytest.raises(ValueError, match="weights must be whole numbers of the unit"):
        CaseTable(columns, [0], classes, 2, np.array([0.5, 0.7]), False, unit=0.25)
