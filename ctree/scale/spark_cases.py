"""Frames of Spark: their cases are coded by the executors, stay there, and are asked pass by pass."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ctree.data.files.c45_cases import check_choice
from ctree.data.schema import Label
from ctree.data.tables.frames import is_spark_frame
from ctree.errors import DataTypeError
from ctree.scale.engines.spark import SparkEngine
from ctree.scale.engines.spark_jobs import load_spark
from ctree.scale.frame_names import chosen_names
from ctree.scale.frame_scan import FrameCoding, FrameScan
from ctree.scale.held_cases import HeldCases
from ctree.scale.memory import n_bytes
from ctree.scale.spark_tables import spark_tables


class SparkCases(HeldCases):
    """The cases of a frame of Spark, as `scan_spark` returns them: in codes, which the executors hold.

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
    >>> import ctree  # doctest: +SKIP
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> rows = [("sunny", 85, 0), ("rain", None, 1), ("rain", 70, 1)]  # doctest: +SKIP
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()  # doctest: +SKIP
    >>> frame = spark.createDataFrame(rows, ["outlook", "humidity", "play"])  # doctest: +SKIP
    >>> with ctree.scan_spark(frame, "play") as cases:  # doctest: +SKIP
    ...     len(cases), cases.schema.classes, cases.class_counts.tolist(), cases.complete
    (3, (0, 1), [1, 2], False)
    """

    scanned = "the frame"

    def __init__(self, parts: Sequence[Any], found: FrameCoding, engine: SparkEngine, memory: int) -> None:
        super().__init__(parts, found, engine, memory, found.unit)
        # Spark would hold them as long as its session lasts.
        self._forget = weakref.finalize(self, engine.forget, parts[0].held.frame)
        self._forget.atexit = False

    def _let_go(self) -> None:
        self._forget()


def scan_spark(
    frame: Any,
    classes: str,
    *,
    memory: int | str = "2GB",
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    ordered: Mapping[str, Sequence[Label]] | None = None,
    ignore: Sequence[str] = (),
    unknown_class: Literal["error", "drop"] = "error",
    weights: str | None = None,
) -> SparkCases:
    """Scan a frame of Spark, however many cases it has, on the executors that have it.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        It should give the same cases whenever it is computed.
    classes : str
        The column of the class.
    memory : int or str
        About how many bytes one process may use for the tables of a pass, as in ``"500MB"``. How many cases executors
        hold in memory, and how many on disk, is up to Spark.
    categorical_features, ordered, ignore, unknown_class, weights
        As in `scan_parquet`.

    Returns
    -------
    SparkCases
        With the schema that `from_arrays` gives to the same table in memory.

    Notes
    -----
    It needs pyspark 3.5 or later, the extra ``spark``, and ctree and pyarrow where the workers' Python is. The frame is
    computed once, unless an executor is lost.

    Examples
    --------
    >>> import ctree  # doctest: +SKIP
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> rows = [("sunny", 85, 0), ("rain", None, 1), ("rain", 70, 1)]  # doctest: +SKIP
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()  # doctest: +SKIP
    >>> frame = spark.createDataFrame(rows, ["outlook", "humidity", "play"]).coalesce(1)  # doctest: +SKIP
    >>> with ctree.scan_spark(frame, "play") as cases:  # doctest: +SKIP
    ...     cases
    <SparkCases: 3 cases, 2 attributes, 2 classes, 1 part>
    """
    if not is_spark_frame(frame):
        raise DataTypeError(f"frame is a {type(frame).__name__}, but should be a DataFrame of Spark")
    check_choice("unknown_class", unknown_class, ("error", "drop"))
    load_spark()
    size = n_bytes(memory)
    engine = SparkEngine(frame.sparkSession)
    tables = spark_tables(frame, classes, chosen_names(ignore, "ignore"), engine, weights)
    scan = FrameScan(tables, classes, weights, ordered)
    parts, found = scan.coded(categorical_features, memory=size, drop_unknown_class=unknown_class == "drop")
    return SparkCases(parts, found, engine, size)
