"""Linked tables on the command line: the option `--relational` and those that go with it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from ctree.cli.options import Group, add_unknown_class
from ctree.errors import DataError
from ctree.wording import abbreviated

FLAG = "--relational"
SOURCES = "a schema.json, the folder that it is in, or a database of SQLite or DuckDB"

PLAIN_OPTIONS = {
    "--class": "the schema, or --target, names the class",
    "--discrete": "the schema, or --kinds, says which columns are discrete",
    "--categorical-features": "the schema, or --kinds, says which columns are discrete",
    "--impute": "relational trees take unknown values as they are",
    "--bins": "relational trees have thresholds, which --thresholds of ctree learn limits",
}
"""Options for tables of cases, each with what stands in its place for linked tables."""

LINKED_OPTIONS = ("--target", "--kinds", "--keys", "--foreign-keys", "--dangling", "--describe")

DATABASE_SUFFIXES = {".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".duckdb": "duckdb"}


def is_asked_for(arguments: Sequence[str]) -> bool:
    """Whether the arguments of a subcommand, before they are parsed, say that the data are linked tables."""
    words = list(arguments)
    return FLAG in words[: words.index("--") if "--" in words else None]


def add_relational_flag(group: argparse._ActionsContainer, what: str) -> None:
    """The option that says that the data are linked tables."""
    group.add_argument(FLAG, action="store_true", help=f"{what} linked tables: {SOURCES}")


def add_linked_reading_options(group: Group) -> None:
    """The options of how linked tables with classes are read."""
    add_dangling(group)
    add_unknown_class(group, "an example whose class is unknown: refuse the tables, or skip the example")
    group.add_argument(
        "--target",
        metavar="TABLE.COLUMN",
        help="of a database: the table of the examples, and the column of their class",
    )
    group.add_argument(
        "--kinds",
        type=pairs,
        metavar="TABLE.COLUMN=KIND,...",
        help="of a database: columns that are not what they seem, each discrete, continuous, key or ignore (default: "
        "numbers are continuous, all else is discrete)",
    )
    group.add_argument(
        "--keys", type=pairs, metavar="TABLE=COLUMN,...", help="of a database: keys that it does not declare"
    )
    group.add_argument(
        "--foreign-keys",
        type=pairs,
        metavar="TABLE.COLUMN=TABLE,...",
        help="of a database: foreign keys that it does not declare, each with the table that it refers to",
    )


def add_dangling(group: argparse._ActionsContainer) -> None:
    """The option of what becomes of foreign keys that lead nowhere."""
    group.add_argument(
        "--dangling",
        choices=("error", "unknown"),
        default="error",
        help="a foreign key that is the key of no row: refuse the tables, or take it as unknown (default: %(default)s)",
    )


def pairs(text: str) -> dict[str, str]:
    """An option's type: names, each with what is said of it."""
    found = [part.rpartition("=") for part in text.split(",") if part.strip()]
    if not found or not all(equals and name.strip() and word.strip() for name, equals, word in found):
        form = "it should be NAME=WORD, with commas between several"
        raise argparse.ArgumentTypeError(f"{form}, not '{abbreviated(text)}'")
    return {name.strip(): word.strip() for name, _, word in found}


def explain_other_data(relational: bool, extras: Sequence[str]) -> str | None:
    """Why an option is not known, if it is for data of the other kind."""
    option = next((text.partition("=")[0] for text in extras if text.startswith("--")), None)
    if relational and option in PLAIN_OPTIONS:
        return f"{option} is not for linked tables: {PLAIN_OPTIONS[option]}"
    if not relational and option in LINKED_OPTIONS:
        return f"{option} is for linked tables only, which need {FLAG}"
    return None


def linked_form(path: str) -> str | None:
    """What linked tables a path names: "folder", "schema", "sqlite" or "duckdb"; None if it does not look like any."""
    if os.path.isdir(path):
        return "folder" if os.path.exists(os.path.join(path, "schema.json")) else None
    start = _start_of(path)
    if start.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    if b'"ctree-relational"' in start:
        return "schema"
    return None if start else DATABASE_SUFFIXES.get(os.path.splitext(path)[1].lower())


def _start_of(path: str) -> bytes:
    """The first bytes of a file; none if it is none, which whoever reads it will say."""
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read(4096)


def refuse_linked(path: str) -> None:
    """Refuse linked tables where a table of cases is expected."""
    form = linked_form(path)
    if form is None:
        return
    what = {"folder": "this folder has a schema.json", "schema": "this is a schema"}.get(form, "this is a database")
    raise DataError(f"{what} of linked tables, which learn, predict and compare take with {FLAG}", path)
