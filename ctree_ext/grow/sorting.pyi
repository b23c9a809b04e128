import numpy as np
import numpy.typing as npt

def sorted_column(
    values: npt.NDArray[np.float64], single: bool = True
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
