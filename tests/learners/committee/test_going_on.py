"""Committees that are interrupted, watched, and go on."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest
from support.committees import canonical, committee, drawn, shop

import ctree
from ctree.errors import DataError, ParameterError
from ctree.learners.committee.relational_training import RelationalTraining
from ctree.learners.committee.runs import fill


class TestWarmStart:
    def test_members_are_added(self):
        data, weights = shop(), np.arange(60) % 3 + 1.0
        model = committee(4, warm_start=True).fit(data, sample_weight=weights)
        first = model.members_
        model.set_params(members=9, n_jobs=2).fit(data, sample_weight=weights)
        straight = committee(9).fit(data, sample_weight=weights)
        assert model.members_[:4] == first
        assert canonical(model) == canonical(straight)
        assert model.oob_proba_.tobytes() == straight.oob_proba_.tobytes()
        assert model.oob_score_ == straight.oob_score_

    def test_without_it_all_begins_anew(self):
        data = shop()
        model = committee(4).fit(data)
        first = model.members_
        assert all(one is not other for one, other in zip(first, model.fit(data).members_, strict=True))

    def test_an_open_seed_stays(self):
        data = shop()
        model = ctree.BaggedTreesClassifier(members=2, warm_start=True).fit(data)
        seed = model.seed_
        model.set_params(members=5).fit(data)
        straight = ctree.BaggedTreesClassifier(members=5, random_state=seed).fit(data)
        assert canonical(model) == canonical(straight)

    def test_what_does_not_go_together(self):
        data = shop()
        model = committee(4, warm_start=True, method="c4.4").fit(data)
        with pytest.raises(ParameterError, match="members is 3, but there are 4 already"):
            model.set_params(members=3).fit(data)
        model.set_params(members=6)
        with pytest.raises(DataError, match="these are not the examples that the members were learned from"):
            model.fit(shop(seed=1))
        with pytest.raises(DataError, match="these are not the examples"):
            model.fit(data, sample_weight=np.arange(1.0, 61.0))
        with pytest.raises(ParameterError, match=r"learned with learner__method='c4.4', which cannot be changed to"):
            model.set_params(learner__method="bic-stop").fit(data)
        model.set_params(learner__method="c4.4", sample_share=0.5)
        with pytest.raises(ParameterError, match="learned with sample_share=1"):
            model.fit(data)
        assert len(model.members_) == 4
        model.set_params(sample_share=1.0, learner__n_jobs=2, learner__unseen="error").fit(data)
        assert len(model.members_) == 6


class TestInterrupts:
    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_ctrl_c_keeps_what_is_done(self, jobs):
        data = shop(300)
        straight = committee(40).fit(data)
        model = committee(100_000, n_jobs=jobs, warm_start=True)

        def interrupt(progress):
            if progress.done >= 5:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            model.fit(data, progress=interrupt)
        done = len(model.members_)
        assert 5 <= done < 100_000
        assert canonical(model)[:40] == canonical(straight)[:done]
        assert model.predict_proba(data).shape == (300, 2)
        assert threading.active_count() < 20
        model.set_params(members=done + 3).fit(data)
        assert len(model.members_) == done + 3
        assert canonical(model) == canonical(committee(done + 3).fit(data))

    def test_a_member_that_is_not_done_is_given_up(self, monkeypatch):
        """Two members are done at once, the next one only ends when it is asked to."""
        asked, member = threading.Event(), RelationalTraining.member
        first = [drawn(number, 60).tolist() for number in range(2)]

        def slow(training, times):
            if times.tolist() in first:
                return member(training, times)
            assert asked.wait(60)
            raise InterruptedError

        monkeypatch.setattr(RelationalTraining, "member", slow)
        monkeypatch.setattr(RelationalTraining, "stop", lambda training: asked.set())

        def interrupt(progress):
            if progress.done == 2:
                raise KeyboardInterrupt

        running = threading.active_count()
        model = committee(5)
        with pytest.raises(KeyboardInterrupt):
            model.fit(shop(), progress=interrupt)
        assert len(model.members_) == 2
        assert threading.active_count() == running

    def test_nothing_is_done_yet(self, monkeypatch):
        def interrupt(training, times):
            raise KeyboardInterrupt

        model = committee(3, warm_start=True).fit(shop())
        before = model.members_
        monkeypatch.setattr(RelationalTraining, "member", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(members=6).fit(shop())
        assert model.members_ is before
        other = committee(50)
        with pytest.raises(KeyboardInterrupt):
            other.fit(shop())
        assert not hasattr(other, "members_")

    def test_growers_that_are_at_work_are_asked_to_stop(self):
        """Many persons, so that the search looks at least once whether it is to go on."""
        data = shop(100_000)
        training = RelationalTraining(ctree.RelationalTreeClassifier(lookahead=1), data, None, None)
        outcome = []

        def grow():
            try:
                training.member(np.ones(len(data), dtype=np.intp))
            except InterruptedError as error:
                outcome.append(str(error))

        growing = threading.Thread(target=grow)
        growing.start()
        while not training._at_work:
            time.sleep(0.001)
        training.stop()
        growing.join()
        assert outcome == ["the search was asked to stop"]
        assert not training._at_work

    def test_an_error_of_progress_leaves_the_learner_as_it_was(self):
        data = shop()
        model = committee(3).fit(data)
        before = dict(model.__dict__)

        def fail(progress):
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            model.set_params(members=500).fit(shop(200), progress=fail)
        assert model.members_ is before["members_"]

    def test_an_error_of_work_ends_all_threads(self):
        def work(place):
            if place == 3:
                raise ValueError("three")
            return place

        found = [None] * 50
        with pytest.raises(ValueError, match="three"):
            fill(found, work, 4)
        assert found[3] is None


def test_progress():
    told = []
    committee(30).fit(shop(), progress=told.append)
    last = told[-1]
    assert (last.phase, last.done, last.total, last.unit) == ("growing", 30, 30, "trees")
    assert last.figures["leaves"] > 1
    assert last.rate > 0
