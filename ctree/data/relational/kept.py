"""What is made of tables and kept with them, so that it need not be made again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

MAX_BYTES = 1 << 28
"""How much memory arrays may take that are kept; the oldest go first."""


class Kept:
    """Things by their keys, of which arrays do not take too much memory. Threads may share it.

    Examples
    --------
    >>> kept = Kept()
    >>> kept.get("answer", lambda: 42), kept.get("answer", lambda: 43)
    (42, 42)
    """

    def __init__(self) -> None:
        self._things: dict[Hashable, Any] = {}
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made for a key before, else what is made of it now."""
        try:
            return self._things[key]
        except KeyError:
            return self.put(key, make())

    def find(self, key: Hashable) -> Any:
        """What there is for a key, or None."""
        return self._things.get(key)

    def put(self, key: Hashable, thing: Any) -> Any:
        """Keep a thing, in place of what was there for its key."""
        with self._lock:
            self._bytes += _size(thing) - _size(self._things.pop(key, None))
            self._things[key] = thing
            for other in list(self._things):
                if self._bytes <= MAX_BYTES:
                    break
                if other != key and _size(self._things[other]):
                    self._bytes -= _size(self._things.pop(other))
        return thing

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()  # a copy makes its own


def _size(thing: Any) -> int:
    return int(getattr(thing, "nbytes", 0))
