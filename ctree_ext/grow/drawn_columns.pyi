from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class SortedColumns:
    def __init__(self, columns: Sequence[npt.NDArray[np.int32] | npt.NDArray[np.float64] | None]) -> None: ...

class DrawnColumns:
    def __init__(
        self, original: SortedColumns, times: npt.NDArray[np.int32] | None = None, n_chosen: int = 0, key: int = 0
    ) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def n_chosen(self) -> int: ...
    @property
    def key(self) -> int: ...

def drawn_column(
    values: npt.NDArray[np.float64], times: npt.NDArray[np.int32] | None = None, single: bool = True
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
