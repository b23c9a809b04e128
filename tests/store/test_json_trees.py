"""Probability trees and Bayesian trees as JSON."""

import json

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree import BayesianTreeClassifier, ProbabilityTreeClassifier
from ctree.errors import ModelError, NotFittedError

PROBLEM = random_problem(7, 150, 3, [0, 4, None, 2, 0], unknown=0.1)

MODELS = [
    *(
        ProbabilityTreeClassifier(approach=method)
        for method in ("c4.4", "c4.5", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2")
    ),
    ProbabilityTreeClassifier(
        max_thresholds=4, binary_splits=False, estimate="m-branch", prior_weight="classes", n_jobs=2
    ),
    ProbabilityTreeClassifier(approach="c4.5", max_thresholds=4, threshold_spacing="width", subtree_raising=False),
    ProbabilityTreeClassifier(approach="chi2", significance=0.5, present_classes=True, categorical_features=[1, 3]),
    BayesianTreeClassifier(),
    BayesianTreeClassifier(averaging="prunings", bins=None, prior_weight="classes"),
    BayesianTreeClassifier(averaging="none", unknown="impute", bins=3, estimate="laplace", n_jobs=1),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_what_is_loaded_is_what_was_saved(model, tmp_path):
    path = tmp_path / "model.json"
    data = PROBLEM.dataset()
    model.fit(data)
    ctree.save(model, path)
    loaded = ctree.load(path)
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert loaded.tree_ == model.tree_
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(loaded.predict_proba(data), model.predict_proba(data))
    if isinstance(model, BayesianTreeClassifier):
        assert np.array_equal(loaded.node_weights_, model.node_weights_)
        assert loaded.fillers_ == model.fillers_
    else:
        assert loaded.unpruned_tree_ == model.unpruned_tree_
    ctree.save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("model", [ProbabilityTreeClassifier(), BayesianTreeClassifier()])
def test_only_what_is_fitted_can_be_saved(model, tmp_path):
    with pytest.raises(NotFittedError, match="fit it before it is saved"):
        ctree.save(model, tmp_path / "model.json")


def changed(tmp_path, model, change) -> str:
    """What is said of a file after a change."""
    path = tmp_path / "model.json"
    ctree.save(model.fit(PROBLEM.dataset()), path)
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ModelError) as caught:
        ctree.load(path)
    return str(caught.value).removeprefix(f"{path}: ")


def put(*way_and_value):
    *way, last, value = way_and_value

    def change(content):
        for step in way:
            content = content[step]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("parameters", "approach", "best"), "'parameters.approach' should be 'c4.5', 'c4.4', 'mdl-stop'"),
        (
            put("parameters", "significance", "x"),
            "'parameters.significance' should be a number greater than 0 and less than 1, not 'x'",
        ),
        (
            put("parameters", "prior_weight", "many"),
            "'parameters.prior_weight' should be a number at least 1e-200 and at most 1e+15 or 'classes', not 'many'",
        ),
        (
            put("parameters", "max_thresholds", 2.5),
            "'parameters.max_thresholds' should be a whole number of at least 1 or None, not 2.5",
        ),
        (put("trees", {}), "the field 'trees.tree' is missing"),
    ],
)
def test_damaged_probability_trees(change, message, tmp_path):
    assert changed(tmp_path, ProbabilityTreeClassifier(), change).startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            put("parameters", "averaging", True),
            "'parameters.averaging' should be 'path', 'prunings' or 'none', not true",
        ),
        (put("parameters", "unknown", "drop"), "'parameters.unknown' should be 'fractions' or 'impute', not 'drop'"),
        (put("cuts", "a0", [3, 2]), "'cuts.a0' should ascend"),
        (put("cuts", "a1", [3]), "'cuts.a1' is of an attribute that is not continuous"),
        (put("cuts", "b", [3]), "'cuts.b' does not belong to an attribute of the schema"),
        (put("fillers", "a1", 9), "'fillers.a1' should be the number of a value, not 9"),
        (put("fillers", "a0", "x"), "'fillers.a0' should be a number, not 'x'"),
        (put("node_weights", [1.0]), "'node_weights[0]' should be a list of"),
        (put("node_weights", 0, 2.0), "'node_weights' has a number that is not a weight between 0 and 1"),
    ],
)
def test_damaged_bayesian_trees(change, message, tmp_path):
    assert changed(tmp_path, BayesianTreeClassifier(unknown="impute"), change).startswith(message)
