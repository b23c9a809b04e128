"""`ctree learn --method mcmc`: its options, its progress on a terminal, and runs that are stopped and go on."""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import TYPE_CHECKING, Any

from ctree.cli.options import number, warn, whole

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset
    from ctree.learners.chain_runs import Progress
    from ctree.learners.mcmc import MCMCTreeClassifier

SAMPLING = (
    "strategy",
    "unavailable",
    "tree_prior",
    "burn_in",
    "samples",
    "thin",
    "chains",
    "swap",
    "rule_step",
    "tempers",
    "seed",
    "resume",
    "save_every",
)
"""The options that are for this method alone."""

BAR = 24
MOST_WIDTH = 100


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this method."""
    group = parser.add_argument_group("sampling, with --method mcmc")
    group.add_argument(
        "--strategy",
        choices=("standard", "sweeping"),
        default="standard",
        help="whether leaves of too few cases cannot be, or are swept away (default: %(default)s)",
    )
    group.add_argument(
        "--unavailable",
        choices=("reject", "resample"),
        default="reject",
        help="a proposal that cannot be made counts as a step, or is made anew as in the paper (default: %(default)s)",
    )
    group.add_argument(
        "--tree-prior",
        choices=("denison", "chipman"),
        default="denison",
        help="each number of leaves as likely, or the deeper the fewer tests (default: %(default)s)",
    )
    for option, least, default, text in (
        ("--burn-in", 0, 50_000, "steps of each chain before anything is kept"),
        ("--samples", 1, 2_000, "trees that each chain keeps"),
        ("--thin", 1, 7, "steps from one of them to the next"),
        ("--chains", 1, 4, "chains"),
        ("--tempers", 1, 1, "temperatures of each chain"),
    ):
        group.add_argument(
            option, type=whole(least=least), default=default, metavar="N", help=f"{text} (default: %(default)s)"
        )
    group.add_argument(
        "--swap",
        type=number(above=0, most=0.6),
        metavar="P",
        help="swap two tests with this probability (default: never)",
    )
    group.add_argument(
        "--rule-step",
        type=number(above=0),
        metavar="S",
        help="move a threshold by about this share of all its thresholds (default: to any)",
    )
    group.add_argument(
        "--seed", type=whole(least=0), metavar="N", help="of the random numbers (default: another each time)"
    )
    group.add_argument(
        "--resume", metavar="MODEL", help="go on with the chains of this model until they have all samples"
    )
    group.add_argument(
        "--save-every",
        type=number(above=0),
        default=60.0,
        metavar="S",
        help="with -o, save the model every so many seconds on the way (default: %(default)s)",
    )


def sampler(args: argparse.Namespace) -> MCMCTreeClassifier:
    """The learner that the options ask for."""
    from ctree.learners.mcmc import MCMCTreeClassifier

    swap = args.swap or 0.0
    return MCMCTreeClassifier(
        strategy=args.strategy,
        unavailable=args.unavailable,
        prior=args.tree_prior,
        min_cases=args.min_cases,
        burn_in=args.burn_in,
        samples=args.samples,
        thin=args.thin,
        chains=args.chains,
        moves=(0.1, 0.1, 0.2, 0.6 - swap, swap),
        rule_step=args.rule_step,
        tempers=args.tempers,
        random_state=args.seed,
        n_jobs=args.jobs,
    )


def sample(args: argparse.Namespace, model: MCMCTreeClassifier, data: Dataset) -> MCMCTreeClassifier:
    """Run the chains; after Ctrl-C the model that is returned has what they drew until then."""
    from ctree.store.json_model import save

    if args.resume is not None:
        model = _resumed(args)
    line = ProgressLine() if sys.stderr.isatty() else None
    options: dict[str, Any] = {} if line is None else {"watch": line.show}
    if args.output is not None:
        options |= {"checkpoint": lambda part: save(part, args.output), "checkpoint_every": args.save_every}
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit(data, **options)
    except KeyboardInterrupt:
        if line is not None:
            line.end()
        if args.output is not None:
            save(model, args.output)
            warn(f"interrupted; what was drawn so far is in {args.output}, and --resume {args.output} goes on")
        raise
    if line is not None:
        line.end()
    for warning in said:
        warn(str(warning.message))
    return model


def _resumed(args: argparse.Namespace) -> MCMCTreeClassifier:
    """The model to go on with, which knows its own parameters but for how many trees it is to draw."""
    from ctree.errors import ModelError
    from ctree.learners.mcmc import MCMCTreeClassifier
    from ctree.store.json_model import load

    model = load(args.resume)
    if not isinstance(model, MCMCTreeClassifier):
        raise ModelError(f"{args.resume}: a {type(model).__name__} has no chains to go on with")
    samples = model.samples if args.samples == args.defaults["samples"] else args.samples
    return model.set_params(warm_start=True, samples=samples, n_jobs=args.jobs)


class ProgressLine:
    """One line on a terminal that says how far the chains are."""

    def __init__(self) -> None:
        self._shown = ""

    def show(self, progress: Progress) -> None:
        full = round(BAR * progress.done / max(progress.total, 1))
        text = f"{progress.phase:<8} [{'#' * full}{'.' * (BAR - full)}] {progress.rate:,.0f} proposals/s"
        if progress.log_likelihood is not None:
            text += f", log-likelihood {progress.log_likelihood:.1f}, {progress.leaves:.1f} leaves"
        print("\r" + text[:MOST_WIDTH].ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        self._shown = text[:MOST_WIDTH]

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr, flush=True)
            self._shown = ""
