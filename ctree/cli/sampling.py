"""`ctree learn --method mcmc`: its options, its progress on a terminal, and runs that are stopped and go on."""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from ctree.cli.options import Group, number, warn, whole

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset
    from ctree.learners.mcmc.classifier import MCMCTreeClassifier

SAMPLING = {
    "strategy": "strategy",
    "unavailable": "unavailable",
    "tree_prior": "prior",
    "burn_in": "burn_in",
    "samples": "samples",
    "thin": "thin",
    "chains": "chains",
    "swap": "moves",
    "rule_step": "rule_step",
    "tempers": "tempers",
    "seed": "random_state",
    "resume": "",
    "save_every": "",
}
"""The options that are for this method alone, by the parameter of the learner that each sets, if any."""

SAVE_EVERY = 60.0
"""Seconds."""


def add_sampling_options(group: Group) -> None:
    """Add the options of this method; what is not given is left to the learner."""
    option = partial(group.add_argument, default=argparse.SUPPRESS)
    option(
        "--strategy",
        choices=("standard", "sweeping"),
        help="whether leaves of too few cases cannot be, or are swept away (default: standard)",
    )
    option(
        "--unavailable",
        choices=("reject", "resample", "resample-move"),
        help="a proposal that cannot be made counts as a step, or is made anew as in the paper, by any move or by the "
        "same (default: reject)",
    )
    option(
        "--tree-prior",
        choices=("denison", "chipman"),
        help="each number of leaves as likely, or the deeper the fewer tests (default: denison)",
    )
    for name, least, default, text in (
        ("--burn-in", 0, "50000", "steps of each chain before anything is kept"),
        ("--samples", 1, "2000", "trees that each chain keeps"),
        ("--thin", 1, "7", "steps from one of them to the next"),
        ("--chains", 1, "4", "chains"),
        ("--tempers", 1, "1", "temperatures of each chain"),
    ):
        option(name, type=whole(least=least), metavar="N", help=f"{text} (default: {default})")
    option("--swap", type=moves, metavar="P", help="swap two tests with this probability (default: never)")
    option(
        "--rule-step",
        type=number(above=0),
        metavar="S",
        help="move a threshold by about this share of all its thresholds (default: to any)",
    )
    option("--seed", type=whole(least=0), metavar="N", help="of the random numbers (default: another each time)")
    option("--resume", metavar="MODEL", help="go on with the chains of this model until they have all samples")
    option(
        "--save-every",
        type=number(above=0),
        metavar="S",
        help=f"with -o, save the model every so many seconds on the way (default: {SAVE_EVERY:g})",
    )


def moves(text: str) -> tuple[float, ...]:
    """An option's type: the probability of a swap, as those of all moves; change-rule has so much less."""
    swap = number(above=0, most=0.6)(text)
    return (0.1, 0.1, 0.2, 0.6 - swap, swap)


def sample(args: argparse.Namespace, model: MCMCTreeClassifier, data: Dataset) -> MCMCTreeClassifier:
    """Run the chains; after Ctrl-C the model that is returned has what they drew until then."""
    from ctree.store.json_model import save

    if hasattr(args, "resume"):
        model = _resumed(args)
    options: dict[str, Any] = {"progress": sys.stderr.isatty()}
    if args.output is not None:
        options |= {
            "checkpoint": lambda part: save(part, args.output),
            "checkpoint_every": getattr(args, "save_every", SAVE_EVERY),
        }
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit(data, **options)
    except KeyboardInterrupt:
        if args.output is not None and hasattr(model, "schema_"):
            save(model, args.output)
            warn(f"interrupted; what was drawn so far is in {args.output}, and --resume {args.output} goes on")
        raise
    for warning in said:
        warn(str(warning.message))
    return model


def _resumed(args: argparse.Namespace) -> MCMCTreeClassifier:
    """The model to go on with, which knows its own parameters but for how many trees it is to draw."""
    from ctree.errors import ModelError, ParameterError
    from ctree.learners.mcmc.classifier import MCMCTreeClassifier
    from ctree.store.json_model import load

    for name in (*SAMPLING, "min_cases"):
        if hasattr(args, name) and name not in ("resume", "samples", "save_every"):
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} cannot be given with --resume: the chains go on as they began")
    model = load(args.resume)
    if not isinstance(model, MCMCTreeClassifier):
        raise ModelError(f"{args.resume}: a {type(model).__name__} has no chains to go on with")
    samples, n_jobs = getattr(args, "samples", model.samples), getattr(args, "jobs", model.n_jobs)
    return model.set_params(warm_start=True, samples=samples, n_jobs=n_jobs)
