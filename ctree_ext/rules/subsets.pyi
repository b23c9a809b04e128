import numpy as np
import numpy.typing as npt

class Chooser:
    def __init__(
        self,
        start: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        own: npt.NDArray[np.uint8],
        bits: npt.NDArray[np.float64],
    ) -> None: ...
    def value(self, chosen: npt.NDArray[np.uint8]) -> float: ...
    def best_of_all(self) -> npt.NDArray[np.uint8]: ...
    def best_of_climbs(self, beginnings: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]: ...
