"""Predictions as CSV or as JSON, to standard output or to a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TextIO

import numpy as np
import numpy.typing as npt

from ctree.cli.report import Result, confusion
from ctree.cli.streams import say
from ctree.data.files.safe_csv import CsvWriter
from ctree.data.files.writing import replacing_text
from ctree.data.schema import Label, label_texts
from ctree.data.tables.levels import Codes
from ctree.wording import abbreviated_path


class Predictions(NamedTuple):
    """What a model says of cases.

    Parameters
    ----------
    named : str
        What tells the cases apart, the head of the first column: their number, or a key.
    names : sequence
        That of each case.
    classes : sequence of labels
    codes : array of int
        The class that each case is given.
    probabilities : array (cases, classes)
    actual : array of int or None
        The true class of each case, -1 where it is unknown; None if there are no classes.
    costs : array (classes, classes) or None
        What errors cost.
    """

    named: str
    names: Sequence[int | str]
    classes: Sequence[Label]
    codes: npt.NDArray[np.intp]
    probabilities: npt.NDArray[np.float64]
    actual: Codes | None
    costs: npt.NDArray[np.float64] | None = None

    def rows(self) -> Iterator[tuple[int | str, Label, list[float], Label | None]]:
        """For each case its name, prediction, probabilities and true class."""
        actual = np.full(len(self.codes), -1) if self.actual is None else self.actual
        for name, code, probabilities, true in zip(
            self.names, self.codes.tolist(), self.probabilities.tolist(), actual.tolist(), strict=True
        ):
            yield name, self.classes[code], probabilities, None if true < 0 else self.classes[true]


def write_predictions(
    args: argparse.Namespace, predictions: Predictions | Iterable[Predictions], what: str = "case"
) -> None:
    """Write predictions as the options of `ctree predict` say, and the number of errors to standard error.

    They may come in parts, all of which have true classes or none.
    """
    parts = [predictions] if isinstance(predictions, Predictions) else predictions
    write = _write_json if args.json else partial(_write_csv, safe=args.safe_csv)
    results: list[Result] = []
    if args.output is None:
        write(sys.stdout, _noted(parts, results))
        sys.stdout.flush()
    else:
        with replacing_text(args.output) as out:
            write(out, _noted(parts, results))
    if results:
        say(f"{abbreviated_path(args.file)}: {results[0].sentence(what)}")


def _noted(parts: Iterable[Predictions], results: list[Result]) -> Iterator[Predictions]:
    """The same, with what was right and wrong added to the results."""
    for part in parts:
        yield part
        if part.actual is not None and (part.actual >= 0).any():
            found = replace(confusion(part.classes, part.actual, part.codes), costs=part.costs)
            results[:] = [_sum(results, found)]


def _sum(results: list[Result], other: Result) -> Result:
    return replace(other, confusion=other.confusion + results[0].confusion) if results else other


def _write_csv(out: TextIO, parts: Iterable[Predictions], safe: bool) -> None:
    writer = CsvWriter(out, safe)
    for i, predictions in enumerate(parts):
        with_actual = predictions.actual is not None
        if i == 0:
            heads = [f"p({c})" for c in label_texts(predictions.classes)]
            writer.row([predictions.named, "prediction", *heads, *["actual"] * with_actual])
        for name, prediction, probabilities, actual in predictions.rows():
            row: list[Any] = [name, prediction, *map(repr, probabilities)]
            writer.row([*row, "?" if actual is None else actual] if with_actual else row)


def _write_json(out: TextIO, parts: Iterable[Predictions]) -> None:
    for predictions in parts:
        labels = label_texts(predictions.classes)
        for name, prediction, probabilities, actual in predictions.rows():
            entry: dict[str, Any] = {
                predictions.named: name,
                "prediction": prediction,
                "probabilities": dict(zip(labels, probabilities, strict=True)),
            }
            if predictions.actual is not None:
                entry["actual"] = actual
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")
