"""A set that differs, made as small as it goes without losing the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .sets import Set

MOST_TRIES = 600


def smaller(given: Set, differs: Callable[[Set], bool]) -> Set:
    """Leave out cases, first many at a time, and attributes, as long as the sides still differ."""
    tries = 0
    found = True
    while found and tries < MOST_TRIES:
        found = False
        for candidate in _candidates(given):
            tries += 1
            if differs(candidate):
                given, found = candidate, True
                break
            if tries == MOST_TRIES:
                break
    return given


def _candidates(given: Set) -> Iterator[Set]:
    if len(given.problem.columns) > 1:
        for attribute in range(len(given.problem.columns)):
            yield given.without_attribute(attribute)
    n = len(given.problem.classes)
    size = n // 2
    while size >= 1:
        for start in range(0, n, size):
            if n > size:
                yield given.without_cases(set(range(start, min(start + size, n))))
        size //= 2
