"""Random damage to a model file: a model or a `ModelError`, never anything else."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, ModelError
from ctree.tree.soft_thresholds import softened

ODD_VALUES = [
    None, True, False, 0, -1, 1, 2, 127, 128, 2**31 - 1, 2**31, 2**63, 10**30, 10**400, 0.0, -0.0, 0.5, 1e308, -1e-300,
    "", "x", "tree", "discrete", "\ud800", [], [0], [[0]], [[]], [None], {}, {"tree": {}}, [1.5, 2], [True, False],
]  # fmt: skip

ODD_BYTES = [b"0", b"-", b",", b"]", b"[", b"e9", b'"', b"\\", b"{", b"1e999", b"NaN", b"\x00"]


@pytest.fixture(scope="module")
def cases():
    table = {
        "outlook": ["sunny", "overcast", "rain", None] * 10,
        "humidity": [85, 70, None, 96, 70, 65, 75, 80] * 5,
        "windy": [True, False, False, True, True] * 8,
    }
    return table, [1, 2, 2, 3, 1, 2, 1, 2] * 5


@pytest.fixture(scope="module")
def texts(cases, tmp_path_factory):
    """Valid files: with and without pruning and groups, bare trees, and one with soft thresholds."""
    path = tmp_path_factory.mktemp("fuzz") / "model.json"
    data = ctree.from_arrays(*cases)
    result = []
    for parameters in ({}, {"min_cases": 1, "group_values": True, "prune": False}, {"min_cases": 1, "estimate": "m"}):
        model = ctree.C45Classifier(**parameters).fit(data)
        for saved in (model, model.tree_):
            ctree.save(saved, path)
            result.append(path.read_text())
    ctree.save(softened(model.tree_, data), path)
    return [*result, path.read_text()]


def places(value, way=()):
    """Every place in a JSON value, as the steps that lead to it."""
    if way:
        yield way
    if isinstance(value, dict | list):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*way, step))


def damaged_structure(rng, text):
    """One to three fields replaced, taken out, doubled or swapped."""
    content = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        *way, last = rng.choice(list(places(content)))
        parent = content
        for step in way:
            parent = parent[step]
        action = rng.randrange(5)
        if action == 0:
            del parent[last]
        elif action == 1 and isinstance(parent, list):
            parent.insert(last, parent[last])
        elif action == 2:
            other = rng.choice(list(parent)) if isinstance(parent, dict) else rng.randrange(len(parent))
            parent[last], parent[other] = parent[other], parent[last]
        elif action == 3 and isinstance(parent[last], int | float):
            parent[last] = parent[last] + rng.choice([-1, 1, 0.5, 1e6])
        else:
            parent[last] = rng.choice(ODD_VALUES)
        if not content:
            break
    return json.dumps(content).encode()


def damaged_bytes(rng, text):
    """Bytes changed, taken out, put in or cut off."""
    content = bytearray(text.encode())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content))
        action = rng.randrange(5)
        if action == 0:
            content[at] = rng.randrange(256)
        elif action == 1:
            del content[at : at + rng.randint(1, 20)]
        elif action == 2:
            content[at:at] = rng.choice(ODD_BYTES)
        elif action == 3:
            content[at] = ord(rng.choice("0123456789.,-"))
        elif rng.random() < 0.1:
            del content[at:]
        if not content:
            break
    return bytes(content)


@pytest.mark.parametrize("damage", [damaged_structure, damaged_bytes])
@pytest.mark.filterwarnings("error")
def test_every_damaged_file_is_a_model_or_a_model_error(damage, texts, cases, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # thousands of files need not reach the disk
    rng = random.Random(20)
    path = tmp_path / "model.json"
    models = 0
    messages = set()
    for _ in range(2500):
        path.write_bytes(damage(rng, rng.choice(texts)))
        try:
            model = ctree.load(path)
        except ModelError as error:
            messages.add(str(error))
            continue
        models += 1
        check_usable(model, cases[0], path)
    assert models > 100
    assert all(m.startswith(f"{path}: ") and "\n" not in m for m in messages)


def check_usable(model, table, path):
    """A model that was loaded can be saved, and predicts distributions for tables that have its columns."""
    ctree.save(model, path)
    again = ctree.load(path)
    tree, tree_again = (m if isinstance(m, ctree.Tree) else m.tree_ for m in (model, again))
    assert tree == tree_again
    assert tree.to_text()
    try:
        data = ctree.from_arrays(table, schema=tree.schema)
    except CtreeError:
        return
    probabilities = tree.predict_proba(data)
    assert np.isfinite(probabilities).all()
    assert np.allclose(probabilities.sum(axis=1), 1)
