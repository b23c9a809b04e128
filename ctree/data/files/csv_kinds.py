"""What a person says of the columns of a comma-separated file: which are discrete, in an order, dates, or left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dates import NotADateError, not_a_date, numbers_of
from ctree.data.schema import MOMENTS, Attribute, Kind
from ctree.data.tables.levels import code_levels
from ctree.errors import NamingError, ParameterError
from ctree.wording import abbreviated, abbreviated_list, near_match, shortened

Floats = npt.NDArray[np.float64]
Cells = list[str | None]


@dataclass(frozen=True)
class Kinds:
    """Columns by name.

    Parameters
    ----------
    discrete : tuple of str
    ordered : dict of str to tuple of str
        Their values in order.
    dates : tuple of str
        Dates, times or timestamps, whichever they are.
    ignored : tuple of str
    """

    discrete: tuple[str, ...] = ()
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are named."""
        return (*self.discrete, *self.ordered, *self.dates, *self.ignored)

    def check(self, label: str, file: str) -> None:
        """Refuse a column that is named twice, or is the class."""
        seen: set[str] = set()
        for name in (*self.discrete, *self.ordered, *self.dates):
            if name in seen:
                raise NamingError(f"column '{abbreviated(name)}' is said to be of two kinds", file)
            seen.add(name)
        for name in (*self.ordered, *self.dates):
            if name == label:
                what = "a date" if name in self.dates else "in an order"
                raise NamingError(f"column '{abbreviated(name)}' is the class, which cannot be {what}", file)


AS_THEY_LOOK = Kinds()


def orders_of(ordered: Any) -> dict[str, tuple[str, ...]]:
    """Orders as a person gives them, checked."""
    if ordered is None:
        return {}
    if not isinstance(ordered, Mapping):
        raise ParameterError(f"ordered is {shortened(ordered)}, but should map columns to lists of their values")
    result = {}
    for name, values in ordered.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
            raise ParameterError(
                f"the order of '{abbreviated(name)}' is {shortened(values)}, but should be a list of its values, from "
                "the least to the greatest"
            )
        result[str(name)] = tuple(map(str, values))
        Attribute(str(name), Kind.ORDERED, result[str(name)])  # which refuses a value that is there twice
    return result


class CellError(Exception):
    """A cell that is not what its column should have: a message, and the row from 0."""

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.row = row


def ordered_places(name: str, cells: Cells, values: Sequence[str]) -> Floats:
    """The places of cells in an order; one that the order does not have is a `CellError`."""
    codes = code_levels(list(cells), values, name)
    for row in np.flatnonzero(codes < 0).tolist():
        if cells[row] is not None:
            raise CellError(
                f"attribute '{abbreviated(name)}' has the value '{abbreviated(cells[row])}', which is not in the order "
                f"{abbreviated_list(values)}{near_match(str(cells[row]), values)}",
                row,
            )
    return np.where(codes < 0, np.nan, codes)


def date_column(
    name: str, cells: Cells, unknown: Collection[str], kinds: Sequence[Kind] = MOMENTS
) -> tuple[Kind, Floats]:
    """The kind of a column and its numbers: dates if all are, else times, else timestamps, as far as they may be.

    What is none of them is a `CellError`, about the kind that most of the first cells are.
    """
    known: Cells = [None if cell is None or cell in unknown else cell for cell in cells]
    first: dict[Kind, int] = {}
    for kind in kinds:
        try:
            return kind, numbers_of(list(known), kind)
        except NotADateError as error:
            first[kind] = error.row
    kind = max(first, key=lambda kind: first[kind])  # the one that goes furthest
    raise CellError(not_a_date(kind, name, known[first[kind]]), first[kind])
