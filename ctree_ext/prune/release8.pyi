import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

def collapse(arrays: NodeArrays, n_classes: int, single: bool = True) -> NodeArrays: ...
def drop_impossible_values(arrays: NodeArrays, n_classes: int, n_values: npt.NDArray[np.int32]) -> NodeArrays: ...

class Pruner:
    def __init__(
        self, table: CaseTable, *, confidence: float = 0.25, subtree_raising: bool = True, keep_order: bool = False
    ) -> None: ...
    @property
    def order(self) -> npt.NDArray[np.int32] | None: ...
    def prune(
        self,
        arrays: NodeArrays,
        order: npt.NDArray[np.int32] | None = None,
        leaf_rows: npt.NDArray[np.int32] | None = None,
    ) -> NodeArrays: ...
    def expected_errors(self, arrays: NodeArrays) -> float: ...
