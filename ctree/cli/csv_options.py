"""The options of how comma-separated files are read, and what is said of them."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctree.cli.options import misuse, names
from ctree.cli.streams import warn
from ctree.errors import ParameterError
from ctree.wording import abbreviated

if TYPE_CHECKING:
    from ctree.data.files.csv_kinds import Kinds
    from ctree.data.files.csv_settings import CsvSettings

SUFFIXES = (".csv", ".tsv")
"""Of comma-separated files, whatever separates their columns."""


def delimiter(text: str) -> str:
    """An option's type: a character, or the word tab."""
    found = "\t" if text in ("tab", "\\t") else text
    if len(found) != 1 or found in '"\r\n\0':
        raise argparse.ArgumentTypeError(f"it should be one character, or the word tab, not '{abbreviated(text)}'")
    return found


def add_csv_options(group: argparse._ActionsContainer, ignore: bool = True) -> None:
    """The options of how .csv and .tsv files are read, and of columns to `ignore`."""
    group.add_argument(
        "--delimiter",
        type=delimiter,
        metavar="CHAR",
        help="what separates the columns of a .csv file, a character or the word tab (default: detected)",
    )
    group.add_argument(
        "--decimal",
        choices=(".", ","),
        metavar="MARK",
        help="the decimal mark of a .csv file, a point or a comma (default: detected, column by column)",
    )
    group.add_argument(
        "--header",
        choices=("yes", "no"),
        help="whether the first row of a .csv file has the names of the columns (default: detected); if not, they are "
        "called x1, x2, ...",
    )
    group.add_argument(
        "--unknown-values",
        dest="unknown_values",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="cells of a .csv file that stand for an unknown value, besides ?, NA, NaN and nothing at all",
    )
    if ignore:
        add_kind_options(group)
        group.add_argument(
            "--ignore",
            type=names,
            action="extend",
            default=[],
            metavar="A,B",
            help="columns of a .csv file to leave out",
        )


def order(text: str) -> tuple[str, list[str]]:
    """An option's type: a column, a colon, and its values in order with commas between them."""
    name, colon, values = text.partition(":")
    found = names(values)
    if not colon or not name.strip() or not found:
        raise argparse.ArgumentTypeError(
            f"it should be a column and its values in order, as in size:small,medium,large, not '{abbreviated(text)}'"
        )
    return name.strip(), found


def add_kind_options(group: argparse._ActionsContainer) -> None:
    """The options of columns with an order, and of dates."""
    group.add_argument(
        "--ordered",
        type=order,
        action="append",
        default=[],
        metavar="NAME:A,B,C",
        help="a column of a .csv file whose values have an order, with all of them from the least to the greatest; "
        "may be given several times",
    )
    group.add_argument(
        "--dates",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="columns of a .csv file that have dates, times or timestamps",
    )


def given_kinds(args: argparse.Namespace) -> Kinds:
    """What the options say of columns."""
    from ctree.data.files.csv_kinds import Kinds, orders_of

    named = [name for name, _ in args.ordered]
    for name in named:
        if named.count(name) > 1:
            raise ParameterError(f"--ordered gives two orders to '{abbreviated(name)}'")
    return Kinds(tuple(args.discrete), orders_of(dict(args.ordered)), tuple(args.dates), tuple(args.ignore))


def given_settings(args: argparse.Namespace) -> CsvSettings:
    """What the options say."""
    from ctree.data.files.csv_settings import csv_settings

    return csv_settings(args.delimiter, args.decimal, given_header(args), args.unknown_values)


def given_header(args: argparse.Namespace) -> bool | None:
    return None if args.header is None else args.header == "yes"


def is_csv(path: str) -> bool:
    """Whether a path is that of a comma-separated file, by its suffix."""
    return os.path.splitext(path)[1].lower() in SUFFIXES


def refuse_csv_options(args: argparse.Namespace, path: str) -> None:
    """An error if an option is given that a file which is not comma-separated does not have."""
    if is_csv(path) and not os.path.isdir(path):
        return
    for name in ("delimiter", "decimal", "header", "unknown_values"):
        if getattr(args, name, None):
            raise misuse(f"--{name.replace('_', '-')} is only for .csv and .tsv files", path)


@contextmanager
def telling() -> Iterator[None]:
    """Write warnings about files to standard error, also where an error follows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for one in caught:
                warn(getattr(one.message, "for_command", str(one.message)))
