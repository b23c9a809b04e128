"""Fitted relational learners as plain fields, for saved models, and back."""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields
from ctree.errors import ModelError, ParameterError
from ctree.learners.base.classifier import label_array
from ctree.learners.base.decisions import saved_decisions
from ctree.learners.base.parameters import check_parameters, parameters_from_fields, plain_parameters
from ctree.tree.relational_fields import trees_from_dict, trees_to_dict


def model_to_fields(model: Any) -> dict[str, Any]:
    """A fitted learner as plain fields; without the tables that it takes examples from."""
    parameters = model.get_params()
    check_parameters(model._parameters, parameters)
    plain = plain_parameters(model._parameters, parameters)
    del plain["data"]
    keys = {"n_features_in": 1} if hasattr(model, "n_features_in_") else {}
    return {
        "parameters": plain,
        **trees_to_dict(model.tree_, model.unpruned_tree_),
        "skipped_steps": int(model.skipped_steps_),
        **keys,
    }


def model_from_fields(cls: Any, fields: Fields) -> Any:
    """The fitted learner that plain fields describe."""
    model = cls(**parameters_from_fields(cls._parameters, fields.object("parameters"), cls.__name__))
    try:
        model._check_together()
    except ParameterError as error:
        raise ModelError(f"the parameters are incompatible: {error}") from None
    tree, unpruned = trees_from_dict(fields)
    skipped = fields.get("skipped_steps", int)
    if skipped < 0:
        raise ModelError("'skipped_steps' is a negative number")
    if "n_features_in" in fields:
        if fields.value("n_features_in") != 1:
            raise ModelError("'n_features_in' should be 1, the column of keys")
        model.n_features_in_ = 1
    by_costs = saved_decisions(model, tree.schema.classes)
    model.__dict__ |= by_costs
    tree.worth = unpruned.worth = by_costs["_worth"]
    model.tree_, model.unpruned_tree_ = tree, unpruned
    model.skipped_steps_ = skipped
    model.schema_ = tree.schema
    model.classes_ = label_array(tree.schema.classes)
    return model
