"""Models saved by earlier versions load and predict the same probabilities, to the last bit.

`tests/golden/models` has them: `SET.LEARNER.json` is a model as it was saved, `SET.LEARNER.expected` the probabilities
that the version which saved it gave to the first cases of that set. Files are added when models change; none is ever
written again or taken away. A set is one of `tests/golden` or one of the real sets.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ctree

PROJECT = Path(__file__).parents[2]
GOLDEN = PROJECT / "tests" / "golden"
REAL_DATA = Path(os.environ.get("CTREE_REAL_SETS") or PROJECT.parent / "shared" / "data")
FOLDERS = (GOLDEN, REAL_DATA)
MODELS = sorted((GOLDEN / "models").glob("*.json"))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_same_probabilities(path, tmp_path):
    expected = json.loads(path.with_suffix(".expected").read_text())
    model = ctree.load(path)
    # What is saved again is the same model in today's form.
    ctree.save(model, tmp_path / "again.json")
    again = ctree.load(tmp_path / "again.json")
    assert again.get_params() == model.get_params()
    stems = [folder / expected["set"] for folder in FOLDERS if (folder / f"{expected['set']}.names").exists()]
    if not stems:
        pytest.skip(f"{expected['set']} is not here (CTREE_REAL_SETS names the directory of the real sets)")
    data = ctree.read_c45(stems[0])
    rows = expected["rows"]
    for one in (model, again):
        np.testing.assert_array_equal(one.predict_proba(data)[:rows], np.array(expected["proba"]), strict=True)


def test_no_model_was_lost():
    assert len(MODELS) >= 50
    assert all(path.with_suffix(".expected").exists() for path in MODELS)
    kinds = {json.loads(path.read_text())["kind"] for path in MODELS}
    assert len(kinds) >= 8
