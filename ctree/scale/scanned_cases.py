"""ScannedCases: cases that were coded once, and lie in files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Kind
from ctree.errors import DataError
from ctree.scale.code_folder import CodeFolder
from ctree.scale.coded_source import CodedSource
from ctree.scale.coding_pass import Coding
from ctree.scale.engines.local import LocalEngine
from ctree.wording import abbreviated, plural


class ScannedCases(CodedSource):
    """Cases that no memory needs to hold, as `scan_parquet` and its like return them.

    Their codes lie in files, which go with this object: at its `close`, at the end of a ``with`` block, or when Python
    ends; unless they were to be kept (``cache=``).

    Attributes
    ----------
    schema : Schema
    n_cases : int
    class_counts : int64 array
    complete : bool
        Whether no value is unknown.
    bins : list of Bins or None
        Of each continuous attribute.
    memory : int
        Bytes that work with these cases may use, about.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> _ = path.write_text("outlook,humidity,play\\nsunny,85,no\\nrain,?,yes\\nrain,70,yes\\n")
    >>> with ctree.scan_csv(path) as cases:
    ...     print(cases)
    ...     print(cases.describe())
    <ScannedCases: 3 cases, 2 attributes, 2 classes, 1 part>
    3 cases in 1 part
    outlook   discrete     2 values
    humidity  continuous   2 bins, 1 unknown
    class     no 1, yes 2
    """

    def __init__(self, coding: Coding, folder: CodeFolder, memory: int, n_threads: int = 1) -> None:
        self.class_counts: npt.NDArray[np.int64] = coding.class_counts
        self.unknown: npt.NDArray[np.int64] = coding.unknown
        self._folder: CodeFolder | None = folder
        super().__init__(coding.parts, coding, LocalEngine(n_threads), memory)

    @contextmanager
    def _pass(self, kind: str) -> Iterator[None]:
        if self._folder is None:
            raise DataError("the cases were closed; scan them again")
        with super()._pass(kind):
            yield

    def close(self) -> None:
        """Remove the codes, unless they are to be kept. Nothing can be learned from these cases any more."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def __enter__(self) -> ScannedCases:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        counts = [(len(self.schema), "attribute"), (self.schema.n_classes, "class"), (len(self.parts), "part")]
        told = ", ".join(plural(count, noun) for count, noun in counts)
        return f"<ScannedCases: {self.n_cases} {'case' if self.n_cases == 1 else 'cases'}, {told}>"

    def describe(self) -> str:
        """What the cases are, a line for each attribute."""
        width = max(len(abbreviated(name, 30)) for name in (*self.schema.names, "class"))
        lines = [f"{plural(self.n_cases, 'case')} in {plural(len(self.parts), 'part')}"]
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
