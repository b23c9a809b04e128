from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class TestGrid:
    def __init__(
        self,
        levels: Sequence[npt.NDArray[np.int32]],
        n_levels: Sequence[int],
        ordered: Sequence[bool],
        classes: npt.NDArray[np.int32],
        n_classes: int,
        weights: npt.NDArray[np.float64] | None = None,
        max_bytes: int = ...,
    ) -> None: ...
    @property
    def n_tests(self) -> int: ...
    @property
    def attributes(self) -> npt.NDArray[np.int32]: ...
    def counts(self, tests: Sequence[int]) -> npt.NDArray[Any]: ...
