import numpy as np
import numpy.typing as npt

def numbers_of_rules(
    start: npt.NDArray[np.int64], marks: npt.NDArray[np.int64], classes: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]: ...
