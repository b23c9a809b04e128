"""The first row of a comma-separated file, and about how long the others are."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from ctree.data.files.text_file import abbreviated
from ctree.errors import DataError
from ctree.wording import shortened

FIRST = 1 << 20
"""Bytes that are looked at."""


@dataclass(frozen=True)
class Header:
    """What the first row says.

    Parameters
    ----------
    names : list of str
    lines : int
        How many lines it takes, with empty ones before it.
    bytes_a_row : float
        About.
    """

    names: list[str]
    lines: int
    bytes_a_row: float


def read_header(file: str, delimiter: str) -> Header:
    """The names of the columns, by the rules of `read_csv`."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise DataError(
            f"the delimiter is {shortened(delimiter)}, but should be one character of ASCII within a line, and no quote"
        )
    try:
        with open(file, "rb") as opened:
            start = opened.read(FIRST)
    except OSError as error:
        raise DataError(f"the file cannot be read ({error.strerror or error})", file) from None
    text = start.decode("utf-8-sig", "replace")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next((row for row in rows if row), [])]
    except csv.Error as error:
        raise DataError(f"the row cannot be read ({error})", file, max(rows.line_num, 1)) from None
    if not names:
        raise DataError("the file is empty; its first row should name the columns", file)
    if "" in names:
        raise DataError(f"column {names.index('') + 1} has no name in the first row", file, rows.line_num)
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataError(f"two columns are called '{abbreviated(twice)}'", file, rows.line_num)
    if any("\ufffd" in name for name in names):
        raise DataError("the names of the columns are not UTF-8 text; save the file as UTF-8", file, rows.line_num)
    return Header(names, rows.line_num, len(start) / max(start.count(b"\n"), 1))
