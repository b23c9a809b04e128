"""Coding: what codes of cases mean."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Schema
from ctree.scale.source import Bins

Numbers = npt.NDArray[np.int64]


class Coding(Protocol):
    """What all parts have in common."""

    @property
    def schema(self) -> Schema: ...

    @property
    def bins(self) -> list[Bins | None]:
        """Of each continuous attribute."""
        ...

    @property
    def class_counts(self) -> Numbers:
        """How many cases there are of each class."""
        ...

    @property
    def unknown(self) -> Numbers:
        """How many cases have no value, for each attribute."""
        ...
