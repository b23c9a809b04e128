"""The linked tables that a subcommand is given: a `schema.json` with its files, or a database."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ctree.cli.options import misuse
from ctree.cli.relational import DATABASE_SUFFIXES, SOURCES, linked_form
from ctree.cli.streams import warn
from ctree.data.files.c45_cases import UnknownClass
from ctree.data.relational.data import RelationalData
from ctree.data.relational.reading import SCHEMA, read_relational
from ctree.data.relational.schema import RelationalSchema
from ctree.data.relational.schema_file import read_schema
from ctree.errors import DataError, ParameterError
from ctree.wording import abbreviated, abbreviated_path

PLAIN_SUFFIXES = (".csv", ".tsv", ".arff", ".names", ".data", ".test")
DATABASE_OPTIONS = ("target", "kinds", "keys", "foreign_keys")


def database_form(path: str) -> str | None:
    """Whether a path is a database, "sqlite" or "duckdb"; None if it is a schema."""
    form = linked_form(path)
    if form in ("sqlite", "duckdb"):
        return form
    return None if form else DATABASE_SUFFIXES.get(os.path.splitext(path)[1].lower())


def schema_file(path: str) -> str:
    """The `schema.json` that a path names, or that is in the folder."""
    if os.path.isdir(path):
        return os.path.join(path, SCHEMA)
    if path.lower().endswith(PLAIN_SUFFIXES):
        raise misuse(f"this is a table of cases, but --relational is for linked tables: {SOURCES}", path)
    return path


def linked_files(path: str | None) -> list[str]:
    """The files that are read of a source."""
    if path is None:
        return []
    if database_form(path):
        return [path, path + "-wal", path + ".wal"]
    file = schema_file(path)
    return [file, *(os.path.join(os.path.dirname(file), table) for table in read_schema(file)[1].values())]


def read_linked(path: str, args: argparse.Namespace) -> RelationalData:
    """Linked tables with classes, which bring their own schema, or are declared by options."""
    options = {name: getattr(args, name) for name in DATABASE_OPTIONS if getattr(args, name) is not None}
    form = database_form(path)
    how: dict[str, Any] = {"dangling": args.dangling, "unknown_class": args.unknown_class}
    with told(path):
        if form is None:
            if options:
                name = next(iter(options)).replace("_", "-")
                raise ParameterError(f"--{name} is for databases; a schema.json says that itself")
            return read_relational(schema_file(path), **how)
        table, _, column = options.pop("target", "").partition(".")
        if not (table and column):
            raise ParameterError(
                f"{abbreviated_path(path)}: a database needs --target TABLE.COLUMN, the table of the examples and the "
                "column of their class"
            )
        data: RelationalData = _database(form)(path, target=(table, column), **how, **options)
        return data


def read_linked_for_model(
    path: str, schema: RelationalSchema, dangling: str, unknown_class: UnknownClass = "keep", needed: bool = False
) -> RelationalData:
    """Linked tables for a model.

    Parameters
    ----------
    path : str
    schema : RelationalSchema
        That of the model, by which a database is read.
    dangling : {"error", "unknown"}
    unknown_class : {"error", "drop", "keep"}
    needed : bool
        Whether the examples must have classes.
    """
    form = database_form(path)
    how: dict[str, Any] = {"dangling": dangling, "unknown_class": unknown_class}
    with told(path):
        if form is None:
            return read_relational(schema_file(path), labels="required" if needed else "optional", **how)
        data: RelationalData = _database(form)(path, like=schema, **how)
        if needed and data.classes is None:
            column = abbreviated(schema.class_column)
            raise DataError(f"there is no column '{column}' with the classes of the examples", path)
        return data


def _database(form: str) -> Any:
    return RelationalData.from_sqlite if form == "sqlite" else RelationalData.from_duckdb


@contextmanager
def told(path: str) -> Iterator[None]:
    """Errors about tables that name no file name this one; warnings are printed as the command prints them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except DataError as error:
            raise error if error.file is not None else type(error)(str(error), path) from None
    for warning in caught:
        warn(f"{abbreviated_path(path)}: {warning.message}")
