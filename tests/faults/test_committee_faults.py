"""Committees and processes that end at any moment: a file is the old model or the new one, whole; damage is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ctree
from ctree.errors import ModelError

from .subjects import NEW, OLD, OTHER

COMMITTEES = {
    "bagging": {"members": 4},
    "forest": {"members": 4},
    "boosting": {"members": 4},
}


def fitted(method, data=NEW):
    return ctree.CommitteeClassifier(method=method, random_state=0, **COMMITTEES[method]).fit(data)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
@pytest.mark.parametrize("method", COMMITTEES)
def test_a_process_that_is_killed_while_it_saves_leaves_a_whole_model(method, tmp_path):
    path = tmp_path / "model.json"
    ctree.save(fitted(method, OLD), path)
    old, new = ctree.load(path).predict_proba(OTHER), fitted(method).predict_proba(OTHER)
    program = (
        "import sys, ctree\n"
        "from tests.faults.test_committee_faults import NEW, OLD, fitted\n"
        "both = [fitted(sys.argv[1], OLD), fitted(sys.argv[1], NEW)]\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for model in both:\n"
        "        ctree.save(model, sys.argv[2])\n"
    )
    for moment in (0.0, 0.003, 0.011, 0.05):
        process = subprocess.Popen([sys.executable, "-c", program, method, str(path)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(moment)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        said = ctree.load(path).predict_proba(OTHER).tobytes()
        assert said in (old.tobytes(), new.tobytes())


@pytest.mark.parametrize("method", COMMITTEES)
def test_a_file_that_is_cut_short_or_changed_is_refused_or_whole(method, tmp_path):
    """Every entry of a small model in turn: gone, or of another type; and the text cut at many places."""
    path = tmp_path / "model.json"
    ctree.save(fitted(method), path)
    text = path.read_text()
    for length in range(0, len(text) - 2, max(len(text) // 40, 1)):
        path.write_text(text[:length])
        with pytest.raises(ModelError):
            ctree.load(path)
    content = json.loads(text)
    refused = 0
    for name in ("members", "votes", "errors", "slope", "seed", "fingerprint", "oob_proba", "oob_score", "parameters"):
        for damage in (KeyError, "a text", [], [1, "x"], {"a": 1}, -5, True):
            changed = dict(content)
            if damage is KeyError:
                del changed[name]
            else:
                changed[name] = damage
            path.write_text(json.dumps(changed))
            try:
                model = ctree.load(path)
            except ModelError:
                refused += 1
                continue
            assert np.isfinite(model.predict_proba(OTHER)).all(), (name, damage)
    assert refused >= 45
    for number, field in ((0, "attribute"), (1, "first_branch"), (2, "probabilities"), (3, "threshold")):
        changed = json.loads(text)
        changed["members"][number]["trees"]["tree"][field] = changed["members"][number]["trees"]["tree"][field][:-1]
        path.write_text(json.dumps(changed))
        with pytest.raises(ModelError):
            ctree.load(path)


@pytest.mark.parametrize("method", COMMITTEES)
def test_an_interrupt_keeps_the_members_that_are_done(method, monkeypatch):
    """What was kept are the first members of the whole committee, and a warm start makes the rest the same."""
    from ctree.learners.committee.case_training import CaseTraining

    whole, begun = fitted(method), []
    grow = CaseTraining.weighted_member

    def some(self, number, weights):
        if number >= 2:
            begun.append(number)
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.5)
        return grow(self, number, weights)

    model = ctree.CommitteeClassifier(method=method, random_state=0, warm_start=True, **COMMITTEES[method])
    monkeypatch.setattr(CaseTraining, "weighted_member", some)
    with pytest.raises(KeyboardInterrupt):
        model.fit(NEW)
    monkeypatch.undo()
    assert begun
    kept = len(model.members_)
    assert 2 <= kept < 4
    assert [m.tree_ for m in model.members_] == [m.tree_ for m in whole.members_[:kept]]
    assert model.fit(NEW).predict_proba(OTHER).tobytes() == whole.predict_proba(OTHER).tobytes()
