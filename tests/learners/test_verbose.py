"""verbose=True in the constructor is progress=True in every fit."""

import inspect
import io
from contextlib import redirect_stderr

import pytest

import ctree
from ctree.errors import ParameterError
from ctree.learners.registry import LEARNERS, RELATIONAL_LEARNERS

TAKEN_AWAY = "\r\x1b[K"
"""What a terminal gets at the end, however quick a fit is."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(fit) -> str:
    """What a terminal gets."""
    with redirect_stderr(Terminal()) as terminal:
        fit()
    return terminal.getvalue()


def sampled(**more):
    return ctree.MCMCTreeClassifier(min_cases=1, samples=20, burn_in=10, chains=1, random_state=0, **more)


@pytest.mark.parametrize("verbose", [True, 1, 2, False, 0])
def test_a_fit_shows_its_line_and_takes_it_away(verbose):
    text = shown(lambda: sampled(verbose=verbose).fit(ctree.load_golf()))
    assert text.endswith(TAKEN_AWAY) if verbose else text == ""


def test_one_call_may_say_otherwise():
    golf = ctree.load_golf()
    model = sampled(verbose=True)
    assert shown(lambda: model.fit(golf, progress=lambda progress: None)) == ""
    assert shown(lambda: model.sample_more(10, progress=False)) == ""
    assert shown(lambda: model.sample_more(10)).endswith(TAKEN_AWAY)
    assert shown(lambda: sampled().fit(golf, progress=True)).endswith(TAKEN_AWAY)


LINKED = ctree.RelationalData(
    {"machine": {"id": [1, 2], "action": ["fix", "ok"]}, "worn": {"machine": [1]}},
    target=("machine", "action"),
    keys={"machine": "id"},
    foreign_keys={"worn.machine": "machine"},
)


@pytest.mark.parametrize("name", [*LEARNERS, *RELATIONAL_LEARNERS])
def test_every_learner_that_reports_progress_has_it(name):
    cls = getattr(ctree, name)
    reports = "progress" in inspect.signature(cls.fit).parameters
    assert ("verbose" in cls().get_params(deep=False)) == reports
    if reports:
        few = {"samples": 20, "members": 2, "max_depth": 2, "random_state": 0}
        known = {key: value for key, value in few.items() if key in cls().get_params(deep=False)}
        data = LINKED if name in RELATIONAL_LEARNERS else ctree.load_golf()
        assert shown(lambda: cls(verbose=True, **known).fit(data)).endswith(TAKEN_AWAY)
        assert shown(lambda: cls(**known).fit(data)) == ""


@pytest.mark.parametrize("verbose", ["yes", -1, None, 0.5])
def test_what_it_cannot_be(verbose):
    with pytest.raises(ParameterError, match="verbose must be"):
        ctree.C45Classifier(verbose=verbose).fit(ctree.load_golf())
