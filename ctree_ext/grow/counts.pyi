import numpy as np
import numpy.typing as npt

def class_counts(
    rows: npt.NDArray[np.int32],
    classes: npt.ArrayLike,
    n_classes: int,
    weights: npt.ArrayLike | None = None,
    single: bool = False,
) -> npt.NDArray[np.float64]: ...
def value_counts(
    rows: npt.NDArray[np.int32],
    codes: npt.NDArray[np.int32],
    n_values: int,
    classes: npt.ArrayLike,
    n_classes: int,
    weights: npt.ArrayLike | None = None,
    single: bool = False,
) -> npt.NDArray[np.float64]: ...
