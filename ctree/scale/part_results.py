"""The pass that does something with the cases of each part, as a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ctree.data.dataset import Dataset
from ctree.scale.coded_part import CodedPart
from ctree.scale.gathering import Piece, Work

_R = TypeVar("_R")


@dataclass(frozen=True)
class PartTask(Generic[_R]):
    """Decodes parts one by one."""

    decoded: Work[_R]
    """What is done with cases; it is called with the key 0."""
    unknown: tuple[bool, ...]
    """Of each attribute, whether a value may be unknown."""
    combine: Callable[[Sequence[_R]], _R]

    def __call__(self, parts: Iterable[CodedPart]) -> _R | None:
        """What is made of all these parts; None if there are none."""
        result: _R | None = None
        for part in parts:
            found = self.decoded(0, [whole_piece(part, self.unknown)])
            result = found if result is None else self.combine([result, found])
        return result


@dataclass(frozen=True)
class CombineSome(Generic[_R]):
    """Combines results, if there are any."""

    combine: Callable[[Sequence[_R]], _R]

    def __call__(self, results: Sequence[_R | None]) -> _R | None:
        """All of them as one."""
        some = [result for result in results if result is not None]
        return self.combine(some) if some else None


@dataclass(frozen=True)
class OfCases(Generic[_R]):
    """A function of cases as one of a key and cases."""

    work: Callable[[Dataset], _R]

    def __call__(self, _: int, cases: Dataset) -> _R:
        return self.work(cases)


def whole_piece(part: CodedPart, unknown: Sequence[bool]) -> Piece:
    """All cases of a part."""
    columns = []
    for codes, numbers, may_be_unknown in zip(part.codes, part.numbers, unknown, strict=True):
        column = codes if numbers is None else numbers
        if codes is not None and numbers is not None and may_be_unknown:
            column = numbers.copy()
            column[codes == 0] = float("nan")
        columns.append(None if codes is None else column)
    return Piece(part.n, columns, part.classes, part.weights)
