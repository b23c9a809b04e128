"""Models saved by earlier versions load and predict the same probabilities, to the last bit.

Those that sum over their trees again when they are loaded agree to a relative 1e-12: another version may sum in another
order, and another C library has another ln Γ.

`tests/golden/models` has them: `SET.LEARNER.json` is a model as it was saved, `SET.LEARNER.expected` the probabilities
that the version which saved it gave to the first cases of that set. Files are added when models change; none is ever
written again or taken away. A set is one of `tests/golden` or one of the real sets.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.golden import ABSENT, REAL_DATA, SETS

import ctree

MODELS = sorted((SETS / "models").glob("*.json"))

SUM_AGAIN = {"BayesOptimalClassifier"}
"""They sum over their trees again when they are loaded."""


def test_bayesian_trees_of_earlier_versions_are_learned_again_as_they_were():
    found = {
        path.stem: ctree.load(path).get_params()["threshold_prior"]
        for path in MODELS
        if json.loads(path.read_text())["kind"] == "BayesianTreeClassifier"
    }
    assert found
    assert set(found.values()) == {"each"}


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_same_probabilities(path, tmp_path):
    expected = json.loads(path.with_suffix(".expected").read_text())
    model = ctree.load(path)
    # What is saved again is the same model in today's form.
    ctree.save(model, tmp_path / "again.json")
    again = ctree.load(tmp_path / "again.json")
    assert again.get_params() == model.get_params()
    stems = [folder / expected["set"] for folder in (SETS, REAL_DATA) if (folder / f"{expected['set']}.names").exists()]
    if not stems:
        pytest.skip(ABSENT)
    data = ctree.read_c45(stems[0])
    rows = expected["rows"]
    exact = type(model).__name__ not in SUM_AGAIN
    for one in (model, again):
        found, wanted = one.predict_proba(data)[:rows], np.array(expected["proba"])
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(found, wanted, rtol=0.0 if exact else 1e-12, atol=0.0)


def test_no_model_was_lost():
    assert len(MODELS) >= 50
    assert all(path.with_suffix(".expected").exists() for path in MODELS)
    kinds = {json.loads(path.read_text())["kind"] for path in MODELS}
    assert len(kinds) >= 8
