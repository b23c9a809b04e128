import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

def generalised_paths(
    table: CaseTable, arrays: NodeArrays, confidence: float = 0.25, significance: float | None = None
) -> dict[str, npt.NDArray[np.int32] | npt.NDArray[np.int64] | npt.NDArray[np.float64]]: ...
