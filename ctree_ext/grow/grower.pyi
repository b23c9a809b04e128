import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.split_scores import SplitMeasure
from ctree_ext.grow.stopping import StoppingRule

class Grower:
    def __init__(
        self,
        table: CaseTable,
        *,
        min_cases: float = 2.0,
        gain_only: bool = False,
        group_values: bool = False,
        j48: bool = False,
        binary: bool = False,
        charged: bool = True,
        actual_cut: bool = True,
        measure: SplitMeasure | None = None,
        stopping: StoppingRule | None = None,
        listed_cuts: bool = False,
        n_threads: int = 1,
        keep_order: bool = False,
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
    def grow(self, rows: npt.NDArray[np.int32] | None = None) -> NodeArrays: ...
