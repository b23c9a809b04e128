from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule
from ctree_ext.relational.language import Language

class RelationalGrower:
    def __init__(
        self,
        language: Language,
        rows: npt.NDArray[np.int32],
        classes: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float64] | None,
        score: SplitScore,
        stopping: StoppingRule,
        *,
        min_cases: float = 1.0,
        lookahead: int = 0,
        max_variables: int = 8,
        max_depth: int = -1,
        closing: bool = False,
        max_rows: int = 100_000_000,
    ) -> None: ...
    @property
    def skipped_steps(self) -> int: ...
    @property
    def n_settled(self) -> int: ...
    def grow(self, n_threads: int = 1) -> dict[str, npt.NDArray[Any]]: ...
    def stop(self) -> None: ...
    def grow_some(self, lead: RelationalGrower, open_jobs: list[int], found: list[Any]) -> None: ...
