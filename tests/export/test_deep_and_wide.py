"""Exports of trees that are deeper than a stack of calls, or ask for thousands of columns, are as long as the tree."""

from __future__ import annotations

import shutil
import sys
import threading

import numpy as np
import pytest
from support import exported
from support.chains import chain

import ctree
from ctree.errors import ModelError

LEVELS = 2000

WRITERS = {
    "text": lambda tree: tree.to_text(),
    "dot": lambda tree: tree.to_dot(),
    "page": lambda tree: tree.to_html(),
    "python": lambda tree: tree.to_python(),
    "c": lambda tree: tree.to_c(),
    "sql": lambda tree: tree.to_sql(),
    "pmml": lambda tree: tree.to_pmml(),
    "shares": lambda tree: tree.to_pmml(form="shares"),
}


def cases(tree, numbers):
    """Cases of which all numbers are the same, NaN for unknown."""
    columns = [np.array(numbers, dtype=np.float64) for _ in tree.schema]
    return ctree.Dataset(tree.schema, columns, n_cases=len(numbers))


@pytest.fixture(scope="module")
def deep():
    tree = chain(LEVELS)
    return tree, cases(tree, [-1.0, 3.0, 700.0, LEVELS - 0.5, 1e9, np.nan])


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("columns", [1, None])
def test_a_tree_twice_as_deep_is_twice_as_long(writer, columns):
    n, m = (len(WRITERS[writer](chain(levels, columns or levels))) for levels in (700, 1400))
    assert m < 2.2 * n


def test_the_rules_of_a_chain_are_as_many_as_its_leaves(deep):
    tree, _ = deep
    rules = tree.to_rules()
    assert [rule.number for rule in rules] == list(range(1, LEVELS + 2))
    assert [len(rule) for rule in rules] == [1] * (LEVELS + 1)
    assert str(rules[700].conditions[0]) == "699 < a0 <= 700"


def test_python_runs(deep):
    tree, data = deep
    assert exported.by_python(tree, data).tolist() == tree.predict_proba(data).tolist()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_runs(deep, tmp_path):
    tree, data = deep
    assert exported.by_c(tree, data, tmp_path).tolist() == tree.predict_proba(data).tolist()


@pytest.mark.parametrize("form", ["walk", "case"])
def test_sqlite_runs(deep, form):
    tree, data = deep
    data = data if form == "walk" else data.take(range(5))
    assert exported.by_sqlite(tree, data, form) == pytest.approx(tree.predict_proba(data), abs=1e-12)


def test_pmml_is_what_the_standard_says(deep):
    tree, data = deep
    found = []
    # the naive version recurses
    limit, size = sys.getrecursionlimit(), threading.stack_size(1 << 28)
    sys.setrecursionlimit(20 * LEVELS)
    try:
        thread = threading.Thread(target=lambda: found.append(exported.by_the_standard(tree, data)))
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    assert found[0] == pytest.approx(tree.predict_proba(data), abs=1e-9)


def test_a_case_is_explained_and_consulted(deep):
    tree, data = deep
    assert "by leaf" in str(tree.explain(data.take([2])))
    case = tree.consultation()
    case.answer("700.5")
    assert case.question is None
    assert sum(c.cf for c in case.certainties()) == pytest.approx(1)
    everywhere = tree.consultation()
    everywhere.answer("?")
    assert len(everywhere.leaves) == tree.n_leaves


def test_it_is_saved_and_loaded(deep, tmp_path):
    ctree.save(deep[0], tmp_path / "deep.json")
    assert ctree.load(tmp_path / "deep.json") == deep[0]


class TestManyColumns:
    def test_paths_that_would_be_repeated_for_every_leaf_are_refused(self):
        tree = chain(1100, 1100)
        data = cases(tree, [-1.0, 0.5])
        with pytest.raises(ModelError, match="form='case' would take more than 10,000,000 characters"):
            tree.to_sql("sqlite", form="case")
        assert exported.by_sqlite(tree, data) == pytest.approx(tree.predict_proba(data), abs=1e-12)

    def test_duckdb_takes_many_columns_as_a_list(self):
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
        tree = chain(90, 80)
        data = cases(tree, [-1.0, 0.5, 1.5, np.nan])
        assert "k.v[b.attribute]" in tree.to_sql()
        assert exported.by_duckdb(tree, data) == pytest.approx(tree.predict_proba(data), abs=1e-12)

    def test_more_columns_than_sqlite_has_are_refused(self):
        with pytest.raises(ModelError, match="SQLite allows 2,000 columns, but the query would need 2,002"):
            chain(2001, 2001).to_sql("sqlite")

    def test_more_classes_than_an_expression_may_nest(self):
        n = 1500
        tree = ctree.ProbabilityTreeClassifier(estimate="laplace").fit(np.zeros((n, 1)), np.arange(n)).tree_
        data = cases(tree, [0.0])
        assert exported.by_sqlite(tree, data) == pytest.approx(tree.predict_proba(data), abs=1e-12)


def test_c_refuses_what_would_not_fit_on_its_stack():
    # the second branch of every test is the leaf: an unknown value leaves one part waiting at each level
    tree = chain(17_000)
    arrays = tree.arrays
    first = arrays.first_branch
    swapped = {name: array.copy() for name, array in arrays.by_name().items()}
    for node in np.flatnonzero(first >= 0)[:-1].tolist():
        a, b = int(first[node]), int(first[node]) + 1
        for name in ("test", "attribute", "threshold", "n_branches", "first_branch", "cases", "best"):
            swapped[name][[a, b]] = swapped[name][[b, a]]
        swapped["probabilities"][[a, b]] = swapped["probabilities"][[b, a]]
    with pytest.raises(ModelError, match=r"C would need room for 17,00\d parts of a case on its stack"):
        ctree.to_c(ctree.Tree(tree.schema, swapped))
