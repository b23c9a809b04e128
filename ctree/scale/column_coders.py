"""From the cells of a column to codes, part by part, before all of its values are known.

What a sample has decides first; a value that it did not have is noted, and once all parts have been seen, the codes are
put right where that is needed (`finish`). So nothing depends on the sample but the work.
"""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.scan.reader import Floats, LocalLabels, Place
from ctree.data.schema import Label
from ctree.errors import DataError
from ctree.scale.sized import Sized
from ctree.scale.source import Bins
from ctree.wording import abbreviated
from ctree_ext.scale.binning import MOST_BINS, Binner, empty_ends

Codes = npt.NDArray[Any]
Recode = Callable[[Codes, Floats | None], Codes]
"""From the codes of a part, and its numbers if it has them, to the final codes."""

MOST_VALUES = 1 << 20
MOST_CLASSES = 65_535


def narrowest(most: int) -> np.dtype[Any]:
    """The type of codes from 0 to `most`."""
    return np.dtype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32)


_kept = threading.local()


def _scratch(n: int, dtype: np.dtype[Any]) -> Codes:
    """Room for codes, the same each time that a thread asks: new memory for each would take as long as coding."""
    if getattr(_kept, "room", None) is None or len(_kept.room) < n * dtype.itemsize:
        _kept.room = np.empty(n * dtype.itemsize, dtype=np.uint8)
    room: npt.NDArray[np.uint8] = _kept.room[: n * dtype.itemsize]
    return room.view(dtype)


class LabelCoder(Sized):
    """The values of a discrete column, or the classes, and their codes so far: 0 for unknown, then by place.

    Parameters
    ----------
    what : str
        What the column is, for messages.
    limit : int
        The most values it may have.
    """

    def __init__(self, what: str, limit: int = MOST_VALUES) -> None:
        self.what = what
        self.limit = limit
        self._codes: dict[Any, int] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "_lock": threading.Lock()}

    @property
    def values(self) -> list[Any]:
        return list(self._codes)

    def learn(self, cells: LocalLabels, place: Place) -> None:
        """Take in the values of a sample."""
        self._table(cells.values, place)

    def absorb(self, other: LabelCoder) -> None:
        """Take in the values that another process has found."""
        self._table(other.values, Place())

    def fresh(self) -> Self:
        """One that finds values on its own, beginning with those that are known."""
        one = copy.copy(self)
        one._codes = dict(self._codes)
        return one

    def settle(self, order: Callable[[list[Any]], tuple[Label, ...]]) -> None:
        """Put the values of the sample in order, so that the codes need no change if there are no others."""
        self._codes = {value: code + 1 for code, value in enumerate(order(list(self._codes)))}

    def code(self, cells: LocalLabels, place: Place) -> Codes:
        """The codes of some cells."""
        table = self._table(cells.values, place)
        codes: Codes = table.astype(narrowest(len(self._codes)))[cells.indices]
        return codes

    def _table(self, values: list[Any], place: Place) -> npt.NDArray[np.int64]:
        """The code of each of some values."""
        known = self._codes
        found = [0 if value is None else known.get(value, -1) for value in values]
        if -1 in found:
            with self._lock:
                for i, code in enumerate(found):
                    if code < 0:
                        found[i] = self._add(values[i], place)
        return np.array(found, dtype=np.int64)

    def _add(self, value: Any, place: Place) -> int:
        if not isinstance(value, str | int | float):
            raise place.error(
                f"{self.what} has the value {abbreviated(repr(value))}, which is not text, a number or a boolean"
            )
        if isinstance(value, float) and math.isinf(value):
            raise place.error(f"{self.what} has an infinite value")
        code = self._codes.setdefault(value + 0.0 if isinstance(value, float) else value, len(self._codes) + 1)
        if code > self.limit:
            cure = "" if self.limit < MOST_VALUES else "; leave the column out by ignore="
            raise DataError(f"{self.what} has more than {self.limit:,} values{cure}")
        return code

    def finish(self, labels: tuple[Label, ...]) -> Recode:
        """How the codes of parts become those of the final values."""
        places = {label: place + 1 for place, label in enumerate(labels)}
        final = np.array([0, *(places[value] for value in self._codes)])
        dtype = narrowest(len(labels))
        if (final == np.arange(len(final))).all():
            # Parts that were coded while fewer values were known may have narrower codes.
            return lambda codes, numbers: codes.astype(dtype, copy=False)
        table = final.astype(dtype)
        return lambda codes, numbers: table[codes]


