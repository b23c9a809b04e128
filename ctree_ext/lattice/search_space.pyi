from collections.abc import Callable

import numpy as np
import numpy.typing as npt

MAX_LEVELS: int

class SearchSpace:
    n_tests: int
    n_cases: int
    n_classes: int
    n_levels: int
    max_depth: int
    n_rows: int
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
        pause: Callable[[float, float], float | None] | None = None,
        truncated: bool = False,
    ) -> None: ...
    @property
    def n_kept(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    def limit_memory(self, memory_limit: int) -> None: ...
