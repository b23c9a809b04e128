"""What the workers of a Dask cluster do."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, TypeVar

import numpy.typing as npt

from ctree.scale.coded_part import CodedPart
from ctree.scale.memory import keeping_freed

_P = TypeVar("_P")


SMALL = 1 << 16
"""Bytes of what is sent with every task."""


class Held:
    """What a graph of Dask carries as it is, without looking into it."""

    def __init__(self, content: Any) -> None:
        self.content = content


def content(given: Any) -> Any:
    """What is held, or what was fetched already."""
    return given.content if isinstance(given, Held) else given


def is_small(thing: Any) -> bool:
    """Whether a thing may be sent with every task; not if nobody knows how large it is."""
    try:
        return len(pickle.dumps(thing, protocol=5)) <= SMALL
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _part(given: Any) -> CodedPart:
    """A part, each of whose arrays begins where the processor wants it: those that were sent may begin anywhere."""
    part: CodedPart = given.content.load() if isinstance(given, Held) else given

    def aligned(array: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return array if array is None or array.flags.aligned else array.copy()

    classes = aligned(part.classes)
    assert classes is not None
    codes, numbers = tuple(map(aligned, part.codes)), tuple(map(aligned, part.numbers))
    return replace(part, codes=codes, numbers=numbers, classes=classes, weights=aligned(part.weights))


def run(task: Any, *parts: Any) -> Any:
    """What a pass makes of some parts."""
    with keeping_freed():
        return content(task)(map(_part, parts))


def combine(how: Any, results: list[Any]) -> Any:
    """Several results as one."""
    return content(how)(results)


def divide(split: Any, groups: Any, *parts: Any) -> list[list[list[Any]]]:
    """By the groups of keys they are for, the pieces of each part."""
    with keeping_freed():
        pieces = [content(split)(_part(part)) for part in parts]
    return [[[of_part[place] for place in group] for of_part in pieces] for group in content(groups)]


def work(what: Any, group: Held, numbers: Held, divided: list[list[list[Any]]]) -> dict[int, Any]:
    """What becomes of the pieces of each key of a group, which are in the order of `numbers`."""
    # Work may change its pieces, which are Dask's, for another try: it gets copies, of all but the arrays in them.
    one = content(what)
    by_part = dict(zip(numbers.content, (pieces for some in divided for pieces in some), strict=True))
    in_order = [by_part[number] for number in sorted(by_part)]
    with keeping_freed():
        return {key: one(key, [_copied(pieces[i]) for pieces in in_order]) for i, key in enumerate(group.content)}


def _copied(piece: _P) -> _P:
    arrays: list[pickle.PickleBuffer] = []
    copied: _P = pickle.loads(pickle.dumps(piece, protocol=5, buffer_callback=arrays.append), buffers=arrays)
    return copied
