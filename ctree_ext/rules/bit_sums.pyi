import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

class BitSums:
    def __init__(self, bits: Floats) -> None: ...
    def follow(self, rules: npt.NDArray[np.int64]) -> tuple[Floats, Floats, Floats]: ...
