"""`ctree predict`: classes and class probabilities of cases, by a saved model."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctree.cli.csv_options import add_csv_options, given_settings, refuse_csv_options
from ctree.cli.options import Subparsers, add_command, add_safe_csv
from ctree.cli.outputs import PREDICTIONS, Output, add_force, check_outputs
from ctree.cli.relational import add_dangling, add_relational_flag, explain_other_data, is_asked_for

if TYPE_CHECKING:
    from ctree.cli.predictions import Predictions
    from ctree.data.dataset import Dataset

DESCRIPTION = """\
Predict the classes of the cases in a file with a model that was saved by `ctree learn -o` or ctree.save. FILE is a C4.5
case file (such as .data or .test; the class at the end of a case may be missing or ?), or a .csv or .arff file, whose
columns are matched by name; or Parquet files of any size: one, a folder, or a pattern in quotes. The result is CSV with
one row per case: its number or label, the predicted class, the probability of each class, and the true class if the
file has it; the number of errors then goes to standard error. A value that the model does not know counts as unknown,
with a warning. With --relational, FILE is linked tables, for a model that was learned from such, and there is one row
per example, with its key."""

EXAMPLES = """\
examples:
  ctree predict golf.json examples/golf.data
  ctree predict golf.json new.csv -o predictions.csv
  ctree predict golf.json new.csv --json | head -1
  ctree predict shop.json --relational new/schema.json"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand; for linked tables, only those that they have."""
    parser = add_command(subparsers, "predict", "MODEL FILE", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model, saved as JSON")
    parser.add_argument(
        "file", metavar="FILE", help="the cases: a C4.5 case file, or a .csv, .arff or .parquet file; or linked tables"
    )
    add_relational_flag(parser, "MODEL was learned from linked tables, and FILE is")
    if is_asked_for(arguments):
        add_dangling(parser)
    else:
        parser.add_argument(
            "--class",
            dest="class_name",
            metavar="NAME",
            help="column of the true class in a .csv, .arff or .parquet file (default: the last besides the "
            "attributes, if it fits)",
        )
        add_csv_options(parser, ignore=False)
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file (default: standard output)")
    parser.add_argument("--json", action="store_true", help="write one JSON object per line and case instead of CSV")
    add_force(parser)
    add_safe_csv(parser)


def unknown_option(args: argparse.Namespace, extras: Sequence[str]) -> str | None:
    """What to say about arguments that the parser did not take."""
    return explain_other_data(args.relational, extras)


def run(args: argparse.Namespace) -> int:
    """Predict as the options say."""
    if args.relational:  # numpy and the kernels wait until the options are right
        from ctree.cli.relational_predict import predict_linked

        predict_linked(args)
        return 0
    from ctree.cli.inputs import read_for_model
    from ctree.cli.models import load_plain
    from ctree.cli.parquet import files_scanned, is_parquet
    from ctree.cli.predictions import Predictions, write_predictions
    from ctree.cli.report import probabilities_by
    from ctree.tree.tree import Tree

    parquet = is_parquet(args.file)
    refuse_csv_options(args, args.file)
    files = files_scanned(args.file) if parquet else [args.file]
    check_outputs([Output(args.output, PREDICTIONS)], [args.model, *files], args.force)
    model = load_plain(args.model, "it predicts examples in linked tables, with --relational")
    schema = model.schema if isinstance(model, Tree) else model.schema_

    def predicted(data: Dataset, first: int = 1) -> Predictions:
        probabilities = probabilities_by(model, data)
        codes = probabilities.argmax(axis=1) if isinstance(model, Tree) else model.predict_codes(data)
        numbers: Sequence[int | str] = range(first, first + data.n_cases)
        if data.case_names is not None:
            numbers = [number if name is None else name for number, name in zip(numbers, data.case_names, strict=True)]
        costs = getattr(model, "costs_", None)
        return Predictions("case", numbers, schema.classes, codes, probabilities, data.classes, costs)

    def parts(cases: Iterable[Dataset]) -> Iterator[Predictions]:
        first = 1
        for data in cases:
            yield predicted(data, first)
            first += data.n_cases

    if parquet:
        from ctree.cli.scanned import parquet_for_model

        write_predictions(args, parts(parquet_for_model(args.file, schema, args.class_name)))
    else:
        data = read_for_model(args.file, schema, args.class_name, settings=given_settings(args))
        write_predictions(args, predicted(data))
    return 0
