"""Sized: objects that tell how many bytes they hold."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np


class Sized:
    """A parent for what engines keep and move: `sys.getsizeof` counts the arrays in it too.

    Dask asks so before it decides where a task runs, what to move there and what to write to disk.

    Examples
    --------
    >>> class Held(Sized):
    ...     def __init__(self, *arrays): self.arrays = arrays
    >>> sys.getsizeof(Held(np.zeros(1000), np.zeros(500))) - sys.getsizeof(Held(np.zeros(0), np.zeros(0)))
    12000
    """

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(bytes_in(held) for held in vars(self).values())


def bytes_in(thing: Any) -> int:
    """How many bytes a thing holds, with what is in lists, tuples and dictionaries."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, list | tuple):
        return sum(map(bytes_in, thing))
    if isinstance(thing, Mapping):
        return sum(map(bytes_in, thing.values()))
    return sys.getsizeof(thing)
