from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable

def collapse(
    arrays: dict[str, npt.NDArray[Any]], n_classes: int, single: bool = True
) -> dict[str, npt.NDArray[Any]]: ...
def drop_impossible_values(
    arrays: dict[str, npt.NDArray[Any]], n_classes: int, n_values: npt.NDArray[np.int32]
) -> dict[str, npt.NDArray[Any]]: ...

class Pruner:
    def __init__(
        self, table: CaseTable, *, confidence: float = 0.25, raising: bool = True, keep_order: bool = False
    ) -> None: ...
    @property
    def order(self) -> npt.NDArray[np.int32] | None: ...
    def prune(
        self, arrays: dict[str, npt.NDArray[Any]], order: npt.NDArray[np.int32] | None = None
    ) -> dict[str, npt.NDArray[Any]]: ...
