"""`ctree learn --relational`: what is learned from."""

from __future__ import annotations

import argparse

from ctree.cli.learning import Material, check_results
from ctree.cli.relational_inputs import linked_files, read_linked, read_linked_for_model, told
from ctree.data.relational.data import RelationalData
from ctree.data.relational.describe import Description
from ctree.wording import plural


def linked_material(args: argparse.Namespace) -> Material:
    """The examples of linked tables."""
    if args.output is not None:
        check_results(args, [*linked_files(args.source), *linked_files(args.test)])
    data = read_linked(args.source, args)
    test = None if args.test is None else _test_examples(args, data)
    about = data.describe()
    text = f"{args.source}: {_sizes(data, about)}"
    if args.describe:
        text += f"\n\n{about}"
    return Material(data, args.test, test, text, {"file": args.source, **about.to_dict()}, "example")


def _test_examples(args: argparse.Namespace, data: RelationalData) -> RelationalData:
    """The test examples; classes and columns that do not fit are found before anything is learned."""
    test = read_linked_for_model(args.test, data.schema, args.dangling, args.unknown_class, needed=True)
    with told(args.test):
        test.classes_among(data.schema.classes)
    return test


def _sizes(data: RelationalData, about: Description) -> str:
    rows = sum(table.rows for table in about.tables if table.name != about.target)
    unknown = sum(sum(table.unknown.values()) for table in about.tables)
    linked = plural(len(about.tables) - 1, "linked table")
    parts = [plural(about.examples, "example"), f"{linked} with {plural(rows, 'row')}" if rows else linked]
    parts += [plural(len(about.links), "foreign key"), plural(data.schema.n_classes, "class")]
    return ", ".join([*parts, plural(unknown, "unknown value")])
