from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent

Numbers = npt.NDArray[np.int64]

def rows_of_counts(n_values: int, shift: int = 0) -> int: ...
def tally(
    columns: Columns,
    descent: Descent,
    attributes: Sequence[int],
    shifts: Sequence[int],
    classes: Numbers,
    counts: Sequence[Numbers],
) -> None: ...
