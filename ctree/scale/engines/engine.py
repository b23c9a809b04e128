"""Engine: who makes a pass over parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from ctree.scale.coded_part import CodedPart

FAN_IN = 8
"""Results that are combined at a time."""

_R = TypeVar("_R")
_P = TypeVar("_P")


class PartLoader(Protocol):
    """Where some of the cases are; small and picklable."""

    @property
    def n(self) -> int:
        """How many cases there are."""
        ...

    def load(self) -> CodedPart:
        """The cases. A pass lets go of them before it loads those of the next part."""
        ...


class Engine(Protocol):
    """Runs functions of parts, wherever the parts are.

    Functions are picklable, and depend on nothing but what they are given, so that each may run anywhere, or again.
    """

    name: str
    """What it is called in ``fit_info_``."""
    at_once: int
    """How many results or pieces of work one process may have at the same time."""
    n_processes: int
    """How many processes share what is gathered."""

    def each(
        self,
        task: Callable[[Iterable[CodedPart]], _R],
        parts: Sequence[PartLoader],
        *,
        combine: Callable[[Sequence[_R]], _R],
    ) -> _R:
        """Give all parts to calls of `task`, any number to each, and combine what they return.

        Results may be combined in any order and grouping: `combine` is associative and commutative, and does not
        change what it is given. `task` is called at least once, with no parts if there are none.
        """
        ...

    def by_key(
        self,
        split: Callable[[CodedPart], Sequence[_P]],
        work: Callable[[int, list[_P]], _R],
        parts: Sequence[PartLoader],
        keys: Mapping[int, int],
        *,
        room: int,
    ) -> dict[int, _R]:
        """Split each part into pieces, one for each key in their order, and work on all pieces of a key together.

        `work` gets a key and its pieces in the order of the parts, and may take them out of the list. `keys` says how
        many bytes the work on each takes; works that run at the same time in one process take no more than `room`
        together, unless it is one alone. See `for_keys` for work that has much to send.
        """
        ...


def for_keys(work: Callable[..., _R], keys: Sequence[int]) -> Callable[..., _R]:
    """What of some work is needed for some keys: its ``for_keys(keys)`` if it has that, else all of it."""
    chosen: Callable[..., _R] = work.for_keys(keys) if hasattr(work, "for_keys") else work
    return chosen


def combined(results: Sequence[_R], combine: Callable[[Sequence[_R]], _R]) -> _R:
    """All results as one, a few at a time.

    Examples
    --------
    >>> combined(list(range(100)), sum)
    4950
    """
    while len(results) > 1:
        results = [
            combine(some) if len(some) > 1 else some[0]
            for start in range(0, len(results), FAN_IN)
            for some in [results[start : start + FAN_IN]]
        ]
    return results[0]


def key_groups(keys: Mapping[int, int], most: int, room: int) -> list[list[int]]:
    """Keys in groups of about the same size: no more than so many, unless they would not fit the room.

    Parameters
    ----------
    keys : dict
        How many bytes the work on each takes.
    most : int
    room : int
        Bytes for a group.

    Examples
    --------
    >>> key_groups({7: 10, 8: 4, 9: 5}, 2, 100), key_groups({7: 10, 8: 4, 9: 5}, 1, 10)
    ([[7], [9, 8]], [[7], [9, 8]])
    """
    n = min(len(keys), max(most, -(-sum(keys.values()) // max(room, 1))))
    groups: list[list[int]] = [[] for _ in range(n)]
    sizes = [0] * n
    for key in sorted(keys, key=lambda key: -keys[key]):
        least = sizes.index(min(sizes))
        groups[least].append(key)
        sizes[least] += keys[key]
    return groups
