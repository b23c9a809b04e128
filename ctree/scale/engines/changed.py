"""ChangedEngine: another engine's passes, over parts that are changed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import Engine, PartLoader

_R = TypeVar("_R")
_P = TypeVar("_P")

Change = Callable[[CodedPart], CodedPart]
"""Picklable, and depends on nothing but the part."""


@dataclass(frozen=True)
class _EachChanged(Generic[_R]):
    task: Callable[[Iterable[CodedPart]], _R]
    change: Change

    def __call__(self, parts: Iterable[CodedPart]) -> _R:
        return self.task(map(self.change, parts))


@dataclass(frozen=True)
class _SplitChanged(Generic[_P]):
    split: Callable[[CodedPart], Sequence[_P]]
    change: Change

    def __call__(self, part: CodedPart) -> Sequence[_P]:
        return self.split(self.change(part))


class ChangedEngine:
    """Changes parts where they are, each time that they are asked for: nothing more is kept.

    Parameters
    ----------
    engine : Engine
        Who makes the passes.
    change : callable
    """

    def __init__(self, engine: Engine, change: Change) -> None:
        self.name = engine.name
        self.at_once = engine.at_once
        self.n_processes = engine.n_processes
        self._engine = engine
        self._change = change

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """See `Engine`."""
        return self._engine.each(_EachChanged(task, self._change), parts, combine=combine)

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
        return self._engine.by_key(_SplitChanged(split, self._change), work, parts, keys, room=room)
