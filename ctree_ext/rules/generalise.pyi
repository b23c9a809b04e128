from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

class Paths:
    def __init__(
        self,
        table: CaseTable,
        arrays: NodeArrays,
        confidence: float = 0.25,
        significance: float | None = None,
        marks: npt.NDArray[np.int64] | None = None,
    ) -> None: ...
    def shares(self, n: int) -> list[int]: ...
    def rules_below(self, top: int = 0) -> dict[str, npt.NDArray[Any]]: ...

def generalised_paths(
    table: CaseTable, arrays: NodeArrays, confidence: float = 0.25, significance: float | None = None
) -> dict[str, npt.NDArray[Any]]: ...
