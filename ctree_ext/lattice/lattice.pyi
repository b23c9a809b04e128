from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.lattice.search_space import SearchSpace

OBJECTIVES: dict[str, int]

class Lattice(SearchSpace):
    @property
    def n_states(self) -> int: ...
    @property
    def state_limit(self) -> int: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    def search(self, objective: str, spent: float = 0.0) -> tuple[float, float]: ...
    def tree(self, objective: str) -> Any: ...
    def score(self, objective: str, tree: Any) -> float: ...
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
