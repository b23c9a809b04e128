"""Cases that `ctree learn` goes through pass by pass, as no memory has to hold them."""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.cli.csv_options import given_header, given_kinds, refuse_csv_options, telling
from ctree.cli.inputs import form_of, refuse_spreadsheet
from ctree.cli.options import misuse
from ctree.cli.parquet import is_parquet
from ctree.cli.report import Result, confusion
from ctree.cli.streams import warn_of_value
from ctree.data.dataset import Dataset
from ctree.data.scan.parquet_cases import ParquetCases
from ctree.data.schema import Schema
from ctree.errors import ParameterError
from ctree.learners.registry import METHODS
from ctree.scale.held_cases import HeldCases
from ctree.scale.scan import scan_c45, scan_csv, scan_parquet
from ctree.wording import plural

MEMORY = "2GB"
"""For Parquet files, where nothing else is said."""


def scan(args: argparse.Namespace, n_jobs: int | None) -> AbstractContextManager[HeldCases]:
    """Scan the training cases as the options say; they are there within the context."""
    path, form = args.source, form_of(args.source)
    settings: dict[str, Any] = {
        "memory": MEMORY if args.memory is None else args.memory,
        "unknown_class": args.unknown_class,
        "n_jobs": n_jobs,
        "progress": sys.stderr.isatty(),
    }
    refuse_spreadsheet(path)
    refuse_csv_options(args, path)
    if is_parquet(path):
        if args.class_name is None:
            raise misuse("--class is needed: it names the column of the class", path)
        if args.engine == "dask":
            from ctree.cli.dask_source import scanned_by_dask

            return scanned_by_dask(args, settings["memory"], _discrete(args))
        if args.dates:
            raise misuse(
                "--dates is only for .csv files; the types of Parquet files say which columns have dates", path
            )
        columns = {"ignore": args.ignore, "weights": args.weights, "ordered": given_kinds(args).ordered}
        found = scan_parquet(path, args.class_name, categorical_features=_discrete(args), **columns, **settings)
    elif form == "csv":
        columns = {"ignore": args.ignore, "weights": args.weights, "categorical_features": args.discrete}
        columns |= {"ordered": given_kinds(args).ordered, "dates": args.dates}
        written = {"delimiter": args.delimiter, "decimal": args.decimal, "unknown": args.unknown_values}
        with telling():
            found = scan_csv(path, args.class_name, header=given_header(args), **written, **columns, **settings)
    elif form == "arff" or glob.has_magic(path):
        raise misuse("--memory is for Parquet and .csv files and for C4.5 stems; leave it out, or convert them", path)
    else:
        if args.weights is not None:
            raise misuse("--weights is not for C4.5 files, in which they are an attribute called case weight", path)
        told = {"--class": args.class_name, "--discrete": args.discrete, "--ignore": args.ignore}
        told |= {"--ordered": args.ordered, "--dates": args.dates}
        for option in (option for option, value in told.items() if value):
            raise misuse(f"{option} is not for C4.5 files, whose .names file says it", path)
        found = scan_c45(path, **settings)
    return found


def _discrete(args: argparse.Namespace) -> list[str] | None:
    """The columns of numbers to take as discrete, with those that are discrete by their type."""
    if not args.discrete:
        return None
    from ctree.data.scan.parquet_files import ParquetReader
    from ctree.data.schema import Kind

    fields = ParquetReader(args.source, args.class_name, None, args.ignore, args.weights).fields
    return [*(field.name for field in fields if field.kind is Kind.DISCRETE), *args.discrete]


def check_learner(args: argparse.Namespace, model: Any, cases: HeldCases) -> None:
    """Refuse, before time is spent, what cannot be learned from cases that do not fit into memory."""
    if cases.fits_memory or model.any_size or model.reduces_cases:
        return
    able = [name for name, method in METHODS.items() if method.learner_class().any_size]
    raise ParameterError(
        f"--method {args.method} needs all cases in memory, and {plural(cases.n_cases, 'case')} do not fit: raise "
        f"--memory, learn from some of them, or choose a method for any number of cases: {', '.join(able)}"
    )


@dataclass(frozen=True)
class Confusions:
    """How many cases of each class a model gives each class."""

    model: Any

    def __call__(self, cases: Dataset) -> npt.NDArray[np.int64]:
        """Rows are true classes."""
        assert cases.classes is not None
        return confusion(cases.schema.classes, cases.classes, self.model.predict_codes(cases)).confusion


def summed(tables: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Tables added up."""
    return np.asarray(np.sum(tables, axis=0, dtype=np.int64))


def result_of_source(model: Any, cases: HeldCases) -> Result:
    """How well a model does on the cases it was learned from, by one more pass."""
    n_classes = cases.schema.n_classes
    table = cases.by_parts(Confusions(model), summed)
    empty = np.zeros((n_classes, n_classes), dtype=np.int64)
    return Result(tuple(str(c) for c in cases.schema.classes), empty if table is None else table)


def parquet_for_model(path: str, schema: Schema, class_name: str | None) -> ParquetCases:
    """Parquet files in the codes of a model, with a warning of values that it does not know."""
    return ParquetCases(path, schema, class_name, lambda attribute, value: warn_of_value(path, attribute, value))


def result_of_parquet(model: Any, cases: ParquetCases) -> Result:
    """How well a model does on Parquet files."""
    count = Confusions(model)
    n_classes = cases.schema.n_classes
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    for some in cases:
        table += count(some)
    return Result(tuple(str(c) for c in cases.schema.classes), table)


def result_in_passes(model: Any, cases: HeldCases | ParquetCases) -> Result:
    """How well a model does on cases that no memory holds."""
    return result_of_source(model, cases) if isinstance(cases, HeldCases) else result_of_parquet(model, cases)


def learned_text(model: Any) -> str:
    """How the model was learned, in words."""
    info = model.fit_info_
    if info["engine"] == "memory":
        return "in memory, as all cases fit"
    told = plural(sum(info["passes"].values()), "pass")
    told += " by the workers of Dask" if info["engine"] == "dask" else ""
    if "opened_share" in info:
        told += f", {plural(info['levels'], 'level')} by passes and {plural(info['subtrees'], 'subtree')} in memory"
        told += f", {100 * info['opened_share']:.2g}% of the numbers looked at one by one"
    if getattr(model, "arithmetic", None) == "release8" and model.variant == "release8":
        told += ", in 64 bits (--arithmetic double)"
    return told
