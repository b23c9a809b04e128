"""What fits into memory together, and how much that is in words."""

from __future__ import annotations

from collections.abc import Mapping


def packed(sizes: Mapping[int, int], most: int) -> list[list[int]]:
    """Groups of no more than `most` together, unless of one alone; large ones first."""
    groups: list[list[int]] = []
    room: list[int] = []
    for key in sorted(sizes, key=lambda key: -sizes[key]):
        place = next((i for i, left in enumerate(room) if sizes[key] <= left), len(groups))
        if place == len(groups):
            groups.append([])
            room.append(most)
        groups[place].append(key)
        room[place] -= sizes[key]
    return groups


def megabytes(n_bytes: int) -> str:
    """A number of bytes in words."""
    return f"{n_bytes / 1e6:,.0f} MB"
