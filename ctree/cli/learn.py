"""`ctree learn`: its options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Sequence

from ctree.cli.csv_options import add_csv_options, add_kind_options
from ctree.cli.learner_options import (
    add_learner_options,
    add_parameters,
    explain_misspelt,
    explain_unknown,
    given_parameters,
    methods_text,
)
from ctree.cli.options import (
    OPTIONS,
    HelpFormatter,
    Subparsers,
    add_command,
    add_reading_options,
    memory_size,
    names,
    number,
)
from ctree.cli.outputs import add_force
from ctree.cli.relational import (
    SOURCES,
    add_linked_reading_options,
    add_relational_flag,
    explain_other_data,
    is_asked_for,
)
from ctree.errors import ParameterError
from ctree.learners.registry import committees_for, methods_for

DESCRIPTION = """\
Learn from cases, print what was learned, its size, and its errors on the training cases and, if there are any, on test
cases. SOURCE is the stem of C4.5 files (golf stands for golf.names, golf.data and, if they are there, golf.test and
golf.costs, which says what errors cost), or a .csv, .tsv or .arff file; or Parquet files: one, a folder, or a pattern
in quotes. In a tree, (n/e) after a leaf means that n training cases reach it, of which e are of another class; where
C4.5 has pruned by estimated errors, e is the estimate instead, for n new cases (with --variant j48, e is counted)."""

EXAMPLES = """\
examples:
  ctree learn examples/golf
  ctree learn examples/golf --estimate laplace -o golf.json
  ctree learn examples/golf --committee boosting --members 10 --seed 1
  ctree learn examples/golf --costs play.costs --class-weight costs
  ctree learn cars.csv --class origin --test more-cars.csv --min-cases 5 --json
  ctree learn sales.parquet --class returned --method bic-stop --memory 2GB --checkpoint top.json
  ctree learn "sales/*.parquet" --class returned --engine dask --scheduler tcp://node:8786
  ctree learn --relational --help            the methods and options for linked tables"""

LINKED_DESCRIPTION = """\
Learn from linked tables, one of which has the examples and their class, and print the tree, its size, and its errors on
the training examples and, if there are any, on test examples. SOURCE is a schema.json, which names the files of the
tables, the folder that it is in, or a database of SQLite or DuckDB, which declares keys and foreign keys itself."""

LINKED_EXAMPLES = """\
examples:
  ctree learn --relational examples/shop --method bic-prune --lookahead 1 -o shop.json
  ctree learn --relational examples/shop/schema.json --test later/schema.json --json
  ctree learn --relational shop.db --target customer.left --kinds customer.postcode=discrete --describe
  ctree learn --relational examples/shop --links order.product=none --aggregates count,mean
  ctree learn --relational examples/shop --committee bagging --members 50 --seed 1
  ctree learn --relational --method chi2 --help      the options of that method"""

DEFAULT_METHOD = {False: "c4.5", True: "c4.4"}
"""By whether the data are linked tables."""

SAVE_EVERY = 60.0
"""Seconds."""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand, for the kind of data and the method that the arguments name.

    The help is about files and methods, or, where a method is named, about the options of that.
    """
    relational = is_asked_for(arguments)
    methods = methods_for(relational)
    named = _named(arguments, "--method", methods)
    committees = committees_for(relational)
    committee = _named(arguments, "--committee", committees)
    is_about_method = named is not None or committee is not None
    method = named or (DEFAULT_METHOD[relational] if committee is None else committees[committee].usual)
    start = "ctree learn --relational" if relational else "ctree learn"
    description, examples = (LINKED_DESCRIPTION, LINKED_EXAMPLES) if relational else (DESCRIPTION, EXAMPLES)
    if is_about_method:
        description = f"--method {method}: {methods[method].summary}. "
        description += f"{start} --help lists the methods, and tells how data are read."
        example = f"  {start} examples/{'shop' if relational else 'golf'} --method {method}"
        examples = _examples_of(examples, f"--method {method}", f"--committee {committee}", example)
    parser = add_command(subparsers, "learn", "--relational SOURCE" if relational else "SOURCE", description, examples)
    _add_main_options(parser, relational, method)
    parser.set_defaults(is_method_named=named is not None)
    if not is_about_method:
        pointer = f"  {start} --method {method} --help shows the options of that method, and so for the others"
        parser.add_argument_group("methods", f"{methods_text(methods)}\n\n{pointer}")
        if not relational:
            pointer = f"  {start} --committee boosting --help shows the options of that committee"
            parser.add_argument_group("committees", f"{methods_text(committees)}\n{pointer}")
    learner, title = methods[method], f"options of --method {method}"
    if committee is not None:
        title = f"{title} and --committee {committee}"
        learner = committees[committee].of_usual() if named is None else committees[committee].of(learner)
    groups = [parser.add_argument_group(title)]
    add_learner_options(groups[0], learner)
    if getattr(methods[method].learner_class(), "resumable", False):
        groups.append(parser.add_argument_group("long runs"))
        _add_resuming_options(groups[-1])
    others = _add_reading_groups(parser, relational)
    for group in others if is_about_method else groups:
        for action in group._group_actions:
            action.help = argparse.SUPPRESS
    if relational and not is_about_method and is_help(arguments):
        for name, one in committees.items():  # without --committee they are refused, with what they are for
            own = {key: value for key, value in one.own_parameters().items() if key not in learner.parameters()}
            add_parameters(parser.add_argument_group(f"options of --committee {name}"), own)


def is_help(arguments: Sequence[str]) -> bool:
    """Whether the arguments ask for help only."""
    return any(word in ("-h", "--help") for word in arguments)


