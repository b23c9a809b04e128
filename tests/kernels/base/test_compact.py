"""Tables with small columns: as good as others where the arithmetic is release 8's."""

import numpy as np
import pytest
from hypothesis import given, settings
from naive.release8_grow import Grower as NaiveGrower
from naive.release8_prune import prune_and_tell
from support.problems import as_nodes, growing_options, naive_options, problems, random_problem

import ctree
from ctree.data.compact import compact_cases
from ctree.learners.c45.release8 import compact_trees, release8_predictions
from ctree_ext.base.cases import CaseTable
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.j48 import J48Pruner
from ctree_ext.prune.release8 import Pruner, drop_impossible_values
from ctree_ext.rules.generalise import generalised_paths


@given(problems(), growing_options)
@settings(deadline=None, max_examples=300)
def test_trees_from_small_columns_are_the_naive_ones(problem, options):
    table = compact_cases(problem.dataset()).table
    grower = GainRatioGrower(table, collapse=True, **options)
    tree = Pruner(table).prune(grower.grow(), grower.order, grower.leaf_rows)
    tree = drop_impossible_values(tree, problem.n_classes, np.array(problem.n_values, dtype=np.int32))
    naive = NaiveGrower(*problem.arguments, **naive_options(options))
    assert as_nodes(problem, tree) == prune_and_tell(naive.grow(), *problem.arguments, 0.25, naive.cases)[0]


def odd_dataset(unknown: float) -> ctree.Dataset:
    """Numbers beyond the range of a float, too near to each other for one, and -0.0; up to 300 values."""
    problem = random_problem(3, 3000, 3, [0, 0, 254, 255, 300, 2, None], unknown)
    data = problem.dataset()
    columns = [None if c is None else c.copy() for c in data.columns]
    columns[0][::50] = 1e300
    columns[0][1::50] = -1e300
    columns[1][::40] = -0.0
    columns[1][1::40] = 1 + 2.0**-30
    return ctree.Dataset(data.schema, columns, data.classes)


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize(
    "options",
    [{}, {"group_values": True}, {"criterion": "gain", "min_cases": 1}, {"min_cases": 5, "confidence": 0.01}],
    ids=str,
)
def test_trees_and_their_predictions_are_those_of_the_data_set(unknown, options):
    data = odd_dataset(unknown)
    cases = compact_cases(data)
    assert cases.table.compact
    usual = ctree.C45Classifier(**options).fit(data)
    grown, pruned = compact_trees(
        cases,
        gain_only=usual.criterion == "gain",
        min_cases=usual.min_cases,
        confidence=usual.confidence,
        group_values=usual.group_values,
    )
    assert (grown, pruned) == (usual.unpruned_tree_, usual.tree_)
    for tree in (grown, pruned):
        assert np.array_equal(tree.frequency_sums(cases), tree.frequency_sums(data))
    assert np.array_equal(release8_predictions(pruned, cases), usual.predict_codes(data))


def test_what_is_out_of_range_is_refused():
    classes = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="code 3 of attribute 0 is out of range"):
        CaseTable([np.array([1, 4], dtype=np.uint8)], [3], classes, 1)
    with pytest.raises(ValueError, match="Buffer dtype mismatch"):
        CaseTable([np.zeros(2, dtype=np.float32)], [0], classes, 1, single=False)


def test_kernels_that_need_large_columns_say_so():
    golf = ctree.load_golf()
    table = compact_cases(golf).table
    arrays = GainRatioGrower(table).grow()
    with pytest.raises(ValueError, match="too small"):
        J48Pruner(table)
    with pytest.raises(ValueError, match="too small"):
        generalised_paths(table, arrays)
