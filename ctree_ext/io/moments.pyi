import numpy as np
import numpy.typing as npt

DATE: int
TIME: int
TIMESTAMP: int

def moments(texts: list[str | None], kind: int) -> tuple[npt.NDArray[np.float64], int]: ...
