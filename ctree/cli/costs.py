"""What errors cost, on the command line: --costs, and C5.0's .costs file beside the .names file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ctree.cli.inputs import form_of
from ctree.cli.learner_options import PREFIX
from ctree.data.costs import cost_matrix
from ctree.data.files.c45_files import stem_of
from ctree.data.files.costs_files import read_costs
from ctree.data.schema import Label
from ctree.wording import abbreviated_path, plural


def costs_beside(source: str) -> str | None:
    """The .costs file that belongs to C4.5 files, if there is one."""
    if form_of(source) != "c4.5":
        return None
    file = stem_of(source) + ".costs"
    return file if os.path.isfile(file) else None


def costs_files(args: argparse.Namespace) -> list[str]:
    """The files that say what errors cost, none of which is to be written over."""
    given = getattr(args, PREFIX + "costs", None)
    files = [getattr(given, "file", None), costs_beside(args.source)]
    return [file for file in files if file is not None]


def take_costs(args: argparse.Namespace, model: Any, classes: Sequence[Label]) -> None:
    """Give a learner the costs of the file beside its cases, unless it was given others, or none; check what it has.

    A run that goes on has its own.
    """
    learner = _holder(model)
    if learner is None:
        return
    is_open = not hasattr(args, PREFIX + "costs") and getattr(args, "resume", None) is None
    if is_open and not args.relational and (file := costs_beside(args.source)) is not None:
        learner.set_params(costs=read_costs(file))
    if learner.costs is not None:
        cost_matrix(learner.costs, classes)


def _holder(model: Any) -> Any:
    """The learner that has the costs: of a committee that of its members."""
    return next((one for one in (model, getattr(model, "learner", None)) if hasattr(one, "costs")), None)


def costs_text(model: Any) -> list[str]:
    """What is done with costs, for a person; nothing without any."""
    learner = _holder(model)
    costs = getattr(learner, "costs", None)
    if costs is None:
        return []
    file = getattr(costs, "file", None)
    given = "costs" if file is None else f"{abbreviated_path(file)}: {plural(len(costs), 'cost')}, other errors cost 1"
    weighed = ""
    if learner.class_weight is None:
        weighed = " (--class-weight costs: grow with them as well)"
    elif isinstance(learner.class_weight, str) and learner.class_weight == "costs":
        weighed = ", and cases weigh what errors on their class cost"
    return [f"{given}; the class of least expected cost is predicted{weighed}"]


def costs_facts(model: Any) -> dict[str, Any]:
    """The same for a program: true classes are rows."""
    costs = getattr(_holder(model), "costs", None)
    return {"file": getattr(costs, "file", None), "matrix": model.costs_.tolist()}
