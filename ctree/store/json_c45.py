"""`C45Classifier` as JSON, and back."""

from __future__ import annotations

from typing import Any

from ctree.errors import NotFittedError
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.variants import VARIANTS
from ctree.store.fields import Fields, checked
from ctree.store.json_tree import schema_from_dict, schema_to_dict, trees_from_dict, trees_to_dict
from ctree.store.parameters import checked_parameters, one_of, plain_parameters, without_word

PARAMETER_TYPES: dict[str, type] = {
    "variant": str,
    "criterion": str,
    "min_cases": float,
    "confidence": float,
    "n_folds": int,
    "collapse": bool,
    "raising": bool,
    "binary": bool,
    "cut_cost": bool,
    "actual_cut": bool,
    "group_values": bool,
    "soft_thresholds": bool,
    "leaves": str,
    "m": float,
    "prior_weight": float,
}
"""The plain parameters of `C45Classifier`."""


def c45_to_dict(model: C45Classifier) -> dict[str, Any]:
    """A fitted `C45Classifier` as fields of a file."""
    if not hasattr(model, "tree_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted yet: fit it before it is saved")
    parameters = plain_parameters(model.get_params())
    _check_parameters(Fields(parameters, "parameters"))
    return {
        "parameters": parameters,
        "schema": schema_to_dict(model.schema_),
        "trees": trees_to_dict(model.tree_, model.unpruned_tree_),
    }


def c45_from_dict(fields: Fields) -> C45Classifier:
    """The `C45Classifier` that the fields of a file describe."""
    parameters = fields.object("parameters")
    schema = schema_from_dict(fields.object("schema"))
    model = C45Classifier(**_check_parameters(parameters))
    model.tree_, model.unpruned_tree_ = trees_from_dict(fields.object("trees"), schema)
    model._grown_order = None  # not in the file: pruning after the fit takes the cases in their own order
    model._set_schema(schema)
    return model


def _check_parameters(parameters: Fields) -> dict[str, Any]:
    types = without_word(PARAMETER_TYPES, parameters, "prior_weight", "classes")
    result = checked_parameters(C45Classifier, parameters, types, {"n_jobs": int})
    if result.get("prune", True) != "reduced-error":
        checked(result.get("prune", True), bool, parameters.place_of("prune"))
    if "variant" in result:
        one_of(result["variant"], VARIANTS, parameters.place_of("variant"))
    return result
