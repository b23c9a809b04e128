"""ColumnStyles: how the numbers of the columns of scanned files are written, as far as they have been read."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ctree.data.files.csv_doubts import doubt_about_numbers, doubt_about_text, mostly_numbers
from ctree.data.files.csv_layout import Layout
from ctree.data.files.csv_numbers import PLAIN, SPECIAL, Decision, Evidence, Style, decide
from ctree.data.files.csv_remarks import CsvRemark
from ctree.data.files.csv_settings import CsvSettings
from ctree.data.scan.csv_cells import styled_numbers
from ctree.data.scan.reader import Floats


class ColumnStyles:
    """The style of each column of each file, which has to be that of `read_csv` in the end.

    Parameters
    ----------
    layouts : mapping from file to Layout
    settings : CsvSettings

    Notes
    -----
    What cells show is added up over a pass. Cells that are plain numbers, or have the comma of the file, are read
    quickly and not looked at. Once a column needs another style, it is read again with that, and all of its cells are
    looked at, so that they decide as they do in memory.
    """

    def __init__(self, layouts: Mapping[str, Layout], settings: CsvSettings) -> None:
        self._layouts = layouts
        self._settings = settings
        self._unknown = settings.unknown_numbers
        self._used: dict[tuple[str, str], Style] = {}
        self._evidence: dict[tuple[str, str], Evidence] = {}
        self._lock = threading.Lock()

    def _style(self, file: str, name: str) -> Style:
        first = Style(",") if self._layouts[file].decimal == "," else PLAIN
        return self._used.get((file, name), first)

    def numbers(self, file: str, name: str, column: Any, sure: bool = True) -> Floats:
        """Cells as numbers, NaN where they are none by the style so far."""
        numbers, evidence = styled_numbers(column, self._style(file, name), self._unknown, self._layouts[file].cell)
        if sure and evidence is not None:
            with self._lock:
                self._evidence.setdefault((file, name), Evidence()).add(evidence)
        return numbers

    def guess(self, file: str, name: str, column: Any) -> bool:
        """Whether some cells of a column are numbers, as far as they tell."""
        while True:
            before = self._style(file, name)
            self.numbers(file, name, column)
            now = self._next(file, name)
            if now is None or now == before:
                return now is not None

    def _decision(self, file: str, name: str) -> Decision:
        evidence = self._evidence.get((file, name), Evidence())
        return decide(evidence, self._settings.decimal, self._layouts[file].decimal)

    def _next(self, file: str, name: str) -> Style | None:
        """The style to read with from now on; None if these are no numbers, whatever follows."""
        decision = self._decision(file, name)
        evidence = self._evidence.get((file, name), Evidence())
        style = decision.style
        if decision.why == "either mark":
            style = Style()  # until all cells were looked at
        elif style is not None and style.mark == "." and not evidence.flags & SPECIAL:
            style = PLAIN
        if style is not None:
            self._used[file, name] = style
        return style

    def decide_again(self, names: Sequence[str]) -> tuple[set[str], bool]:
        """After a pass: columns that are no numbers after all, and whether others have to be read again."""
        texts, changed = set(), False
        for name in names:
            for file in self._layouts:
                before = self._style(file, name)
                now = self._next(file, name)
                if now is None or (now == before and self._decision(file, name).style is None):
                    texts.add(name)
                changed = changed or now != before
        return texts, changed

    def remarks(self, file: str, names: Sequence[str]) -> list[CsvRemark]:
        """What should be said of columns by the cells that are not plain."""
        found = []
        layout = self._layouts[file]
        for name in names:
            evidence = self._evidence.get((file, name))
            if evidence is None:
                continue
            decision = self._decision(file, name)
            remark = doubt_about_numbers(file, name, decision, evidence, self._settings.decimal)
            if decision.why == "text":
                counts = mostly_numbers(layout.sample[name], self._unknown)
                if counts is not None and evidence.odd is not None:
                    odd, known, example = counts
                    remark = doubt_about_text(file, name, odd, known, example or evidence.odd, not layout.whole)
            if remark is not None:
                found.append(remark)
        return found
