"""Fitted committees as plain fields, for saved models, and back.

::

    "schema": {...}, "values": {...}, "paths": [...], "aggregates": [...],
    "members": [{"tree": {...}, "unpruned": "tree", "skipped_steps": 0}, ...],
    "seed": "2a", "fingerprint": "9f86...", "oob_proba": [[0.25, 0.75], null, ...], "oob_score": 0.8

What the members share is there once; see `ctree.tree.relational_fields`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ctree.data.fields import Fields
from ctree.errors import ModelError, ParameterError
from ctree.learners.base.classifier import label_array
from ctree.learners.base.decisions import saved_decisions
from ctree.learners.base.fields import hexadecimal
from ctree.learners.base.parameters import check_parameters, parameters_from_fields, plain_parameters
from ctree.learners.committee.domains import TreeLearner
from ctree.tree.fields import check_distributions, matrix_of
from ctree.tree.relational_fields import Frame, frame_to_dict, pair_to_dict
from ctree.tree.relational_trees import RelationalTrees


def committee_to_fields(model: Any) -> dict[str, Any]:
    """A fitted committee as plain fields; without the tables that it takes examples from."""
    parameters = model.get_params(deep=False) | {"sample_share": model._fitted_share}
    # of the learner that the members had, which may have been changed since
    first = model.members_[0]
    plain, default = TreeLearner().to_plain(first), TreeLearner().to_plain(type(first)())
    parameters["learner"] = None if model.learner is None and plain == default else first
    check_parameters(model._parameters, parameters)
    said = ~np.isnan(model.oob_proba_[:, 0])
    rows = zip(model.oob_proba_.tolist(), said.tolist(), strict=True)
    return {
        "parameters": plain_parameters(model._parameters, parameters),
        **frame_to_dict(first.tree_),
        "members": [
            {**pair_to_dict(one.tree_, one.unpruned_tree_), "skipped_steps": int(one.skipped_steps_)}
            for one in model.members_
        ],
        "seed": f"{model.seed_:x}",
        "fingerprint": model._fingerprint,
        "oob_proba": [row if there else None for row, there in rows],
        "oob_score": None if math.isnan(model.oob_score_) else model.oob_score_,
        **({"n_features_in": 1} if hasattr(model, "n_features_in_") else {}),
    }


def committee_from_fields(cls: Any, fields: Fields) -> Any:
    """The fitted committee that plain fields describe."""
    model = cls(**parameters_from_fields(cls._parameters, fields.object("parameters"), cls.__name__))
    try:
        model._check_together()
        model._tree_learner()._check_together()
    except ParameterError as error:
        raise ModelError(f"the parameters are incompatible: {error}") from None
    frame, keys = Frame(fields), {}
    if "n_features_in" in fields:
        if fields.value("n_features_in") != 1:
            raise ModelError("'n_features_in' should be 1, the column of keys")
        keys = {"n_features_in_": 1}
    entries = fields.get("members", list)
    if not entries:
        raise ModelError("'members' is empty")
    classes, learner = label_array(frame.schema.classes), model._tree_learner()
    by_costs, members = saved_decisions(learner, frame.schema.classes), []
    for number, entry in enumerate(entries):
        member = type(learner)(**learner.get_params(deep=False))
        member.__dict__ |= _member(frame, Fields(entry, f"members[{number}]")) | {"classes_": classes} | by_costs | keys
        member.tree_.worth = member.unpruned_tree_.worth = by_costs["_worth"]
        members.append(member)
    model.__dict__ |= {
        **keys,
        "members_": tuple(members),
        "costs_": by_costs["costs_"],
        "schema_": frame.schema,
        "classes_": classes,
        "oob_proba_": oob_proba(fields, frame.schema.n_classes),
        "oob_score_": oob_score(fields),
        "seed_": hexadecimal(fields.get("seed", str), "seed"),
        "_fingerprint": fields.get("fingerprint", str),
        "_fitted_share": float(model.sample_share),
        "_trees": RelationalTrees([member.tree_ for member in members]),
    }
    return model


def _member(frame: Frame, fields: Fields) -> dict[str, Any]:
    tree, unpruned = frame.pair(fields)
    skipped = fields.get("skipped_steps", int)
    if skipped < 0:
        raise ModelError(f"'{fields.place_of('skipped_steps')}' is a negative number")
    return {"tree_": tree, "unpruned_tree_": unpruned, "skipped_steps_": skipped, "schema_": frame.schema}


def oob_proba(fields: Fields, n_classes: int) -> Any:
    """The probabilities of training cases out of bag, NaN where nothing is said."""
    rows = fields.get("oob_proba", list)
    said = [place for place, row in enumerate(rows) if row is not None]
    found = np.full((len(rows), n_classes), np.nan)
    if said:
        found[said] = matrix_of([rows[place] for place in said], n_classes, "oob_proba")
        check_distributions(found[said], "oob_proba")
    return found


def oob_score(fields: Fields) -> float:
    """The share that is right by them, or NaN."""
    if fields.value("oob_score") is None:
        return math.nan
    score = float(fields.get("oob_score", float))
    if not 0 <= score <= 1:
        raise ModelError("'oob_score' should be from 0 to 1")
    return score
