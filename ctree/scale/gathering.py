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
        """A piece for each slot: views of arrays that have the cases of all slots, one after the other."""
        descent = self.way.descent()
        taken, starts, weights = slot_rows(self.way.columns(part, descent.attributes_tested()), descent)
        rows = taken.astype(np.intp)
        columns, classes = self._taken(part, rows)

        def piece(first: int, end: int) -> Piece:
            here = [None if column is None else column[first:end] for column in columns]
            return Piece(end - first, here, classes[first:end], None if weights is None else weights[first:end])

        return list(map(piece, starts[:-1].tolist(), starts[1:].tolist()))

    def _taken(
        self, part: CodedPart, rows: npt.NDArray[np.intp]
    ) -> tuple[list[npt.NDArray[Any] | None], npt.NDArray[Any]]:
        """Some rows of the columns, numbers where the part has them, and of the classes."""
        pairs = list(zip(part.codes, part.numbers, strict=True))
        whole = [None if codes is None else codes if numbers is None else numbers for codes, numbers in pairs]
        *columns, classes = in_one_block([*whole, part.classes], len(rows))
        for column, given, (codes, numbers), unknown in zip(columns, whole, pairs, self.unknown, strict=True):
            if column is None or given is None:
                continue
            np.take(given, rows, out=column, mode="clip")  # no row is out of range; to look for one needs a copy
            if unknown and numbers is not None and codes is not None:
                column[codes[rows] == 0] = np.nan
        assert classes is not None
        np.take(part.classes, rows, out=classes, mode="clip")
        return columns, classes


def in_one_block(like: Sequence[npt.NDArray[Any] | None], n: int) -> list[npt.NDArray[Any] | None]:
    """Arrays of `n` elements, of the types of others, side by side in one block of memory.

    The system clears a large block in large pages, in much less time than many small ones.

    Examples
    --------
    >>> numbers, nothing, codes = in_one_block([np.zeros(3), None, np.zeros(3, dtype=np.uint8)], 5)
    >>> numbers.dtype, len(numbers), codes.dtype, len(codes), codes.base is numbers.base
    (dtype('float64'), 5, dtype('uint8'), 5, True)
    """
    sizes = [0 if one is None else one.itemsize * n for one in like]
    block = np.empty(sum(sizes), dtype=np.uint8)
    result: list[npt.NDArray[Any] | None] = [None] * len(like)
    wanted = [(place, one.dtype) for place, one in enumerate(like) if one is not None]
    start = 0
    # those of the longest elements first, so that each begins where the processor wants it
    for place, dtype in sorted(wanted, key=lambda one: -one[1].itemsize):
        result[place] = block[start : start + sizes[place]].view(dtype)
        start += sizes[place]
    return result


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
