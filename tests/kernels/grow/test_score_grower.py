"""Trees grown by a score; which test is best is tested with the learners."""

import numpy as np
import pytest
from support.problems import GOLF, random_problem

from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule

N_CASES = 20_000  # enough for threads to share the attributes of large nodes and to take over whole subtrees


@pytest.mark.parametrize("name", ["n_gain", "chi_square", "bayes"])
@pytest.mark.parametrize("unknown", [0.0, 0.02])
def test_the_arrays_are_the_same_for_any_number_of_threads(name, unknown):
    table = random_problem(3, N_CASES, 3, [0, 0, 4], unknown).table(single=False)
    score, stopping = SplitScore(name, N_CASES, 3), StoppingRule("never", N_CASES, 3)
    alone = ScoreGrower(table, score, stopping, min_cases=20).grow()
    assert len(alone.test) > 100
    assert alone == ScoreGrower(table, score, stopping, min_cases=20, n_threads=3).grow()


@pytest.mark.parametrize(
    ("single", "max_count", "n_classes"),
    [(True, 14, 2), (False, 13, 2), (False, 14, 3)],
    ids=["single", "few", "classes"],
)
def test_a_score_that_is_not_for_the_table_is_refused(single, max_count, n_classes):
    score = SplitScore("n_gain", max_count, n_classes)
    with pytest.raises(ValueError, match="not for this table"):
        ScoreGrower(GOLF.table(single=single), score, StoppingRule("never", 14, 2))


def test_a_grower_grows_the_same_tree_twice():
    table = random_problem(2, 300, 3, [0, 3, 0], 0.1).table(np.linspace(0.5, 2, 300), single=False)
    grower = ScoreGrower(table, SplitScore("bayes", 300, 3, weight=375.0), StoppingRule("never", 375.0, 3))
    assert grower.grow() == grower.grow()
