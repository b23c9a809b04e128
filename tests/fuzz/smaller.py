"""A smaller input that still shows a finding."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

from .mutations import Way, parent_of, places


def smaller(given: Any, shows_it: Callable[[Any], bool], seconds: float) -> Any:
    """Take away parts of an input as long as it shows the same, and for so long at most.

    Lists lose a half, then single entries; long texts lose halves. Entries of objects stay, as they have names that
    somebody asks for.
    """
    end = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for way in [(), *places(given)]:
            for candidate in _candidates(given, way):
                if time.monotonic() >= end:
                    return given
                if shows_it(candidate):
                    given, progress = candidate, True
                    break
            if progress:
                break
    return given


def _candidates(given: Any, way: Way) -> list[Any]:
    """What may be tried instead, with something less at a place."""
    value = parent_of(given, way)[way[-1]] if way else given
    if isinstance(value, list):
        half = len(value) // 2
        shorter: list[Any] = [value[half:], value[:half]] if half else []
        shorter += [value[:i] + value[i + 1 :] for i in range(min(len(value), 20))]
    elif isinstance(value, str) and len(value) > 8:
        half = len(value) // 2
        quarter = half // 2
        shorter = [value[half:], value[:half], value[:quarter] + value[half + quarter :]]
    else:
        return []
    return [_with(given, way, entry) for entry in shorter]


def _with(given: Any, way: Way, entry: Any) -> Any:
    if not way:
        return entry
    changed = copy.deepcopy(given)
    parent_of(changed, way)[way[-1]] = entry
    return changed
