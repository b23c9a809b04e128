"""What the workers of Spark do: functions of batches of Arrow, as `mapInArrow` calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ctree.data.scan.arrow_types import load_arrow
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import FAN_IN
from ctree.scale.engines.spark_rows import Batches, Fault, Row, batch_of, dumps, mapped, told
from ctree.scale.frame_coding import PieceNumber, shape

# Frames


def tables(most_rows: int, most_bytes: int) -> Callable[[Batches], Iterator[Any]]:
    """The rows of a partition of a frame as tables, none of them too large, each with its shape.

    The last column has the number of the partition. The context of the task would tell another one where rows that an
    executor has lost are made again for a frame of fewer partitions.
    """

    def on_batches(batches: Batches) -> Iterator[Any]:
        number = start = n = size = 0
        some: list[Any] = []
        for given in batches:
            if not given.num_rows:
                continue
            last = given.num_columns - 1
            number, batch, first = given.column(last)[0].as_py(), given.select(range(last)), 0
            while first < batch.num_rows:
                # As many rows as there is room for, but at least one.
                fit = int((most_bytes - size) * batch.num_rows / max(batch.nbytes, 1))
                piece = batch.slice(first, max(1, min(most_rows - n, fit)))
                some.append(piece)
                first, n, size = first + piece.num_rows, n + piece.num_rows, size + piece.nbytes
                if n >= most_rows or size >= most_bytes:
                    yield _table(some, (number, start))
                    start, some, n, size = start + n, [], 0, 0
        if n:
            yield _table(some, (number, start))

    return on_batches


def _table(batches: list[Any], piece: PieceNumber) -> Any:
    table = load_arrow().Table.from_batches(batches).combine_chunks()
    return batch_of(Row(0, *piece, content=dumps(table), told=dumps(shape(table, piece))))


def made(function: Callable[..., Any], more: Sequence[Any]) -> Callable[[Batches], Iterator[Any]]:
    """Of each piece what a function makes of it, and what it tells."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        for row in given:
            content, found = function(_content(row), row.piece, *more)
            yield row._replace(content=dumps(content), told=dumps(found))

    return mapped(rows)


def asked(
    function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], more: Sequence[Any]
) -> Callable[[Batches], Iterator[Any]]:
    """What a function finds in all pieces of a worker."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        yield from _joined((function(_content(row), row.piece, *more) for row in given), combine)

    return mapped(rows)


def combined(combine: Callable[[Sequence[Any]], Any]) -> Callable[[Batches], Iterator[Any]]:
    """What is told in some rows, as one; the first fault, if there is one."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        results = []
        for row in given:
            assert row.told is not None
            result = told(row.told)
            if isinstance(result, Fault):
                yield Row(told=row.told)
                return
            results.append(result)
            if len(results) == FAN_IN:
                results = [combine(results)]
        yield from _joined(iter(results), combine)

    return mapped(rows)


def _joined(found: Iterator[Any], combine: Callable[[Sequence[Any]], Any]) -> Iterator[Row]:
    """One row, or none if nothing was found; no more results at a time than two."""
    result = None
    some = False
    for one in found:
        result = combine([result, one]) if some else one
        some = True
    if some:
        yield Row(told=dumps(result))


# Passes


def run(task: Callable[[Iterable[CodedPart]], Any]) -> Callable[[Batches], Iterator[Any]]:
    """What a pass makes of the parts of a worker."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        first = next(given, None)
        if first is not None:
            yield Row(told=dumps(task(_parts(first, given))))

    return mapped(rows)


def divided(
    split: Callable[[CodedPart], Sequence[Any]], groups: Sequence[Sequence[int]]
) -> Callable[[Batches], Iterator[Any]]:
    """The pieces of each part, a row for each group of places among the keys."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        for row in given:
            pieces = split(_part(row))
            for slot, group in enumerate(groups):
                yield Row(slot, row.part, row.start, dumps([pieces[place] for place in group]))

    return mapped(rows)


def worked(
    work: Callable[[int, list[Any]], Any], groups: Sequence[Sequence[int]]
) -> Callable[[Batches], Iterator[Any]]:
    """What becomes of the pieces of each key of the groups of a worker, whose rows are sorted; faults are passed on."""

    def rows(given: Iterator[Row]) -> Iterator[Row]:
        for slot, of_group in groupby(given, key=lambda row: row.slot):
            some = []
            for row in of_group:
                if row.content is None:
                    yield row
                    return
                some.append(told(row.content))
            found = {key: work(key, [pieces[i] for pieces in some]) for i, key in enumerate(groups[slot])}
            yield Row(slot, told=dumps(found))

    return mapped(rows)


def _parts(first: Row, others: Iterator[Row]) -> Iterator[CodedPart]:
    yield _part(first)
    del first
    for row in others:
        yield _part(row)


def _part(row: Row) -> CodedPart:
    part: Any = _content(row)
    return part if isinstance(part, CodedPart) else part.load()  # of a PartLoader


def _content(row: Row) -> Any:
    assert row.content is not None
    return told(row.content)
