"""Every learner with every variant that makes another kind of model, all of them quick; and models of them."""

from __future__ import annotations

import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from support.orders import orders

import ctree
from ctree.tree.soft_thresholds import softened

QUICK_CHAINS = {"burn_in": 20, "samples": 5, "thin": 2, "chains": 2, "random_state": 1}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("C45Classifier", {}),
    ("C45Classifier", {"min_cases": 1, "group_values": True, "prune": False}),
    ("C45Classifier", {"min_cases": 1, "estimate": "m"}),
    ("C45Classifier", {"min_cases": 1, "estimate": "dirichlet", "prior_weight": "classes", "criterion": "gain"}),
    ("C45Classifier", {"min_cases": 1, "soft_thresholds": True, "class_weight": "balanced"}),
    ("C45Classifier", {"variant": "j48", "min_cases": 1}),
    ("C45Classifier", {"variant": "j48", "prune": "reduced-error", "min_cases": 1}),
    ("C45Classifier", {"variant": "j48", "binary_splits": True, "min_cases": 1, "actual_thresholds": False}),
    ("C45RulesClassifier", {"min_cases": 1}),
    ("C45RulesClassifier", {"min_cases": 1, "significance": 0.1, "group_values": True, "redundancy": 3.0}),
    ("ProbabilityTreeClassifier", {}),
    ("ProbabilityTreeClassifier", {"approach": "mdl-prune", "binary_splits": False}),
    ("ProbabilityTreeClassifier", {"approach": "bic-stop", "estimate": "m-branch"}),
    ("ProbabilityTreeClassifier", {"approach": "c4.5", "max_thresholds": 5, "threshold_spacing": "width"}),
    ("ProbabilityTreeClassifier", {"approach": "chi2", "max_thresholds": 3, "significance": 0.5}),
    ("ProbabilityTreeClassifier", {"approach": "c4.5", "estimate": "laplace"}),
    ("BayesianTreeClassifier", {}),
    ("BayesianTreeClassifier", {"averaging": "prunings", "bins": 3, "unknown": "impute"}),
    ("BayesianTreeClassifier", {"averaging": "none", "bins": None, "estimate": "laplace", "prior_weight": 1}),
    ("BayesOptimalClassifier", {"max_depth": 2}),
    ("BayesOptimalClassifier", {"max_depth": 1, "tree_prior": "uniform", "bins": None}),
    ("OptimalTreeClassifier", {"max_depth": 2}),
    ("OptimalTreeClassifier", {"max_depth": 2, "objective": "posterior", "bins": 2}),
    ("MCMCTreeClassifier", {**QUICK_CHAINS, "min_cases": 1}),
    (
        "MCMCTreeClassifier",
        {**QUICK_CHAINS, "strategy": "sweeping", "tree_prior": "chipman", "temperatures": 2, "min_cases": 1},
    ),
    ("MCMCTreeClassifier", {**QUICK_CHAINS, "keep_trees": False, "init": "prior", "min_cases": 1}),
    ("NaiveBayesClassifier", {}),
    ("NaiveBayesClassifier", {"estimate": "laplace", "bins": 2}),
]
"""Learners and their parameters."""

GOLDEN = Path(__file__).parents[1] / "golden" / "models"


@cache
def small_tables() -> list[Any]:
    """Cases of all kinds: mixed ones with unknown values, numbers only, discrete values only, one class, dates."""
    table = {
        "outlook": ["sunny", "overcast", "rain", None] * 10,
        "humidity": [85, 70, None, 96, 70, 65, 75, 80] * 5,
        "windy": [True, False, False, True, True] * 8,
    }
    labels = [1, 2, 2, 3, 1, 2, 1, 2] * 5
    iris = ctree.load_iris()
    return [
        ctree.from_arrays(table, labels),
        iris.take(slice(0, 150, 4)),
        ctree.load_golf(),
        ctree.from_arrays({"a": list("xyzxyzxyzw"), "b": list("pqpqpqpqpq")}, list("nnynnynnyn")),
        ctree.from_arrays([[0.0], [1.0], [2.0]], ["only", "only", "only"]),
        orders(40),
    ]


def made(name: str, parameters: dict[str, Any]) -> Any:
    """A learner."""
    return getattr(ctree, name)(**parameters)


@cache
def fresh_models() -> list[Any]:
    """A fitted model of every variant, for some of the tables."""
    models: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that short chains disagree
        for place, (name, parameters) in enumerate(VARIANTS):
            tables = small_tables()
            for data in (tables[0], tables[1 + place % (len(tables) - 1)]):
                models.append(made(name, parameters).fit(data))
    mixed = small_tables()[0]
    tree = ctree.C45Classifier(min_cases=1).fit(mixed).tree_
    return [*models, tree, softened(tree, mixed)]


@cache
def model_texts() -> list[str]:
    """Valid model files: those of earlier versions, and new ones of every variant."""
    texts = [path.read_text("utf-8") for path in sorted(GOLDEN.glob("*.json"))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        for model in fresh_models():
            ctree.save(model, path)
            texts.append(path.read_text("utf-8"))
    return [json.dumps(json.loads(text)) for text in texts]  # on one line, and so smaller
