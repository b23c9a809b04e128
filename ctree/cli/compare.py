"""`ctree compare`: its options, and the table it prints."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ctree.cli.csv_options import add_csv_options
from ctree.cli.options import (
    Subparsers,
    add_command,
    add_reading_options,
    add_safe_csv,
    integer,
    names,
    number,
    threads,
)
from ctree.cli.outputs import add_force, check_outputs, picture_output
from ctree.cli.relational import (
    SOURCES,
    add_linked_reading_options,
    add_relational_flag,
    explain_other_data,
    is_asked_for,
)
from ctree.cli.streams import warn
from ctree.errors import ParameterError
from ctree.learners.registry import METHODS, RELATIONAL_METHODS, methods_for
from ctree.wording import abbreviated, abbreviated_list, near_match, plural

if TYPE_CHECKING:
    from ctree.evaluate.comparison import Comparison
    from ctree.evaluate.tables import MeasureTable

DESCRIPTION = """\
Compare methods on data sets with the same splits into training and test cases, and print a table for each measure: a
row for each data set, a column for each method, + and - where a method is significantly better or worse than the first
one (or the one that --reference names), averages, and wins, ties and losses. Results are saved as they come, so the
same command continues where it was stopped. SOURCE is the stem of C4.5 files, whose .test file is not used, or a .csv
or .arff file; with --relational, linked tables."""

EXAMPLES = f"""\
examples:
  ctree compare examples/golf --method c4.5,naive-bayes --folds 7
  ctree compare iris.csv glass.csv --method 'c4.5,laplace=c4.5(estimate=laplace),bayesian' --measure accuracy,brier
  ctree compare iris.csv --method c4.5,sklearn.tree:DecisionTreeClassifier --format markdown
  ctree compare *.names --method c4.5,c4.4,bic-prune -j 2 --plot comparison.png
  ctree compare iris.csv --curve 20,40,80 --holdout 0.3
  ctree compare examples/golf --method 'c4.5,c4.5(costs=play.costs)' --costs play.costs --measure cost,kappa --folds 5
  ctree compare --relational examples/shop --method 'c4.4,bic-prune,c4.4(lookahead=1)' --measure auc,leaves

{fill(f"methods: {', '.join(METHODS)};", 110, subsequent_indent="  ", break_on_hyphens=False)}
  for linked tables: {", ".join(RELATIONAL_METHODS)},
  or a committee, as in c4.4(committee=bagging, members=50);
  a method may have parameters, as in c4.5(estimate=laplace, m=1), and a name for the tables, as in big=c4.5(...);
  any class with fit and predict can be given as module:Class, for instance sklearn.ensemble:RandomForestClassifier
