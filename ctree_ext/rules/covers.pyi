import numpy as np
import numpy.typing as npt

from ctree_ext.base.cases import CaseTable

class ConditionKind:
    AT_MOST = 0
    ABOVE = 1
    EQUAL = 2
    AMONG = 3

class RuleSet:
    def __init__(
        self,
        start: npt.NDArray[np.int64],
        attribute: npt.NDArray[np.int32],
        kind: npt.NDArray[np.int8],
        cut: npt.NDArray[np.float64],
        value: npt.NDArray[np.int64],
        members: npt.NDArray[np.uint8],
    ) -> None: ...
    def covers(self, table: CaseTable) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def first(self, table: CaseTable) -> npt.NDArray[np.int32]: ...

def first_two(
    start: npt.NDArray[np.int64], rows: npt.NDArray[np.int32], order: npt.NDArray[np.int32], n_cases: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def check_covers(start: npt.NDArray[np.int64], rows: npt.NDArray[np.int32], n_cases: int) -> None: ...
