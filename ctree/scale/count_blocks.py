"""How counts are divided where they do not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CountBlock:
    """What one pass counts: some attributes at the nodes from `first` to before `end`.

    `n_bytes` is what the counts take.
    """

    attributes: tuple[int, ...]
    first: int
    end: int
    n_bytes: int


def count_blocks(n_nodes: int, n_bytes: Mapping[int, int], room: int) -> list[CountBlock]:
    """Divide counts into blocks that fit, if they can be divided so far.

    Attributes are divided before nodes: each column is then still read by one pass only.

    Parameters
    ----------
    n_nodes : int
    n_bytes : mapping
        What the counts of each attribute take at one node.
    room : int
        What those of a pass may take.

    Examples
    --------
    >>> [(block.attributes, block.first, block.end) for block in count_blocks(4, {0: 10, 1: 10, 2: 50, 3: 10}, 100)]
    [((0, 1), 0, 4), ((2,), 0, 2), ((2,), 2, 4), ((3,), 0, 4)]
    """
    blocks: list[CountBlock] = []
    some: list[int] = []
    size = 0

    def close() -> None:
        nonlocal size
        if some:
            blocks.append(CountBlock(tuple(some), 0, n_nodes, size))
            some.clear()
            size = 0

    for attribute, of_node in n_bytes.items():
        if size + of_node * n_nodes > room:
            close()
        if of_node * n_nodes <= room:
            some.append(attribute)
            size += of_node * n_nodes
            continue
        step = max(1, room // of_node)
        for first in range(0, n_nodes, step):
            end = min(first + step, n_nodes)
            blocks.append(CountBlock((attribute,), first, end, of_node * (end - first)))
    close()
    # somebody has to count the classes
    return blocks or [CountBlock((), 0, n_nodes, 0)]
