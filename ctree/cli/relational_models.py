"""Saved models of linked tables: how `ctree show` shows them and `ctree export` writes them."""

from __future__ import annotations

import argparse
from typing import Any

from ctree.cli.learner_options import option_name
from ctree.errors import ParameterError
from ctree.wording import abbreviated_path

NOT_SHOWN = {"dot": False, "html": None, "plot": None, "max_depth": None}
"""Options of what only trees of one table can be shown as, each with what it is if it is not given."""


def show_relational(args: argparse.Namespace, model: Any) -> None:
    """Show a model as the options of `ctree show` say."""
    wrong = [name for name, missing in NOT_SHOWN.items() if getattr(args, name) is not missing]
    if wrong:
        how = "as text (--form words, logic or prolog)"
        raise ParameterError(f"{_named(args, model)} is shown {how}, and not with {option_name(wrong[0])}")
    print(model.to_text(args.form or "words"))


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
