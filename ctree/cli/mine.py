"""`ctree mine`: the itemsets that enough cases have."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TextIO

from ctree.cli.csv_options import add_csv_options, given_kinds, given_settings
from ctree.cli.options import Subparsers, add_command, add_safe_csv, integer, names
from ctree.cli.outputs import ITEMSETS, Output, add_force, check_outputs
from ctree.cli.streams import say
from ctree.wording import abbreviated, abbreviated_path, plural

if TYPE_CHECKING:
    from ctree.learners.lattice.itemsets import Itemsets

DESCRIPTION = """\
Find frequent itemsets: values of discrete attributes, bins of continuous ones, and 0/1 attributes by themselves, that
enough cases have together. SOURCE is the stem of C4.5 files, or a .csv or .arff file. The result is CSV with one row
per itemset: its items, how many cases have all of them, and how many of each class."""

EXAMPLES = """\
examples:
  ctree mine examples/golf --min-support 5
  ctree mine examples/golf --min-support 20% --kind closed --max-size 3
  ctree mine shop.csv --class buys --min-support 100 -o itemsets.csv"""


def support(text: str) -> float:
    """An option's type: a number of cases, or a percentage."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else int(text)
    except ValueError:
        value = 0
    if value <= 0 or (text.endswith("%") and value > 1):
        raise argparse.ArgumentTypeError(
            f"it should be a number of cases, or a percentage such as 10%, not '{abbreviated(text)}'"
        )
    return value


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "mine", "SOURCE", DESCRIPTION, EXAMPLES)
    parser.add_argument("source", metavar="SOURCE", help="stem of C4.5 files, or a .csv or .arff file")
    parser.add_argument(
        "--min-support",
        type=support,
        default=0.1,
        metavar="N",
        help="how many cases must have the items, as a number or as a percentage of all (default: 10%%)",
    )
    parser.add_argument(
        "--kind",
        choices=("all", "closed", "maximal"),
        default="all",
        help="all: every itemset that enough cases have; closed: only those that any further item takes cases from; "
        "maximal: only those that any further item takes below --min-support (default: %(default)s)",
    )
    parser.add_argument(
        "--min-size", type=integer(least=0), default=1, metavar="N", help="least number of items (default: %(default)s)"
    )
    parser.add_argument(
        "--max-size", type=integer(least=0), metavar="N", help="greatest number of items (default: no limit)"
    )
    parser.add_argument("--negative", action="store_true", help="include negated items of 0/1 attributes")
    parser.add_argument(
        "--bins",
        type=integer(least=1),
        default=4,
        metavar="N",
        help="bins of a continuous attribute (default: %(default)s)",
    )
    parser.add_argument(
        "--limit",
        type=integer(least=1),
        default=10_000_000,
        metavar="N",
        help="stop with an error if there are more itemsets (default: %(default)s)",
    )
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", help="class column of a .csv or .arff file (default: the last)"
    )
    parser.add_argument(
        "--discrete",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="numeric columns of a .csv file to treat as discrete",
    )
    add_csv_options(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file (default: standard output)")
    parser.add_argument("--json", action="store_true", help="write one JSON object per line and itemset")
    add_force(parser)
    add_safe_csv(parser)


def run(args: argparse.Namespace) -> int:
    """Mine as the options say."""
    from ctree.cli.inputs import files_of, read_source
    from ctree.data.files.writing import replacing_text
    from ctree.learners.lattice.itemsets import frequent_itemsets

    check_outputs([Output(args.output, ITEMSETS)], files_of(args.source), args.force)
    settings = given_settings(args)
    data = read_source(args.source, args.class_name, given_kinds(args), "drop", settings=settings)
    itemsets = frequent_itemsets(
        data,
        min_support=args.min_support if args.min_support < 1 or isinstance(args.min_support, int) else data.n_cases,
        kind=args.kind,
        min_size=args.min_size,
        max_size=args.max_size,
        negative=args.negative,
        bins=args.bins,
        limit=args.limit,
    )
    write = _write_json if args.json else partial(_write_csv, safe=args.safe_csv)
    if args.output is None:
        write(sys.stdout, itemsets)
        sys.stdout.flush()
    else:
        with replacing_text(args.output) as out:
            write(out, itemsets)
    say(f"{abbreviated_path(args.source)}: {plural(len(itemsets), 'itemset')} in {plural(data.n_cases, 'case')}")
    return 0


def _write_csv(out: TextIO, itemsets: Itemsets, safe: bool) -> None:
    from ctree.data.files.safe_csv import CsvWriter

    writer = CsvWriter(out, safe)
    writer.row(["items", "support", *(f"n({label})" for label in itemsets.classes)])
    for i, items in enumerate(itemsets):
        text = " & ".join(map(str, items))
        writer.row([text, int(itemsets.support[i]), *itemsets.class_counts[i].tolist()])


def _write_json(out: TextIO, itemsets: Itemsets) -> None:
    labels = [str(label) for label in itemsets.classes]
    for i, items in enumerate(itemsets):
        entry = {
            "items": [str(item) for item in items],
            "support": int(itemsets.support[i]),
            "class_counts": dict(zip(labels, itemsets.class_counts[i].tolist(), strict=True)),
        }
        out.write(json.dumps(entry, ensure_ascii=False) + "\n")
