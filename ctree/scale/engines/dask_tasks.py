"""What the workers of a Dask cluster do."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy.typing as npt

from ctree.scale.coded_part import CodedPart

_R = TypeVar("_R")
_P = TypeVar("_P")


class Held:
    """What a graph of Dask carries as it is, without looking into it."""

    def __init__(self, content: Any) -> None:
        self.content = content


def content(held: Held) -> Any:
    """What is held."""
    return held.content


def _part(given: Any) -> CodedPart:
    """A part, each of whose arrays begins where the processor wants it: those that were sent may begin anywhere."""
    part: CodedPart = given.content.load() if isinstance(given, Held) else given

    def aligned(array: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return array if array is None or array.flags.aligned else array.copy()

    classes = aligned(part.classes)
    assert classes is not None
    codes, numbers = tuple(map(aligned, part.codes)), tuple(map(aligned, part.numbers))
    return replace(part, codes=codes, numbers=numbers, classes=classes, weights=aligned(part.weights))


def run(task: Callable[[Iterable[CodedPart]], _R], *parts: Any) -> _R:
    """What a pass makes of some parts."""
    return task(map(_part, parts))


def combine(combine: Callable[[Sequence[_R]], _R], results: list[_R]) -> _R:
    """Several results as one."""
    return combine(results)


def divide(split: Callable[[CodedPart], Sequence[_P]], part: Any, groups: list[list[int]]) -> list[list[_P]]:
    """The pieces of a part, by the groups of keys they are for."""
    pieces = split(_part(part))
    return [[pieces[place] for place in group] for group in groups]


def work(work: Callable[[int, list[_P]], _R], group: Held, divided: list[list[_P]]) -> dict[int, _R]:
    """What becomes of the pieces of each key of a group."""
    # Work may change its pieces, which are Dask's, for another try: it gets copies, of all but the arrays in them.
    return {key: work(key, [_copied(pieces[i]) for pieces in divided]) for i, key in enumerate(group.content)}


def _copied(piece: _P) -> _P:
    arrays: list[pickle.PickleBuffer] = []
    copied: _P = pickle.loads(pickle.dumps(piece, protocol=5, buffer_callback=arrays.append), buffers=arrays)
    return copied
