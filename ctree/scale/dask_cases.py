"""Frames of Dask: their cases are coded by the workers, stay there, and are asked pass by pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ctree.data.files.c45_cases import check_choice
from ctree.data.schema import Label
from ctree.data.tables.frames import is_dask_frame
from ctree.errors import DataTypeError
from ctree.progress import ProgressCallback, reporting
from ctree.scale.dask_tables import dask_tables
from ctree.scale.engines.dask import DaskEngine
from ctree.scale.engines.engine import PartLoader
from ctree.scale.frame_scan import FrameCoding, FrameScan
from ctree.scale.held_cases import HeldCases
from ctree.scale.memory import n_bytes


class DaskCases(HeldCases):
    """The cases of a frame of Dask, as `scan_dask` returns them: in codes, which the workers hold.

    They let go of them at `close`, at the end of a ``with`` block, or when this object goes.

    Attributes
    ----------
    schema : Schema
    n_cases : int
    class_counts : int64 array
        How many cases each class has, whatever they weigh.
    weighted : bool
        Whether cases have weights.
    complete : bool
        Whether no value is unknown.
    memory : int
        Bytes that one process may use for a pass, about.

    Examples
    --------
    >>> import ctree, pandas
    >>> import dask.dataframe
    >>> table = pandas.DataFrame({"outlook": ["sunny", "rain", "rain"], "humidity": [85, None, 70], "play": [0, 1, 1]})
    >>> with ctree.scan_dask(dask.dataframe.from_pandas(table, npartitions=2), "play") as cases:
    ...     len(cases), cases.schema.classes, cases.class_counts.tolist(), cases.complete
    (3, (0, 1), [1, 2], False)
    """

    scanned = "the frame"

    def __init__(self, parts: Sequence[PartLoader], found: FrameCoding, engine: DaskEngine, memory: int) -> None:
        super().__init__(parts, found, engine, memory, found.unit)

    def _let_go(self) -> None:
        """Workers drop what no object refers to."""


def scan_dask(
    frame: Any,
    classes: Any,
    *,
    weights: Any = None,
    memory: int | str = "2GB",
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    ordered: Mapping[str, Sequence[Label]] | None = None,
    ignore: Sequence[str] = (),
    unknown_class: Literal["error", "drop"] = "error",
    client: Any = None,
    progress: ProgressCallback | bool | None = None,
) -> DaskCases:
    """Scan a frame of Dask, however many cases it has, on the workers that have it.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Each partition has the same columns, in any order. It should give the same cases whenever it is computed.
    classes : str or dask.dataframe.Series
        The column of the class, or a series with the partitions of the frame.
    weights : str or dask.dataframe.Series, optional
        What each case counts, as in `scan_parquet`: a column, which is then no attribute, or a series with the
        partitions of the frame.
    memory : int or str
        About how many bytes one process may use for the tables of a pass, as in ``"500MB"``. How many cases workers
        hold is up to Dask.
    categorical_features, ignore, unknown_class
        As in `scan_parquet`.
    ordered : mapping of str to sequences of labels, optional
        Columns whose values have an order, besides those of known categories that have one.
    client : distributed.Client or str, optional
        A client, or the address of a scheduler, such as ``"tcp://node:8786"``. If None, the client that there is; and
        if there is none, the scheduler that Dask itself takes then.
    progress : callable or bool, optional
        Is called with a `Progress` now and then; True shows how many partitions are done on standard error.

    Returns
    -------
    DaskCases
        With the schema that `from_arrays` gives to the same table in memory.

    Notes
    -----
    It needs dask, the extra ``dask``. The frame is computed once, unless a worker is lost.

    Examples
    --------
    >>> import ctree, pandas
    >>> import dask.dataframe
    >>> table = pandas.DataFrame({"outlook": ["sunny", "rain", "rain"], "humidity": [85, None, 70], "play": [0, 1, 1]})
    >>> with ctree.scan_dask(dask.dataframe.from_pandas(table, npartitions=2), "play") as cases:
    ...     cases
    <DaskCases: 3 cases, 2 attributes, 2 classes, 2 parts>
    """
    if not is_dask_frame(frame):
        raise DataTypeError(f"frame is a {type(frame).__name__}, but should be a DataFrame of Dask")
    check_choice("unknown_class", unknown_class, ("error", "drop"))
    engine = DaskEngine(client)
    size = n_bytes(memory)
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)  # of any type, as columns of pandas may be
    with reporting(progress) as told:
        tables = dask_tables(frame, classes, ignored, engine, weights, told)
        orders = {**_orders(frame, (classes, weights, *ignored)), **(ordered or {})}
        parts, found = FrameScan(*tables, ordered=orders).coded(
            categorical_features, memory=size, drop_unknown_class=unknown_class == "drop"
        )
    return DaskCases(parts, found, engine, size)


def _orders(frame: Any, without: Sequence[Any]) -> dict[str, tuple[Label, ...]]:
    """The orders of columns whose categories are known and have one."""
    orders = {}
    left_out = [name for name in without if isinstance(name, str)]
    for name, dtype in frame.dtypes.items():
        is_ordered = isinstance(name, str) and name not in left_out and getattr(dtype, "ordered", False) is True
        if is_ordered and frame[name].cat.known:
            orders[name] = tuple(dtype.categories.tolist())
    return orders
