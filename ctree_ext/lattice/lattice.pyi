from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

OBJECTIVES: dict[str, int]
MAX_LEVELS: int

def fast_bits(yes: bool) -> bool: ...

class Lattice:
    n_tests: int
    n_cases: int
    n_classes: int
    n_levels: int
    max_depth: int
    n_states: int
    state_limit: int
    n_rows: int
    stopped: bool
    low: float
    high: float
    reason: str | None
    def __init__(
        self,
        columns: npt.NDArray[np.uint8],
        classes: npt.NDArray[np.int32],
        n_classes: int,
        *,
        min_support: int = 1,
        max_depth: int | None = None,
        uniform: bool = False,
        gamma: float = 0.8,
        delta: float = 0.8,
        alpha: float = 1.0,
        groups: npt.NDArray[np.int32] | None = None,
        merge: bool = True,
        pairs: bool = True,
        by_cover: bool = True,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        state_limit: int | None = None,
        row_limit: int = -1,
        progress: Callable[[int, int, float, float], None] | None = None,
    ) -> None: ...
    def root(self) -> None: ...
    def search(self, objective: str) -> tuple[float, float]: ...
    def tree(self, objective: str) -> Any: ...
    def expand(
        self, items: Sequence[tuple[int, bool]]
    ) -> tuple[
        float,
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
    ]: ...
    @property
    def n_kept(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
