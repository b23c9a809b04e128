import numpy as np
import numpy.typing as npt

KINDS: dict[str, int]

class Miner:
    def __init__(self, columns: npt.NDArray[np.uint8], classes: npt.NDArray[np.int32], n_classes: int) -> None: ...
    def count(self, kind: str, min_cases: int, min_size: int, max_size: int, limit: int) -> tuple[int, int]: ...
    def mine(
        self, kind: str, min_cases: int, min_size: int, max_size: int, limit: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]] | None: ...
