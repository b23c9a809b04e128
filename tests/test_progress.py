"""Progress: a line for a terminal, and what the parameter of that name may be."""

import io
from types import SimpleNamespace

import numpy as np
import pytest

import ctree
from ctree.errors import LimitWarning, ParameterError
from ctree.evaluate.papers.fierens2005.trains import trains
from ctree.progress import Progress, ProgressLine, reporting

GOLF = ctree.load_golf()


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("ctree.progress.sys", SimpleNamespace(stderr=terminal))
    monkeypatch.setenv("COLUMNS", "64")
    return terminal


def test_one_line_of_a_terminal(terminal):
    line = ProgressLine()
    for done in (1, 2, 4):  # the second comes too soon
        line(Progress("c4.5 on golf", done, 4, 2.0, "results"))
    line.end()
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[1] == "[#####...............] 1/4, 0:02 left, c4.5 on golf, 2 results/"
    assert shown[2].startswith("[####################] 4/4, 0:00 left")
    assert max(map(len, shown)) < 64
    assert shown[3:] == [""]


def test_where_there_is_no_terminal_lines_are_rare(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("ctree.progress.sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr("ctree.progress.LOG_EVERY", 0.0)
    line = ProgressLine()
    line(Progress("searching", 12, None, 0.0, "states", {"bound": 2.5}))
    monkeypatch.setattr("ctree.progress.LOG_EVERY", 60.0)
    for done in (13, 14, 15):
        line(Progress("searching", done, None, 0.0, "states"))
    line.end()
    assert stream.getvalue().splitlines() == ["12 states, searching, bound 2.5", "13 states, searching"]


def test_how_long_the_rest_takes():
    assert str(Progress("p", 0, 7_200_000, 1000.0)).endswith("] 0%, 2:00:00 left, p, 1,000 steps/s")
    assert Progress("p", 0, None, 5.0).seconds_left is None
    assert Progress("p", 0, 10, 0.0).seconds_left is None
    assert Progress("p", 10, 10, 0.0).seconds_left == 0


def test_the_line_is_taken_away_whatever_ends_it(terminal):
    def work():
        with reporting(True) as told:
            told(Progress("p", 1, 2, 1.0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert terminal.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize("nothing", [None, False])
def test_nothing_is_told_if_nobody_asks(terminal, nothing):
    with reporting(nothing) as told:
        assert told is None
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("wrong", [1, "stderr", []])
@pytest.mark.parametrize(
    "work",
    [
        lambda progress: ctree.MCMCTreeClassifier(min_cases=1, burn_in=1, samples=1).fit(GOLF, progress=progress),
        lambda progress: ctree.BayesOptimalClassifier(max_depth=1).fit(GOLF, progress=progress),
        lambda progress: ctree.OptimalTreeClassifier(max_depth=1).fit(GOLF, progress=progress),
        lambda progress: ctree.compare({"golf": GOLF}, [ctree.C45Classifier()], progress=progress),
    ],
    ids=["mcmc", "bayes-optimal", "optimal", "compare"],
)
def test_what_is_no_function_is_refused(work, wrong):
    with pytest.raises(ParameterError, match="progress must be a function of a Progress, or True to show it, not"):
        work(wrong)


def test_a_search_shows_its_bracket(terminal, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.integers(2, size=(300, 60)), rng.integers(2, size=300)
    model = ctree.OptimalTreeClassifier(objective="posterior", max_depth=6, time_limit=0.7)
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.warns(LimitWarning):
        model.fit(X, y, progress=True)
    shown = terminal.getvalue().split("\r\x1b[K")
    assert " states, searching, " in shown[1]
    assert ", so far -" in shown[1]
    assert shown[-1] == ""
    assert ctree.OptimalTreeClassifier()._bracket(-7.0, -0.0) == {"errors so far": 7, "bound": 0}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_relational_trees_tell_how_many_examples_have_a_leaf(n_jobs):
    seen = []
    data = trains(4_000, seed=1)
    model = ctree.RelationalTreeClassifier(n_jobs=n_jobs).fit(data, progress=seen.append)
    done = [progress.done for progress in seen]
    assert done == sorted(done)
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (4_000, 4_000, "examples")
    assert model.tree_.to_canonical() == ctree.RelationalTreeClassifier().fit(data).tree_.to_canonical()

    def enough(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(data, progress=enough)


def test_chains_and_comparisons_show_a_bar(terminal):
    moves = (0.1, 0.1, 0.2, 0.6)
    model = ctree.MCMCTreeClassifier(min_cases=1, burn_in=0, samples=20_000, thin=50, moves=moves, random_state=0)
    model.fit(GOLF, progress=True)
    model.sample_more(20_000, progress=True)
    ctree.compare({"golf": GOLF}, [ctree.C45Classifier()], protocol=ctree.StratifiedFolds(2, 1), progress=True)
    lines = [line for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert lines
    assert all(line.startswith("[") for line in lines)
