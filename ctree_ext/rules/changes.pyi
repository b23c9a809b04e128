import numpy as np
import numpy.typing as npt

class Changes:
    def __init__(self, bits: npt.NDArray[np.float64]) -> None: ...
