import numpy as np
import numpy.typing as npt

def units(state: npt.NDArray[np.uint32], n: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]: ...
