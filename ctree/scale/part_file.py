"""Coded parts as files: the columns one after the other, and a note where each begins."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError
from ctree.scale.coded_part import CodedPart

LINE, PAGE = 64, 4096
"""Where arrays begin, short and long ones: what begins amid a page of the file is written several times as slowly."""

LONG = 1 << 16
"""Bytes of a long one."""

FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@dataclass(frozen=True)
class Stored:
    """An array in a file: where it begins, and the type of its numbers."""

    offset: int
    dtype: str


@dataclass(frozen=True)
class StoredPart:
    """Some of the cases, in a file. Small and picklable: `load` maps the file to memory.

    Parameters
    ----------
    file : str
    n : int
        How many cases; there is no file if there are none.
    codes, numbers : tuples of Stored or None
        For each attribute, as in `CodedPart`.
    classes : Stored
    weights : Stored or None
        In units, if cases have weights.
    """

    file: str
    n: int
    codes: tuple[Stored | None, ...]
    numbers: tuple[Stored | None, ...]
    classes: Stored
    weights: Stored | None = None

    def load(self) -> CodedPart:
        """The arrays, which the system reads as they are looked at, and may drop again."""
        content = None
        if self.n:
            try:
                content = np.memmap(self.file, dtype=np.uint8, mode="r")
            except (OSError, ValueError) as error:
                raise DataError(f"the codes of the cases are gone ({error}); scan the files again", self.file) from None

        def array(stored: Stored | None) -> npt.NDArray[Any] | None:
            if stored is None:
                return None
            dtype = np.dtype(stored.dtype)
            if content is None:
                return np.empty(0, dtype=dtype)
            return np.frombuffer(content, dtype, self.n, stored.offset)

        classes = array(self.classes)
        assert classes is not None
        codes, numbers = tuple(map(array, self.codes)), tuple(map(array, self.numbers))
        return CodedPart(self.n, codes, numbers, classes, array(self.weights))


class PartWriter:
    """A part that is written, column by column in any order.

    Parameters
    ----------
    file : str
    n : int
        How many cases it has.
    n_attributes : int
    """

    def __init__(self, file: str, n: int, n_attributes: int) -> None:
        self.file = file
        self.n = n
        self.codes: list[Stored | None] = [None] * n_attributes
        self.numbers: list[Stored | None] = [None] * n_attributes
        self.classes = Stored(0, "|u1")
        self.weights: Stored | None = None
        self._end = 0
        self._descriptor = -1

    def add(self, array: npt.NDArray[Any]) -> Stored:
        """Write one more column."""
        unit = PAGE if array.nbytes >= LONG else LINE
        self._end = -(-self._end // unit) * unit
        stored = Stored(self._end, array.dtype.str)
        if self.n:
            try:
                if self._descriptor < 0:
                    self._descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
                self._end = _write_at(self._descriptor, array, self._end)
            except OSError as error:
                raise _refusal(error, self.file) from None
        return stored

    def replace(self, stored: Stored | None, array: npt.NDArray[Any]) -> Stored:
        """Write a column in the place of another, or after all, if its numbers have another size."""
        if stored is None or np.dtype(stored.dtype).itemsize != array.dtype.itemsize:
            return self.add(array)
        end, self._end = self._end, stored.offset
        written = self.add(array)
        self._end = end
        return replace(stored, dtype=written.dtype)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def stored(self) -> StoredPart:
        return StoredPart(self.file, self.n, tuple(self.codes), tuple(self.numbers), self.classes, self.weights)


def _write_at(descriptor: int, array: npt.NDArray[Any], offset: int) -> int:
    """Write an array at an offset; where it ends."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    content = memoryview(np.ascontiguousarray(array).view(np.uint8))  # type: ignore[arg-type]
    done = 0
    while done < len(content):
        done += os.write(descriptor, content[done : done + (1 << 30)])
    return offset + done


def _refusal(error: OSError, file: str) -> DataError:
    folder = os.path.dirname(file)
    if error.errno in FULL:
        return DataError(
            "there is no space left for the codes of the cases; give a folder with more by cache= or TMPDIR", folder
        )
    return DataError(f"the codes of the cases cannot be written ({error.strerror or error})", folder)