measures: accuracy, log-likelihood, zeros, brier, auc, kappa, cost, least-cost, nodes, leaves, depth,
  confident-correct, confident-incorrect, uncertain, acceptance, fit-seconds, predict-seconds"""

DEFAULT_METHODS = {False: "c4.5,c4.4,bic-prune,bayesian,naive-bayes", True: "c4.4,c4.5,bic-prune"}
"""By whether the data are linked tables."""

PARAMETERS_ARE_TYPED = True
"""Within the parentheses of --method, by the names that they have in Python."""

DEFAULT_MEASURES = ["accuracy", "log-likelihood"]
"""And cost, where it is known what errors cost."""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    relational = is_asked_for(arguments)
    parser = add_command(subparsers, "compare", "SOURCE...", DESCRIPTION, EXAMPLES)
    kinds = SOURCES if relational else "stem of C4.5 files, or a .csv or .arff file"
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=kinds)
    default = DEFAULT_METHODS[relational]
    parser.add_argument(
        "--method", default=default, metavar="A,B", help="the methods to compare (default: %(default)s)"
    )
    data = parser.add_argument_group("data")
    add_relational_flag(data, "each SOURCE is")
    (add_linked_reading_options if relational else add_reading_options)(data)
    if not relational:
        add_csv_options(data)
    protocol = parser.add_argument_group("protocol")
    protocol.add_argument(
        "--folds", type=integer(least=2), metavar="N", help="number of stratified folds (default: 10)"
    )
    protocol.add_argument(
        "--repeats", type=integer(least=1), default=10, metavar="N", help="number of repetitions (default: %(default)s)"
    )
    protocol.add_argument(
        "--holdout",
        type=number(above=0, most=0.999999),
        metavar="SHARE",
        help="instead of folds, random splits with this share of test cases",
    )
    protocol.add_argument(
        "--curve",
        type=sizes,
        metavar="N,N",
        help="learning curves with these training set sizes, on random splits with 0.3 of the cases for testing, or "
        "with the share of --holdout",
    )
    protocol.add_argument(
        "--seed", type=integer(least=0), default=1, metavar="N", help="random seed of the splits (default: 1)"
    )
    if not relational:
        protocol.add_argument("--impute", action="store_true", help="replace unknown values by the mode or the mean")
        protocol.add_argument(
            "--bins", type=integer(least=1), metavar="N", help="put all continuous attributes into N bins"
        )
    judging = parser.add_argument_group("measures and significance")
    judging.add_argument(
        "--measure",
        type=names,
        metavar="A,B",
        help="what to measure, a table each, see below (default: accuracy,log-likelihood, and with costs also cost)",
    )
    judging.add_argument(
        "--costs",
        metavar="FILE",
        help="what errors cost, for the measures cost (of the predicted classes) and least-cost (of the classes of "
        "least expected cost, by the probabilities): a .costs or .csv file, or none (default: the .costs file of a "
        "stem, if there is one)",
    )
    judging.add_argument(
        "--deviations", action="store_true", help="show the standard deviations over the splits beside the means"
    )
    judging.add_argument(
        "--reference", metavar="NAME", help="the method that others are compared with (default: the first)"
    )
    judging.add_argument(
        "--test",
        choices=("corrected", "paired"),
        default="corrected",
        help="corrected resampled t-test, or plain paired t-test (default: %(default)s)",
    )
    judging.add_argument(
        "--significance",
        type=number(above=0, most=0.999999),
        default=0.05,
        metavar="P",
        help="significance level (default: %(default)s)",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=("text", "markdown", "latex", "csv", "json"),
        default="text",
        help="form of the tables (default: %(default)s)",
    )
    add_safe_csv(output)
    output.add_argument(
        "--plot",
        metavar="FILE",
        help="draw ranks, and log-loss against accuracy, to this file; the suffix decides the format (.png, .pdf, …)",
    )
    add_force(output)
    add_running_options(parser.add_argument_group("running"))


def add_running_options(group: argparse._ArgumentGroup) -> None:
    """The options of how long experiments are run."""
    group.add_argument(
        "-j", "--jobs", type=threads, default=1, metavar="N", help="processes, -1 for all cores (default: %(default)s)"
    )
    group.add_argument(
        "--cache",
        metavar="DIR",
        help="folder in which results are saved (default: ctree in the user's cache, ~/.cache)",
    )
    group.add_argument("--no-cache", action="store_true", help="neither save results nor reuse saved ones")
    group.add_argument("--fresh", action="store_true", help="compute all results again, and save them")


def sizes(text: str) -> list[int]:
    """An option's type: whole numbers with commas between them."""
    return [integer(least=1)(part) for part in names(text)]


def unknown_option(args: argparse.Namespace, extras: Sequence[str]) -> str | None:
    """What to say about arguments that the parser did not take."""
    return explain_other_data(args.relational, extras)


def run(args: argparse.Namespace) -> int:
    """Compare as the options say."""
    from ctree.cli.compare_sets import costs_of_sets, named_sets
    from ctree.evaluate.candidates import parsed_candidates
    from ctree.evaluate.comparison import compare
    from ctree.evaluate.preparation import Preparation

    learners = parsed_candidates(args.method, methods_for(args.relational))
    _check(args, [c.name for c in learners])
    protocol = _protocol(args)
    sets = named_sets(args)
    costs = costs_of_sets(args, list(sets))
    args.measure = args.measure or [*DEFAULT_MEASURES, *(["cost"] if costs else [])]
    _check_costs(args, costs)
    cache = cache_of(args)
    try:
        result = compare(
            sets,
            learners,
            protocol=protocol,
            preparation=Preparation() if args.relational else Preparation(args.impute, args.bins),
            cache=cache,
            n_jobs=args.jobs,
            seed=args.seed,
            progress=sys.stderr.isatty(),
            costs=costs or None,
        )
    except KeyboardInterrupt:
        if cache is not None:
            warn(
                f"interrupted; {plural(len(cache), 'result')} in {cache.file}, and the same command goes on from there"
            )
        raise
    _print(args, result)
    return 0


