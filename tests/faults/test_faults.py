"""Where memory or the disk fails: an error, the object as it was, and no damaged file; a short run of this package."""

from __future__ import annotations

import pytest

from . import injector, runs
from .subjects import LEARNERS
from .sweep import table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(injector.available() is not None, reason=str(injector.available())),
]

FEW = 3
"""How many of the first calls fail, and how many of the others."""
SOME = 4
"""The same of calls on files."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return injector.compiled(tmp_path_factory.mktemp("injector"))


def assert_nothing_found(rows):
    findings = [f"{row.learner}, {row.operation}: {text}" for row in rows for text in row.findings]
    assert not findings, table(rows) + "\n" + "\n".join(findings)


def test_the_learners_are_those_of_the_runs():
    assert tuple(LEARNERS) == runs.LEARNERS


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_request_for_memory_that_fails_is_an_error_and_changes_nothing(learner, library):
    rows = runs.arrays(library, runs.Settings(FEW, FEW, learners=[learner]))
    assert_nothing_found(rows)
    assert all(row.errors for row in rows if row.operation in ("fit", "fit again", "predict"))
    assert {"fit", "fit again", "predict", "explain", "save", "load"} <= {row.operation for row in rows}


def test_no_memory_from_some_moment_on(library):
    assert_nothing_found(runs.kernels_lasting(library, runs.Settings(FEW, FEW, learners=["C45", "OptimalTree"])))


@pytest.mark.parametrize("part", [runs.full_disk, runs.broken_disk])
def test_a_write_that_fails_is_an_error_and_damages_no_file(part, library):
    rows = part(library, runs.Settings(SOME, 5))
    assert_nothing_found(rows)
    assert [(row.operation, row.passed_over) for row in rows if row.survived] == []


def test_a_call_that_is_interrupted_is_made_again(library):
    rows = runs.interrupted(library, runs.Settings(SOME, 5))
    assert_nothing_found(rows)
    assert sum(row.survived for row in rows) > 10


def test_memory_is_given_back():
    assert not runs.leak("C45", 30).findings
