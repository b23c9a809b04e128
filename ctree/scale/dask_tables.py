"""DaskTables: a frame of Dask while it is scanned, a task for each partition."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from ctree.data.tables.frames import of_dask
from ctree.errors import DataError
from ctree.progress import Progress, ProgressCallback
from ctree.scale import frame_coding as coding
from ctree.scale.engines.dask import DaskEngine, DaskPart
from ctree.scale.engines.engine import combined
from ctree.scale.frame_coding import PieceNumber, Shape
from ctree.scale.frame_names import both, column_names, name_among, no_column
from ctree.wording import plural


class DaskTables:
    """What the workers of Dask hold of a frame; see `FrameTables`.

    Parameters
    ----------
    held : list of Delayed
        A table, or coded cases, for each partition; they are being made.
    engine : DaskEngine
    progress : callable, optional
        Is told how many partitions are done.
    """

    def __init__(self, held: Sequence[Any], engine: DaskEngine, progress: ProgressCallback | None = None) -> None:
        self._held = list(held)
        self._engine = engine
        self._progress = progress

    def shape(self) -> Shape:
        """See `FrameTables`."""
        found = self._all(coding.shape, coding.shapes, ())
        shape: Shape = self._engine.results([found], self._told("reading", self._held))[0]
        return shape

    def ask(self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any) -> Any:
        """See `FrameTables`."""
        found = self._all(function, combine, more)
        return self._engine.results([found], self._told("finding values", self._held, again=True))[0]

    def make(
        self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any
    ) -> tuple[Self, Any]:
        """See `FrameTables`."""
        places = self._engine.places(self._held)
        pairs = self._each(function, more, places)
        # All at once: parts that were made for the one would have to be made again for the other.
        calls = [*(pair[0] for pair in pairs), self._joined(combine, [pair[1] for pair in pairs], places)]
        *made, told = self._engine.keep(calls)
        try:
            found = self._engine.results([told], self._told("coding", made))[0]
        except BaseException:
            self._engine.drop([*made, told])
            raise
        return type(self)(made, self._engine, self._progress), found

    def parts(self, sizes: Mapping[PieceNumber, int], of_case: int) -> list[DaskPart]:
        """See `FrameTables`."""
        numbers = [(number, sizes[number, 0]) for number in range(len(self._held))]
        return [DaskPart(n, self._held[number], n * of_case) for number, n in numbers]

    def _told(self, phase: str, kept: Sequence[Any], *, again: bool = False) -> Callable[[], None] | None:
        """Tells of a round how many partitions are done; or, where they are gone through again, how many there are."""
        progress, start = self._progress, time.monotonic()
        if progress is None:
            return None

        def look() -> None:
            done = self._engine.n_done(kept)
            rate = 0.0 if again else done / max(time.monotonic() - start, 1e-9)
            progress(Progress(phase, done, None if again else len(kept), rate, "partitions"))

        look()
        return look

    def release(self) -> None:
        """See `FrameTables`. Workers let go of what no object refers to; Dask knows still how it was made."""
        self._held = []

    def drop(self) -> None:
        """See `FrameTables`."""
        self._engine.drop(self._held)

    def _all(self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], more: Sequence[Any]) -> Any:
        places = self._engine.places(self._held)
        return self._joined(combine, self._each(function, more, places), places)

    def _each(self, function: Callable[..., Any], more: Sequence[Any], places: Sequence[str]) -> list[Any]:
        """A call for each partition, by the worker that has it if that can be."""
        shared = [one if isinstance(one, str | int) else self._engine.share(one) for one in more]
        return [
            self._engine.call(function, held, (number, 0), *shared, near=place)
            for number, (held, place) in enumerate(zip(self._held, places, strict=True))
        ]

    def _joined(self, combine: Callable[..., Any], calls: Sequence[Any], places: Sequence[str]) -> Any:
        """What calls for all partitions find; first of those that one worker has, so that less is sent."""
        near = [calls[i] for i in sorted(range(len(calls)), key=lambda i: places[i])]
        return combined(near, lambda some: self._engine.call(combine, list(some)))


def dask_tables(
    frame: Any,
    classes: Any,
    ignored: Sequence[str],
    engine: DaskEngine,
    weights: Any = None,
    progress: ProgressCallback | None = None,
) -> tuple[DaskTables, str, str | None]:
    """The tables of a frame, which the workers begin to make, and what the columns of class and weight are called.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    classes, weights : name of a column, or dask.dataframe.Series
        The weights may be left out.
    ignored : sequence of str
        Columns to leave out.
    engine : DaskEngine
    progress : callable, optional
    """
    keys = list(frame.columns)
    for name in ignored:
        if name not in keys:
            raise no_column(name, keys)
    if ignored:
        keys = [key for key in keys if key not in ignored]
        frame = frame[keys]
    special: list[Any] = []
    for what, one in (("classes", classes), ("weights", weights)):
        if of_dask(one):
            if one.npartitions != frame.npartitions:
                raise DataError(
                    f"the {what} are in {plural(one.npartitions, 'partition')}, the cases in {frame.npartitions}: "
                    "they should be a series of the same frame"
                )
        elif what == "classes" or one is not None:
            if not isinstance(one, str | int | float | tuple) or one not in keys:
                raise no_column(one, keys)
            if one in special:
                raise both(one)
            special.append(one)
    names = column_names(keys, special)
    class_name = name_among(names, "y") if of_dask(classes) else names[classes]
    weight_name: str | None = None
    if weights is not None:
        weight_name = name_among({**names, None: class_name}, "weight") if of_dask(weights) else names[weights]
    frames = frame.to_delayed()
    apart = [one.to_delayed() if of_dask(one) else [None] * len(frames) for one in (classes, weights)]
    shared = engine.share(names)
    calls = [
        engine.call(coding.as_table, *partition, number, shared, class_name, weight_name)
        for number, partition in enumerate(zip(frames, *apart, strict=True))
    ]
    return DaskTables(engine.keep(calls), engine, progress), class_name, weight_name
