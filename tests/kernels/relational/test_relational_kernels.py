"""The kernels of relational trees: what they refuse, and that they hear Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule
from ctree_ext.relational.language import Language
from ctree_ext.relational.linked import LinkedArrays
from ctree_ext.relational.relational_grower import RelationalGrower
from ctree_ext.relational.relational_router import RelationalRouter


def ints(*numbers):
    return np.array(numbers, dtype=np.int32)


# Two examples, table 0; three parts, table 1, by link 0: the first two are of example 0, the third of none.
N_ROWS = ints(2, 3)
LINK = (1, 0, ints(0, 0, -1), ints(0, 2, 2), ints(0, 1))
COLUMNS = [(0, None), (1, ints(0, 1, -1)), (1, np.array([1.0, 2.0, np.nan]))]


def linked(n_rows=N_ROWS, links=(LINK,), columns=tuple(COLUMNS), path_start=(0, 0, 1), path_links=(0,)):
    return LinkedArrays(n_rows, list(links), list(columns), ints(*path_start), ints(*path_links))


def language(**changes):
    told = {
        "term_start": ints(0, 1, 2),
        "term_path": ints(0, 0),
        "target": 0,
        "column_start": ints(0, 0, 2),
        "columns": ints(1, 2),
        "step_start": ints(0, 1, 1),
        "steps": ints(0),
        "late_start": ints(0, 0, 0),
        "late": ints(),
        "coded": [None, (COLUMNS[1][1], None, 2, False, 0), (ints(0, 1, -1), np.array([1.0, 2.0]), 2, False, 0)],
    } | changes
    return Language(linked(), *told.values())


def grower(rows=(0, 1), classes=(0, 1), weights=None, n_classes=2, score="n_gain"):
    return RelationalGrower(
        language(),
        ints(*rows),
        ints(*classes),
        weights,
        SplitScore(score, max(len(rows), 1), n_classes),
        StoppingRule("never", max(len(rows), 1), n_classes),
    )


def test_a_tree_of_two_examples():
    grown = grower().grow()
    assert grown["depth"].tolist() == [0, 1, 1]
    assert grown["counts"].tolist() == [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    # The step alone, two values, and thresholds: the least value from below, the greatest from above does not divide.
    assert grown["n_tests"].tolist() == [4, 0, 0]
    assert grown["tests"][0, :9].tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"links": [(1, 0, ints(0, 0, 2), None, None)]},
        {"links": [(1, 0, ints(0, 0), None, None)]},
        {"links": [(1, 7, ints(0, 0, 0), None, None)]},
        {"links": [(1, 0, LINK[2], ints(0, 2), ints(0, 1))]},
        {"links": [(1, 0, LINK[2], ints(0, 2, 2), ints(0, 3))]},
        {"links": [(1, 0, LINK[2], ints(0, 3, 2), ints(0, 1))]},
        {"columns": [(1, ints(0, 1))]},
        {"columns": [(2, None)]},
        {"path_start": (0, 1), "path_links": (0,)},
        {"path_start": (0, 0, 1), "path_links": (1,)},
        {"path_start": (0, 0, 2), "path_links": (0, 0)},
    ],
)
def test_tables_that_do_not_fit_each_other(wrong):
    with pytest.raises(ValueError, match=r".+"):
        linked(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"term_path": ints(0, 5)},
        {"term_path": ints(1, 0)},
        {"term_start": ints(0, 2, 1)},
        {"target": 2},
        {"columns": ints(1, 0)},
        {"steps": ints(1)},
        {"step_start": ints(0, 0, 1)},
        {"late_start": ints(0, 0, 1), "late": ints(0)},
        {"coded": [None, (ints(0, 2, -1), None, 2, False, 0), None]},
        {"coded": [None]},
    ],
)
def test_a_language_that_does_not_fit_the_tables(wrong):
    with pytest.raises(ValueError, match=r".+"):
        language(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": (), "classes": ()},
        {"rows": (-1, 0)},
        {"rows": (0, 2)},
        {"classes": (0, 2)},
        {"classes": (0,)},
        {"weights": np.array([1.0, 0.0])},
        {"score": "bayes"},
    ],
)
def test_examples_that_do_not_fit(wrong):
    with pytest.raises(ValueError, match=r".+"):
        grower(**wrong)


def router(test, first_branch=(1, -1, -1)):
    tests = np.zeros((len(first_branch), 15), dtype=np.int32)
    tests[0] = test
    return RelationalRouter(linked(), 0, ints(*first_branch), tests, np.zeros(len(first_branch)))


STEP = [1, 1, 0, 0, 0, 0, 0, 0]


def test_examples_are_routed():
    assert router([*STEP, 0, 0, 0, 0, 0, 0, 0]).leaves(ints(1, 0, 0)).tolist() == [2, 1, 1]
    assert router([*STEP, 1, 1, 0, 1, 1, 0, 0]).leaves(ints(0, 1)).tolist() == [1, 2]


@pytest.mark.parametrize(
    "test",
    [
        [1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # three steps
        [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # no such link
        [1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # from a variable that is not there
        [1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],  # from a path of another table
        [*STEP, 5, 1, 0, 1, 1, 0, 0],  # no such operator
        [*STEP, 1, 2, 0, 1, 1, 0, 0],  # on a variable that is not there
        [*STEP, 1, 0, 0, 1, 1, 0, 0],  # on a column of another table
        [*STEP, 1, 1, 0, 2, 1, 0, 0],  # a value of a continuous column
        [*STEP, 2, 1, 0, 1, 1, 0, 0],  # a threshold of a discrete one
        [*STEP, 1, 1, 0, 9, 1, 0, 0],  # no such column
        [*STEP, 4, 1, 0, 0, 0, 0, 0],  # the same row of two tables
        [*STEP, 4, 1, 9, 0, 0, 0, 0],  # no such path
    ],
)
def test_damaged_tests_lead_nowhere(test):
    with pytest.raises(ValueError, match="of the tree does not fit the tables"):
        router(test).leaves(ints(0, 1))


def test_damaged_trees_and_rows():
    with pytest.raises(ValueError, match="not below it"):
        router([*STEP, 0, 0, 0, 0, 0, 0, 0], first_branch=(0, -1, -1))
    with pytest.raises(ValueError, match="not below it"):
        router([*STEP, 0, 0, 0, 0, 0, 0, 0], first_branch=(2, -1, -1))
    with pytest.raises(ValueError, match="out of range"):
        router([*STEP, 0, 0, 0, 0, 0, 0, 0]).leaves(ints(2))


PROGRAM = """
import sys

import numpy as np
import ctree

rng = np.random.default_rng(0)
n = 20_000
keys = np.arange(n)
data = ctree.RelationalData(
    {"e": {"id": keys, "class": rng.choice(["a", "b"], n)},
     "p": {"of": rng.choice(keys, 10 * n), "x": rng.random(10 * n)}},
    target=("e", "class"), keys={"e": "id"}, foreign_keys={"p.of": "e"})
ctree.RelationalTreeClassifier(max_depth=1).fit(data)  # it imports what is needed
print("fitting", flush=True)
try:
    while True:
        ctree.RelationalTreeClassifier(lookahead=1, n_jobs=int(sys.argv[1])).fit(data)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_growing_stops_when_interrupted(n_jobs):
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(n_jobs)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0)