def _examples_of(examples: str, method: str, committee: str, instead: str) -> str:
    """The examples that have one of these options, or another one if none has."""
    head, *lines = examples.splitlines()
    found = [line for line in lines if f" {method} " in f"{line} " or f" {committee} " in line]
    return "\n".join([head, *([line for line in found if "--help" not in line] or [instead])])


def _add_main_options(parser: argparse.ArgumentParser, relational: bool, method: str) -> None:
    """What most people need, with the method that is taken if none is named."""
    kinds = SOURCES if relational else "stem of C4.5 files, a .csv or .arff file, or Parquet files"
    parser.add_argument("source", metavar="SOURCE", help=kinds)
    parser.add_argument(
        "--method",
        choices=methods_for(relational),
        default=method,
        metavar="NAME",
        help="how to learn; each method has options of its own (default: %(default)s)",
    )
    several = "learn many trees of the method, which decide together"
    if relational:
        several = "learn many trees of the method: bagging averages trees learned from examples drawn with replacement"
    parser.add_argument("--committee", choices=committees_for(relational), metavar="NAME", help=several)
    parser.add_argument("-o", "--output", metavar="MODEL", help="save the model to this JSON file")
    add_force(parser)
    if relational:
        parser.add_argument("--test", metavar="SOURCE", help="linked tables with the examples to test on")
    else:
        test = "test cases (default: the .test file of a stem, if there is one)"
        parser.add_argument("--test", metavar="FILE", help=test)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    if relational:
        parser.add_argument("--describe", action="store_true", help="show tables, links and unknown values first")
    add_relational_flag(parser, "SOURCE is")


def _add_reading_groups(parser: argparse.ArgumentParser, relational: bool) -> list[argparse._ArgumentGroup]:
    """The options of how data are read."""
    if relational:
        tables = parser.add_argument_group("how tables are read")
        add_linked_reading_options(tables)
        return [tables]
    files, large = parser.add_argument_group("how files are read"), parser.add_argument_group("large files")
    add_reading_options(files, parquet=True)
    add_csv_options(files, ignore=False)
    add_kind_options(files)
    _add_ignore(files)
    _add_scanning_options(large)
    return [files, large]


def _add_ignore(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--ignore",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="columns of .csv and Parquet files to leave out",
    )


def _add_scanning_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--memory",
        type=memory_size,
        metavar="SIZE",
        help="go through the cases pass by pass, with about so much memory, such as 500MB (default: read them all; for "
        "Parquet files 2GB); what fits is learned in memory",
    )
    group.add_argument(
        "--weights",
        metavar="NAME",
        help="the column of what each case counts, of Parquet files and, with --memory, .csv files (default: every "
        "case counts one)",
    )
    group.add_argument(
        "--engine",
        choices=("local", "dask"),
        default="local",
        help="what reads Parquet files: threads of this process, or the workers of Dask (default: %(default)s)",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --engine dask, a scheduler such as tcp://node:8786 whose workers can read the files (default: "
        "workers on this machine, one for each core)",
    )
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="where the cases do not fit into --memory, save the tree to this file level by level; if the command is "
        "ended, the same command goes on from there, and removes the file when it is done",
    )


def _add_resuming_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="MODEL",
        help="continue a saved run until it has all its samples (default: the run in the file of -o; a new one begins "
        "if there is none yet); the settings of the run may be left out or repeated, but not changed",
    )
    group.add_argument(
        "--save-every",
        type=number(above=0),
        default=SAVE_EVERY,
        metavar="S",
        help="with -o, save the model every so many seconds on the way (default: %(default)g)",
    )


def _named(arguments: Sequence[str], option: str, known: Container[str]) -> str | None:
    """What the arguments give an option, before they are parsed: other options depend on it."""
    parser = argparse.ArgumentParser(
        add_help=False, allow_abbrev=False, exit_on_error=False, formatter_class=HelpFormatter
    )
    parser.add_argument(option, dest="name")
    try:
        name = parser.parse_known_args(list(arguments))[0].name
    except argparse.ArgumentError:  # which the whole parser will explain
        return None
    return name if name in known else None


def unknown_option(args: argparse.Namespace, extras: Sequence[str]) -> str | None:
    """What to say about arguments that the parser did not take."""
    return (
        explain_other_data(args.relational, extras)
        or explain_unknown(args.method, extras, args.relational, getattr(args, OPTIONS))
        or explain_misspelt(args.method, extras, getattr(args, OPTIONS), args.relational)
    )


def _run_to_resume(args: argparse.Namespace) -> str | None:
    """The file of the run that goes on; None if one is to begin."""
    resume: str | None = getattr(args, "resume", None)
    if resume == "" and args.output is None:
        raise ParameterError("--resume needs the file of the run, as -o does not name it")
    file = args.output if resume == "" else resume
    if file is None:
        return None
    begun = os.path.exists(file) and (os.path.getsize(file) > 0 or not os.path.isfile(file))
    is_new = args.output is not None and os.path.realpath(file) == os.path.realpath(args.output)
    return None if is_new and not begun else file


def run(args: argparse.Namespace) -> int:
    """Learn as the options say."""
    given = given_parameters(args)
    args.resume = _run_to_resume(args)
    if args.resume is not None:
        from ctree.cli.learning import resumed_model

        model = resumed_model(args.resume, given)
    else:
        method = methods_for(args.relational)[args.method]
        if args.committee is not None:
            committee = committees_for(args.relational)[args.committee]
            method = committee.of(method) if args.is_method_named else committee.of_usual()
        model = method.make(given)
    from ctree.cli.learning import learn

    learn(args, model)
    return 0
