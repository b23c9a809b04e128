"""`ctree convert`: cases from one form of file to another."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctree.cli.csv_options import SUFFIXES as CSV_SUFFIXES
from ctree.cli.csv_options import add_csv_options, given_kinds, given_settings
from ctree.cli.options import Subparsers, add_command, add_safe_csv, misuse, names
from ctree.cli.outputs import CASES, Output, add_force, check_outputs
from ctree.cli.streams import say, warn
from ctree.wording import abbreviated, abbreviated_list, plural

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset

DESCRIPTION = """\
Convert cases between C4.5 files, CSV and ARFF, recognised by their suffixes. A SOURCE or TARGET that ends in .csv, .tsv
(tabs between the columns) or .arff is such a file; any other is the stem of C4.5 files (golf stands for golf.names and
golf.data), and one that ends in .test stands for its test cases. Unknown values and unknown classes stay unknown. CSV
does not distinguish a discrete attribute whose values are numbers from a continuous one: use --discrete when such a
file is read."""

EXAMPLES = """\
examples:
  ctree convert examples/golf golf.csv
  ctree convert examples/golf golf.arff --class play
  ctree convert cars.csv cars --class origin --discrete cylinders,year"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "convert", "SOURCE TARGET", DESCRIPTION, EXAMPLES)
    parser.add_argument("source", metavar="SOURCE", help="stem of C4.5 files, or a .csv or .arff file")
    parser.add_argument("target", metavar="TARGET", help="stem of C4.5 files, or a .csv or .arff file")
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        help="the class column of a .csv or .arff source (default: the last), or else its name in such a target "
        "(default: class)",
    )
    numbers = "numeric columns of a .csv source to treat as discrete"
    parser.add_argument("--discrete", type=names, default=[], metavar="A,B", help=numbers)
    add_csv_options(parser)
    add_force(parser, unasked=False)
    add_safe_csv(parser)


def run(args: argparse.Namespace) -> int:
    """Convert as the options say."""
    from ctree.cli.inputs import (  # numpy waits until the options are right
        class_name_of,
        files_of,
        form_of,
        read_source,
    )
    from ctree.data.files.arff_files import write_arff
    from ctree.data.files.c45_files import write_c45
    from ctree.data.files.csv_files import write_csv

    targets = _targets(args.target)
    check_outputs([Output(file, CASES) for file in targets], files_of(args.source), args.force)
    source_form, target_form = form_of(args.source), form_of(args.target)
    if args.class_name is not None and source_form == target_form == "c4.5":
        raise misuse("--class is only for .csv and .arff files; C4.5 files do not name the class", args.source)
    class_name = args.class_name if source_form != "c4.5" else None
    settings = given_settings(args)
    data = read_source(args.source, class_name, given_kinds(args), "keep", "optional", settings)
    name = args.class_name or class_name_of(args.source, settings) or "class"
    if target_form == "csv":
        write_csv(data, args.target, name, safe=args.safe_csv)
        _warn_of_kinds(data)
    elif target_form == "arff":
        write_arff(data, args.target, name)
    else:
        write_c45(data, args.target, "test" if args.target.endswith(".test") else "data")
    say(f"ctree: wrote {plural(data.n_cases, 'case')} to {' and '.join(targets)}")
    return 0


def _targets(target: str) -> list[str]:
    """The files that will be written."""
    from ctree.cli.inputs import suffix_of
    from ctree.data.files.c45_files import SUFFIXES, stem_of

    suffix = suffix_of(target)
    if suffix in (*CSV_SUFFIXES, ".arff"):
        return [target]
    if suffix and suffix not in SUFFIXES:
        right = "the target should end in .csv or .arff, or be the stem of C4.5 files"
        raise misuse(f"{right}, but it ends in {abbreviated(suffix)}", target)
    stem = stem_of(target)
    return [stem + ".test"] if suffix == ".test" else [stem + ".names", stem + ".data"]


def _warn_of_kinds(data: Dataset) -> None:
    """CSV loses that an attribute is discrete if its values are numbers, and orders and dates."""
    odd = [a.name for a in data.schema if a.is_discrete and a.values and all(map(_is_number, a.values))]
    if odd:
        warn(f"the values of {abbreviated_list(odd)} are numbers; --discrete tells a reader that they are just names")
    told = {
        "values in an order": ([a.name for a in data.schema if a.is_ordered], "--ordered"),
        "dates or times": ([a.name for a in data.schema if a.is_moment], "--dates"),
    }
    for what, (having, option) in told.items():
        if having:
            warn(f"{abbreviated_list(having)}: {what}; {option} tells a reader so")


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
