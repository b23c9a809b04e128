"""The data sets of `ctree compare`: tables of cases, or linked tables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ctree.cli.costs import costs_beside
from ctree.cli.csv_options import given_kinds, given_settings
from ctree.cli.inputs import files_of, form_of, read_source
from ctree.cli.relational_inputs import database_form, linked_files, read_linked, schema_file
from ctree.cli.streams import say
from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import stem_of
from ctree.data.files.costs_files import read_costs
from ctree.data.relational.data import RelationalData
from ctree.errors import ParameterError
from ctree.wording import abbreviated_list, abbreviated_path


def files_of_sets(args: argparse.Namespace) -> list[str]:
    """All files that are read."""
    files = [file for source in args.sources for file in (linked_files if args.relational else files_of)(source)]
    costs = [None if args.relational else costs_beside(source) for source in args.sources]
    return [*files, *(file for file in (*costs, args.costs) if file is not None)]


def costs_of_sets(args: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """What errors cost on each data set: by --costs, or by the .costs file beside it, which is told."""
    if args.costs is not None:
        return {} if args.costs.lower() == "none" else dict.fromkeys(names, read_costs(args.costs))
    if args.relational:
        return {}
    files = {name: costs_beside(source) for name, source in zip(names, args.sources, strict=True)}
    found = {name: read_costs(file) for name, file in files.items() if file is not None}
    if found:
        told = abbreviated_list([str(costs.file) for costs in found.values()])
        say(f"{told}: what errors cost (--costs none: do without)")
    return found


def named_sets(args: argparse.Namespace) -> dict[str, Dataset] | dict[str, RelationalData]:
    """The data sets by the names of their files; by their paths where those are the same."""
    if args.relational:
        names = _labels(args.sources, [_linked_name(path) for path in args.sources])
        return {name: read_linked(path, args) for name, path in zip(names, args.sources, strict=True)}
    paths = [stem_of(path) if form_of(path) == "c4.5" else path for path in args.sources]
    short = [os.path.splitext(os.path.basename(p))[0] if form_of(p) != "c4.5" else os.path.basename(p) for p in paths]
    return {name: _plain(path, args) for name, path in zip(_labels(paths, short), paths, strict=True)}


def _plain(path: str, args: argparse.Namespace) -> Dataset:
    class_name = None if form_of(path) == "c4.5" else args.class_name
    if form_of(path) != "csv":
        return read_source(path, class_name, unknown_class=args.unknown_class)
    return read_source(path, class_name, given_kinds(args), args.unknown_class, settings=given_settings(args))


def _linked_name(path: str) -> str:
    """The name of a database, or of the folder that a schema is in, as most are called alike."""
    if database_form(path):
        return os.path.splitext(os.path.basename(path))[0]
    return os.path.basename(os.path.dirname(os.path.abspath(schema_file(path))))


def _labels(paths: Sequence[str], short: Sequence[str]) -> list[str]:
    """A name for each data set, and none twice."""
    labels = [name if name and short.count(name) == 1 else path for path, name in zip(paths, short, strict=True)]
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise ParameterError(f"the data set '{abbreviated_path(paths[place])}' is given twice")
    return labels
