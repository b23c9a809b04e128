import numpy as np
import numpy.typing as npt

def sorted_list(rows: npt.NDArray[np.int32], ranks: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]: ...
