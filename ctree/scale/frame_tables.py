"""FrameTables: what a scan asks of the workers that have a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

from ctree.scale.engines.engine import PartLoader
from ctree.scale.frame_coding import PieceNumber, Shape


class FrameTables(Protocol):
    """The pieces of a frame as tables of Arrow, or what was made of them, which the workers hold.

    Functions are called with what is held, the piece that it is, and whatever else is given; they are importable, and
    depend on nothing else, so that each may run anywhere, or again.
    """

    def shape(self) -> Shape:
        """How many cases the pieces have, and of what types their columns are."""
        ...

    def ask(self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any) -> Any:
        """What a function finds in all pieces, combined in any order."""
        ...

    def make(
        self, function: Callable[..., Any], combine: Callable[[Sequence[Any]], Any], *more: Any
    ) -> tuple[Self, Any]:
        """What the first of the two results of a function is for each piece, held as these are; the second combined."""
        ...

    def parts(self, sizes: Mapping[PieceNumber, int], of_case: int) -> Sequence[PartLoader]:
        """Where the coded pieces are, given the number of cases of each, and the bytes of a case."""
        ...

    def release(self) -> None:
        """These are not needed any more, only what was made of them."""
        ...

    def drop(self) -> None:
        """Neither these nor what is being made of them is needed any more."""
        ...
