import numpy as np
import numpy.typing as npt

class LogTables:
    def __init__(self, max_count: int, single: bool = True) -> None: ...

def information_gain(
    counts: npt.NDArray[np.float64],
    unknown: float = 0.0,
    threshold: bool = False,
    min_cases: float = 0.0,
    single: bool = True,
) -> tuple[float, float]: ...
