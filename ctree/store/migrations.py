"""Models of earlier formats, read as if they had been written today.

Format 1 (version 0.1.0) had other names for some parameters and for some of their values.
"""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields

NAMES = {
    "C45Classifier": {
        "flavour": "variant",
        "raising": "subtree_raising",
        "binary": "binary_splits",
        "cut_cost": "mdl_correction",
        "actual_cut": "actual_thresholds",
        "leaves": "estimate",
    },
    "ProbabilityTreeClassifier": {
        "method": "approach",
        "binary": "binary_splits",
        "thresholds": "max_thresholds",
        "level": "significance",
        "leaves": "estimate",
    },
    "BayesianTreeClassifier": {"nonuniform": "uniform_prior", "leaves": "estimate"},
    "BayesOptimalClassifier": {"min_support": "min_cases", "prior": "tree_prior"},
    "OptimalTreeClassifier": {"min_support": "min_cases", "prior": "tree_prior"},
    "MCMCTreeClassifier": {
        "unavailable": "invalid_proposals",
        "prior": "tree_prior",
        "starts": "init",
        "tempers": "temperatures",
    },
}
"""What parameters were called in format 1, by kind of model."""

VALUES: dict[str, dict[Any, Any]] = {
    "criterion": {"gain_ratio": "gain-ratio"},
    "test_prior": {"per_feature": "per-feature", "per_test": "per-test"},
    "tree_prior": {"size": "chipman"},
    "averaging": {True: "path", False: "none"},
    "uniform_prior": {True: False, False: True},
}
"""What values of parameters have become, by the parameter's name of today."""

ADDED: dict[str, dict[str, Any]] = {"BayesianTreeClassifier": {"threshold_prior": "each"}}
"""Parameters that came later, with what models without them were learned by."""


def migrated(fields: Fields, kind: str, version: int) -> Fields:
    """The fields of a model, in the format of today."""
    if version > 2 or "parameters" not in fields:
        return fields
    parameters = fields.object("parameters")
    names = NAMES.get(kind, {}) if version == 1 else {}
    new = {names.get(name, name): parameters.value(name) for name in parameters}
    if version == 1:
        for name, value in new.items():
            if isinstance(value, str | bool):
                new[name] = VALUES.get(name, {}).get(value, value)
    for name, value in ADDED.get(kind, {}).items():
        new.setdefault(name, value)
    return Fields({**{name: fields.value(name) for name in fields}, "parameters": new}, fields.place)
