"""Growing a relational tree, with word of how far it is."""

from __future__ import annotations

import time
from typing import Any

import numpy.typing as npt

from ctree.progress import LOOK_EVERY, Progress, ProgressCallback
from ctree_ext.base.interrupts import run_interruptible
from ctree_ext.relational.relational_grower import RelationalGrower


def grown_nodes(
    grower: RelationalGrower, threads: int, n_examples: int, told: ProgressCallback | None
) -> dict[str, npt.NDArray[Any]]:
    """The nodes of a tree; meanwhile it is told how many of the examples have found their leaf."""
    if told is None:
        return grower.grow(threads)
    began = time.monotonic()

    def tell() -> None:
        done = grower.n_settled
        told(Progress("growing", done, n_examples, done / max(time.monotonic() - began, 1e-9), "examples"))

    nodes: dict[str, npt.NDArray[Any]] = run_interruptible(lambda: grower.grow(threads), grower.stop, tell, LOOK_EVERY)
    tell()
    return nodes
