"""`ctree envelope`: which predictions of an ensemble its trees agree on, and how rightly."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctree.cli.csv_options import add_csv_options, given_settings, refuse_csv_options
from ctree.cli.options import Subparsers, add_command, add_safe_csv, number
from ctree.cli.outputs import VERDICTS, Output, add_force, check_outputs, picture_output
from ctree.errors import CtreeError
from ctree.wording import abbreviated_path

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset
    from ctree.evaluate.envelope import Envelope

DESCRIPTION = """\
Show for which cases the sampled trees of a model agree on the class, and how often they are right: the Uncertainty
Envelope. Each tree has one vote. A prediction is confident if at least a share --gamma0 of the votes is for one class.
MODEL was saved by `ctree learn --method mcmc -o`; TEST is a C4.5 case file, or a .csv or .arff file."""

EXAMPLES = """\
examples:
  ctree envelope credit.json credit.test
  ctree envelope credit.json new.csv --gamma0 0.95 -o cases.csv
  ctree envelope credit.json credit.test --plot envelope.png"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "envelope", "MODEL TEST", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model of sampled trees, saved as JSON")
    parser.add_argument("file", metavar="TEST", help="the cases: a C4.5 case file, or a .csv or .arff file")
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        help="column of the true class in a .csv or .arff file (default: the last besides the attributes, if it fits)",
    )
    add_csv_options(parser, ignore=False)
    parser.add_argument(
        "--gamma0",
        type=number(above=0, most=1),
        default=0.99,
        metavar="G",
        help="the least share of votes for a confident prediction (default: %(default)s)",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write a row for each case to this CSV file, with its verdict"
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="save a picture of the shares over all bounds (.png, .pdf, .svg)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    add_force(parser)
    add_safe_csv(parser)


def run(args: argparse.Namespace) -> int:
    """Do what the options say."""
    from ctree.cli.inputs import read_for_model  # numpy and the kernels wait until the options are right
    from ctree.cli.models import load_plain
    from ctree.evaluate.envelope import uncertainty_envelope
    from ctree.store.json_text import json_text, with_nulls
    from ctree.tree.tree import Tree

    outputs = [Output(args.output, VERDICTS), picture_output(args.plot)]
    check_outputs(outputs, [args.model, args.file], args.force)
    model = load_plain(args.model, "the envelope is for ensembles of trees of one table")
    if isinstance(model, Tree) or not hasattr(model, "votes"):
        raise CtreeError(
            f"{abbreviated_path(args.model)}: a {type(model).__name__} has no trees that vote; "
            "the envelope is for ensembles"
        )
    refuse_csv_options(args, args.file)
    data = read_for_model(args.file, model.schema_, args.class_name, settings=given_settings(args))
    if data.n_cases == 0:
        raise CtreeError(f"{abbreviated_path(args.file)}: there are no cases")
    known = data.classes is not None and bool((data.classes >= 0).all())
    envelope = uncertainty_envelope(model, data if known else _without_classes(data), gamma0=args.gamma0)
    if args.output is not None:
        _write_cases(args.output, data, envelope, args.safe_csv)
    if args.plot is not None:
        from ctree.render.plots.envelope import plot_envelope

        plot_envelope(envelope, args.plot)
    if args.json:
        facts = {"file": args.file, "cases": data.n_cases, "gamma0": args.gamma0}
        shares = envelope.shares()._asdict() if known else {"confident": float(envelope.confident.mean())}
        print(json_text(with_nulls({**facts, **shares})))
    else:
        print(f"{args.file}: {data.n_cases} cases\n{envelope.to_text()}")
    return 0


def _without_classes(data: Dataset) -> Dataset:
    from ctree.data.dataset import Dataset

    return Dataset(data.schema, data.columns, n_cases=data.n_cases)


def _write_cases(path: str, data: Dataset, envelope: Envelope, safe: bool) -> None:
    from ctree.data.files.safe_csv import CsvWriter
    from ctree.data.files.writing import replacing_text

    classes = data.schema.classes
    rows = zip(
        envelope.predictions.tolist(),
        envelope.consistency.tolist(),
        envelope.standard_error.tolist(),
        envelope.confident.tolist(),
        data.labels,
        strict=True,
    )
    with replacing_text(path) as out:
        writer = CsvWriter(out, safe)
        writer.row(["case", "prediction", "consistency", "standard_error", "verdict", "actual"])
        for i, (code, consistency, error, confident, actual) in enumerate(rows):
            verdict = "uncertain"
            if confident:
                right = "" if actual is None else "-correct" if classes[code] == actual else "-incorrect"
                verdict = f"confident{right}"
            writer.row([i + 1, classes[code], consistency, error, verdict, "?" if actual is None else actual])
