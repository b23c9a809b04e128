from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable

class Router:
    def __init__(
        self,
        arrays: dict[str, npt.NDArray[Any]],
        values: npt.NDArray[np.float64],
        divisors: npt.NDArray[np.float64],
        single: bool = False,
    ) -> None: ...
    def distributions(self, table: CaseTable, normalised: bool = False) -> npt.NDArray[np.float64]: ...
    def leaves(self, table: CaseTable) -> npt.NDArray[np.int32]: ...
