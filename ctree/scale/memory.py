"""How much memory a person allows, and giving back what is not used any more."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache

from ctree.domains.numeric import Memory

MEMORY = Memory(least=1 << 20)


def n_bytes(memory: int | str) -> int:
    """A size in bytes.

    Examples
    --------
    >>> n_bytes("2MB"), n_bytes(5_000_000)
    (2097152, 5000000)
    """
    size = int(MEMORY.read("memory", memory)) if isinstance(memory, str) else memory
    MEMORY.check("memory", size)
    return size


def give_back() -> None:
    """Give free memory back to the system, which the C library would keep: after work that took much of it."""
    trim = _trim()
    if trim is not None:
        trim(0)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


@cache
def _trim() -> Callable[[int], int] | None:
    """What gives memory back; None where there is no such thing, as it is glibc's own."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return trim
