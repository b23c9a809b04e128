"""Models over all trees in files: what is right comes back, what is wrong is a `ModelError`."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, ModelError, NotFittedError

ODD_VALUES = [
    None, True, 0, -1, 2, 2**31, 2**63, 10**30, 0.5, 1e308, "", "x", "zz", "value", "threshold", "ff", [], [0],
    [[0, 0]], {}, [0, "value", 0], [0, "threshold", 1], [-1, "value", 0],
]  # fmt: skip

TABLE = {
    "outlook": ["sunny", "overcast", "rain", None] * 6,
    "humidity": [85, 70, None, 96, 70, 65, 75, 80] * 3,
    "windy": [True, False, False, True] * 6,
}
CLASSES = [1, 2, 2, 3, 1, 2, 1, 2] * 3


def saved(tmp_path, learner):
    path = tmp_path / "model.json"
    ctree.save(learner.fit(TABLE, CLASSES), path)
    return path


def places(value, way=()):
    if way:
        yield way
    if isinstance(value, dict | list):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*way, step))


@pytest.mark.parametrize(
    "learner",
    [ctree.BayesOptimalClassifier(max_depth=2), ctree.OptimalTreeClassifier(max_depth=2)],
    ids=["average", "tree"],
)
def test_damaged_files_give_a_model_or_an_error(learner, tmp_path):
    path = saved(tmp_path, learner)
    text = path.read_text()
    rng = random.Random(0)
    loaded = 0
    for _ in range(400):
        content = json.loads(text)
        *way, last = rng.choice(list(places(content)))
        parent = content
        for step in way:
            parent = parent[step]
        if rng.random() < 0.2:
            del parent[last]
        else:
            parent[last] = rng.choice(ODD_VALUES)
        path.write_text(json.dumps(content))
        try:
            model = ctree.load(path)
        except ModelError:
            continue
        loaded += 1
        try:
            p = model.predict_proba({name: column[:3] for name, column in TABLE.items()})
        except CtreeError:
            continue
        assert np.isfinite(p).all()
    assert 0 < loaded < 400


def test_a_stopped_average_comes_back_the_same(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(500, 60)), rng.integers(2, size=500)
    model = ctree.BayesOptimalClassifier(max_depth=6, time_limit=0.1)
    with pytest.warns(ctree.errors.LimitWarning):
        model.fit(X, y)
    ctree.save(model, tmp_path / "m.json")
    loaded = ctree.load(tmp_path / "m.json")
    assert not loaded.complete_
    assert loaded.log_evidence_bounds_ == model.log_evidence_bounds_
    assert loaded._lattice().low == pytest.approx(model.log_evidence_, rel=1e-14)
    np.testing.assert_allclose(loaded.predict_proba(X[:9]), model.predict_proba(X[:9]), rtol=1e-12)


def test_without_tests_and_with_weights(tmp_path):
    model = ctree.BayesOptimalClassifier().fit([[5], [5], [5]], ["a", "b", "b"], sample_weight=[1, 2, 1])
    ctree.save(model, tmp_path / "m.json")
    assert ctree.load(tmp_path / "m.json").predict_proba([[5]]).tolist() == [[2 / 6, 4 / 6]]


def test_models_that_are_not_fitted_are_refused(tmp_path):
    for learner in (ctree.BayesOptimalClassifier(), ctree.OptimalTreeClassifier()):
        with pytest.raises(NotFittedError, match="fit it before it is saved"):
            ctree.save(learner, tmp_path / "m.json")
