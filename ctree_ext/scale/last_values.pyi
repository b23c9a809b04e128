from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def note_last(
    codes: npt.NDArray[Any], numbers: Floats, limits: Floats, near: npt.NDArray[np.int32], last: Floats, attribute: int
) -> None: ...
