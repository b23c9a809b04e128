"""What a file may cost: memory in proportion to its bytes, and nothing that a single number in it asks for."""

from __future__ import annotations

import json
import pathlib
import tracemalloc

import numpy as np
import pytest

import ctree
from ctree.errors import ModelError

MODELS = sorted((pathlib.Path(__file__).parents[1] / "golden" / "models").glob("*.json"))

MULTIPLE, BESIDES = 40, 1 << 20
"""docs/files.md: the bytes that loading takes for each byte of a file, and what it takes for none."""


@pytest.fixture(scope="module", autouse=True)
def everything_imported():
    """Modules that are imported when first needed are no part of what a file takes."""
    for path in MODELS:
        if path.name.startswith("syn"):
            ctree.load(path)


def loaded(path):
    """The model, or why there is none, and the most memory that was in use on the way."""
    tracemalloc.start()
    try:
        try:
            result = ctree.load(path)
        except ModelError as error:
            result = str(error)
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_takes_a_multiple_of_its_file(path):
    model, peak = loaded(path)
    assert not isinstance(model, str)
    assert peak <= MULTIPLE * path.stat().st_size + BESIDES


def golden(name):
    return json.loads(next(path for path in MODELS if path.name == f"{name}.json").read_text())


def one_leaf(n_classes):
    rows = [[1] + [0] * (n_classes - 1)]
    return {
        "float32": False, "test": [0], "attribute": [-1], "threshold": [0], "first_branch": [-1], "n_branches": [0],
        "group_start": [-1], "group": [], "best": [0], "cases": [1], "errors": [0], "counts": rows,
        "probabilities": rows,
    }  # fmt: skip


def bare_tree(classes, attributes, tree=None):
    trees = {"tree": one_leaf(len(classes)) if tree is None else tree}
    schema = {"classes": classes, "attributes": attributes}
    return {"format": "ctree-model", "version": 2, "kind": "Tree", "schema": schema, "trees": trees}


def many_groups():
    """Nodes of many values each, whose maps from values to branches would all be the same one."""
    n = 20_000
    attribute = {"name": "a", "kind": "discrete", "values": list(range(n))}
    tree = {name: values * (2 * n + 1) for name, values in one_leaf(1).items() if name not in ("float32", "group")}
    inner = n
    tree["test"] = [3] * inner + [0] * (n + 1)
    tree["attribute"] = [0] * inner + [-1] * (n + 1)
    tree["n_branches"] = [2] * inner + [0] * (n + 1)
    tree["first_branch"] = [1 + 2 * i for i in range(inner)] + [-1] * (n + 1)
    tree["group_start"] = [0] * inner + [-1] * (n + 1)
    return bare_tree([0], [attribute], {**tree, "float32": False, "group": [0] * n})


def rules_on_many_values(n_rules, n_values):
    content = golden("iris.rules")
    label, n = content["schema"]["classes"][0], len(content["schema"]["classes"])
    content["schema"]["attributes"] = [{"name": "v", "kind": "discrete", "values": list(range(n_values))}]
    content["trees"] = {"tree": one_leaf(n)}
    conditions = [[{"attribute": "v", "values": [i, i + 1]}] for i in range(n_rules)]
    rules = [{"number": 1, "if": c, "class": label, "error": 0, "cases": 1, "errors": 0} for c in conditions]
    rows = [[1] + [0] * (n - 1)] * (n_rules + 1)
    return content | {"rules": {"rules": rules, "default": label, "probabilities": rows}, "selected": "rules"}


def average(tests, passed, counts):
    content = golden("iris.bayes-optimal")
    content["schema"]["attributes"] = [{"name": "v", "kind": "continuous"}]
    content["tests"] = [[0, "threshold", i] for i in range(tests)]
    return content | {"fill": [0], "cases": {"passed": passed, "counts": counts}}


def tempered(number):
    content = golden("syn0007.mcmc-tempered")
    names = {"tempers", "temperatures"} & content["parameters"].keys()
    content["parameters"][names.pop()] = number
    return content


