from typing import Any

import numpy as np
import numpy.typing as npt

from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent

Ints = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Picked = tuple[Ints, npt.NDArray[np.float64], npt.NDArray[np.uint16], Numbers]

def pick(
    columns: Columns,
    descent: Descent,
    slots: Ints,
    attributes: Ints,
    bits: list[npt.NDArray[np.uint64]],
    values: list[npt.NDArray[np.float64] | None],
    sizes: Numbers,
    most: int,
) -> Picked | None: ...
def pick_numbers(
    columns: Columns,
    descent: Descent,
    slots: Ints,
    attributes: Ints,
    bits: list[npt.NDArray[np.uint64]],
    values: list[npt.NDArray[np.float64] | None],
    sizes: Numbers,
) -> tuple[Ints, npt.NDArray[np.float64]]: ...
def bits_of_ranges(ranges: npt.NDArray[Any], n_bins: int) -> npt.NDArray[np.uint64]: ...
