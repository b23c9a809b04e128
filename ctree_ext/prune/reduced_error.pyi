import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

def reduced_error(arrays: NodeArrays, table: CaseTable, rows: npt.NDArray[np.int32]) -> NodeArrays: ...
