"""`C45Classifier` as JSON, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.data.textfile import shown
from ctree.errors import ModelError, NotFittedError
from ctree.learners.c45 import C45Classifier
from ctree.learners.flavours import FLAVOURS
from ctree.store.fields import Fields, checked, shown_json
from ctree.store.json_tree import schema_from_dict, schema_to_dict, tree_from_dict, tree_to_dict

PARAMETER_TYPES: dict[str, type] = {
    "flavour": str,
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
}
"""The plain parameters of `C45Classifier`."""


def c45_to_dict(model: C45Classifier) -> dict[str, Any]:
    """A fitted `C45Classifier` as fields of a file."""
    if not hasattr(model, "tree_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted yet: fit it before it is saved")
    parameters = {name: plain(value) for name, value in model.get_params().items()}
    _check_parameters(Fields(parameters, "parameters"))
    same = model.unpruned_tree_ is model.tree_
    return {
        "parameters": parameters,
        "schema": schema_to_dict(model.schema_),
        "trees": {
            "tree": tree_to_dict(model.tree_),
            "unpruned": "tree" if same else tree_to_dict(model.unpruned_tree_),
        },
    }


def c45_from_dict(fields: Fields) -> C45Classifier:
    """The `C45Classifier` that the fields of a file describe."""
    parameters = fields.object("parameters")
    schema = schema_from_dict(fields.object("schema"))
    trees = fields.object("trees")
    model = C45Classifier(**_check_parameters(parameters))
    model.tree_ = tree_from_dict(trees.object("tree"), schema)
    if trees.value("unpruned") == "tree":
        model.unpruned_tree_ = model.tree_
    else:
        model.unpruned_tree_ = tree_from_dict(trees.object("unpruned"), schema)
    model.schema_ = schema
    model.classes_ = np.array(schema.classes)
    model.n_features_in_ = len(schema)
    return model


def plain(value: Any) -> Any:
    """A parameter without numpy's types."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def _check_parameters(parameters: Fields) -> dict[str, Any]:
    """The parameters of a `C45Classifier`, each of its type; one that the file does not have keeps its default."""
    known = C45Classifier().get_params()
    result = {}
    for name in parameters:
        value, place = parameters.value(name), parameters.place_of(name)
        if name not in known:
            raise ModelError(f"C45Classifier has no parameter '{shown(name)}'")
        if name in PARAMETER_TYPES:
            checked(value, PARAMETER_TYPES[name], place)
        if name == "prune":
            if value != "reduced-error":
                checked(value, bool, place)
        elif name == "flavour" and value not in FLAVOURS:
            raise ModelError(f"'{place}' should be one of {', '.join(FLAVOURS)}, not {shown_json(value)}")
        elif name == "n_jobs" and value is not None:
            checked(value, int, place)
        elif name == "categorical_features" and value is not None:
            for entry in checked(value, list, place):
                if not isinstance(entry, bool | int | str):
                    raise ModelError(f"'{place}' should list names, numbers or truth values, not {shown_json(entry)}")
        result[name] = value
    return result
