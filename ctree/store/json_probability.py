"""`ProbabilityTreeClassifier` as JSON, and back."""

from __future__ import annotations

from typing import Any

from ctree.errors import NotFittedError
from ctree.learners.probability.classifier import METHODS, ProbabilityTreeClassifier
from ctree.store.fields import Fields
from ctree.store.json_tree import schema_from_dict, schema_to_dict, trees_from_dict, trees_to_dict
from ctree.store.parameters import checked_parameters, one_of, plain_parameters, without_word

PARAMETER_TYPES: dict[str, type] = {
    "method": str,
    "binary": bool,
    "min_cases": float,
    "confidence": float,
    "level": float,
    "present_classes": bool,
    "leaves": str,
    "m": float,
    "prior_weight": float,
}
"""The plain parameters of `ProbabilityTreeClassifier`."""


def probability_to_dict(model: ProbabilityTreeClassifier) -> dict[str, Any]:
    """A fitted `ProbabilityTreeClassifier` as fields of a file."""
    if not hasattr(model, "tree_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted yet: fit it before it is saved")
    parameters = plain_parameters(model.get_params())
    _check_parameters(Fields(parameters, "parameters"))
    return {
        "parameters": parameters,
        "schema": schema_to_dict(model.schema_),
        "trees": trees_to_dict(model.tree_, model.unpruned_tree_),
    }


def probability_from_dict(fields: Fields) -> ProbabilityTreeClassifier:
    """The `ProbabilityTreeClassifier` that the fields of a file describe."""
    schema = schema_from_dict(fields.object("schema"))
    model = ProbabilityTreeClassifier(**_check_parameters(fields.object("parameters")))
    model.tree_, model.unpruned_tree_ = trees_from_dict(fields.object("trees"), schema)
    model._set_schema(schema)
    return model


def _check_parameters(parameters: Fields) -> dict[str, Any]:
    types = without_word(PARAMETER_TYPES, parameters, "prior_weight", "classes")
    result = checked_parameters(ProbabilityTreeClassifier, parameters, types, {"thresholds": int, "n_jobs": int})
    if "method" in result:
        one_of(result["method"], METHODS, parameters.place_of("method"))
    return result
