"""HeldCases: coded cases that are let go when nobody needs them any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import ClassVar, Self

from ctree.data.schema import Kind
from ctree.errors import DataError
from ctree.scale.coded_source import CodedSource
from ctree.scale.coding import Coding
from ctree.scale.engines.engine import Engine, PartLoader
from ctree.wording import abbreviated, plural


class HeldCases(CodedSource):
    """Cases whose codes are held somewhere, until this object is closed.

    Parameters
    ----------
    parts : sequence of PartLoader
    coding : Coding
    engine : Engine
    memory : int
    unit : float, optional
        As in `CodedSource`.
    """

    scanned: ClassVar[str] = "them"
    """What to scan again when the cases were closed."""

    def __init__(
        self, parts: Sequence[PartLoader], coding: Coding, engine: Engine, memory: int, unit: float | None = None
    ) -> None:
        self.n_parts = len(parts)
        self._closed = False
        super().__init__(parts, coding, engine, memory, unit)

    @contextmanager
    def _pass(self, kind: str) -> Iterator[None]:
        if self._closed:
            raise DataError(f"the cases were closed; scan {self.scanned} again")
        with super()._pass(kind):
            yield

    def close(self) -> None:
        """Let go of the codes. Nothing can be learned from these cases any more."""
        if not self._closed:
            self._closed = True
            self._let_go()
            self.parts = []

    def _let_go(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        counts = [(len(self.schema), "attribute"), (self.schema.n_classes, "class"), (self.n_parts, "part")]
        told = ", ".join(plural(count, noun) for count, noun in counts)
        return f"<{type(self).__name__}: {self.n_cases} {'case' if self.n_cases == 1 else 'cases'}, {told}>"

    def describe(self) -> str:
        """What the cases are, a line for each attribute."""
        width = max(len(abbreviated(name, 30)) for name in (*self.schema.names, "class"))
        weights = ", with weights" if self.weighted else ""
        lines = [f"{plural(self.n_cases, 'case')} in {plural(self.n_parts, 'part')}{weights}"]
        for j, attribute in enumerate(self.schema):
            bins = self.bins[j]
            told = "" if attribute.kind is Kind.IGNORE else plural(len(attribute.values), "value")
            told = told if bins is None else plural(len(bins), "bin")
            told += f", {self.unknown[j]} unknown" if self.unknown[j] else ""
            lines.append(f"{abbreviated(attribute.name, 30):{width}}  {attribute.kind.value:11}  {told}".rstrip())
        counts = zip(self.schema.classes, self.class_counts.tolist(), strict=True)
        some = ", ".join(f"{abbreviated(label, 30)} {count}" for label, count in list(counts)[:20])
        more = ", …" if self.schema.n_classes > 20 else ""
        lines.append(f"{'class':{width}}  {some}{more}")
        return "\n".join(lines)
