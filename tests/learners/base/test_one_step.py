"""A fit shows in one step: other threads see the old model or the new one, and a fit that fails leaves the old one."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from support.refitting import asked, data_sets, is_own, learner, traced, wrong_while_fitting

import ctree
from ctree.learners.registry import LEARNERS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_prediction_during_a_fit_is_of_the_old_model_or_of_the_new_one(kind):
    sets = data_sets()
    cases = asked()
    tables = [{name: cases[name] for name in data.schema.names} for data in sets]
    models = [learner(kind).fit(data) for data in sets]
    expected = [
        {model.predict_proba(table).tobytes() for model, table in zip(models, tables, strict=True)},
        {tuple(model.predict(table).tolist()) for model, table in zip(models, tables, strict=True)},
    ]
    model = learner(kind).fit(sets[0])

    def wrong():
        for table in tables:
            for place, method in enumerate((model.predict_proba, model.predict)):
                try:
                    answer = method(table)
                except ctree.errors.DataError:
                    continue  # the table of the other set
                answer = answer.tobytes() if place == 0 else tuple(answer.tolist())
                if answer not in expected[place]:
                    yield answer

    assert wrong_while_fitting(model, sets, 40, wrong) == []


def state_of(model):
    return dict(model.__dict__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_fit_that_fails_anywhere_leaves_the_learner_as_it_was(kind):
    """An exception is raised at every so many lines that a fit goes through, and so between any two of its steps."""
    first, second = data_sets()
    model = learner(kind).fit(first)
    before, old = state_of(model), model.predict_proba(first).tobytes()
    new = learner(kind).fit(second).predict_proba(second).tobytes()
    other = learner(kind).fit(first)
    lines = counted(lambda: other.fit(second))
    assert lines > 50
    done = 0
    for place in [*range(1, lines - 30, max(lines // 60, 1)), *range(lines - 30, lines + 1)]:
        with pytest.raises(FitError):
            failing_at(place, lambda: model.fit(second))
        after = state_of(model)
        if after["schema_"] is not before["schema_"]:  # all was done when it failed
            assert model.predict_proba(second).tobytes() == new
            done += 1
            before = state_of(model.fit(first))
            continue
        assert after.keys() == before.keys()
        assert all(after[name] is before[name] for name in before)
    assert done <= 3
    assert model.predict_proba(first).tobytes() == old


class FitError(BaseException):
    """Like an interrupt: what deals with odd values, whose text cannot be had, does not take it for one of theirs."""


def counted(call):
    """How many lines of ctree's own code a call goes through, in this thread."""
    count = 0

    def line(frame, event, argument):
        nonlocal count
        count += event == "line"
        return line

    traced(call, lambda frame, event, argument: line if is_own(frame) else None)
    return count


def failing_at(place, call):
    count = 0

    def line(frame, event, argument):
        nonlocal count
        count += event == "line"
        if count == place:
            raise FitError
        return line

    traced(call, lambda frame, event, argument: line if is_own(frame) else None)


def test_a_fit_of_cases_without_names_forgets_the_names_of_the_last_one():
    X, y = np.random.default_rng(0).random((30, 2)), ["a", "b"] * 15
    model = ctree.NaiveBayesClassifier().fit({"u": X[:, 0], "v": X[:, 1]}, y)
    assert hasattr(model, "feature_names_in_")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_parameters_that_are_set_during_a_fit_stay_set():
    first, _ = data_sets()
    model = ctree.BayesOptimalClassifier(max_depth=2)
    model.fit(first, progress=lambda facts: model.set_params(bins=3))
    model.set_params(bins=3)
    model.fit(first)
    assert model.bins == 3


def test_what_a_loaded_model_computes_when_it_is_first_asked_it_keeps(tmp_path):
    first, _ = data_sets()
    ctree.save(ctree.BayesOptimalClassifier(max_depth=2).fit(first), tmp_path / "model.json")
    model = ctree.load(tmp_path / "model.json")
    assert "_search" not in model.__dict__
    model.predict(first)
    search = model.__dict__["_search"]
    model.predict(first)
    assert model.__dict__["_search"] is search


def test_chains_that_go_on_are_not_asked_while_they_are_at_work():
    first, _ = data_sets()
    model = learner("MCMCTreeClassifier", thin=1000)
    during = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = model.fit(first).predict_proba(first)
        model.sample_more(1000, progress=lambda facts: during.append(model.predict_proba(first).tobytes()))
        after = model.predict_proba(first)
        straight = learner("MCMCTreeClassifier", thin=1000).set_params(samples=1040).fit(first).predict_proba(first)
    assert during
    assert set(during) == {before.tobytes()}
    assert np.array_equal(after, straight)


def test_a_progress_that_fails_does_not_lose_the_chains_that_go_on():
    first, _ = data_sets()
    model = learner("MCMCTreeClassifier")

    def fail(facts):
        raise FitError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(first)
        with pytest.raises(FitError):
            model.sample_more(10**7, progress=fail)
        assert model.interrupted_
        model.predict_proba(first)
        drawn = max(record.n_draws for record in model._records)
        assert 40 <= drawn < 10**7
        model.sample_more(5)
    assert max(record.n_draws for record in model._records) == drawn + 5


FORK = """
import os, sys, threading, time
import ctree

started = threading.Event()

def imports():
    started.set()
    ctree.C45Classifier

thread = threading.Thread(target=imports)
thread.start()
started.wait()
time.sleep(float(sys.argv[1]))
child = os.fork()
if not child:
    ctree.C45Classifier().fit(ctree.load_golf())
    os._exit(0)
thread.join()
until = time.monotonic() + 60
while time.monotonic() < until:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        print(os.waitstatus_to_exitcode(status))
        break
    time.sleep(0.01)
else:
    os.kill(child, 9)
    print("hangs")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_during_the_first_import_does_not_hang():
    """Import locks are taken across a fork by Python itself; nothing of ctree may hold another while it imports."""
    for milliseconds in range(0, 200, 40):
        arguments = [sys.executable, "-W", "ignore", "-c", FORK, str(milliseconds / 1000)]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout == "0\n", (milliseconds, done.stdout, done.stderr)


def test_only_one_thread_at_a_time_draws_more_trees():
    first, _ = data_sets()
    model = learner("MCMCTreeClassifier", thin=1000)
    refused = []

    def more(facts):
        with pytest.raises(ctree.errors.DataError, match="or another thread draws more trees"):
            model.sample_more(1)
        refused.append(facts)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(first)
        rounds = 0
        while not refused and rounds < 50:  # a fast machine draws a thousand trees before progress is told once
            model.sample_more(1000, progress=more)
            rounds += 1
    assert refused
    assert model._records[0].n_draws == 40 + 1000 * rounds
