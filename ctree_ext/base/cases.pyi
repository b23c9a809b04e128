from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MAX_CASES: int
MAX_CLASSES: int
MAX_VALUES: int
MAX_ATTRIBUTES: int

class CaseTable:
    def __init__(
        self,
        columns: Sequence[npt.NDArray[np.int32 | np.float64 | np.uint8 | np.float32] | None],
        n_values: Sequence[int],
        classes: npt.NDArray[np.int32] | None,
        n_classes: int,
        weights: npt.NDArray[np.float64] | None = None,
        single: bool = True,
        n_cases: int = -1,
        unit: float = 0.0,
    ) -> None: ...
    drawn: object
    @property
    def total_weight(self) -> float: ...
    @property
    def compact(self) -> bool: ...
    @property
    def n_cases(self) -> int: ...
    @property
    def n_classes(self) -> int: ...
