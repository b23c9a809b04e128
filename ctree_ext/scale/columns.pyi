from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_CODES: int

class Columns:
    def __init__(
        self,
        n: int,
        codes: Sequence[npt.NDArray[Any] | None],
        numbers: Sequence[npt.NDArray[np.float64] | None],
        classes: npt.NDArray[Any],
        weights: npt.NDArray[np.int64] | None,
        n_values: Sequence[int],
        n_classes: int,
        used: Sequence[int],
        one: int = 1,
    ) -> None: ...
    @property
    def n_cases(self) -> int: ...
