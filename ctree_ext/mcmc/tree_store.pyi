import numpy as np
import numpy.typing as npt

class TreeStore:
    def __init__(
        self,
        node_start: npt.NDArray[np.int64],
        leaf_start: npt.NDArray[np.int64],
        tests: npt.NDArray[np.int32],
        probabilities: npt.NDArray[np.float64],
        test_attribute: npt.NDArray[np.int32],
        test_level: npt.NDArray[np.int32],
        ordered: npt.NDArray[np.bool_],
    ) -> None: ...
    def sums(
        self, levels: npt.NDArray[np.int32], weights: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def best(self, levels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]: ...
    def probabilities_of(self, levels: npt.NDArray[np.int32], class_: int) -> npt.NDArray[np.float64]: ...
