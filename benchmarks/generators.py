"""The two kinds of data that are made for benchmarks of fits, so that nothing is tuned to one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mixed import mixed_dataset, mixed_table
from rounded import rounded_dataset, rounded_table

import ctree


class Generator(NamedTuple):
    """How a table (n, 20) is made, ten continuous columns and ten of codes, and a data set of it."""

    table: Callable[..., Any]
    dataset: Callable[..., ctree.Dataset]

    def data(self, n: int, **settings: Any) -> ctree.Dataset:
        """So many cases as a data set."""
        return self.dataset(*self.table(n, **settings))


GENERATORS = {"mixed": Generator(mixed_table, mixed_dataset), "rounded": Generator(rounded_table, rounded_dataset)}
