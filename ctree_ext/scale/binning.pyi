import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

MOST_BINS: int

class Binner:
    def __init__(self, cuts: _Floats) -> None: ...
    @property
    def n_bins(self) -> int: ...
    def code(
        self, numbers: _Floats, codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16], ends: _Floats
    ) -> tuple[int, int, bool]: ...

def empty_ends(n_bins: int) -> _Floats: ...
