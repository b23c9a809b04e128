from collections.abc import Container, Sequence

import numpy as np
import numpy.typing as npt

IGNORED: int
NUMBER: int
CLOSED: int
OPEN: int
LENIENT: int
CLASS: int
DATE: int
TIME: int
TIMESTAMP: int

FINE: int
NO_MEMORY: int
SHORT: int
LONG: int
EMPTY: int
NOT_LISTED: int
TOO_MANY: int
NOT_A_NUMBER: int
NOT_FINITE: int
NO_SUCH_CLASS: int
NO_CLASS: int
NOT_A_MOMENT: int

class CaseFile:
    problem: int
    field: int
    offset: int
    n_cases: int
    token: bytes
    columns: list[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None]
    def __init__(
        self,
        text: bytes,
        modes: Sequence[int],
        values: Sequence[Sequence[bytes]],
        limits: Sequence[int],
        collect: bool,
        unknown_class: bool,
    ) -> None: ...
    def new_values(self, field: int, known: int) -> list[bytes]: ...
    def read(self) -> None: ...

def count_fields(text: bytes, most: int, plain: Container[int] = ()) -> int: ...
