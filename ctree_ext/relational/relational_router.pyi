import numpy as np
import numpy.typing as npt

from ctree_ext.relational.linked import LinkedArrays

class RelationalRouter:
    def __init__(
        self,
        tables: LinkedArrays,
        target: int,
        first_branch: npt.NDArray[np.int32],
        tests: npt.NDArray[np.int32],
        threshold: npt.NDArray[np.float64],
        max_rows: int = 10_000_000,
    ) -> None: ...
    def leaves(self, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]: ...
