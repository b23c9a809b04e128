import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

class Router:
    def __init__(
        self,
        arrays: NodeArrays,
        values: npt.NDArray[np.float64],
        divisors: npt.NDArray[np.float64],
        single: bool = False,
    ) -> None: ...
    def distributions(self, table: CaseTable, normalised: bool = False) -> npt.NDArray[np.float64]: ...
    def leaves(self, table: CaseTable) -> npt.NDArray[np.int32]: ...
