"""Importances of the columns of linked tables, added up from the canonical tree."""

from __future__ import annotations

import math

import pytest
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings

import ctree


def bits(counts):
    return -sum(n * math.log2(n / sum(counts)) for n in counts if n)


def column_of(node, tables, keys):
    """The column that a node of a canonical tree belongs to."""
    condition = node["condition"]
    if condition is None:
        return f"{node['new'][-1]['table']}.{node['new'][-1]['by']}"
    variable, *path = condition["term"].split(".")
    if condition["op"] == "is":
        last = tables[variable][1]
    table = tables[variable][0]
    for column in path:
        last, table = f"{table}.{column}", keys[f"{table}.{column}"]
    if condition["op"] == "is":
        return last
    if "aggregate" in condition:
        table, last = condition["table"], f"{condition['table']}.{condition['by']}"
        for column in condition["path"]:
            table = keys[f"{table}.{column}"]
        return last if condition["column"] is None else f"{table}.{condition['column']}"
    return f"{table}.{condition['column']}"


def saved(node, tables, keys):
    if "yes" not in node:
        return
    known = dict(tables) | {new["variable"]: (new["table"], f"{new['table']}.{new['by']}") for new in node["new"]}
    gain = bits(node["counts"]) - bits(node["yes"]["counts"]) - bits(node["no"]["counts"])
    yield column_of(node, known, keys), max(gain, 0.0)
    yield from saved(node["yes"], known, keys)
    yield from saved(node["no"], tables, keys)


@pytest.mark.parametrize("seed", range(4100, 4130))
def test_sums_of_gains(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed, aggregates=seed % 2 == 0)
    model = ctree.RelationalTreeClassifier(**settings | {"method": "c4.4"}).fit(data_of(problem, tmp_path))
    keys = {f"{key['table']}.{key['column']}": key["references"] for key in problem.schema["foreign_keys"]}
    expected = dict.fromkeys(model.feature_importance_names_, 0.0)
    for column, gain in saved(model.tree_.to_canonical(), {"X0": ("example", "")}, keys):
        expected[column] += gain
    total = sum(expected.values())
    assert model.feature_importances_ == pytest.approx([gain / total if total else 0 for gain in expected.values()])
    assert model.feature_importances_.sum() == pytest.approx(1.0 if total else 0.0)
