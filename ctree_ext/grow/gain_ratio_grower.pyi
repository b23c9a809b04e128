from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.limits import GrowthLimits

class GainRatioGrower:
    def __init__(
        self,
        table: CaseTable,
        *,
        min_cases: float = 2.0,
        gain_only: bool = False,
        group_values: bool = False,
        j48: bool = False,
        binary_splits: bool = False,
        mdl_correction: bool = True,
        actual_thresholds: bool = True,
        collapse: bool = False,
        n_threads: int = 1,
        keep_order: bool = False,
        whole: float = 0.0,
    ) -> None: ...
    @property
    def min_cases(self) -> float: ...
    @property
    def gain_only(self) -> bool: ...
    @property
    def group_values(self) -> bool: ...
    @property
    def n_threads(self) -> int: ...
    @property
    def order(self) -> npt.NDArray[np.int32] | None: ...
    @property
    def leaf_rows(self) -> npt.NDArray[np.int32] | None: ...
    def grow(
        self,
        rows: npt.NDArray[np.int32] | None = None,
        *,
        tested: Sequence[int] = (),
        present_above: int = 0,
        limits: GrowthLimits | None = None,
    ) -> NodeArrays: ...