class NumberCoder(Sized):
    """The bins of a continuous column.

    Parameters
    ----------
    what : str
    most_bins : int
        At most 65,535. Where many columns share the memory, they are fewer.
    """

    def __init__(self, what: str, most_bins: int = MOST_BINS) -> None:
        self.what = what
        self._most_bins = most_bins
        self._sample: list[Floats] = []
        self._lock = threading.Lock()
        self._values: Floats | None = None
        """The one value that each bin is expected to have; None where bins have several."""
        self._old_values: Floats | None = None
        """That value, where it turned out to be wrong, or to be only one of those there are."""
        self._others: set[float] = set()
        """Values that a bin has besides the one that was expected."""
        self._binner: Binner | None = None
        """Made when the first numbers are coded: what other processes have seen is taken in without it."""
        self._cuts: Floats = np.empty(0)
        self._ends = empty_ends(1)
        self._thread_ends: dict[int, Floats] = {}

    def __getstate__(self) -> dict[str, Any]:
        # As little as can be: it is sent to every worker, and back for every part. All threads as one, and no ends of
        # bins where no numbers have been seen.
        for ends in self._thread_ends.values():
            self._merge(ends)
        self._thread_ends = {}
        seen = (self._ends[:, 0] <= self._ends[:, 1]).any()
        left_out = {"_lock", "_binner"} | (set() if seen else {"_ends"})
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ends = empty_ends(len(state["_cuts"]) + 1)
        self.__dict__ = {"_ends": ends, **state, "_lock": threading.Lock(), "_binner": None}

    def learn(self, numbers: Floats) -> None:
        """Take in the numbers of a sample."""
        self._sample.append(numbers[np.isfinite(numbers)] + 0.0)

    def fresh(self) -> Self:
        """One with the same bins, which has seen no numbers yet."""
        one = copy.copy(self)
        one._binner = self._binner
        one._sample, one._others = [], set()
        one._ends, one._thread_ends = empty_ends(self._n_bins), {}
        return one

    def absorb(self, other: NumberCoder) -> None:
        """Take in what another process has seen, with the same bins."""
        self._sample += other._sample
        for ends in (other._ends, *other._thread_ends.values()):
            self._merge(ends)
        with self._lock:
            if other._values is None:
                self._give_up()
            else:
                self._add_others(other._others)

    def settle(self) -> None:
        """Choose the cuts: each value of the sample has a bin, or else each bin has equally many of its cases."""
        numbers = np.sort(np.concatenate([*self._sample, np.empty(0)]))
        self._sample = []
        distinct = _distinct(numbers)
        if len(distinct) <= self._most_bins:
            self._values, self._cuts = distinct, distinct[:-1].copy()
        else:
            ranks = np.arange(1, self._most_bins) * len(numbers) // self._most_bins
            self._cuts = _distinct(numbers[ranks - 1])
        self._set_bins()

    def _set_bins(self) -> None:
        self._binner = None
        self._ends = empty_ends(self._n_bins)
        self._thread_ends = {}

    @property
    def _n_bins(self) -> int:
        return len(self._cuts) + 1

    @property
    def dtype(self) -> np.dtype[Any]:
        return narrowest(self._n_bins)

    @property
    def keeps_numbers(self) -> bool:
        """Whether some bin has more than one value for certain, so that every part needs its numbers."""
        return self._values is None

    def code(self, numbers: Floats, place: Place) -> tuple[Codes, Floats | None, int]:
        """The codes of some numbers, the numbers if they are to be kept, and how many are unknown.

        The codes are those of the last call of a thread only.
        """
        codes = _scratch(len(numbers), self.dtype)
        several = self.keeps_numbers
        # Where bins have several values, nobody needs to know what those of this part are.
        ends = self._ends_of_thread() if several else empty_ends(self._n_bins)
        binner = self._binner
        if binner is None:
            binner = self._binner = Binner(self._cuts)
        n_unknown, infinite, negative_zeros = binner.code(numbers, codes, ends)
        if infinite >= 0:
            raise place.error(f"{self.what} has an infinite value", infinite)
        if negative_zeros:
            numbers = numbers + 0.0
        if several:
            return codes, numbers, n_unknown
        self._merge(ends)
        if self._expected(ends):
            return codes, None, n_unknown
        self._note_others(numbers, codes)
        return codes, numbers, n_unknown

    def _ends_of_thread(self) -> Floats:
        thread = threading.get_ident()
        if thread not in self._thread_ends:
            self._thread_ends[thread] = empty_ends(self._n_bins)
        return self._thread_ends[thread]

    def _merge(self, ends: Floats) -> None:
        with self._lock:
            np.minimum(self._ends[:, 0], ends[:, 0], out=self._ends[:, 0])
            np.maximum(self._ends[:, 1], ends[:, 1], out=self._ends[:, 1])

    def _expected(self, ends: Floats) -> bool:
        """Whether bins have only the values that they are expected to have."""
        values = self._values
        filled = ends[:, 0] <= ends[:, 1]
        if values is None or not len(values):
            return not filled.any()
        return bool((ends[filled] == values[filled, None]).all())

    def _note_others(self, numbers: Floats, codes: Codes) -> None:
        values = self._values
        if values is None:
            return
        known = numbers[codes > 0]
        if len(values):
            known = known[values[codes[codes > 0].astype(np.int64) - 1] != known]
        new = np.unique(known).tolist()
        with self._lock:
            self._add_others(new)

    def _add_others(self, others: Iterable[float]) -> None:
        if self._values is not None:
            self._others.update(others)
            if len(self._values) + len(self._others) > self._most_bins:
                self._give_up()

    def _give_up(self) -> None:
        """Let bins have several values."""
        if self._values is not None:
            self._old_values, self._values, self._others = self._values, None, set()

    def finish(self) -> tuple[Recode | None, Callable[[Codes], Floats] | None]:
        """How the codes of parts become final, and the numbers of parts that have not kept them but need them.

        None, if there is nothing to do.
        """
        if self._values is None:
            return None, None if self._old_values is None else self.old_numbers
        if not self._others:
            return None, None
        self._old_values = self._values
        self._values = np.union1d(self._values, np.array(sorted(self._others)))
        self._others = set()
        self._cuts = self._values[:-1].copy()
        self._set_bins()
        return self.again, None

    def again(self, codes: Codes, numbers: Floats | None) -> Codes:
        """The codes of a part in bins of one value each, after `finish`."""
        return self.code(self.old_numbers(codes) if numbers is None else numbers, Place())[0]

    def old_numbers(self, codes: Codes) -> Floats:
        """The numbers of a part that was coded with no others than those expected before `finish`."""
        assert self._old_values is not None
        return _numbers_of(codes, self._old_values)

    def bins(self) -> Bins:
        """To be asked when all parts have their final codes."""
        for ends in self._thread_ends.values():
            self._merge(ends)
        return Bins(self._cuts, self._ends[:, 0].copy(), self._ends[:, 1].copy())


def _distinct(ascending: Floats) -> Floats:
    """Sorted numbers, each once."""
    found: Floats = ascending[np.diff(ascending, prepend=np.nan) != 0]
    return found


def _numbers_of(codes: Codes, values: Floats) -> Floats:
    """The numbers that the codes of bins of one value stand for."""
    return np.concatenate([[np.nan], values])[codes]
