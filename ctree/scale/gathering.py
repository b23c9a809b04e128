"""The pass that gathers the cases of nodes, to be worked on in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines.engine import for_keys
from ctree.scale.sized import Sized
from ctree.scale.source import Bins
from ctree.scale.way_down import WayDown
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.slot_rows import slot_rows, slot_sizes

Numbers = npt.NDArray[np.int64]
_R = TypeVar("_R")


@dataclass
class Piece(Sized):
    """The cases of a node in one part. Columns are taken out when they are decoded.

    Parameters
    ----------
    n : int
    columns : list of arrays or None
        Numbers where the part has them, else codes.
    classes : array
    weights : int64 array or None
    """

    n: int
    columns: list[npt.NDArray[Any] | None]
    classes: npt.NDArray[Any]
    weights: Numbers | None


@dataclass(frozen=True)
class SizeTask:
    """Counts the cases and fractions of cases at each slot."""

    way: WayDown

    def __call__(self, parts: Any) -> Numbers:
        """The sizes of all these parts."""
        descent = self.way.descent()
        sizes = np.zeros(len(self.way.nodes), dtype=np.int64)
        for part in parts:
            sizes += slot_sizes(self.way.columns(part, descent.attributes_tested()), descent)
        return sizes


@dataclass(frozen=True)
class Split:
    """Takes the cases of each slot out of a part."""

    way: WayDown
    unknown: tuple[bool, ...]
    """Of each attribute, whether a value may be unknown."""

    def __call__(self, part: CodedPart) -> list[Piece]:
        """A piece for each slot."""
        descent = self.way.descent()
        rows, starts, weights = slot_rows(self.way.columns(part, descent.attributes_tested()), descent)
        ends = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        return [
            self._piece(part, rows[first:end].astype(np.intp), None if weights is None else weights[first:end].copy())
            for first, end in ends
        ]

    def _piece(self, part: CodedPart, rows: npt.NDArray[np.intp], weights: Numbers | None) -> Piece:
        columns: list[npt.NDArray[Any] | None] = []
        for codes, numbers, unknown in zip(part.codes, part.numbers, self.unknown, strict=True):
            taken = None if codes is None else (codes if numbers is None else numbers)[rows]
            if numbers is not None and codes is not None and taken is not None and unknown:
                taken[codes[rows] == 0] = np.nan
            columns.append(taken)
        return Piece(len(rows), columns, part.classes[rows], weights)


@dataclass(frozen=True)
class Work(Generic[_R]):
    """Puts the cases of a node together and does something with them."""

    schema: Schema
    bins: tuple[Floats | None, ...]
    """Of each continuous attribute the number that stands for each bin, needed where numbers are not kept."""
    one: int
    work: Callable[[int, Dataset], _R]

    def for_keys(self, keys: Sequence[int]) -> Work[_R]:
        """What is needed for some nodes."""
        work = for_keys(self.work, keys)
        return self if work is self.work else replace(self, work=work)

    def __call__(self, key: int, pieces: list[Piece]) -> _R:
        """What becomes of the cases of a node."""
        return self.work(key, self._dataset(pieces))

    def _dataset(self, pieces: list[Piece]) -> Dataset:
        n = sum(piece.n for piece in pieces)
        columns: list[npt.NDArray[Any] | None] = []
        for a, attribute in enumerate(self.schema):
            is_ignored = not attribute.is_discrete and not attribute.has_order
            columns.append(None if is_ignored else self._column(a, pieces, n))
        classes = np.concatenate([np.empty(0, dtype=np.int32), *(piece.classes.astype(np.int32) for piece in pieces)])
        weights = self._weights(pieces)
        pieces.clear()
        return Dataset(self.schema, columns, classes, weights, n_cases=n)

    def _column(self, a: int, pieces: list[Piece], n: int) -> npt.NDArray[Any]:
        """One column of all pieces, which lose it."""
        is_discrete = self.schema[a].is_discrete
        result: npt.NDArray[Any] = np.empty(n, dtype=np.int32 if is_discrete else np.float64)
        table = self.bins[a]
        start = 0
        for piece in pieces:
            column, piece.columns[a] = piece.columns[a], None
            assert column is not None
            here = result[start : start + piece.n]
            start += piece.n
            if is_discrete:
                np.subtract(column, 1, out=here, dtype=np.int32, casting="unsafe")
            elif column.dtype == np.float64:
                here[:] = column
            else:
                assert table is not None
                np.take(table, column, out=here, mode="clip")
        return result

    def _weights(self, pieces: list[Piece]) -> Floats | None:
        if all(piece.weights is None for piece in pieces):
            return None
        units = [np.full(p.n, self.one, dtype=np.int64) if p.weights is None else p.weights for p in pieces]
        weights = np.concatenate(units)
        return None if (weights == self.one).all() else weights / self.one


def numbers_of_codes(bins: Bins | None) -> Floats | None:
    """For each code of a column whose bins have one value each, that value; first NaN, for unknown. Else None."""
    return None if bins is None or (bins.least < bins.most).any() else np.concatenate([[np.nan], bins.least])


def least_of_codes(bins: Bins | None) -> Floats | None:
    """For each code of a column of numbers the least value of its bin; first NaN, for unknown."""
    return None if bins is None else np.concatenate([[np.nan], bins.least])
