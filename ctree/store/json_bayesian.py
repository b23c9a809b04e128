"""`BayesianTreeClassifier` as JSON, and back.

::

    "trees": {"tree": {...}},
    "node_weights": [1.0, 0.91, ...],
    "cuts": {"humidity": [70.0, 78.0, 85.0, 90.0], ...},
    "fillers": {"outlook": 2, ...}
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ctree.data.bins import binned_schema
from ctree.data.schema import Attribute, Schema
from ctree.errors import ModelError, NotFittedError
from ctree.learners.bayesian.classifier import BayesianTreeClassifier
from ctree.store.fields import Fields, checked, shown_json
from ctree.store.json_tree import matrix_of, schema_from_dict, schema_to_dict, tree_from_dict, tree_to_dict
from ctree.store.parameters import checked_parameters, one_of, plain_parameters, without_word

PARAMETER_TYPES: dict[str, type] = {
    "prior_weight": float,
    "nonuniform": bool,
    "unknown": str,
    "min_cases": float,
    "split_prior": float,
    "leaves": str,
    "m": float,
}
"""The plain parameters of `BayesianTreeClassifier`."""


def bayesian_to_dict(model: BayesianTreeClassifier) -> dict[str, Any]:
    """A fitted `BayesianTreeClassifier` as fields of a file."""
    if not hasattr(model, "tree_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted yet: fit it before it is saved")
    parameters = plain_parameters(model.get_params())
    _check_parameters(Fields(parameters, "parameters"))
    names = [attribute.name for attribute in model.schema_]
    return {
        "parameters": parameters,
        "schema": schema_to_dict(model.schema_),
        "trees": {"tree": tree_to_dict(model.tree_)},
        "node_weights": model.node_weights_.tolist(),
        "cuts": {name: c.tolist() for name, c in zip(names, model.cuts_, strict=True) if c is not None},
        "fillers": {name: f for name, f in zip(names, model.fillers_, strict=True) if f is not None},
    }


def bayesian_from_dict(fields: Fields) -> BayesianTreeClassifier:
    """The `BayesianTreeClassifier` that the fields of a file describe."""
    model = BayesianTreeClassifier(**_check_parameters(fields.object("parameters")))
    schema = schema_from_dict(fields.object("schema"))
    cuts, fillers = fields.object("cuts"), fields.object("fillers")
    _check_names(cuts, schema)
    _check_names(fillers, schema)
    model.cuts_ = [cuts_of(cuts, attribute) if attribute.name in cuts else None for attribute in schema]
    model.fillers_ = [_filler(fillers, attribute) if attribute.name in fillers else None for attribute in schema]
    model.tree_ = tree_from_dict(fields.object("trees").object("tree"), binned_schema(schema, model.cuts_))
    place = fields.place_of("node_weights")
    weights = matrix_of([fields.get("node_weights", list)], model.tree_.n_nodes, place)[0]
    if (weights < 0).any() or (weights > 1).any():
        raise ModelError(f"'{place}' has a number that is no weight between 0 and 1")
    model.node_weights_ = weights
    model._set_schema(schema)
    return model


def cuts_of(cuts: Fields, attribute: Attribute) -> Any:
    """The upper bounds of the bins of a continuous attribute."""
    place = cuts.place_of(attribute.name)
    if not attribute.is_continuous:
        raise ModelError(f"'{place}' is of an attribute that is not continuous")
    values = [checked(value, float, place) for value in cuts.get(attribute.name, list)]
    if any(not low < high for low, high in pairwise(values)):
        raise ModelError(f"'{place}' should ascend")
    return np.array(values, dtype=np.float64)


def _check_names(fields: Fields, schema: Schema) -> None:
    names = {attribute.name for attribute in schema}
    for name in fields:
        if name not in names:
            raise ModelError(f"'{fields.place_of(name)}' is of no attribute of the schema")


def _filler(fillers: Fields, attribute: Attribute) -> float | int:
    place = fillers.place_of(attribute.name)
    if attribute.is_continuous:
        return float(checked(fillers.value(attribute.name), float, place))
    code = int(checked(fillers.value(attribute.name), int, place))
    if not 0 <= code < len(attribute.values):
        raise ModelError(f"'{place}' should be the number of a value, not {shown_json(code)}")
    return code


def _check_parameters(parameters: Fields) -> dict[str, Any]:
    types = without_word(PARAMETER_TYPES, parameters, "prior_weight", "classes")
    result = checked_parameters(BayesianTreeClassifier, parameters, types, {"bins": int, "n_jobs": int})
    if result.get("averaging", True) != "prunings":
        checked(result.get("averaging", True), bool, parameters.place_of("averaging"))
    if "unknown" in result:
        one_of(result["unknown"], ("fractions", "impute"), parameters.place_of("unknown"))
    return result
