import numpy as np
import numpy.typing as npt

class LinkedArrays:
    def __init__(
        self,
        n_rows: npt.NDArray[np.int32],
        links: list[tuple[int, int, npt.NDArray[np.int32], npt.NDArray[np.int32] | None, npt.NDArray[np.int32] | None]],
        columns: list[tuple[int, npt.NDArray[np.int32] | npt.NDArray[np.float64] | None]],
        path_start: npt.NDArray[np.int32],
        path_links: npt.NDArray[np.int32],
    ) -> None: ...
    def with_columns(
        self, columns: list[tuple[int, npt.NDArray[np.int32] | npt.NDArray[np.float64] | None]]
    ) -> LinkedArrays: ...
