from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.mcmc.rng import Stream
from ctree_ext.mcmc.test_grid import TestGrid

MOVES: tuple[str, ...]
PRIORS: dict[str, int]
TREATMENTS: dict[str, tuple[int, bool, bool]]

class Chain:
    def __init__(
        self,
        grid: TestGrid,
        stream: Stream,
        *,
        min_cases: float = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        alpha: float = ...,
        prior: str = ...,
        gamma: float = ...,
        delta: float = ...,
        per_test: bool = ...,
        treatment: str = ...,
        moves: Sequence[float] = ...,
        rule_step: float = ...,
        rule_spread: float = ...,
        thin: int = ...,
        temperatures: Sequence[float] = ...,
        exchange_every: int = ...,
        keep_trees: bool = ...,
    ) -> None: ...
    @property
    def grid(self) -> TestGrid: ...
    def advance(self, burn_in: int, samples: int) -> bool: ...
    def stop(self, asked: bool = ...) -> None: ...
    @property
    def progress(self) -> tuple[int, int, float | None, int | None]: ...
    def traces(self, burn_in: bool = ...) -> dict[str, npt.NDArray[Any]]: ...
    def stored_trees(self) -> dict[str, npt.NDArray[Any]]: ...
    @property
    def moves(self) -> dict[str, dict[str, int]]: ...
    @property
    def used_attributes(self) -> npt.NDArray[np.int64]: ...
    def state(self) -> dict[str, Any]: ...
    def restore(
        self,
        state: dict[str, Any],
        traces: dict[str, npt.NDArray[Any]],
        burn_in_traces: dict[str, npt.NDArray[Any]],
        trees: dict[str, npt.NDArray[Any]],
    ) -> None: ...
    def tree(self, i: int = ...) -> list[int]: ...
    def set_tree(self, tests: Sequence[int], i: int = ...) -> None: ...
