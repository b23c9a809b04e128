"""Saved models, told apart by what they were learned from."""

from __future__ import annotations

from typing import Any

from ctree.errors import CtreeError
from ctree.learners.registry import is_relational
from ctree.store.json_model import load
from ctree.wording import abbreviated_path


def load_plain(file: str, instead: str) -> Any:
    """A model for tables of cases; one for linked tables is refused, with what there is to do instead."""
    model = load(file)
    if is_relational(model):
        raise CtreeError(
            f"{abbreviated_path(file)}: a {type(model).__name__} was learned from linked tables; {instead}"
        )
    return model


def load_relational(file: str) -> Any:
    """A model for linked tables; any other is refused."""
    model = load(file)
    if not is_relational(model):
        raise CtreeError(
            f"{abbreviated_path(file)}: a {type(model).__name__} was learned from a table of cases, not from linked "
            "tables; leave out --relational"
        )
    return model
