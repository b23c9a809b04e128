"""Fitted committees from a table of cases as plain fields, for saved models, and back.

::

    "members": [{"trees": {"tree": {...}, "unpruned": {...}}}, ...],
    "votes": [1.0, ...], "errors": [0.12, ...] or null, "slope": 3.2 or null,
    "seed": "2a", "fingerprint": "9f86...", "oob_proba": [[0.25, 0.75], null, ...], "oob_score": 0.8

A member has the fields of a model of its learner, but for what all share: the parameters, which are those of the
committee's `learner`, and the schema.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ctree.data.fields import Fields, checked
from ctree.data.schema import Schema
from ctree.errors import ModelError, ParameterError
from ctree.learners.base.fields import hexadecimal
from ctree.learners.committee.fields import oob_proba, oob_score


def fields_of(model: Any) -> dict[str, Any]:
    """What the fit of a committee has set, as plain fields."""
    said = ~np.isnan(model.oob_proba_[:, 0])
    rows = zip(model.oob_proba_.tolist(), said.tolist(), strict=True)
    return {
        "members": [member._fitted_fields() for member in model.members_],
        "votes": model.vote_weights_.tolist(),
        "errors": None if model.member_errors_ is None else model.member_errors_.tolist(),
        "slope": model.slope_,
        "seed": f"{model.seed_:x}",
        "fingerprint": model._fingerprint,
        "oob_proba": [row if there else None for row, there in rows],
        "oob_score": None if math.isnan(model.oob_score_) else model.oob_score_,
    }


def restored(model: Any, fields: Fields, schema: Schema) -> dict[str, Any]:
    """The attributes that the fields describe."""
    learner = model._tree_learner()
    try:
        learner._check_together()
    except ParameterError as error:
        raise ModelError(f"the parameters of the learner are incompatible: {error}") from None
    entries = fields.get("members", list)
    if not entries:
        raise ModelError("'members' is empty")
    members = []
    for number, entry in enumerate(entries):
        member = type(learner)(**learner.get_params(deep=False))
        member._restore(Fields(entry, f"members[{number}]"), schema)
        member._become(schema)
        members.append(member)
    votes = _numbers(fields, "votes", len(members))
    if (votes < 0).any() or not votes.sum() > 0:
        raise ModelError("'votes' should be at least 0, and not all 0")
    errors = None if fields.value("errors") is None else _numbers(fields, "errors", len(members))
    if errors is not None and ((errors < 0).any() or (errors > 1).any()):
        raise ModelError("'errors' should be from 0 to 1")
    slope = None if fields.value("slope") is None else float(fields.get("slope", float))
    if slope is not None and slope < 0:
        raise ModelError("'slope' is a negative number")
    return {
        "members_": tuple(members),
        "vote_weights_": votes,
        "member_errors_": errors,
        "slope_": slope,
        "seed_": hexadecimal(fields.get("seed", str), "seed"),
        "oob_proba_": oob_proba(fields, schema.n_classes),
        "oob_score_": oob_score(fields),
        "_fingerprint": fields.get("fingerprint", str),
    }


def _numbers(fields: Fields, name: str, n: int) -> Any:
    """A number for each member."""
    values = [float(checked(value, float, fields.place_of(name))) for value in fields.get(name, list)]
    if len(values) != n:
        raise ModelError(f"'{fields.place_of(name)}' has {len(values)} numbers for {n} members")
    return np.array(values)
