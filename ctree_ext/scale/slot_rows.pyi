import numpy as np
import numpy.typing as npt

from ctree_ext.scale.columns import Columns
from ctree_ext.scale.descent import Descent

Numbers = npt.NDArray[np.int64]

class Walk:
    def __init__(self, columns: Columns, descent: Descent) -> None: ...

def slot_sizes(columns: Columns, descent: Descent) -> Numbers: ...
def slot_rows(columns: Columns, descent: Descent) -> tuple[npt.NDArray[np.int32], Numbers, Numbers | None]: ...
