from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

class Judge(Protocol):
    def scores(self, stack: Floats, attributes: npt.NDArray[np.int32], node_counts: Floats) -> Floats: ...
    def refuse(self, score: float, matrix: Floats, attribute: int, node_counts: Floats) -> None: ...

class OwnCriterion:
    def __init__(self, judge: Judge, capsule: Any = None, batch: int | None = None) -> None: ...
