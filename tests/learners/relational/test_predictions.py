"""Predictions for new tables, for tables in another form, and again for the same ones, of which much is kept."""

import copy
import functools
import pickle
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from naive.relational_data import RelationalData
from naive.relational_tree import RelationalTree
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.data.relational import kept
from ctree.errors import DataError, ParameterError
from ctree_ext.relational.relational_router import RelationalRouter


def read(problem, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables that no links reach
        return ctree.read_relational(problem.write(folder))


def with_other_values(problem, seed):
    """The same tables in another order, in which some values are others that no tree has seen."""
    rng = random.Random(seed)
    other = replace(problem, schema=copy.deepcopy(problem.schema), columns=copy.deepcopy(problem.columns))
    for name, told in other.schema["tables"].items():
        for column, kind in told["columns"].items():
            if kind == "discrete":
                cells = other.columns[name][column]
                other.columns[name][column] = [
                    rng.choice([cell, cell, "new", "newer"]) if cell is not None else None for cell in cells
                ]
        told["columns"] = dict(reversed(told["columns"].items()))
    other.schema["tables"] = dict(reversed(other.schema["tables"].items()))
    other.schema["foreign_keys"] = other.schema["foreign_keys"][::-1]
    other.schema.pop("bias", None)
    return other


@pytest.mark.parametrize("seed", range(5000, 5040))
def test_values_that_no_tree_has_seen(seed, tmp_path):
    problem = random_relational_problem(seed)
    settings = random_settings(seed, aggregates=seed % 2 == 0) | {"method": "c4.4", "max_depth": None}
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), **settings)
    model = ctree.RelationalTreeClassifier(**settings).fit(read(problem, tmp_path / "known"))
    other = with_other_values(problem, seed)
    if "classes" not in other.schema["target"]:  # they would be in the order of the data
        other.schema["target"]["classes"] = [str(label) for label in model.classes_]
    expected = naive.probabilities(RelationalData(other.schema, other.columns))
    assert np.abs(model.predict_proba(read(other, tmp_path / "new")) - expected).max() <= 1e-12


