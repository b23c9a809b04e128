"""Relational trees as SQL: SQLite and DuckDB give the probabilities of `predict_proba`."""

from __future__ import annotations

import numpy as np
import pytest
from naive.relational_check import data_folder
from support.expected_relational import FILES, data_of, expected_data, expected_models, name_of
from support.relational_databases import DIALECTS, Databases, columns_of_folder
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import ModelError, ParameterError


def check(model, data, bases):
    expected = model.predict_proba(data)
    for dialect in DIALECTS:
        found = bases.probabilities(model.to_sql(dialect), dialect)
        assert np.array_equal(found, expected), dialect
        assert bases.predictions(model.to_sql(dialect), dialect) == model.predict(data).tolist()


@pytest.mark.skipif(not FILES, reason="the expected trees are not here")
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_expected_trees(path):
    bases = Databases(*columns_of_folder(data_folder(path)))
    for model in expected_models(path):
        check(model, expected_data(path), bases)


@pytest.mark.parametrize("seed", range(3000, 3060))
def test_random_problems(seed, tmp_path):
    problem = random_relational_problem(seed)
    settings = random_settings(seed, closing=seed % 2 == 0, aggregates=seed % 3 == 0) | {"method": "c4.4"}
    data = data_of(problem, tmp_path)
    model = ctree.RelationalTreeClassifier(**settings).fit(data.take(range(0, len(data), 1 + seed % 2)))
    check(model, data, Databases(problem.schema, problem.columns))


@pytest.mark.parametrize(("seed", "members"), [(3100, 4), (3101, 4), (3102, 1), (3102, 105)])
def test_committees(seed, members, tmp_path):
    problem = random_relational_problem(seed)
    data = data_of(problem, tmp_path)
    bases = Databases(problem.schema, problem.columns)
    learner = ctree.RelationalTreeClassifier(**random_settings(seed))
    model = ctree.BaggedTreesClassifier(learner=learner, members=members, random_state=seed).fit(data)
    expected = model.predict_proba(data)
    two = np.sort(expected)[:, -2:]
    clear = two[:, 1] - two[:, 0] > 1e-9  # databases add up in another order
    for dialect in DIALECTS if members < 100 else ("sqlite",):
        query = model.to_sql(dialect)
        assert bases.probabilities(query, dialect) == pytest.approx(expected, abs=1e-12)
        labels = np.array(bases.predictions(query, dialect), dtype=object)
        assert labels[clear].tolist() == model.predict(data)[clear].tolist()


def test_a_committee_needs_a_key():
    tables = {"example": {"class": ["a", "b"] * 4, "size": [1.0, 2.0] * 4}}
    data = ctree.RelationalData(tables, target=("example", "class"))
    model = ctree.BaggedTreesClassifier(learner=ctree.RelationalTreeClassifier(), members=2).fit(data)
    with pytest.raises(ModelError, match="table 'example' has no key, by which the query of a committee"):
        model.to_sql()
    assert "row" in model.members_[0].to_sql()


HOSTILE = {"id": 'the "key"', "of": "part of;", "kind": "select", "size": "größe 'x'"}


def test_names_and_values_that_need_quotes():
    values = ["Don't", 'a "b"', "--", "ü"]
    columns = {
        "order": {HOSTILE["id"]: [f"k'{i}" for i in range(12)], "class": [["yes", "p(no)"][i % 2] for i in range(12)]},
        "from": {
            HOSTILE["of"]: [f"k'{i}" for i in range(12)],
            HOSTILE["kind"]: [values[i % 4] for i in range(12)],
            HOSTILE["size"]: [0.1 * i + 0.2 for i in range(12)],
        },
    }
    kinds = {HOSTILE["of"]: "key", HOSTILE["kind"]: "discrete", HOSTILE["size"]: "continuous"}
    schema = {
        "target": {"table": "order", "column": "class"},
        "tables": {
            "order": {"key": HOSTILE["id"], "columns": {HOSTILE["id"]: "key", "class": "class"}},
            "from": {"columns": kinds},
        },
        "foreign_keys": [{"table": "from", "column": HOSTILE["of"], "references": "order"}],
    }
    data = ctree.RelationalData(
        columns,
        target=("order", "class"),
        keys={"order": HOSTILE["id"]},
        foreign_keys={f"from.{HOSTILE['of']}": "order"},
    )
    for aggregates in ((), ("mean", "mode", "share")):
        model = ctree.RelationalTreeClassifier(aggregates=aggregates).fit(data)
        check(model, data, Databases(schema, columns))


def test_a_deep_tree():
    # One example after the other is told apart by a number of a linked row.
    n = 300
    columns = {
        "example": {"id": [f"e{i}" for i in range(n)], "class": [f"c{i % 2}" for i in range(n)]},
        "part": {"of": [f"e{i}" for i in range(n)], "size": [float(i) for i in range(n)]},
    }
    schema = {
        "target": {"table": "example", "column": "class"},
        "tables": {
            "example": {"key": "id", "columns": {"id": "key", "class": "class"}},
            "part": {"columns": {"of": "key", "size": "continuous"}},
        },
        "foreign_keys": [{"table": "part", "column": "of", "references": "example"}],
    }
    data = ctree.RelationalData(
        columns, target=("example", "class"), keys={"example": "id"}, foreign_keys={"part.of": "example"}
    )
    model = ctree.RelationalTreeClassifier(max_variables=2).fit(data)
    assert model.tree_.depth > 100
    expected = model.predict_proba(data)
    found = Databases(schema, columns).probabilities(model.to_sql("sqlite"), "sqlite")
    assert np.array_equal(found, expected)


def test_a_single_leaf_and_what_sql_cannot_say():
    tables = {"example": {"id": [1, 2], "class": ["a", "a"]}, "part": {"of": [1, 2], "kind": ["x\0", "y"]}}
    options = {"target": ("example", "class"), "keys": {"example": "id"}, "foreign_keys": {"part.of": "example"}}
    data = ctree.RelationalData(tables, **options)
    model = ctree.RelationalTreeClassifier().fit(data)
    bases = Databases(
        {
            "target": {"table": "example"},
            "tables": {"example": {"key": "id", "columns": {"id": "key", "class": "class"}}},
            "foreign_keys": [],
        },
        {"example": {"id": ["1", "2"], "class": ["a", "a"]}},
    )
    check(model, data, bases)
    tables["example"]["class"] = ["a", "b"]
    model = ctree.RelationalTreeClassifier().fit(ctree.RelationalData(tables, **options))
    with pytest.raises(ModelError, match=r"the value 'x.*' has the character U\+0000, which SQL cannot represent"):
        model.to_sql("sqlite")
    with pytest.raises(ParameterError, match="dialect must be"):
        model.to_sql("oracle")
