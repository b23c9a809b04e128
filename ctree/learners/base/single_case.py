"""One case, however a person gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset


def single_case(x: Any, names: Sequence[str]) -> Any:
    """One case as a table: its values by name, or in order, become columns of one row."""
    if isinstance(x, Dataset):
        return x
    if isinstance(x, Mapping):
        if any(np.ndim(value) == 0 for value in x.values()):
            return {name: [value] for name, value in x.items()}
        return x
    if isinstance(x, list | tuple | np.ndarray) and len(x) == len(names) and np.ndim(x[0]) == 0:
        return {name: [value] for name, value in zip(names, x, strict=True)}
    if isinstance(x, list | tuple | np.ndarray) and len(x) and np.ndim(x[0]) == 0:
        return [list(x)]
    return x
