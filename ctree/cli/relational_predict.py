"""`ctree predict --relational`: classes and class probabilities of examples in linked tables."""

from __future__ import annotations

import argparse

from ctree.cli.models import load_relational
from ctree.cli.outputs import PREDICTIONS, Output, check_outputs
from ctree.cli.predictions import Predictions, write_predictions
from ctree.cli.relational_inputs import linked_files, read_linked_for_model, told
from ctree.cli.streams import warn
from ctree.wording import abbreviated, abbreviated_path


def predict_linked(args: argparse.Namespace) -> None:
    """Do what `ctree predict --relational` was asked to."""
    model = load_relational(args.model)
    if args.output is not None:
        check_outputs([Output(args.output, PREDICTIONS)], [args.model, *linked_files(args.file)], args.force)
    schema = model.schema_
    data = read_linked_for_model(args.file, schema, args.dangling)
    with told(args.file):
        probabilities = model.predict_proba(data)
        actual = data.classes_among(schema.classes)
    if hasattr(model, "tree_"):
        for name, value in model.tree_.unseen_values(data).items():
            what = f"column '{abbreviated(name)}' has the value '{abbreviated(value)}', which the model does not know"
            warn(f"{abbreviated_path(args.file)}: {what}; it equals none of those that it asks for")
    keys = data.keys
    named, names = ("example", range(1, len(data) + 1)) if keys is None else ("key", keys)
    codes = model._chosen(probabilities)
    found = Predictions(named, names, schema.classes, codes, probabilities, actual, model.costs_)
    write_predictions(args, found, "example")
