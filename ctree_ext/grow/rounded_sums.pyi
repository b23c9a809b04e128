import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def sums_with_joined(terms: Floats, first: float, joined: Floats, single: bool) -> Floats: ...
