import numpy as np
import numpy.typing as npt

from ctree_ext.relational.linked import LinkedArrays

class Language:
    tables: LinkedArrays
    def __init__(
        self,
        tables: LinkedArrays,
        term_start: npt.NDArray[np.int32],
        term_path: npt.NDArray[np.int32],
        target: int,
        column_start: npt.NDArray[np.int32],
        columns: npt.NDArray[np.int32],
        step_start: npt.NDArray[np.int32],
        steps: npt.NDArray[np.int32],
        late_start: npt.NDArray[np.int32],
        late: npt.NDArray[np.int32],
        coded: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool, int] | None],
    ) -> None: ...
