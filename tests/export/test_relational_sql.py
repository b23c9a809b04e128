"""Relational trees as SQL: SQLite and DuckDB give the probabilities of `predict_proba`."""

from __future__ import annotations

import numpy as np
import pytest
from naive.relational_check import data_folder
from support.expected_relational import FILES, data_of, expected_data, expected_models, name_of
from support.relational_databases import DIALECTS, Databases, columns_of_folder
from support.relational_problems import random_relational_problem, random_settings

import ctree


def check(model, data, bases):
    expected = model.predict_proba(data)
    for dialect in DIALECTS:
        found = bases.probabilities(model.to_sql(dialect), dialect)
        assert np.array_equal(found, expected), dialect


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
