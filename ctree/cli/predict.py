"""`ctree predict`: classes and class probabilities of cases, by a saved model."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from ctree.cli.options import Subparsers, add_command, add_safe_csv, say
from ctree.wording import abbreviated_path

if TYPE_CHECKING:
    from ctree.data.dataset import Dataset
    from ctree.data.schema import Label

    Row = tuple[int, Label, list[float], Label | None]

DESCRIPTION = """\
Predict the classes of the cases in a file with a model that was saved by `ctree learn -o` or ctree.save. FILE is a C4.5
case file (such as .data or .test; the class at the end of a case may be missing or ?), or a .csv or .arff file, whose
columns are matched by name. The result is CSV with one row per case: its number, the predicted class, the probability
of each class, and the true class if the file has it; the number of errors then goes to standard error. A value that
the model does not know counts as unknown, with a warning."""

EXAMPLES = """\
examples:
  ctree predict golf.json examples/golf.data
  ctree predict golf.json new.csv -o predictions.csv
  ctree predict golf.json new.csv --json | head -1"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "predict", "MODEL FILE", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model, saved as JSON")
    parser.add_argument("file", metavar="FILE", help="the cases: a C4.5 case file, or a .csv or .arff file")
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        help="column of the true class in a .csv or .arff file (default: the last besides the attributes, if it fits)",
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file (default: standard output)")
    parser.add_argument("--json", action="store_true", help="write one JSON object per line and case instead of CSV")
    add_safe_csv(parser)


def run(args: argparse.Namespace) -> int:
    """Predict as the options say."""
    from ctree.cli.inputs import read_for_model  # numpy and the kernels wait until the options are right
    from ctree.cli.report import confusion
    from ctree.data.files.writing import refuse_overwriting, replacing_text
    from ctree.store.json_model import load
    from ctree.tree.tree import Tree

    refuse_overwriting([args.output], [args.model, args.file])
    model = load(args.model)
    schema = model.schema if isinstance(model, Tree) else model.schema_
    data = read_for_model(args.file, schema, args.class_name)
    probabilities = model.predict_proba(data)
    predicted = probabilities.argmax(axis=1) if isinstance(model, Tree) else model.predict_codes(data)
    rows = _rows(data, predicted.tolist(), probabilities.tolist())
    write = _write_json if args.json else partial(_write_csv, safe=args.safe_csv)
    if args.output is None:
        write(sys.stdout, data, rows)
        sys.stdout.flush()
    else:
        with replacing_text(args.output) as out:
            write(out, data, rows)
    if data.classes is not None and (data.classes >= 0).any():
        say(f"{abbreviated_path(args.file)}: {confusion(data, predicted).sentence()}")
    return 0


def _rows(data: Dataset, best: list[int], probabilities: list[list[float]]) -> Iterator[Row]:
    """For each case its number, prediction, probabilities and true class."""
    classes = data.schema.classes
    for i, (code, row, actual) in enumerate(zip(best, probabilities, data.labels, strict=True)):
        yield i + 1, classes[code], row, actual


def _write_csv(out: TextIO, data: Dataset, rows: Iterator[Row], safe: bool) -> None:
    from ctree.data.files.safe_csv import CsvWriter
    from ctree.data.schema import label_texts

    writer = CsvWriter(out, safe)
    with_actual = data.classes is not None
    writer.row(
        ["case", "prediction", *(f"p({c})" for c in label_texts(data.schema.classes)), *["actual"] * with_actual]
    )
    for number, prediction, probabilities, actual in rows:
        row: list[Any] = [number, prediction, *map(repr, probabilities)]
        writer.row([*row, "?" if actual is None else actual] if with_actual else row)


def _write_json(out: TextIO, data: Dataset, rows: Iterator[Row]) -> None:
    from ctree.data.schema import label_texts

    names = label_texts(data.schema.classes)
    for number, prediction, probabilities, actual in rows:
        entry: dict[str, Any] = {
            "case": number,
            "prediction": prediction,
            "probabilities": dict(zip(names, probabilities, strict=True)),
        }
        if data.classes is not None:
            entry["actual"] = actual
        out.write(json.dumps(entry, ensure_ascii=False) + "\n")
