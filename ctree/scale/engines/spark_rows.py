"""Rows of frames that executors of Spark hold or send: what is in them, and functions of them for `mapInArrow`."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ctree.data.scan.arrow_types import load_arrow
from ctree.errors import CtreeError
from ctree.scale.frame_coding import PieceNumber
from ctree_ext.scale.faults import PartError

SCHEMA = "slot int, part int, start long, content binary, told binary"

Batches = Iterable[Any]
"""Of Arrow."""


class Row(NamedTuple):
    """A row of a frame that workers hold or send.

    Parameters
    ----------
    slot : int
        Who it is for.
    part, start : int
        The piece that it is, or is of.
    content : bytes or None
        What is held, pickled.
    told : bytes or None
        What the caller is told, pickled.
    """

    slot: int = 0
    part: int = 0
    start: int = 0
    content: bytes | None = None
    told: bytes | None = None

    @property
    def piece(self) -> PieceNumber:
        return self.part, self.start


class Fault(NamedTuple):
    """An error of the data, which Spark need not try again; told as other results are."""

    error: Exception
    piece: PieceNumber


def dumps(thing: Any) -> bytes:
    """As a value of a binary column."""
    return pickle.dumps(thing, protocol=5)


def told(pickled: bytes) -> Any:
    """What a value of a binary column stands for."""
    return pickle.loads(pickled)


def unfaulty(results: Sequence[Any]) -> list[Any]:
    """The results, if there is no fault among them; else the one of the first piece is raised."""
    faults = [result for result in results if isinstance(result, Fault)]
    if faults:
        raise min(faults, key=lambda fault: fault.piece).error
    return list(results)


def mapped(function: Callable[[Iterator[Row]], Iterable[Row]]) -> Callable[[Batches], Iterator[Any]]:
    """A function of rows as one of batches. A batch that it gives has one row, as rows may be large."""

    def on_batches(batches: Batches) -> Iterator[Any]:
        place = Row()

        def rows() -> Iterator[Row]:
            nonlocal place
            for batch in batches:
                columns = {name: batch.column(name) for name in Row._fields if name in batch.schema.names}
                for i in range(batch.num_rows):
                    place = Row(**{name: column[i].as_py() for name, column in columns.items()})
                    yield place

        try:
            for row in function(rows()):
                yield batch_of(row)
        except (CtreeError, PartError) as error:
            yield batch_of(Row(told=dumps(Fault(error, place.piece))))

    return on_batches


def batch_of(row: Row) -> Any:
    """A batch of Arrow of one row."""
    arrow = load_arrow()
    types = (arrow.int32(), arrow.int32(), arrow.int64(), arrow.binary(), arrow.binary())
    arrays = [arrow.array([value], kind) for value, kind in zip(row, types, strict=True)]
    return arrow.RecordBatch.from_arrays(arrays, list(Row._fields))
