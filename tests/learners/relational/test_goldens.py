"""Trees of real and random data that other programs have made from the same specification."""

import json

import numpy as np
import pytest
from naive.relational_check import SHARED, data_folder, difference, expected_trees, golden_files

import ctree

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the expected trees are not here")

FILES = golden_files(SHARED, slow=True) if SHARED.is_dir() else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_expected_trees(path):
    data = ctree.read_relational(str(data_folder(path) / "schema.json"))
    for told in expected_trees(path):
        model = ctree.RelationalTreeClassifier(**told["settings"]).fit(data)
        found = json.loads(json.dumps(model.tree_.to_canonical()))
        assert difference(told["tree"], found) is None, told["settings"]
        assert model.tree_.n_leaves == told["n_leaves"]
        assert model.tree_.to_text("logic").split("\n") == told["text"]
        assert np.abs(model.predict_proba(data) - told["probabilities"]).max() <= 1e-12
