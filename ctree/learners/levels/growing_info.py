"""How a tree was grown level by level."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass
class GrowingInfo:
    """How a tree was grown level by level.

    Parameters
    ----------
    levels : int
        Of the top of the tree, the part that was not grown in memory.
    top_nodes, subtrees : int
        The nodes of the top, and how many subtrees were grown in memory.
    finished_nodes : int
        Those of the subtrees.
    count_passes, open_passes, distinct_passes, size_passes, finish_passes : int
        Passes over the cases: to count them, to look at numbers, to count distinct numbers, to see how many nodes have
        where they are divided, and to grow subtrees.
    opened : int
        How many numbers were looked at, equal ones of a node as one, and those between which no threshold may be.
    resumed_levels : int
        How many levels were taken from a checkpoint.
    seconds : float
    """

    levels: int = 0
    top_nodes: int = 0
    subtrees: int = 0
    finished_nodes: int = 0
    count_passes: int = 0
    open_passes: int = 0
    distinct_passes: int = 0
    size_passes: int = 0
    finish_passes: int = 0
    opened: int = 0
    resumed_levels: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, float]:
        """All of it by name."""
        return asdict(self)
