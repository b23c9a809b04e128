"""Explanations of relational trees: the rows that they name fit the queries, as the naive learner reads them."""

from __future__ import annotations

import json

import pytest
from naive.relational_data import RelationalData
from naive.relational_tree import RelationalTree
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings

import ctree


def named_rows(problem, table, row):
    """The rows of the naive tables that a found row may be: both ways of one of a symmetric table."""
    entry, columns = problem.schema["tables"][table], problem.columns[table]
    place = columns[entry["key"]].index(row.key) if entry.get("key") else row.key - 1
    n_rows = len(next(iter(columns.values())))
    return (place, place + n_rows) if entry.get("symmetric") else (place,)


@pytest.mark.parametrize("seed", range(4200, 4260))
def test_rows_are_answers(seed, tmp_path):
    problem = random_relational_problem(seed, most_examples=16)
    settings = random_settings(seed, aggregates=seed % 4 == 0) | {"method": "c4.4"}
    data = data_of(problem, tmp_path)
    model = ctree.RelationalTreeClassifier(**settings).fit(data)
    naive_data = RelationalData(problem.schema, problem.columns)
    naive = RelationalTree(naive_data, **settings)
    explanations = model.explain(data)
    for example, (why, label) in enumerate(zip(explanations, model.predict(data), strict=True)):
        assert why.prediction == label
        node, answers, found = naive.root, {example: [(example,)]}, []
        for answered in why.questions:
            assert answered.test == str(node.test)
            longer = node.test.answers(naive_data, answers)
            assert answered.holds == bool(longer.get(example))
            answers = longer if answered.holds else answers
            found += [named_rows(problem, row.table, row) for row in answered.rows]
            node = node.yes if answered.holds else node.no
        assert node.test is None
        # An answer of the whole path has these rows.
        assert any(
            len(answer) == len(found) + 1 and all(row in rows for row, rows in zip(answer[1:], found, strict=True))
            for answer in answers[example]
        )
        json.dumps(why.to_dict())
        assert str(why) in why.to_text()


def test_one_example_and_text():
    tables = {
        "machine": {"id": ["a", "b", "c", "d"], "action": ["fix", "ok", "fix", "ok"]},
        "worn": {"id": [5, 6, 7, 8], "machine": ["a", "a", "c", "d"], "part": ["belt", "gear", "gear", "belt"]},
    }
    data = ctree.RelationalData(
        tables,
        target=("machine", "action"),
        keys={"machine": "id", "worn": "id"},
        foreign_keys={"worn.machine": "machine"},
    )
    model = ctree.RelationalTreeClassifier(data=data).fit(["a", "b", "c", "d"], ["fix", "ok", "fix", "ok"])
    question = "does the machine have a worn (worn 1) with part = gear?"
    assert str(model.explain(["a"])) == f"class fix [75.0%] by leaf 1:\n    {question} yes (worn 1 is 6)"
    assert str(model.explain(["d"])) == f"class ok [75.0%] by leaf 2:\n    {question} no"
    assert model.explain(["a"]).to_dict()["questions"][0]["rows"] == [{"name": "worn 1", "table": "worn", "key": "6"}]
    assert "worn 1 is 6" in model.explain(["a"])._repr_html_()
