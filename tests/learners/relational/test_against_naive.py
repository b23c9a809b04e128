"""The compiled learner of relational trees and the one that lists all answers make the same trees."""

import json
import warnings
from collections import Counter

import numpy as np
import pytest
from naive.relational_check import difference
from naive.relational_data import RelationalData
from naive.relational_tree import RelationalTree
from support.relational_problems import random_relational_problem, random_settings, random_weights

import ctree

SEEDS = range(1000, 1180)


def read(problem, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables that no links reach
        return ctree.read_relational(problem.write(folder))


def plain(canonical):
    return json.loads(json.dumps(canonical))


def assert_same(model, data, naive, **estimate):
    assert difference(plain(naive.to_canonical()), plain(model.tree_.to_canonical())) is None
    assert model.tree_.to_text("logic").split("\n") == naive.to_lines()
    assert np.abs(model.predict_proba(data) - naive.probabilities(**estimate)).max() <= 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_trees_texts_and_probabilities(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed)
    data = read(problem, tmp_path)
    weights = random_weights(seed, problem.n_examples) if seed % 3 == 0 else None
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), sample_weight=weights, **settings)
    model = ctree.RelationalTreeClassifier(**settings).fit(data, sample_weight=weights)
    assert_same(model, data, naive)


def test_the_random_problems_ask_for_the_same_rows_and_for_aggregates(tmp_path):
    # Else the comparison with the naive learner would say little of them.
    found = Counter()
    for seed in SEEDS:
        data = read(random_relational_problem(seed), tmp_path / str(seed))
        tree = ctree.RelationalTreeClassifier(**random_settings(seed)).fit(data).tree_
        conditions = [test.condition for test in tree.tests if test is not None and test.condition is not None]
        found["is"] += any(condition.op == "is" for condition in conditions)
        found["aggregate"] += any(tree.aggregate(condition) is not None for condition in conditions)
        found["deep"] += tree.depth > 2
    assert min(found.values()) >= len(SEEDS) / 5
    assert len(found) == 3


@pytest.mark.parametrize("seed", range(1200, 1220))
def test_longer_queries(seed, tmp_path):
    problem = random_relational_problem(seed, most_examples=14)
    settings = random_settings(seed, closing=seed % 2 == 0) | {
        "method": "c4.4",
        "max_variables": 5,
        "min_cases": 1,
        "max_depth": None,
    }
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), **settings)
    data = read(problem, tmp_path)
    assert_same(ctree.RelationalTreeClassifier(**settings).fit(data), data, naive)


@pytest.mark.parametrize("seed", range(1700, 1740))
def test_aggregates(seed, tmp_path):
    # The other half of the examples may have values that the tree does not know.
    problem, settings = random_relational_problem(seed), random_settings(seed, aggregates=True)
    data = read(problem, tmp_path)
    examples = list(range(0, problem.n_examples, 1 + seed % 2))
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), examples=examples, **settings)
    assert_same(ctree.RelationalTreeClassifier(**settings).fit(data.take(examples)), data, naive)


@pytest.mark.parametrize("seed", range(1300, 1330))
def test_some_examples_and_predictions_of_all(seed, tmp_path):
    # The values and cuts that are tried come from rows that the training examples reach, not from the others.
    problem, settings = random_relational_problem(seed), random_settings(seed)
    data = read(problem, tmp_path)
    examples = list(range(0, problem.n_examples, 2))
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), examples=examples, **settings)
    model = ctree.RelationalTreeClassifier(**settings).fit(data.take(examples))
    assert_same(model, data, naive)


@pytest.mark.parametrize("seed", range(1400, 1425))
def test_weights_of_classes_and_estimates(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed)
    data = read(problem, tmp_path)
    by_class = [None, "balanced", {"c0": 2.0, "c1": 0.5, "c2": 1.0, "c3": 4.0}][seed % 3]
    if isinstance(by_class, dict):
        by_class = {label: by_class[label] for label in data.schema.classes if label in by_class}
    estimate = ["laplace", "m", "m-branch", "frequency", "dirichlet"][seed % 5]
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), class_weight=by_class, **settings)
    model = ctree.RelationalTreeClassifier(**settings, class_weight=by_class, estimate=estimate).fit(data)
    assert_same(model, data, naive, leaves=estimate)


@pytest.mark.parametrize("seed", range(1500, 1515))
def test_levels_of_errors_and_of_chi_square(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed)
    settings["method"] = ["c4.5", "chi2"][seed % 2]
    data = read(problem, tmp_path)
    levels = {"confidence": [0.05, 0.5, 1.0][seed % 3], "present_classes": seed % 4 == 1}
    plain_data = RelationalData(problem.schema, problem.columns)
    naive = RelationalTree(plain_data, level=0.5, **levels, **settings)
    model = ctree.RelationalTreeClassifier(**settings, significance=0.5, **levels).fit(data)
    assert_same(model, data, naive)


@pytest.mark.parametrize("seed", range(1600, 1610))
def test_the_tree_before_it_is_pruned(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed) | {"method": "c4.5", "max_depth": None}
    data = read(problem, tmp_path)
    naive = RelationalTree(RelationalData(problem.schema, problem.columns), **settings)
    naive.root = naive.grown
    unpruned = ctree.RelationalTreeClassifier(**settings).fit(data).unpruned_tree_
    assert difference(plain(naive.to_canonical()), plain(unpruned.to_canonical())) is None
