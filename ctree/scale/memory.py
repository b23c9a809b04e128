"""How much memory a person allows, and giving back what is not used any more."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

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
    library = _library()
    if library is not None:
        library.malloc_trim(0)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


GIVES_BACK = "MALLOC_TRIM_THRESHOLD_"
"""What the environment has where the C library gives all that is freed back at once, as in workers of Dask."""

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of mallopt
KEPT, OF_ITS_OWN = 1 << 30, 32 << 20
"""Bytes that are kept at most, and from which on an array is memory of its own, which cannot be kept."""

USUAL = 128 << 10
"""From so many bytes on an array is memory of its own, unless somebody says otherwise."""

IDLE = 0.5
"""Seconds after which what was kept is given back, if nothing has asked for it again."""

_keeping = 0
_blocks = 0
_lock = threading.Lock()


@contextmanager
def keeping_freed() -> Iterator[None]:
    """Let the C library keep what is freed for what is needed next, until half a second after the block has ended.

    Where it may keep nothing, every array of more than a few pages is cleared by the system before it is written to;
    and a task often follows another that has just freed as much as it needs.
    """
    global _keeping, _blocks
    given, library = os.environ.get(GIVES_BACK, ""), _library()
    if library is None or not given.isdecimal():
        yield
        return
    with _lock:
        _keeping += 1
        _blocks += 1
        library.mallopt(TRIM_THRESHOLD, KEPT)
        library.mallopt(MMAP_THRESHOLD, OF_ITS_OWN)
    try:
        yield
    finally:
        with _lock:
            _keeping -= 1
            if not _keeping:
                later = threading.Timer(IDLE, _keep_no_longer, (library, min(int(given), KEPT), _blocks))
                later.daemon = True  # a process that ends gives all back anyway
                later.start()


def _keep_no_longer(library: Any, threshold: int, block: int) -> None:
    """Give back what is kept, if no block has begun since this one."""
    with _lock:
        if block == _blocks:
            library.mallopt(TRIM_THRESHOLD, threshold)
            library.mallopt(MMAP_THRESHOLD, USUAL)
            library.malloc_trim(0)


@cache
def _library() -> Any:
    """The C library, if it is glibc."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL(None)
        return library if library.malloc_trim and library.mallopt else None
    except (OSError, AttributeError):
        return None
