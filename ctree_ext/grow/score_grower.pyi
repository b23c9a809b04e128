from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.limits import GrowthLimits
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule

class ScoreGrower:
    def __init__(
        self,
        table: CaseTable,
        score: SplitScore,
        stopping: StoppingRule,
        *,
        min_cases: float = 2.0,
        binary_splits: bool = False,
        listed_thresholds: bool = False,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def min_cases(self) -> float: ...
    @property
    def n_threads(self) -> int: ...
    def grow(
        self,
        rows: npt.NDArray[np.int32] | None = None,
        *,
        tested: Sequence[int] = (),
        present_above: int = 0,
        limits: GrowthLimits | None = None,
    ) -> NodeArrays: ...
