"""`ctree reproduce`: a paper's experiments, its figures beside those of ctree."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from textwrap import fill
from typing import Any

from ctree.cli.compare import add_running_options, cache_of
from ctree.cli.options import Subparsers, add_command
from ctree.cli.streams import warn
from ctree.errors import ParameterError
from ctree.wording import abbreviated, near_match, plural

PAPERS = {
    "cano2008": "Bayesian trees (Tables 1 to 3; --experiment whole, readings)",
    "fierens2005": "probability trees (Tables 2 to 7; --experiment times, classes, examples, skew, tests, relational, "
    "trains-examples, trains-skew)",
    "nijssen2008": "the average over all trees, the most probable one, J48 and C4.5 (--experiment artificial, bins)",
    "schetinin": "sampled trees (Tables 2 to 4)",
    "cestnik1990": "naive Bayes with three estimates of probability (Table 1)",
    "quinlan1996": "bagging and boosting of C4.5 (Table 1)",
}

MODULES = {name: f"{name}.experiments" for name in ("cano2008", "fierens2005", "nijssen2008")}
"""Where a paper that takes several modules has its experiments."""

DESCRIPTION = """\
Reproduce the experiments of a paper, with its own preprocessing and protocol, and print its figures beside those of
ctree, with the difference, how many agree, and whether its conclusions hold, as far as the results decide it. It says
which of the paper's data sets it found in DIR and which it did not. Results are saved as they come, so the same command
continues where it was stopped."""

EXAMPLES = "\n".join(
    [
        "papers:",
        *(fill(f"  {name:<12} {what}", 110, subsequent_indent=" " * 15) for name, what in PAPERS.items()),
        f"  {'all':<12} one after the other",
        "",
        "examples:",
        "  ctree reproduce cestnik1990 --data data",
        "  ctree reproduce cano2008 --data data --quick -j 2",
        "  ctree reproduce fierens2005 --data data --experiment skew --format markdown",
    ]
)


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "reproduce", "PAPER --data DIR", DESCRIPTION, EXAMPLES)
    parser.add_argument("paper", metavar="PAPER", choices=(*PAPERS, "all"), help=", ".join((*PAPERS, "all")))
    parser.add_argument(
        "--data",
        required=True,
        metavar="DIR",
        help="where the data sets are: C4.5, .arff or .csv files, or folders with schema.json",
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller experiments, in minutes")
    parser.add_argument(
        "--experiment", metavar="NAME", help="one of the further experiments, see below, instead of the tables"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format", choices=("text", "markdown"), default="text", help="form of the tables (default: %(default)s)"
    )
    output.add_argument("--details", action="store_true", help="show the results on every data set as well")
    add_running_options(parser.add_argument_group("running"))


def run(args: argparse.Namespace) -> int:
    """Do what the options say."""
    from ctree.evaluate.papers.lab import Lab

    papers = list(PAPERS) if args.paper == "all" else [args.paper]
    modules: dict[str, Any] = {
        name: import_module(f"ctree.evaluate.papers.{MODULES.get(name, name)}") for name in papers
    }
    _check(args, modules)
    cache = cache_of(args)
    for place, module in enumerate(modules.values()):
        lab = Lab(args.data, args.quick, args.experiment, cache, args.jobs, sys.stderr.isatty())
        try:
            report = module.run(lab)
        except KeyboardInterrupt:
            if cache is not None:
                kept = f"{plural(len(cache), 'result')} in {cache.file}"
                warn(f"interrupted; {kept}, and the same command goes on from there")
            raise
        text = report.to_markdown(args.details) if args.format == "markdown" else report.to_text(args.details)
        print(("\n" if place else "") + text, flush=True)
    return 0


def _check(args: argparse.Namespace, modules: dict[str, Any]) -> None:
    if args.experiment is None:
        return
    if args.paper == "all":
        raise ParameterError("--experiment needs one paper, not all")
    known = modules[args.paper].EXPERIMENTS
    if args.experiment not in known:
        there = f"has {', '.join(known)}" if known else "has none"
        hint = near_match(args.experiment, known)
        raise ParameterError(f"there is no experiment '{abbreviated(args.experiment)}'{hint}: {args.paper} {there}")
