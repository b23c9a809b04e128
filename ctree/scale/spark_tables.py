"""SparkTables: a frame of Spark while it is scanned, a row for each piece."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.reader import MOST_ROWS
from ctree.errors import DataTypeError
from ctree.scale import frame_coding as coding
from ctree.scale.engines import spark_tasks as tasks
from ctree.scale.engines.spark import SparkEngine, SparkPart, SparkRows
from ctree.scale.engines.spark_rows import told
from ctree.scale.frame_coding import PieceNumber, Shape
from ctree.scale.frame_names import both, column_names, name_among, no_column

MOST_BYTES = 1 << 26
"""Of a piece; a row of Spark has no room for more than 2 GB."""

SPREAD = 2
"""So many partitions for each task that runs at the same time: each costs time, but they may differ in size."""


class SparkTables:
    """What the executors of Spark hold of a frame; see `FrameTables`.

    Parameters
    ----------
    held : SparkRows
        A table, or coded cases, for each piece.
    engine : SparkEngine
    shape : Shape, optional
    """

    def __init__(self, held: SparkRows, engine: SparkEngine, shape: Shape | None = None) -> None:
        self._held = held
        self._engine = engine
        self._shape = shape

    def shape(self) -> Shape:
        """See `FrameTables`."""
        return self.ask(coding.shape, coding.shapes) if self._shape is None else self._shape

    def ask(self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any) -> Any:
        """See `FrameTables`."""
        found = self._engine.map(self._fewer(), tasks.asked(function, combine, more))
        return self._engine.joined(found, self._n_tasks(), combine)

    def make(
        self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any
    ) -> tuple[Self, Any]:
        """See `FrameTables`."""
        with self._engine.job():
            made = self._engine.hold(self._engine.map(self._fewer(), tasks.made(function, more)))
        held = replace(self._held, frame=made, n_tasks=self._n_tasks())
        try:
            found = self._engine.map(made.select("told"), tasks.combined(combine))
            return type(self)(held, self._engine), self._engine.joined(found, held.n_tasks, combine)
        except BaseException:
            self._engine.forget(made)
            raise

    def parts(self, sizes: Mapping[PieceNumber, int], of_case: int) -> list[SparkPart]:
        """See `FrameTables`."""
        return [SparkPart(n, self._held, piece) for piece, n in sorted(sizes.items())]

    def release(self) -> None:
        """See `FrameTables`. Spark knows still how they were made."""
        self._engine.forget(self._held.frame)

    def drop(self) -> None:
        """See `FrameTables`."""
        self._engine.forget(self._held.frame)

    def _n_tasks(self) -> int:
        return min(self._held.n_tasks, _most_tasks(self._held))

    def _fewer(self) -> Any:
        """The rows in no more partitions than executors need: each takes time, those without rows too."""
        return self._held.frame.coalesce(max(1, _most_tasks(self._held)))


def spark_tables(
    frame: Any, classes: Any, ignored: Sequence[str], engine: SparkEngine, weights: Any = None
) -> SparkTables:
    """The tables of a frame, once the executors have made them.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    classes, weights : name of a column
        The weights may be left out.
    ignored : sequence of str
        Columns to leave out.
    engine : SparkEngine
    """
    keys = list(frame.columns)
    special = [classes] if weights is None else [classes, weights]
    for name in (*ignored, *special):
        if not isinstance(name, str) or name not in keys:
            raise no_column(name, keys)
    if classes == weights:
        raise both(classes)
    names = column_names(keys, special)
    used = [key for key in keys if key not in ignored]
    for name in special:
        if name not in used:
            raise no_column(name, used)
    _check_types(frame, used)
    with engine.job(few_rows=False):
        columns = [f"`{key.replace('`', '``')}`" for key in used]
        numbered = frame.selectExpr(*columns, f"spark_partition_id() as `{name_among(names, 'partition')}`")
        held = engine.hold(engine.map(numbered, tasks.tables(MOST_ROWS, MOST_BYTES)))
        try:
            shapes = [told(row["told"]) for row in held.select("told").collect()]
        except BaseException:
            engine.forget(held)
            raise
    shape = coding.shapes(shapes)
    rows = SparkRows(held, len({number for number, _ in shape.sizes}), len(shape.sizes), engine)
    try:
        return SparkTables(_spread(rows, shape), engine, shape)
    except BaseException:
        engine.forget(held)
        raise


def _most_tasks(rows: SparkRows) -> int:
    """How many partitions are enough."""
    return SPREAD * rows.engine.n_tasks or rows.n_tasks


def _spread(rows: SparkRows, shape: Shape) -> SparkRows:
    """The rows, moved to other partitions if one has so many of them that all others would wait for it."""
    engine = rows.engine
    enough = min(_most_tasks(rows), rows.n_rows)
    pieces = Counter(number for number, _ in shape.sizes)
    if max(pieces.values(), default=0) <= max(1, SPREAD * rows.n_rows // max(enough, 1)):
        return rows
    with engine.job():
        spread = engine.hold(rows.frame.repartition(enough, "part", "start"))
        try:
            spread.select("part").collect()
        except BaseException:
            engine.forget(spread)
            raise
    engine.forget(rows.frame)
    return SparkRows(spread, enough, rows.n_rows, engine)


def _check_types(frame: Any, used: Sequence[str]) -> None:
    """Types of Spark that no batch of Arrow could have, or no learner could use, before any job is run."""
    for field in frame.schema.fields:
        kind = field.dataType.simpleString()
        name = re.split("[( ]", kind)[0]
        if field.name not in used or name in _FINE:
            continue
        if name in _TIMES:
            raise DataTypeError(
                f"column '{abbreviated(field.name)}' holds lengths of time ({kind}), which are neither numbers nor "
                "labels: convert them to numbers, such as days, or to text"
            )
        raise DataTypeError(
            f"column '{abbreviated(field.name)}' has the type {abbreviated(kind)}; it should hold numbers, booleans or "
            "text"
        )


_FINE = {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean"} | {
    *("string", "char", "varchar", "void", "date", "timestamp", "timestamp_ntz", "timestamp_ltz")
}
_TIMES = {"interval"}