def test_two_values_that_the_tree_does_not_know_are_two():
    def data(kinds):
        parts = {"of": [i for i, listed in enumerate(kinds) for _ in listed], "kind": [*chain(*kinds)]}
        tables = {"example": {"id": list(range(len(kinds))), "class": ["a", "b"] * (len(kinds) // 2)}, "part": parts}
        return ctree.RelationalData(
            tables, target=("example", "class"), keys={"example": "id"}, foreign_keys={"part.of": "example"}
        )

    by_number = ctree.RelationalTreeClassifier(aggregates=("nunique",), constants={"part.kind": True}, max_variables=1)
    by_number.fit(data([["x", "x"], ["x", "y"]] * 3))
    assert by_number.tree_.to_text("logic").startswith("nunique(part(of=X0).kind) <= 1.0")
    assert by_number.predict(data([["u", "u"], ["u", "v"], ["x", "u"], ["u"]])).tolist() == ["a", "b", "b", "a"]
    by_mode = ctree.RelationalTreeClassifier(aggregates=("mode",), max_variables=1)
    by_mode.fit(data([["x", "x"], ["y", "y"]] * 3))
    assert by_mode.tree_.to_text("logic").startswith("mode(part(of=X0).kind) = x")
    # Of "u", "v" and "x" none is more frequent, and what the tree knows is first; of "u", "u" and "x" the first is.
    assert by_mode.predict(data([["u", "v", "x"], ["u", "u", "x"]])).tolist() == ["a", "b"]


@pytest.mark.parametrize("seed", range(5100, 5106))
def test_what_is_kept_with_the_data_changes_nothing(seed, tmp_path):
    problem = random_relational_problem(seed)
    data = read(problem, tmp_path / "once")
    halves = [list(range(start, len(data), 2)) for start in (0, 1)]
    models = [
        ctree.RelationalTreeClassifier(**random_settings(seed + 50 * i) | {"method": "c4.4"}).fit(data.take(half))
        for i in range(4)
        for half in [*halves, slice(None)]
        if len({*data.take(half).labels}) > 1
    ]
    fresh = [model.predict_proba(read(problem, tmp_path / f"again {i}")) for i, model in enumerate(models)]
    for _ in range(2):
        for model, expected in zip(models, fresh, strict=True):
            assert np.array_equal(model.predict_proba(data), expected)
            for place in (len(data) - 1, 0):
                assert np.array_equal(model.predict_proba(data.take([place])), expected[[place]])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda model: model.predict_proba(data), models * 3))
    assert all(np.array_equal(one, other) for one, other in zip(found, fresh * 3, strict=True))
    copied = pickle.loads(pickle.dumps(data))
    assert np.array_equal(models[0].predict_proba(copied), fresh[0])


@pytest.mark.parametrize("seed", range(5300, 5330))
def test_examples_with_too_many_rows_together_are_routed_in_parts(seed, tmp_path, monkeypatch):
    problem = random_relational_problem(seed)
    data = read(problem, tmp_path)
    settings = random_settings(seed) | {"method": "c4.4", "max_depth": None, "lookahead": seed % 2}
    tree = ctree.RelationalTreeClassifier(**settings).fit(data).tree_
    expected = tree.apply(data)
    for max_rows in (0, 3, 20, 100):
        router = functools.partial(RelationalRouter, max_rows=max_rows)
        monkeypatch.setattr("ctree.tree.relational_tree.RelationalRouter", router)
        assert np.array_equal(tree.apply(data), expected)


def test_a_row_to_which_very_many_others_refer():
    # All examples refer to it: 3,000 times 100,000 rows would not be listed in memory.
    n, m = 3000, 100_000
    tables = {
        "example": {"id": np.arange(n), "hub": ["x" if i < 8 or i >= 12 else "y" for i in range(n)]},
        "hub": {"id": ["x", "y"]},
        "part": {"hub": ["x"] * m + ["y"], "size": [*np.linspace(0.0, 1.0, m), 0.5]},
    }
    classes = ["a" if hub == "x" else "b" for hub in tables["example"]["hub"]]
    options = {
        "keys": {"example": "id", "hub": "id"},
        "foreign_keys": {"example.hub": "hub", "part.hub": "hub"},
    }
    tables["example"]["class"] = classes
    data = ctree.RelationalData(tables, target=("example", "class"), **options)
    model = ctree.RelationalTreeClassifier(max_rows=10**6).fit(data.take(range(12)))
    assert model.tree_.n_leaves == 2
    before = peak_memory()
    assert model.predict(data).tolist() == classes
    assert peak_memory() - before < 1000


def peak_memory():
    """In MB."""
    resource = pytest.importorskip("resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_little_memory_for_what_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "MAX_BYTES", 2000)
    problem = random_relational_problem(5203)
    data = read(problem, tmp_path / "once")
    settings = {"aggregates": ("count", "mean", "share", "nunique", "mode", "max"), "max_variables": 1}
    models = [ctree.RelationalTreeClassifier(min_cases=n, **settings).fit(data) for n in (1, 2, 3)]
    for model in models * 2:
        assert np.array_equal(model.predict_proba(data), model.predict_proba(read(problem, tmp_path / "again")))
    things = kept.Kept()
    for i in range(10):
        assert things.get(i, lambda i=i: np.full(100, i)).tolist() == [i] * 100
    assert [things.find(i) is None for i in range(10)] == [True] * 8 + [False] * 2


def test_unseen_values_are_refused_only_where_a_test_asks():
    def data(kinds, colours):
        n = len(kinds)
        tables = {
            "example": {"id": list(range(n)), "class": ["a", "b"] * (n // 2)},
            "part": {"of": list(range(n)), "kind": kinds, "colour": colours},
        }
        return ctree.RelationalData(
            tables, target=("example", "class"), keys={"example": "id"}, foreign_keys={"part.of": "example"}
        )

    model = ctree.RelationalTreeClassifier(unseen="error").fit(data(["x", "y"] * 3, ["red"] * 6))
    assert model.predict(data(["x", "y"], ["green", "blue"])).tolist() == ["a", "b"]
    new = data(["x", "z"], ["red", "red"])
    with pytest.raises(DataError, match="row 2: kind is 'z', which is not one of x, y"):
        model.predict(new)
    assert model.predict(new.take([0])).tolist() == ["a"]
    with pytest.raises(ParameterError, match="unseen must be 'unknown' or 'error', not 'drop'"):
        model.tree_.apply(new, "drop")
