"""How work is shared out among the tasks of a pass."""

from __future__ import annotations

from collections.abc import Mapping


def divided_evenly(sizes: Mapping[int, int], most: int) -> list[list[int]]:
    """Keys in groups of about the same size, each of no more than `most` if it is not one key alone.

    Examples
    --------
    >>> divided_evenly({0: 10, 1: 10, 2: 10, 3: 10, 4: 10}, 40), divided_evenly({0: 90, 1: 10}, 40)
    ([[0, 1, 2], [3, 4]], [[0], [1]])
    """
    fair = sum(sizes.values()) / max(1, -(-sum(sizes.values()) // max(most, 1)))
    groups: list[list[int]] = []
    size = 0
    for key, n in sizes.items():
        if not groups or size + n > most or size >= fair:
            groups.append([])
            size = 0
        groups[-1].append(key)
        size += n
    return groups
