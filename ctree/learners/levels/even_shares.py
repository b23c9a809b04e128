"""Which nodes are too large for workers to share the rest of the work evenly."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapreplace

EVEN = 1.1
"""So many times what each worker would do at best, the one that does most may do."""


def too_large(sizes: Mapping[int, int], n_workers: int) -> list[int]:
    """The largest nodes, as few as can be, without which the others can be shared out evenly.

    Parameters
    ----------
    sizes : dict
        How many cases each node has. One worker grows all of its subtree.
    n_workers : int

    Examples
    --------
    >>> too_large({4: 20, 5: 21, 6: 19, 7: 20, 8: 20}, 2), too_large({4: 20, 5: 20, 6: 19, 7: 20}, 2)
    ([5], [])
    >>> too_large({4: 90, 5: 6, 6: 4}, 2), too_large({4: 90, 5: 6, 6: 4}, 1)
    ([4], [])
    """
    order = sorted(sizes, key=lambda node: -sizes[node])
    most = EVEN * sum(sizes.values()) / n_workers
    for n in range(len(order)):
        if _most_done([sizes[node] for node in order[n:]], n_workers) <= most:
            return order[:n]
    return order


def _most_done(sizes: list[int], n_workers: int) -> int:
    """What the busiest worker does, if the next largest of the sizes always goes to the one that has least."""
    done = [0] * n_workers  # a heap
    for size in sizes:
        heapreplace(done, done[0] + size)
    return max(done)