HOSTILE = {
    "lists": [[]] * 100_000,
    "objects": [{}] * 100_000,
    "fields": {f"{i:x}": [] for i in range(50_000)},
    "text": "a" * 100_000 + "\U0001f600",
    "classes": bare_tree(list(range(20_000)), []),
    "values": bare_tree([0], [{"name": "a", "kind": "discrete", "values": list(range(50_000))}]),
    "the same value twice": bare_tree([0], [{"name": "a", "kind": "discrete", "values": [*range(50_000), 49_999]}]),
    "attributes": bare_tree([0], [{"name": f"{i:x}", "kind": "ignore"} for i in range(20_000)]),
    "groups that overlap": many_groups(),
    "rules": rules_on_many_values(500, 2_000),
    "cases without tests": average(20_000, [""] * 20_000, [[1, 0, 0]] * 20_000),
    "one case for many": average(8, ["00", "ff"], [[2**24 - 20, 0, 0], [0, 1, 0]]),
    "temperatures": tempered(2**40),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_takes_no_more(name, tmp_path):
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(HOSTILE[name], separators=(",", ":")), encoding="utf-8")
    _, peak = loaded(path)
    besides = 500 * 2_000 if name == "rules" else 0  # a byte for each value of each condition, as the page says
    assert peak <= MULTIPLE * path.stat().st_size + BESIDES + besides


def written(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    return path


def test_rules_on_too_many_values_are_refused(tmp_path):
    path = written(tmp_path, rules_on_many_values(2_000, 40_000))
    with pytest.raises(ModelError, match="they should name at most 67108864 values in all"):
        ctree.load(path)


def test_rules_that_name_the_same_values_share_them(tmp_path):
    content = rules_on_many_values(2_000, 40_000)
    for rule in content["rules"]["rules"]:
        rule["if"][0]["values"] = [1, 7]
    model = ctree.load(written(tmp_path, content))
    assert model.rules_.apply(ctree.Dataset(model.schema_, [[7, 8]])).tolist() == [0, -1]


def test_too_many_temperatures_are_refused(tmp_path):
    with pytest.raises(ModelError, match="temperatures' should be a whole number from 1 to 100, a list of numbers"):
        ctree.load(written(tmp_path, tempered(2**40)))


def test_cases_beyond_the_memory_limit_are_refused_when_they_are_needed(tmp_path):
    content = average(8, ["00", "ff"], [[2**24 - 20, 0, 0], [0, 1, 0]])
    content["parameters"]["memory_limit"] = 1 << 28
    path = written(tmp_path, content)
    model, peak = loaded(path)
    assert peak < 1 << 20
    ctree.save(model, path)
    tracemalloc.start()
    with pytest.raises(ModelError, match="the 16777197 cases of the model take 1207958184 bytes, but its memory_limit"):
        model.predict_proba({"v": [0.0]})
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert ctree.load(path)._packed.counts.tolist() == content["cases"]["counts"]


def test_a_search_beyond_the_memory_limit_is_refused(tmp_path, monkeypatch):
    from ctree.learners.lattice import bayes_optimal

    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (60, 22)).astype(float)
    fitted = ctree.BayesOptimalClassifier(max_depth=6, bins="binary").fit(table, rng.integers(0, 2, 60))
    path = tmp_path / "model.json"
    ctree.save(fitted, path)
    assert np.array_equal(ctree.load(path).predict_proba(table), fitted.predict_proba(table))
    content = json.loads(path.read_text())
    content["parameters"]["memory_limit"] = 1 << 20
    monkeypatch.setattr(bayes_optimal, "ALWAYS_ALLOWED", 0)
    with pytest.raises(ModelError, match="the search of the model needs more than its memory_limit of 1048576 bytes"):
        ctree.load(written(tmp_path, content)).predict_proba(table)


@pytest.mark.parametrize("attribute", [2**31 - 1, 0])
def test_a_leaf_with_an_attribute_is_refused(tmp_path, attribute):
    content = golden("iris.c45")
    content["trees"]["tree"]["attribute"][-1] = attribute
    with pytest.raises(ModelError, match="a leaf of the tree names an attribute, where -1 should stand"):
        ctree.load(written(tmp_path, content))
