"""How much memory a person allows."""

from __future__ import annotations

from ctree.domains import Memory

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
