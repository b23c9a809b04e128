"""CaseReader: cases that are gone through again and again, some at a time, never all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Kind, Label
from ctree.errors import DataError

Floats = npt.NDArray[np.float64]

MOST_ROWS = 250_000
"""In a batch, and so in a part: work is shared out by parts, and many of them keep all cores busy to the end."""


@dataclass(frozen=True)
class Field:
    """A column, and what its values are.

    Parameters
    ----------
    name : str
    kind : Kind
    values : tuple of labels
        Of an ordered column, its values in order.
    is_label : bool
        Whether an ignored column has what the cases are called.
    """

    name: str
    kind: Kind
    values: tuple[Label, ...] = ()
    is_label: bool = False


@dataclass(frozen=True)
class Place:
    """Where cases stand, for messages.

    Parameters
    ----------
    file : str or None
    where : str
        More of it, such as "row group 3"; may be empty.
    row : int
        The number of the first case there, from 1.
    """

    file: str | None = None
    where: str = ""
    row: int = 1

    def error(self, message: str, row: int | None = None, kind: type[DataError] = DataError) -> DataError:
        """An error about what is here; `row` counts from the first case, from 0."""
        told = [self.where] if self.where else []
        told += [] if row is None else [f"row {self.row + row:,}"]
        return kind(f"{', '.join(told)}: {message}" if told else message, self.file)


@dataclass(frozen=True)
class LocalLabels:
    """Discrete values of some cases: of each the place of its value in a list.

    Parameters
    ----------
    indices : array of whole numbers
    values : list
        None where a place stands for unknown, or for no case at all.
    """

    indices: npt.NDArray[Any]
    values: list[Any]

    def __len__(self) -> int:
        return len(self.indices)


Cells = Floats | LocalLabels
"""Numbers with NaN for unknown, or discrete values."""


@dataclass(frozen=True)
class Batch:
    """Some cases.

    Parameters
    ----------
    n : int
    cells : dict
        For each column that was asked for.
    place : Place
    sure : bool
        Whether these are cases for certain. If not, as they were read from the middle of a file, only their numbers
        serve, for a guess.
    """

    n: int
    cells: dict[str, Cells]
    place: Place
    sure: bool = True


class Piece(Protocol):
    """Cases that are read in one go, by one thread, while others read other pieces."""

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        """The cases in order, as many at a time as said, and only the last time fewer."""
        ...


class CaseReader(Protocol):
    """Cases that stand in files or come from elsewhere, in a fixed order."""

    fields: tuple[Field, ...]
    """Of all columns but the class, in order."""
    class_name: str
    weight_name: str | None
    """The column of the weights, which is no field; None if every case counts one."""
    n_rows: int
    """How many cases there are, or, where only reading tells, about how many."""
    told: str
    """Where the cases are, in words."""

    def sample(self, names: Sequence[str], rows: int) -> Iterator[Batch]:
        """At least so many cases, if there are, from all over."""
        ...

    def pieces(self) -> Iterator[Piece]:
        """All cases, in pieces in order."""
        ...

    def labels(self, name: str, values: list[Any]) -> tuple[Label, ...]:
        """The values of a discrete column, or of the class, in order, given those that were found."""
        ...

    def settled(self) -> bool:
        """To be asked after all pieces: whether the kinds of columns are right. If not, all has to be read again.

        Sources that have changed since they were first looked at are an error.
        """
        ...

    def fingerprint(self) -> dict[str, Any] | None:
        """What changes when the cases do, as JSON values; None if nothing tells."""
        ...
