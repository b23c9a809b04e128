import numpy as np
import numpy.typing as npt

from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.prune.release8 import Pruner

def prune_shared(
    pruner: Pruner,
    arrays: NodeArrays,
    order: npt.NDArray[np.int32] | None = None,
    n_threads: int = 1,
    leaf_rows: npt.NDArray[np.int32] | None = None,
) -> NodeArrays: ...
