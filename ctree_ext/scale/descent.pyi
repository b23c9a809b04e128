import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

class Descent:
    def __init__(
        self,
        test: npt.NDArray[np.int8],
        attribute: Ints,
        threshold: npt.NDArray[np.float64],
        first_branch: Ints,
        n_branches: Ints,
        group_start: npt.NDArray[np.int64],
        group: Ints,
        shares: npt.NDArray[np.float64],
        limit: npt.NDArray[np.uint32],
        mixed: npt.NDArray[np.uint8],
        nodes: Ints,
        n_values: npt.NDArray[np.int64],
    ) -> None: ...
    @property
    def n_slots(self) -> int: ...
    def attributes_tested(self) -> list[int]: ...
