"""`ctree report`: a saved model and how it does on cases, as one page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctree.cli.csv_options import add_csv_options, given_settings, refuse_csv_options
from ctree.cli.options import Subparsers, add_command, integer
from ctree.cli.outputs import PAGE, Output, add_force, check_outputs
from ctree.cli.streams import say

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset

DESCRIPTION = """\
Write a report of a model that was saved by `ctree learn -o` or ctree.save, as one HTML page that loads nothing and
prints well: the data at a glance, the model, its tree and rules, its errors with intervals, the confusion matrix,
calibration, ROC, gains and lift, costs, the importance of attributes, and cases that were predicted wrong with the
reasons. DATA are cases with their classes, as for `ctree predict`, other than those that the model was learned from: a
C4.5 case file (such as .test), or a .csv, .arff or .parquet file; linked tables, if the model was learned from such.
Cases without a class are left out."""

EXAMPLES = """\
examples:
  ctree report golf.json examples/golf.data -o report.html
  ctree report golf.json new.csv --class play --curve Play --costs costs.csv -o report.html
  ctree report shop.json examples/shop -o shop.html

costs.csv:
  actual,predicted,cost
  Play,Don't Play,10"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "report", "MODEL DATA", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model, saved as JSON")
    parser.add_argument("data", metavar="DATA", help="cases with their classes, or linked tables")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the page to this file (default: standard output)")
    parser.add_argument("--title", metavar="TEXT", help="heading of the page (default: the name of the data set)")
    parser.add_argument(
        "--examples",
        type=integer(least=0),
        default=10,
        metavar="N",
        help="how many wrong cases to show, those first in which the model was surest (default: %(default)s)",
    )
    parser.add_argument(
        "--curve",
        action="append",
        metavar="CLASS",
        help="show the curves of this class; may be given up to 6 times (default: of two classes the less frequent "
        "one, else the 4 with the most errors)",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE",
        help="what errors cost: a .costs file with lines 'predicted class, true class: cost', or a .csv file with the "
        "columns actual, predicted and cost; errors that it does not list cost 1 (default: the costs of the model)",
    )
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        help="column of the class in a .csv, .arff or .parquet file (default: the last besides the attributes, if it "
        "fits)",
    )
    add_csv_options(parser, ignore=False)
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Report as the options say."""
    from ctree import __version__
    from ctree.cli.show import page_title
    from ctree.data.files.costs_files import read_costs
    from ctree.data.files.writing import write_text
    from ctree.learners.registry import is_relational
    from ctree.render.report.report import report
    from ctree.store.json_model import load
    from ctree.wording import abbreviated_path

    model = load(args.model)
    relational = is_relational(model)
    files = _files_read(args.data, relational)
    check_outputs([Output(args.output, PAGE)], [args.model, args.costs, *files], args.force)
    costs = None if args.costs is None else read_costs(args.costs)
    data = _linked(args, model) if relational else _cases(args, model)
    page = report(
        model,
        data,
        title=page_title(args, model),
        examples=args.examples,
        classes=args.curve,
        costs=costs,
        origins={"Model": args.model, "Data": args.data, "Made by": f"ctree {__version__}"},
    )
    if args.output is None:
        sys.stdout.write(page)
        return 0
    write_text(args.output, page, errors="backslashreplace")
    say(f"{abbreviated_path(args.output)}: written")
    return 0


def _files_read(data: str, relational: bool) -> list[str]:
    """The files of cases, or of linked tables."""
    if relational:
        from ctree.cli.relational_inputs import linked_files

        return [data, *linked_files(data)]
    from ctree.cli.parquet import files_scanned, is_parquet

    return files_scanned(data) if is_parquet(data) else [data]


def _cases(args: argparse.Namespace, model: Any) -> Dataset:
    from ctree.cli.inputs import read_for_model
    from ctree.cli.parquet import is_parquet
    from ctree.errors import DataError
    from ctree.tree.tree import Tree
    from ctree.wording import abbreviated_list

    schema = model.schema if isinstance(model, Tree) else model.schema_
    refuse_csv_options(args, args.data)
    if not is_parquet(args.data):
        data = read_for_model(args.data, schema, args.class_name, needed=True, settings=given_settings(args))
    else:
        from ctree.cli.scanned import parquet_for_model  # with all that goes through cases pass by pass

        cases = parquet_for_model(args.data, schema, args.class_name)
        if cases.class_name is None:
            known = abbreviated_list(schema.classes)
            raise DataError(f"no column besides the attributes has the classes of the model, {known}", args.data)
        data = _joined(list(cases))
    if data.classes is None or not (data.classes >= 0).any():
        raise DataError("no case has a class, and a report needs the true classes", args.data)
    return data


def _joined(parts: list[Dataset]) -> Dataset:
    """Cases that were read in parts."""
    import numpy as np

    from ctree.data.dataset import Dataset

    if len(parts) == 1:
        return parts[0]
    columns = [
        None if column is None else np.concatenate([part.columns[i] for part in parts])
        for i, column in enumerate(parts[0].columns)
    ]
    classes = np.concatenate([part.classes for part in parts if part.classes is not None])
    return Dataset(parts[0].schema, columns, classes, n_cases=len(classes))


def _linked(args: argparse.Namespace, model: Any) -> Any:
    from ctree.cli.relational_inputs import read_linked_for_model, told
    from ctree.errors import ParameterError

    if args.class_name is not None:
        raise ParameterError("--class is not for linked tables, whose schema names the class")
    refuse_csv_options(args, args.data)
    data = read_linked_for_model(args.data, model.schema_, "error", needed=True)
    with told(args.data):
        data.classes_among(model.schema_.classes)
    return data
