import numpy as np
import numpy.typing as npt

class SubsetSearch:
    def __init__(
        self,
        start: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        own: npt.NDArray[np.uint8],
        bits: npt.NDArray[np.float64],
        weights: npt.NDArray[np.int64] | None = None,
    ) -> None: ...
    def value(self, chosen: npt.NDArray[np.uint8]) -> float: ...
    def exhaustive(self) -> npt.NDArray[np.uint8]: ...
    def hill_climb(self, starting_points: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]: ...
