"""Saved models of linked tables: how `ctree export` writes them."""

from __future__ import annotations

import argparse
from typing import Any

from ctree.errors import ParameterError
from ctree.wording import abbreviated_path


def export_relational(args: argparse.Namespace, model: Any, given: dict[str, Any]) -> str:
    """A model in the form that the options of `ctree export` ask for; only what was given is among them."""
    if args.to != "sql":
        raise ParameterError(f"{_named(args, model)} can be exported with --to sql only, and not to {args.to}")
    wrong = [name for name in given if name != "dialect"]
    if wrong:
        raise ParameterError(
            f"{_named(args, model)} is exported with the tables, keys and columns of its schema, and not with "
            f"--{wrong[0]}"
        )
    text: str = model.to_sql(**given)
    return text


def _named(args: argparse.Namespace, model: Any) -> str:
    return f"{abbreviated_path(args.model)}, a {type(model).__name__},"
