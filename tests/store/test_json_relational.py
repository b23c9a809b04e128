"""Relational trees in model files: exact to the last bit, and checked before they are used."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.expected_relational import FILES, data_of, expected_data, expected_models, name_of
from support.relational_models import (
    check_any_entry,
    check_refused,
    check_same,
    load,
    molecules,
    round_trip,
)
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import NotFittedError


@pytest.mark.skipif(not FILES, reason="the expected trees are not here")
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_expected_trees(path, tmp_path):
    for model in expected_models(path):
        check_same(model, round_trip(model, tmp_path / "model.json"), expected_data(path))


@pytest.mark.parametrize("seed", range(2000, 2040))
def test_random_problems(seed, tmp_path):
    settings = random_settings(seed, aggregates=seed % 2 == 0)
    data = data_of(random_relational_problem(seed), tmp_path / "data")
    model = ctree.RelationalTreeClassifier(**settings).fit(data)
    check_same(model, round_trip(model, tmp_path / "model.json"), data)


def test_keys_labels_and_bias(tmp_path):
    tables = {"example": {"id": [1, 2, 3, 4]}, "part": {"of": [1, 2, 2, 4], "size": [1, 2, 3, 4]}}
    data = ctree.RelationalData(tables, target="example", keys={"example": "id"}, foreign_keys={"part.of": "example"})
    model = ctree.RelationalTreeClassifier(data=data, links={"part.of": "down"}, constants={"part.size": np.True_})
    model.fit([1, 2, 3, 4], [True, False, True, False])
    loaded = round_trip(model, tmp_path / "model.json")
    check_same(model, loaded, data)
    assert loaded.n_features_in_ == 1
    assert loaded.data is None
    assert loaded.set_params(data=data).predict([4, 1]).tolist() == model.predict([4, 1]).tolist()


def test_unfitted(tmp_path):
    with pytest.raises(NotFittedError):
        ctree.save(ctree.RelationalTreeClassifier(), tmp_path / "model.json")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    settings = {"max_variables": 3, "closing": True, "aggregates": ("count", "mean", "mode", "share")}
    ctree.save(ctree.RelationalTreeClassifier(**settings).fit(molecules()), path)
    found = json.loads(path.read_text("utf-8"))
    # A tree by hand: is there an atom (X1) with element = o? yes: has it a bond (X2)? no: is weight <= 2?
    tests = [[0] * 15 for _ in range(7)]
    tests[0] = [1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, column(found, "atom.element"), 2, 0, 0]
    tests[1] = [1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    tests[2] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, column(found, "molecule.weight"), 0, 0, 0]
    counts = [[3.0, 3.0], [2.0, 1.0], [1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]
    found["trees"] = {
        "tree": {
            "n_branches": [2, 2, 2, 0, 0, 0, 0],
            "n_tests": [5, 4, 3, 0, 0, 0, 0],
            "figure": [0.0] * 7,
            "threshold": [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0],
            "tests": tests,
            "counts": counts,
            "probabilities": [[0.5, 0.5]] * 7,
        },
        "unpruned": "tree",
    }
    return found


def column(content, name):
    names = [f"{t}.{c}" for t, entry in content["schema"]["tables"].items() for c in entry["columns"]]
    return names.index(name)


def test_a_tree_by_hand(content, tmp_path):
    text = load(content, tmp_path).to_text("logic")
    assert text.split("\n")[:3] == [
        "exists X1 in atom(molecule=X0): X1.element = o",
        "yes: exists X2 in bond(one=X1)",
        "  yes: [neg 2, pos 0]",
    ]
    assert load(content, tmp_path).tree_.apply(molecules()).tolist() == [3, 5, 3, 6, 5, 6]


TREE = ("trees", "tree")
TESTS = (*TREE, "tests")
DAMAGE = [
    ((*TREE, "n_branches", 0), 3, "numbers of branches"),
    ((*TREE, "n_branches", 3), 2, "numbers of branches"),
    ((*TREE, "n_branches"), [2], "should have an entry for each of the 1 nodes"),
    ((*TREE, "counts", 0), [1.0], "'trees.tree.counts[0]' should be a list of 2 numbers"),
    ((*TREE, "counts", 0, 0), -1.0, "'trees.tree.counts' has a negative weight"),
    ((*TREE, "counts", 3), [0.0, 0.0], "'trees.tree.counts' has a node without examples"),
    ((*TREE, "counts", 3), [1e9, 0.0], "'trees.tree.counts' has a node whose branches do not share its examples"),
    ((*TREE, "probabilities", 0, 0), 0.6, "'trees.tree.probabilities' has a row that is not a distribution"),
    ((*TREE, "probabilities"), [[0.5, 0.5]], "'trees.tree.probabilities' should have a row for each of the 7 nodes"),
    ((*TREE, "n_tests", 0), -1, "'trees.tree.n_tests' has a negative number"),
    ((*TREE, "n_tests", 0), 1.5, "'trees.tree.n_tests[0]' should be a whole number, not 1.5"),
    ((*TREE, "threshold", 0), "low", "'trees.tree.threshold[0]' should be a number, not 'low'"),
    ((*TREE, "figure"), None, "'trees.tree.figure' should be a list, not null"),
    ((*TESTS, 0), [1], "'trees.tree.tests[0]' should be a list of 15 numbers"),
    ((*TESTS, 0, 2), 2**40, "'trees.tree.tests' has a number that is too large"),
    ((*TESTS, 0, 0), 0, "numbers of branches of the tree do not fit its tests"),
    ((*TESTS, 0, 1), 3, "node 0 has no valid test"),
    ((*TESTS, 0, 8), 5, "node 0 has no valid test"),
    ((*TESTS, 1, 1), 0, "node 1 has no valid test"),
    ((*TESTS, 0, 2), 9, "the test of node 0 goes by link 9, which the schema does not have"),
    ((*TESTS, 0, 2), -1, "the test of node 0 goes by link -1, which the schema does not have"),
    ((*TESTS, 0, 2), 1, "the test of node 0 goes from table 'molecule' by 'bond.one'"),
    ((*TESTS, 0, 4), 1, "the test of node 0 speaks of X1, which is not defined there"),
    ((*TESTS, 1, 4), 2, "the test of node 1 speaks of X2, which is not defined there"),
    ((*TESTS, 2, 9), 1, "the test of node 2 speaks of X1, which is not defined there"),
    ((*TESTS, 0, 6), 99, "the test of node 0 follows a path that does not exist"),
    ((*TESTS, 0, 14), -1, "the test of node 0 follows a path that does not exist"),
    ((*TESTS, 0, 11), 0, "the test of node 0 compares 'molecule.id' of a row of table 'atom'"),
    ((*TESTS, 0, 11), 10**6, "the test of node 0 compares column 1000000, which does not exist"),
    ((*TESTS, 0, 11), -1, "the test of node 0 compares column -1, which does not exist"),
    ((*TESTS, 0, 12), 3, "the test of node 0 names value 3 of 'atom.element', which does not exist"),
    ((*TESTS, 0, 8), 2, "the test of node 0 compares what is discrete by '<='"),
    ((*TESTS, 2, 8), 1, "the test of node 2 compares what is not discrete by '='"),
    ((*TESTS, 2, 11), 0, "the test of node 2 compares 'molecule.id', a column of kind 'key'"),
    ((*TESTS, 0, 8), 4, "the test of node 0 compares rows of two tables"),
    (("paths",), [], "the first of the paths should be empty"),
    (("paths", 0), [1], "the first of the paths should be empty"),
    (("paths", 1), [7], "path 1 follows link 7, which the schema does not have"),
    (("paths", 1), [0], "path 1 leads to the table of the examples"),
    (("paths", 1), [1, 1], "path 1 follows 'bond.one' from table 'atom'"),
    (("paths", 1), "x", "'paths' should be a list, not 'x'"),
    (("values", "atom.element"), ["c", "c"], "'values.atom.element' has a value twice"),
    (("values", "atom.charge"), [], "'values.atom.charge' does not belong to a discrete column"),
    (("values",), {}, "the field 'values.atom.element' is missing"),
    (("aggregates", 0, "name"), "sum", "aggregate 0 is called 'sum'; they are count, min"),
    (("aggregates", 0, "link"), 8, "aggregate 0 goes by link 8, which the schema does not have"),
    (("aggregates", 0, "column"), 1, "aggregate 0 counts rows, but names a column"),
    (("aggregates", 0, "path"), None, "'aggregates[0].path' should be a list, not null"),
    (("aggregates", 1, "column"), 0, "aggregate 1 compares 'molecule.id' of a row of table 'atom'"),
    (("schema", "target", "table"), "bonds", "'schema': the target should be a table, but there is no table 'bonds'"),
    (("schema", "target", "classes"), [], "'schema.target' has no classes"),
    (("schema", "foreign_keys", 0, "references"), "x", "'schema': the foreign key 'atom.molecule' refers to no table"),
    (("schema", "foreign_keys", 0), 5, "'schema.foreign_keys' should be an object in braces, not 5"),
    (("schema", "tables", "atom", "columns", "charge"), "number", "is of kind 'number'; the kinds are"),
    (("schema", "tables", "atom", "columns"), {"id": "key"}, "'schema': table 'atom' has no column 'molecule'"),
    (("parameters", "lookahead"), 7, "'parameters.lookahead' should be"),
    (("parameters", "colour"), 7, "RelationalTreeClassifier has no parameter 'colour'"),
    (("skipped_steps",), -1, "'skipped_steps' is a negative number"),
    (("n_features_in",), 2, "'n_features_in' should be 1"),
    (("trees", "unpruned"), None, "'trees.unpruned' should be an object in braces, not null"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGE)
def test_damaged_files(place, value, message, content, tmp_path):
    check_refused(content, place, value, message, tmp_path)


def test_any_entry_may_be_wrong(content, tmp_path):
    check_any_entry(content, (None, -1, 3, 10**12, 0.5, "x", [], {}), tmp_path)
