"""Rows of CSV, if wanted without what a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, TextIO

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class CsvWriter:
    """Writes rows of cells, with plain newlines.

    Parameters
    ----------
    out : text stream
    safe : bool
        Whether a cell of text that a spreadsheet would take for a formula gets an apostrophe in front.
    delimiter : str
    """

    def __init__(self, out: TextIO, safe: bool = False, delimiter: str = ",") -> None:
        self._writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        self._safe = safe

    def row(self, cells: Iterable[Any]) -> None:
        self._writer.writerow([safe_cell(cell) for cell in cells] if self._safe else list(cells))

    def rows(self, rows: Iterable[Iterable[Any]]) -> None:
        for cells in rows:
            self.row(cells)


def safe_cell(cell: Any) -> Any:
    """The cell, with an apostrophe in front if it is text that begins as a formula does; numbers stay as they are.

    Examples
    --------
    >>> safe_cell("=1+2"), safe_cell("-1.5"), safe_cell("- none"), safe_cell("yes")
    ("'=1+2", '-1.5', "'- none", 'yes')
    """
    if not isinstance(cell, str) or not cell.startswith(STARTS_A_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell if cell.isprintable() else "'" + cell
