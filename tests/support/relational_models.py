"""Saved models of linked tables: to files and back, compared to the last bit, and damaged at any place."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, ModelError

ARRAYS = ("n_branches", "counts", "n_tests", "figure", "tests", "threshold", "path_start", "path_links")

MOLECULES = {
    "tables": {
        "molecule": {"id": ["a", "b", "c", "d", "e", "f"], "weight": [1.5, 2.0, 0.1, 7.0, 1.0, 3.0],
                     "class": ["pos", "neg", "pos", "neg", "pos", "neg"]},
        "atom": {"id": [*range(10)], "molecule": [*"aabbccddef"],
                 "element": ["c", "o", "c", "n", "o", "o", "c", "c", None, "n"],
                 "charge": [0.1, 0.2, 0.3, 0.1, 0.4, 0.5, 0.6, 0.1, 0.2, 0.3]},
        "bond": {"one": [0, 2, 4, 6], "other": [1, 3, 5, 7], "type": ["1", "2", "2", "1"]},
    },
    "target": ("molecule", "class"),
    "keys": {"molecule": "id", "atom": "id"},
    "foreign_keys": {"atom.molecule": "molecule", "bond.one": "atom", "bond.other": "atom"},
    "symmetric": {"bond": ("one", "other")},
}  # fmt: skip


def molecules():
    return ctree.RelationalData(**MOLECULES)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def round_trip(model, path):
    ctree.save(model, path)
    text = path.read_text("utf-8")
    loaded = ctree.load(path)
    ctree.save(loaded, path)
    assert path.read_text("utf-8") == text
    return loaded


def check_same(model, loaded, data):
    for tree, other in ((model.tree_, loaded.tree_), (model.unpruned_tree_, loaded.unpruned_tree_)):
        assert all(same(getattr(tree.arrays, name), getattr(other.arrays, name)) for name in ARRAYS)
        assert same(tree.probabilities, other.probabilities)
        assert (tree.schema, tree.values, tree.aggregates) == (other.schema, other.values, other.aggregates)
        assert tree.to_text("words") == other.to_text("words")
    assert model.get_params() | {"data": None} == loaded.get_params()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.skipped_steps_ == model.skipped_steps_
    assert same(model.predict_proba(data), loaded.predict_proba(data))


def damaged(content, place, value):
    """The content of a file with another value in a place."""
    result = copy.deepcopy(content)
    inner = result
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return result


def load(content, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content), "utf-8")
    return ctree.load(path)


def entries(value, place=()):
    """All places of a JSON value."""
    yield place
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in pairs:
        yield from entries(entry, (*place, key))


def check_refused(content, place, value, message, folder):
    """With this value in this place, the file is refused in one sentence that has these words."""
    with pytest.raises(ModelError) as raised:
        load(damaged(content, place, value), folder)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def check_any_entry(content, values, folder):
    """Whatever value stands in whatever place, the file is refused, or the model gives probabilities."""
    data = molecules()
    for place in entries(content):
        if not place or place[0] in ("format", "version", "kind"):
            continue
        for value in values:
            try:
                model = load(damaged(content, place, value), folder)
            except ModelError:
                continue
            try:
                model.to_text()
                assert np.isfinite(model.predict_proba(data)).all()
            except CtreeError:  # the schema is of other tables
                assert place[0] in ("schema", "parameters")
