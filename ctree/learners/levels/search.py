"""The search for the test of a node, by whatever measure: what it asks for, and what it decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ctree.learners.levels.pieces import Pieces
from ctree.scale.source import Numbers
from ctree_ext.base.node_arrays import Floats, Test


def weights_of(counts: Numbers, unit: float) -> Floats:
    """What counts in units weigh."""
    return counts.astype(np.float64) * unit


@dataclass(frozen=True)
class Wanted:
    """Closed pieces of an attribute that a search has to know more of."""

    attribute: int
    pieces: npt.NDArray[np.intp]
    keep: bool = True
    """Whether their values are to be kept, or only counted."""
    distinct: bool = False
    """Whether their distinct values are only to be counted, and the values themselves need not be seen."""


@dataclass(frozen=True)
class Decision:
    """The test of a node with the class counts of its branches, or a leaf without any."""

    n_tests: int
    test: int = Test.LEAF
    attribute: int = -1
    threshold: float = 0.0
    group: npt.NDArray[np.int32] | None = None
    branches: tuple[Numbers, ...] = ()


class Search(Protocol):
    """The search for the test of a node."""

    pieces: dict[int, Pieces]

    def step(self) -> list[Wanted] | Decision:
        """The test of the node, or what has to be known first."""
        ...
