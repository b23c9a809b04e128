"""Which calls are made to fail, and how much memory is in use."""

from __future__ import annotations

import ctypes
import gc
import os
import sys


def numbers(n_calls: int, every: int, sampled: int) -> list[int]:
    """The numbers of calls to fail: each of the first, then some of the others at equal distances, with the last.

    >>> numbers(5, every=10, sampled=3)
    [1, 2, 3, 4, 5]
    >>> numbers(1000, every=3, sampled=4)
    [1, 2, 3, 252, 501, 751, 1000]
    """
    first = list(range(1, min(n_calls, every) + 1))
    rest = n_calls - len(first)
    if rest <= sampled:
        return list(range(1, n_calls + 1))
    return first + [every + round((i + 1) * rest / sampled) for i in range(sampled)]


_held_names: list[str] = []


def make_room_for_names() -> None:
    """Have Python's table of interned strings grow now, and not between two measurements.

    The table grows by 545 kB when it is full and more than 21,845 strings are in use: just so many are where ctree and
    numpy have been imported. That would look like memory which is not given back. The next size is for 43,690.
    """
    _held_names.extend(sys.intern(f"a held name {i}") for i in range(10_000))
    for i in range(100_000):  # until the table is full, and made anew for those in use
        sys.intern(f"a name let go {i}")


class _Heap(ctypes.Structure):
    # struct mallinfo2 of glibc
    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


def heap_bytes() -> int:
    """Bytes that malloc has given out in this process and not got back, without garbage."""
    gc.collect()
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Heap
    heap = library.mallinfo2()
    return heap.uordblks + heap.hblkhd


def resident_bytes() -> int:
    """Bytes of this process that are in memory, after all that malloc can give back was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
