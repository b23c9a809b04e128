import numpy as np
import numpy.typing as npt

def number_of_terms(n_tests: int, degree: int) -> int: ...

class Polynomial:
    n_tests: int
    degree: int
    n_terms: int
    n_classes: int
    def __init__(self, flips: npt.NDArray[np.uint8], degree: int, n_classes: int) -> None: ...
    def values(self, columns: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]: ...
