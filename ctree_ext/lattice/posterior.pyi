from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.polynomial import Polynomial

class Posterior:
    def __init__(
        self,
        lattice: Lattice,
        columns: npt.NDArray[np.uint8],
        classes: npt.NDArray[np.int32],
        others: npt.NDArray[np.uint8] | None = None,
        attributes: npt.NDArray[np.int32] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None: ...
    @property
    def weights(self) -> npt.NDArray[np.float64]: ...
    def probabilities(self) -> npt.NDArray[np.float64]: ...
    def polynomial(self, flips: npt.NDArray[np.uint8]) -> Polynomial: ...
    def marginals(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