def cache_of(args: argparse.Namespace) -> Any:
    """Where results are kept, if they are."""
    from ctree.evaluate.cache import ResultCache, default_folder

    if args.no_cache:
        if args.cache is not None or args.fresh:
            raise ParameterError("--no-cache cannot be combined with --cache or --fresh")
        return None
    return ResultCache(default_folder() if args.cache is None else args.cache, fresh=args.fresh)


def _check(args: argparse.Namespace, learners: list[str]) -> None:
    """Refuse what would only be found wrong when all is computed."""
    from ctree.cli.compare_sets import files_of_sets
    from ctree.evaluate.measures import check_measure

    for measure in args.measure or ():
        check_measure(measure)
    if args.measure is not None and not args.measure:
        raise ParameterError("--measure needs a measure")
    if args.reference is not None and args.reference not in learners:
        raise ParameterError(
            f"the reference '{abbreviated(args.reference)}' is not among the methods, {abbreviated_list(learners)}"
            f"{near_match(args.reference, learners)}"
        )
    if args.plot is not None:
        check_outputs([picture_output(args.plot)], files_of_sets(args), args.force)


def _check_costs(args: argparse.Namespace, costs: Mapping[str, Any]) -> None:
    """Refuse to measure costs that nobody knows."""
    from ctree.evaluate.measures import NEED_COSTS

    for measure in args.measure:
        if measure in NEED_COSTS and not costs:
            raise ParameterError(f"--measure {measure} needs to know what errors cost: give --costs FILE")


def _protocol(args: argparse.Namespace) -> Any:
    from ctree.evaluate.protocols import Holdout, LearningCurve, StratifiedFolds

    if args.folds is not None and (args.holdout is not None or args.curve is not None):
        raise ParameterError("--folds is for cross-validation and cannot be combined with --holdout or --curve")
    if args.curve is not None:
        return LearningCurve(tuple(args.curve), args.holdout or 0.3, args.repeats, seed=args.seed)
    if args.holdout is not None:
        return Holdout(args.holdout, args.repeats, seed=args.seed)
    return StratifiedFolds(args.folds or 10, args.repeats, args.seed)


def _print(args: argparse.Namespace, result: Comparison) -> None:
    from ctree.evaluate.tables import csv_text, measure_table

    tables = [
        measure_table(
            result,
            measure,
            args.reference,
            test=args.test,
            significance=args.significance,
            deviations=args.deviations,
        )
        for measure in args.measure
    ]
    if args.format == "json":
        from ctree.store.json_text import json_text

        print(json_text(_facts(result, tables)))
    elif args.format == "csv":
        print(csv_text(tables, safe=args.safe_csv), end="")
    else:
        write = {"text": "to_text", "markdown": "to_markdown", "latex": "to_latex"}[args.format]
        heading = {"text": "{}\n", "markdown": "{}.\n", "latex": "% {}\n"}[args.format].format(result.protocol)
        print(heading + "\n" + "\n\n".join(getattr(table, write)() for table in tables))
    for (row, learner), texts in result.warnings.items():
        for text, count in texts.items():
            warn(f"{learner} on {row}, {plural(count, 'split')}: {text}")
    if args.plot is not None:
        from ctree.render.plots.comparison import plot_comparison

        plot_comparison(result, args.measure[0], significance=args.significance, file=args.plot)


def _facts(result: Comparison, tables: list[MeasureTable]) -> dict[str, Any]:
    return {
        "protocol": result.protocol,
        "sets": result.rows,
        "learners": result.learners,
        "splits": int(result.scores["accuracy"].shape[2]),
        **({"costs": {name: matrix.tolist() for name, matrix in result.costs.items()}} if result.costs else {}),
        "measures": [table.to_dict() for table in tables],
    }
