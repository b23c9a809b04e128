"""ScannedCases: cases that were coded once, and lie in files."""

from __future__ import annotations

from ctree.scale.code_folder import CodeFolder
from ctree.scale.coding_pass import Coding
from ctree.scale.engines.local import LocalEngine
from ctree.scale.held_cases import HeldCases


class ScannedCases(HeldCases):
    """Cases that no memory needs to hold, as `scan_parquet` and its like return them.

    Their codes lie in files, which go with this object: at its `close`, at the end of a ``with`` block, or when Python
    ends; unless they were to be kept (``cache=``).

    Attributes
    ----------
    schema : Schema
    n_cases : int
    class_counts : int64 array
        How many cases each class has, whatever they weigh.
    weighted : bool
        Whether cases have weights.
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
        self._folder = folder
        super().__init__(coding.parts, coding, LocalEngine(n_threads), memory, coding.unit)

    def _let_go(self) -> None:
        self._folder.close()
