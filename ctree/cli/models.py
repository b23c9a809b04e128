"""Saved models, told apart by what they were learned from."""

from __future__ import annotations

from typing import Any

from ctree.errors import CtreeError, ParameterError
from ctree.learners.registry import is_relational
from ctree.store.json_model import load
from ctree.wording import abbreviated_path


def member_of(model: Any, number: int, file: str) -> Any:
    """A member of a committee, or one of the trees that were sampled."""
    members = getattr(model, "members_", None)
    if members is None:
        members = getattr(model, "trees_", None)
    if members is None:
        raise ParameterError(f"--member is for committees of trees, and {abbreviated_path(file)} is none")
    if number >= len(members):
        raise ParameterError(f"{abbreviated_path(file)}: there is no member {number}, only 0 to {len(members) - 1}")
    return members[number]


def load_plain(file: str, instead: str) -> Any:
    """A model for tables of cases; one for linked tables is refused, with what there is to do instead."""
    model = load(file)
    if is_relational(model):
        raise CtreeError(f"{abbreviated_path(file)}: this model was learned from linked tables; {instead}")
    return model


def load_relational(file: str) -> Any:
    """A model for linked tables; any other is refused."""
    model = load(file)
    if not is_relational(model):
        raise CtreeError(
            f"{abbreviated_path(file)}: this model was learned from a table of cases, not from linked tables; "
            "leave out --relational"
        )
    return model
