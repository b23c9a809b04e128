"""`ctree learn`: its options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ctree.cli.learner_options import add_learner_options, explain_unknown, given_parameters, methods_text, option_name
from ctree.cli.options import Subparsers, add_command, add_reading_options, number
from ctree.errors import ParameterError
from ctree.learners.registry import METHODS

DESCRIPTION = """\
Learn from cases, print what was learned, its size, and its errors on the training cases and, if there are any, on test
cases. SOURCE is the stem of C4.5 files (golf stands for golf.names, golf.data and, if it is there, golf.test), or a
.csv or .arff file. In a tree, (n/e) after a leaf means that n training cases reach it, of which e are wrong; with
pruning by estimated errors, e are expected to be wrong among as many new cases (but not as J48)."""

EXAMPLES = """\
examples:
  ctree learn examples/golf
  ctree learn examples/golf --estimate laplace -o golf.json
  ctree learn examples/golf --method c4.5rules
  ctree learn examples/golf --method bic-prune --no-binary-splits
  ctree learn examples/golf --method bayesian --averaging prunings
  ctree learn examples/golf --method bayes-optimal --max-depth 3
  ctree learn examples/golf --method mcmc --min-cases 1 --seed 1
  ctree learn cars.csv --class origin --test more-cars.csv --min-cases 5 --json
  ctree learn --method mcmc --help           the options of that method"""

DEFAULT_METHOD = "c4.5"
SAVE_EVERY = 60.0
"""Seconds."""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand, and those of the method that the arguments name."""
    method = _named_method(arguments)
    epilog = f"methods:\n{methods_text(METHODS)}\n\n{EXAMPLES}"
    parser = add_command(subparsers, "learn", "SOURCE", DESCRIPTION, epilog)
    parser.add_argument("source", metavar="SOURCE", help="stem of C4.5 files, or a .csv or .arff file")
    data = parser.add_argument_group("data")
    data.add_argument("--test", metavar="FILE", help="test cases (default: the .test file of a stem, if there is one)")
    add_reading_options(data)
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=DEFAULT_METHOD,
        metavar="NAME",
        help="how to learn, see below; each method has options of its own (default: %(default)s)",
    )
    add_learner_options(parser.add_argument_group(f"options of --method {method}"), METHODS[method])
    if METHODS[method].learner_class().resumable:
        _add_resuming_options(parser.add_argument_group("long runs"))
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="MODEL", help="save the model to this JSON file")
    output.add_argument("--json", action="store_true", help="print the results as JSON")


def _add_resuming_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--resume", metavar="MODEL", help="continue a saved run until it has all its samples")
    group.add_argument(
        "--save-every",
        type=number(above=0),
        default=SAVE_EVERY,
        metavar="S",
        help="with -o, save the model every so many seconds on the way (default: %(default)g)",
    )


def _named_method(arguments: Sequence[str]) -> str:
    """The method that the arguments name, before they are parsed: the options depend on it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--method", default=DEFAULT_METHOD)
    try:
        method = str(parser.parse_known_args(list(arguments))[0].method)
    except argparse.ArgumentError:  # which the whole parser will explain
        return DEFAULT_METHOD
    return method if method in METHODS else DEFAULT_METHOD


def unknown_option(args: argparse.Namespace, extras: Sequence[str]) -> str | None:
    """What to say about arguments that the parser did not take."""
    return explain_unknown(args.method, extras)


def run(args: argparse.Namespace) -> int:
    """Learn as the options say."""
    given = given_parameters(args)
    if getattr(args, "resume", None) is not None:
        wrong = [name for name in given if name not in ("samples", "n_jobs")]
        if wrong:
            raise ParameterError(f"{option_name(wrong[0])} cannot be given with --resume: the run keeps its settings")
        from ctree.cli.learning import resumed_model

        model = resumed_model(args.resume, given)
    else:
        model = METHODS[args.method].make(given)
    from ctree.cli.learning import learn

    learn(args, model)
    return 0
