"""A fit that was ended goes on from its checkpoint, to the same tree."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ctree
from ctree.errors import ModelError, ParameterError
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels import growing
from ctree.learners.levels.checkpoint import Checkpoint
from ctree.learners.levels.level_grower import LevelGrower
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import random_parts, random_set, random_settings, with_unknown, with_weights
from tests.scale.test_levels import assert_same


class EndedError(Exception):
    pass


class Ended(MemorySource):
    """Cases that nobody can ask any more after so many passes."""

    def __init__(self, *args, passes):
        super().__init__(*args)
        self.left = passes

    def _pass(self):
        self.left -= 1
        if self.left < 0:
            raise EndedError

    def count(self, *args):
        self._pass()
        return super().count(*args)

    def open(self, *args):
        self._pass()
        return super().open(*args)

    def finish(self, *args):
        self._pass()
        return super().finish(*args)


@pytest.mark.parametrize("rule", ["bic-stop", "mdl-prune", "chi2", "bayes_shared"])
@pytest.mark.parametrize("kind", ["complete", "unknown", "weights"])
def test_wherever_a_fit_ends_it_goes_on(rule, kind, tmp_path):
    for seed in range(4):
        rng = np.random.default_rng([seed, 9])
        data = random_set(rng, n=150)
        data = with_unknown(rng, data) if kind == "unknown" else data
        data = with_weights(rng, data) if kind == "weights" else data
        settings = random_settings(rng, data, rule)
        expected = LevelGrower(MemorySource(data, 16), settings, gather=5).grow()
        path = tmp_path / f"{seed}.json"
        passes = 2
        while True:
            # each time with other parts, and more memory for subtrees
            source = Ended(data, 16, random_parts(rng, 150), passes=passes)
            grower = LevelGrower(
                source, settings, gather=5 + passes // 4, checkpoint=Checkpoint(str(path), source, settings)
            )
            try:
                found = grower.grow()
            except EndedError:
                passes += 3
                assert passes < 100
                continue
            break
        if kind == "complete":
            assert_same(found, settings.grow(data))
        assert_same(found, expected)


KILLED = """
import os, signal, sys
import ctree
from ctree.learners.levels import growing

growing.gathered = lambda source: 500

def progress(told):
    if told.figures["level"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)

with ctree.scan_parquet(sys.argv[1], "class", memory="2MB") as cases:
    cases.collects = False
    ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(cases, progress=progress, checkpoint=sys.argv[2])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_killed_process(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 20_000))
    label = np.where(rng.random(20_000) < 0.1, "c", np.where((x > 0) ^ (y > 0.5), "a", "b"))
    path, checkpoint = tmp_path / "cases.parquet", tmp_path / "check.json"
    parquet.write_table(pyarrow.table({"x": x, "y": y, "z": z, "class": label}), path, row_group_size=3_000)
    done = subprocess.run([sys.executable, "-c", KILLED, path, checkpoint], cwd=Path(ctree.__file__).parents[1])
    assert done.returncode == -signal.SIGKILL
    assert len(json.loads(checkpoint.read_text())["state"]["top"]["test"]) > 3
    monkeypatch.setattr(growing, "gathered", lambda source: 500)
    with ctree.scan_parquet(path, "class", memory="2MB") as cases:
        in_memory = ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(cases.collect())
        cases.collects = False
        model = ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(cases, checkpoint=checkpoint)
        assert repr(model._to_fields()) == repr(in_memory._to_fields())
        assert model.fit_info_["resumed_levels"] == 2
        assert model.fit_info_["levels"] > 2
    assert not checkpoint.exists()


def saved(path, data, settings, passes=5):
    """A checkpoint of a fit that was ended."""
    source = Ended(data, 16, passes=passes)
    with pytest.raises(EndedError):
        LevelGrower(source, settings, gather=1, checkpoint=Checkpoint(str(path), source, settings)).grow()
    assert path.exists()


def test_what_is_not_the_same_is_refused(tmp_path):
    rng = np.random.default_rng(4)
    data = random_set(rng, n=100)
    settings = ScoreSettings("n_gain", "never", 100, 100.0, data.schema.n_classes)
    path = tmp_path / "check.json"
    saved(path, data, settings)
    text = path.read_text()

    def message(source=None, other=settings):
        source = source or MemorySource(data, 16)
        with pytest.raises(ModelError) as caught:
            LevelGrower(source, other, gather=1, checkpoint=Checkpoint(str(path), source, other)).grow()
        # it stays as it was
        return str(caught.value)

    fewer = data.take(np.arange(99))
    assert "is of a fit to other cases; remove it" in message(MemorySource(fewer, 16))
    # the same cases with their classes exchanged
    shuffled = ctree.Dataset(data.schema, data.columns, rng.permutation(data.classes))
    assert "is of a fit to other cases; remove it" in message(MemorySource(shuffled, 16))
    other = ScoreSettings("n_gain", "bic", 100, 100.0, data.schema.n_classes)
    assert "is of a fit with other parameters; remove it" in message(other=other)
    assert path.read_text() == text
    path.write_text(text.replace('"level": [', '"level": [0, '))
    assert "the checkpoint is damaged" in message()
    path.write_text(text.replace('"format": 1', '"format": 2'))
    assert "is from another version of ctree" in message()
    for wrong in ("", "{}", "[1]", "{", "no"):
        path.write_text(wrong)
        assert "this is no checkpoint" in message()
        assert path.read_text() == wrong
    path.unlink()
    path.mkdir()
    assert "the checkpoint cannot be read" in message()


def test_a_checkpoint_that_cannot_be_written_ends_the_fit_before_it_costs_time(tmp_path):
    data = random_set(np.random.default_rng(4), n=100)
    settings = ScoreSettings("n_gain", "never", 100, 100.0, data.schema.n_classes)
    source = MemorySource(data, 16)
    checkpoint = Checkpoint(str(tmp_path / "nowhere" / "check.json"), source, settings)
    with pytest.raises(ModelError, match="nowhere"):
        LevelGrower(source, settings, gather=1, checkpoint=checkpoint).grow()
    assert source.asked["count"] == 1


def test_what_is_no_path():
    with pytest.raises(ParameterError, match="checkpoint is 3, but should be the path of a file"):
        ctree.ProbabilityTreeClassifier().fit(ctree.load_iris(), checkpoint=3)
    with pytest.raises(ParameterError, match="progress must be a function"):
        ctree.BayesianTreeClassifier().fit(ctree.load_iris(), progress=3)
