"""CodedPart: some of the cases, as passes see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.scale.sized import Sized
from ctree_ext.base.node_arrays import Floats


@dataclass(frozen=True)
class CodedPart(Sized):
    """Some of the cases, in codes."""

    n: int
    codes: tuple[npt.NDArray[Any] | None, ...]  # per attribute; None: ignored
    numbers: tuple[Floats | None, ...]  # per attribute; None: discrete, ignored, or every bin has one value
    classes: npt.NDArray[Any]
    weights: npt.NDArray[np.int64] | None  # in units; None: every case counts one
