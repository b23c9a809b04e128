"""Which cases are in Parquet files; those who ask need not load what reads them."""

from __future__ import annotations

import argparse
import os

from ctree.cli.options import misuse
from ctree.cli.relational import refuse_linked
from ctree.data.files.c45_files import stem_of
from ctree.errors import ParameterError


def is_parquet(path: str) -> bool:
    """Whether these are Parquet files, by their suffix, or a folder with such files."""
    if path.lower().endswith((".parquet", ".pq")):
        return True
    if not os.path.isdir(path) or os.path.exists(stem_of(path) + ".names"):
        return False
    refuse_linked(path)
    return any(name.lower().endswith((".parquet", ".pq")) for _, _, files in os.walk(path) for name in files)


def is_scanned(args: argparse.Namespace) -> bool:
    """Whether the training cases are to be gone through instead of read."""
    if args.scheduler is not None and args.engine != "dask":
        raise ParameterError("--scheduler is for --engine dask: give that as well")
    if args.engine == "dask" and not is_parquet(args.source):
        raise misuse("--engine dask is for Parquet files", args.source)
    return args.memory is not None or is_parquet(args.source)


def files_scanned(source: str) -> list[str]:
    """The files of Parquet cases."""
    from ctree.data.scan.paths import find_files

    return find_files(source, (".parquet", ".pq"))
