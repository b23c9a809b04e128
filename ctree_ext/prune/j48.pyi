import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

def collapse(arrays: NodeArrays, n_classes: int) -> NodeArrays: ...

class J48Pruner:
    def __init__(self, table: CaseTable, *, confidence: float = 0.25, subtree_raising: bool = True) -> None: ...
    def prune(
        self,
        arrays: NodeArrays,
        rows: npt.NDArray[np.int32] | None = None,
        recount: bool = False,
        n_threads: int = 1,
    ) -> NodeArrays: ...
    def expected_errors(self, arrays: NodeArrays) -> float: ...
