"""The random order in which a node of a forest is offered attributes, written out in Python's integers."""

from __future__ import annotations

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def splitmix(state: int) -> int:
    """The output function of SplitMix64."""
    x = state & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def key_at(key: int, path: list[int]) -> int:
    """The key of the node that a path of branches leads to, from the key of the tree."""
    for branch in path:
        key = splitmix(key + GOLDEN * (branch + 1))
    return key


def offered(attributes: list[int], key: int) -> list[int]:
    """The attributes in the order of the node with this key."""
    stream = splitmix(key ^ 0xD1B54A32D192ED03)
    order = list(attributes)
    for i in range(len(order) - 1):
        j = i + splitmix(stream + GOLDEN * (i + 1)) % (len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order
