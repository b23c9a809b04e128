"""LocalEngine: passes by threads of this process."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import PartLoader, combined
from ctree.scale.threads import in_threads
from ctree_ext.base.interrupts import check_requests

_R = TypeVar("_R")
_P = TypeVar("_P")


class LocalEngine:
    """Threads that share the parts.

    Each thread loads one part after the other, so that no more parts are in memory than there are threads. With one
    thread all is done by the caller itself.

    Parameters
    ----------
    n_threads : int
    """

    name = "local"
    n_processes = 1

    def __init__(self, n_threads: int = 1) -> None:
        self.at_once = n_threads

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """See `Engine`."""
        queue = _Queue(parts)
        n = max(1, min(self.at_once, len(parts)))

        def work() -> _R:
            return task(part for _, part in queue)

        return combined(in_threads([work] * n), combine)

    def by_key(
        self,
        split: Callable[[CodedPart], Sequence[_P]],
        work: Callable[[int, list[_P]], _R],
        parts: Sequence[PartLoader],
        keys: Mapping[int, int],
        *,
        room: int,
    ) -> dict[int, _R]:
        """See `Engine`."""
        queue = _Queue(parts)
        pieces: dict[int, list[list[_P]]] = {}

        def divide() -> None:
            for number, part in queue:
                pieces[number] = [[piece] for piece in split(part)]

        in_threads([divide] * max(1, min(self.at_once, len(parts))))
        results: dict[int, _R] = {}
        gate = _Gate(room)
        numbered = iter(enumerate(keys.items()))
        lock = threading.Lock()

        def finish() -> None:
            while True:
                with lock:
                    found = next(numbered, None)
                if found is None:
                    return
                place, (key, size) = found
                with gate.through(size):
                    # Nobody else holds on to them, so that they go when the work is done with them.
                    results[key] = work(key, [pieces[number][place].pop() for number in range(len(parts))])

        in_threads([finish] * max(1, min(self.at_once, len(keys))))
        return {key: results[key] for key in keys}


class _Queue:
    """The parts, loaded one by one for whoever asks."""

    def __init__(self, parts: Sequence[PartLoader]) -> None:
        self._parts = parts
        self._numbers = itertools.count()  # a step that no other thread can divide

    def __iter__(self) -> Iterator[tuple[int, CodedPart]]:
        for number in self._numbers:
            if number >= len(self._parts):
                return
            check_requests()
            yield number, self._parts[number].load()


class _Gate:
    """Lets work through while it fits, or if there is none."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._taken = 0
        self._changed = threading.Condition()

    def through(self, size: int) -> _Passage:
        return _Passage(self, size)

    def enter(self, size: int) -> None:
        with self._changed:
            while self._taken and self._taken + size > self._room:
                self._changed.wait(0.1)
                check_requests()
            self._taken += size

    def leave(self, size: int) -> None:
        with self._changed:
            self._taken -= size
            self._changed.notify_all()


class _Passage:
    def __init__(self, gate: _Gate, size: int) -> None:
        self._gate = gate
        self._size = size

    def __enter__(self) -> None:
        self._gate.enter(self._size)

    def __exit__(self, *_: object) -> None:
        self._gate.leave(self._size)
