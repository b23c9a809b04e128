from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class GrowthLimits:
    max_depth: int
    min_gain: float
    def __init__(
        self,
        max_depth: int | None = None,
        min_gain: float | None = None,
        not_below: Sequence[tuple[int, int]] = (),
        first_tests: Sequence[tuple[int, float | None, npt.NDArray[np.int32] | None]] = (),
    ) -> None: ...
