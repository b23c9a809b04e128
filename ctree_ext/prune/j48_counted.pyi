import numpy as np
import numpy.typing as npt

from ctree_ext.base.node_arrays import NodeArrays

Floats = npt.NDArray[np.float64]

def expected_errors(arrays: NodeArrays, counts: Floats, confidence: float) -> Floats: ...
def prune_by_counts(arrays: NodeArrays, n_classes: int, confidence: float) -> NodeArrays: ...
def recounted(arrays: NodeArrays, counts: Floats) -> NodeArrays: ...
