"""Parquet files that the workers of a Dask cluster go through for `ctree learn --engine dask`."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

from ctree.cli.csv_options import given_kinds
from ctree.data.scan.parquet_files import ParquetReader
from ctree.scale.dask_cases import DaskCases, scan_dask
from ctree.scale.engines.dask import connect, load_dask
from ctree.scale.threads import n_threads


@contextmanager
def scanned_by_dask(args: argparse.Namespace, memory: int | str, categorical: list[str] | None) -> Iterator[DaskCases]:
    """The cases of Parquet files, coded and held by workers until the context is left.

    Parameters
    ----------
    args : Namespace
        With the options of `ctree learn`.
    memory : int or str
    categorical : list of str or None
    """
    frames = load_dask("dask.dataframe")
    # What is wrong with the files is told before a cluster is started, and as without one.
    reader = ParquetReader(args.source, args.class_name, categorical, args.ignore, args.weights)
    weights = [] if args.weights is None else [args.weights]
    columns = [*(field.name for field in reader.fields), args.class_name, *weights]
    # After Ctrl-C, nobody wants to be told of calls and connections that were cut off.
    for name in ("distributed", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        client = stack.enter_context(connect(args.scheduler) if args.scheduler else _own_client(stack))
        # Work that is sent out goes to this client, whatever others there are.
        stack.enter_context(client.as_current())
        frame = frames.read_parquet(
            [os.path.abspath(file) for file in reader.files], columns=columns, index=False, dtype_backend="pyarrow"
        )
        cases = scan_dask(
            frame,
            args.class_name,
            weights=args.weights,
            memory=memory,
            categorical_features=categorical,
            ordered=given_kinds(args).ordered,
            unknown_class=args.unknown_class,
            client=client,
            progress=sys.stderr.isatty(),
        )
        yield stack.enter_context(cases)


def _own_client(stack: ExitStack) -> Any:
    """A client of a cluster on this machine, a process for each core, which ends with the stack."""
    distributed = load_dask("distributed")
    with _for_this_process_only(signal.SIGINT):
        cluster = distributed.LocalCluster(
            n_workers=n_threads(-1),
            processes=True,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
    return distributed.Client(stack.enter_context(cluster), set_as_default=False)


@contextmanager
def _for_this_process_only(number: signal.Signals) -> Iterator[None]:
    """Start processes that a signal does not reach, as Ctrl-C is sent to all; if it comes now, it waits for the end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would let the signal through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
