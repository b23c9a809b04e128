"""DaskTables: a frame of Dask while it is scanned, a task for each partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from ctree.data.tables.frames import of_dask
from ctree.errors import DataError
from ctree.scale import frame_coding as coding
from ctree.scale.engines.dask import DaskEngine, DaskPart
from ctree.scale.engines.engine import combined
from ctree.scale.frame_coding import PieceNumber, Shape
from ctree.scale.frame_names import column_names, no_column
from ctree.wording import plural


class DaskTables:
    """What the workers of Dask hold of a frame; see `FrameTables`.

    Parameters
    ----------
    held : list of Delayed
        A table, or coded cases, for each partition; they are being made.
    engine : DaskEngine
    """

    def __init__(self, held: Sequence[Any], engine: DaskEngine) -> None:
        self._held = list(held)
        self._engine = engine

    def shape(self) -> Shape:
        """See `FrameTables`."""
        shape: Shape = self.ask(coding.shape, coding.shapes)
        return shape

    def ask(self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any) -> Any:
        """See `FrameTables`."""
        return self._engine.results([self._joined(combine, self._each(function, more))])[0]

    def make(
        self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any
    ) -> tuple[Self, Any]:
        """See `FrameTables`."""
        pairs = self._each(function, more)
        # All at once: parts that were made for the one would have to be made again for the other.
        calls = [*(pair[0] for pair in pairs), self._joined(combine, [pair[1] for pair in pairs])]
        *made, told = self._engine.keep(calls)
        try:
            return type(self)(made, self._engine), self._engine.results([told])[0]
        except BaseException:
            self._engine.drop([*made, told])
            raise

    def parts(self, sizes: Mapping[PieceNumber, int]) -> list[DaskPart]:
        """See `FrameTables`."""
        return [DaskPart(sizes[number, 0], held) for number, held in enumerate(self._held)]

    def release(self) -> None:
        """See `FrameTables`. Workers let go of what no object refers to; Dask knows still how it was made."""
        self._held = []

    def drop(self) -> None:
        """See `FrameTables`."""
        self._engine.drop(self._held)

    def _each(self, function: Callable[..., Any], more: Sequence[Any]) -> list[Any]:
        shared = [one if isinstance(one, str | int) else self._engine.share(one) for one in more]
        return [self._engine.call(function, held, (number, 0), *shared) for number, held in enumerate(self._held)]

    def _joined(self, combine: Callable[..., Any], calls: list[Any]) -> Any:
        return combined(calls, lambda some: self._engine.call(combine, list(some)))


def dask_tables(frame: Any, classes: Any, ignored: Sequence[str], engine: DaskEngine) -> tuple[DaskTables, str]:
    """The tables of a frame, which the workers begin to make, and what the column of the class is called.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    classes : name of a column, or dask.dataframe.Series
    ignored : sequence of str
        Columns to leave out.
    engine : DaskEngine
    """
    keys = list(frame.columns)
    for name in ignored:
        if name not in keys:
            raise no_column(name, keys)
    if ignored:
        keys = [key for key in keys if key not in ignored]
        frame = frame[keys]
    apart = of_dask(classes)
    if apart and classes.npartitions != frame.npartitions:
        raise DataError(
            f"the classes are in {plural(classes.npartitions, 'partition')}, the cases in {frame.npartitions}: "
            "they should be a series of the same frame"
        )
    if not apart and (not isinstance(classes, str | int | float | tuple) or classes not in keys):
        raise no_column(classes, keys)
    names = column_names(keys, None if apart else classes)
    class_name = "y" if apart else names[classes]
    while apart and class_name in names.values():
        class_name += "'"
    frames = frame.to_delayed()
    partitions = zip(frames, classes.to_delayed() if apart else [None] * len(frames), strict=True)
    shared = engine.share(names)
    calls = [
        engine.call(coding.as_table, *partition, number, shared, class_name)
        for number, partition in enumerate(partitions)
    ]
    return DaskTables(engine.keep(calls), engine), class_name
