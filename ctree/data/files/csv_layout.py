"""How a comma-separated file is laid out, found out from its first rows: delimiter, header, names, decimal mark.

Files that are read into memory and files that are scanned are judged by the same bytes, so that both are understood in
the same way.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from ctree.data.files.csv_header import Answer, first_row_is_a_case
from ctree.data.files.csv_numbers import mark_of
from ctree.data.files.csv_remarks import CsvRemark
from ctree.data.files.csv_settings import DELIMITERS, CsvSettings
from ctree.data.files.text_file import abbreviated, abbreviated_list
from ctree.errors import DataError

HEAD = 1 << 20
"""Bytes that are looked at, or more if there are hardly any rows in them."""

ROWS, CELLS = 1000, 100_000
"""That are looked at, at most, though 50 rows in any case."""


@dataclass(frozen=True)
class Layout:
    """Where the cells of a file are and what the columns are called.

    Parameters
    ----------
    delimiter : str
    names : list of str
        Of all columns, those that are left out too.
    left_out : set of str
        Columns that have neither a name nor values.
    before : int
        Lines before the first row: comments, or what a spreadsheet writes about the delimiter.
    lines : int
        Lines before the first case.
    header : bool
        Whether the first row has the names.
    decimal : str or None
        The decimal mark, if it could be found out.
    sample : dict
        By name the first cells of each column, without the white space around them.
    whole : bool
        Whether these are all cells.
    bytes_a_row : float
        About.
    spaced : bool
        Whether there are spaces between delimiters and quotes, so that readers take the quotes for text.
    remarks : tuple of CsvRemark
        What should be said of it.
    """

    delimiter: str
    names: list[str]
    left_out: frozenset[str]
    before: int
    lines: int
    header: bool
    decimal: str | None
    sample: dict[str, list[str]]
    whole: bool
    bytes_a_row: float
    spaced: bool
    remarks: tuple[CsvRemark, ...]

    @property
    def used(self) -> list[str]:
        """The names of the columns that are not left out."""
        return [name for name in self.names if name not in self.left_out]

    @property
    def cell(self) -> Callable[[str], str]:
        """From a cell as it was read to its text."""
        return _unquoted if self.spaced else str.strip


def head_of(text: bytes) -> bytes:
    """The first bytes of a text that is in memory."""
    size = HEAD
    while size < len(text) and not _has_rows(text[:size]):
        size *= 2
    return text[:size]


def head_of_file(file: str) -> tuple[bytes, bool]:
    """The same of a file, and whether it is all of it."""
    size = HEAD
    try:
        with open(file, "rb") as opened:
            text = opened.read(size)
            while len(text) == size and not _has_rows(text):
                text += opened.read(size)
                size *= 2
            return text, not opened.read(1)
    except OSError as error:
        raise DataError(f"the file cannot be read ({error.strerror or error})", file) from None


def _has_rows(text: bytes) -> bool:
    return text.count(b"\n") + text.count(b"\r") > 3


def find_layout(head: bytes, whole: bool, file: str, settings: CsvSettings, known: Collection[str] = ()) -> Layout:
    """Find out how a file is laid out.

    Parameters
    ----------
    head : bytes
        Of `head_of` or `head_of_file`.
    whole : bool
        Whether there is no more of it.
    file : str
        For messages.
    settings : CsvSettings
        What need not be found out.
    known : collection of str
        Names of columns that are expected: a first row with one of them has names.
    """
    refuse_utf16(head, file)
    text = head.decode("utf-8-sig", "replace")
    delimiter, before, remarks = _start(text, whole, file, settings)
    rows, ends, problem = _rows(_after(text, before), delimiter, whole)
    if not rows:
        if problem is not None:
            raise DataError(f"the row cannot be read ({problem[0]})", file, before + problem[1])
        raise DataError("the file is empty; its first row should name the columns", file)
    spaced = '"' in text and any(map(_is_spaced, chain.from_iterable(rows)))
    strip = _unquoted if spaced else str.strip
    first = list(map(strip, rows[0]))
    n_rows = min(ROWS, max(50, CELLS // len(first)))
    whole = whole and len(rows) - 1 <= n_rows
    columns = list(zip(*(row for row in rows[1 : n_rows + 1] if len(row) == len(first)), strict=True))
    cells = [list(map(strip, column)) for column in columns] or [[] for _ in first]
    header = settings.header
    if header is None:
        answer = Answer.NAMES if any(name in known for name in first) else first_row_is_a_case(first, cells, settings)
        header = answer is not Answer.CASE
        if answer is not Answer.NAMES:
            remarks = [*remarks, _header_remark(file, first, header)]
    line = before + ends[0]
    if header:
        names = first
    else:
        names, cells = [f"x{j + 1}" for j in range(len(first))], [[a, *b] for a, b in zip(first, cells, strict=True)]
    names, left_out, nameless = _named(names, cells, file, line, settings.unknown_cells, head)
    unknown = settings.unknown_numbers
    decimal = settings.decimal or mark_of([cell for cell in column if cell not in unknown] for column in cells)
    return Layout(
        delimiter,
        names,
        left_out,
        before,
        line if header else before,
        header,
        decimal,
        dict(zip(names, cells, strict=True)),
        whole,
        len(head) / max(head.count(b"\n") or head.count(b"\r"), 1),
        spaced,
        (*remarks, *nameless),
    )


def _is_spaced(cell: str) -> bool:
    """Whether a cell has white space and then quotes around it."""
    return cell[:1].isspace() and len(text := cell.strip()) > 1 and text[0] == text[-1] == '"'


def _unquoted(cell: str) -> str:
    """A cell without white space, and without quotes if that stands before them."""
    return cell.strip()[1:-1].replace('""', '"').strip() if _is_spaced(cell) else cell.strip()


def refuse_utf16(head: bytes, file: str) -> None:
    """An error if the text has two bytes for each character, as some programs write it."""
    first, second = set(head[:64:2]), set(head[1:64:2])
    unmarked = len(head) >= 8 and ((first == {0} and 0 not in second) or (second == {0} and 0 not in first))
    if unmarked or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the file is UTF-16 text, not UTF-8; save it as UTF-8 (in a spreadsheet: CSV UTF-8)", file)


def _start(text: str, whole: bool, file: str, settings: CsvSettings) -> tuple[str, int, list[CsvRemark]]:
    """The delimiter, the lines before the first row, and what is to be said."""
    lines = io.StringIO(text, newline="")
    separator = re.fullmatch(r'sep=([^"\w])(?:\r|\n|\r\n)', lines.readline(), re.IGNORECASE)
    if separator is not None:  # spreadsheets write and read this
        return settings.delimiter or separator[1], 1, []
    lines.seek(0)
    comments = 0
    for line in lines:
        if not line.startswith("#"):
            break
        comments += 1
    else:
        comments = 0
    delimiter, remarks = settings.delimiter, []
    if delimiter is None:
        delimiter, remark = _delimiter(_after(text, comments), whole, file)
        remarks = [] if remark is None else [remark]
    if comments:  # the last may be the names
        widths = [len(row) for row in _rows(_after(text, comments - 1), delimiter, whole, 2)[0]]
        comments -= len(widths) == 2 and widths[0] == widths[1]
    if comments:
        told = "line begins with # and is" if comments == 1 else f"{comments} lines begin with # and are"
        remarks.append(CsvRemark(file, f"the first {told} left out"))
    return delimiter, comments, remarks


def _after(text: str, lines: int) -> str:
    """The text without so many lines."""
    stream = io.StringIO(text, newline="")
    for _ in range(lines):
        stream.readline()
    return text[stream.tell() :] if lines else text


def _rows(
    text: str, delimiter: str, whole: bool, most: int = ROWS + 2
) -> tuple[list[list[str]], list[int], tuple[str, int] | None]:
    """The first rows that are not empty, the lines on which they end, and what ended them early, with its line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    ends: list[int] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                ends.append(reader.line_num)
            if len(rows) == most:
                return rows, ends, None
    except csv.Error as error:
        return rows, ends, (str(error), max(reader.line_num, 1))
    if not whole and len(rows) > 1:  # of the last there may be more
        del rows[-1], ends[-1]
    return rows, ends, None


def _delimiter(text: str, whole: bool, file: str) -> tuple[str, CsvRemark | None]:
    """The delimiter by which all of the first rows have as many cells; a comma if there is no other."""
    first = text.lstrip("\r\n").partition("\n")[0].partition("\r")[0] if text else ""
    tried = [mark for mark in DELIMITERS if mark in first]
    tabs = file.lower().endswith(".tsv")
    if tabs:
        tried.sort(key=lambda mark: mark != "\t")
    even = {}
    for mark in tried:
        rows, _, problem = _rows(text, mark, whole)
        widths = {len(row) for row in rows}
        if problem is None and len(widths) == 1 and min(widths) > 1:
            even[mark] = widths.pop()
    if not even:
        return (max(tried, key=lambda mark: (mark == ",", first.count(mark))) if tried else ","), None
    chosen = next(iter(even))
    if chosen not in (",", "\t"):
        chosen = max(even, key=lambda mark: even[mark])
    other = next((mark for mark, width in even.items() if mark != chosen and width >= even[chosen]), None)
    if other is None or (chosen == "\t" and tabs):
        return chosen, None
    told = f"{DELIMITERS[chosen]} are taken for what separates the columns, though it could be {DELIMITERS[other]}"
    return chosen, CsvRemark(file, told, ways=("delimiter",))


def _header_remark(file: str, first: Sequence[str], header: bool) -> CsvRemark:
    shown = abbreviated_list(first, 3)
    if header:
        told = f"the first row ({shown}) is taken for the names of the columns, though it looks like a case"
    else:
        told = f"the first row ({shown}) is taken for a case, as it looks like those below; the columns are called x1"
        told += f" to x{len(first)}" if len(first) > 1 else ""
    return CsvRemark(file, told, ways=("header",))


def _named(
    names: list[str], cells: list[list[str]], file: str, line: int, unknown: Collection[str], head: bytes
) -> tuple[list[str], frozenset[str], list[CsvRemark]]:
    """Names for all columns, those that are left out, and what is to be said of those that had none."""
    if len({name for name in names if name}) != len([name for name in names if name]):
        twice = next(name for i, name in enumerate(names) if name and name in names[:i])
        raise DataError(f"two columns are called '{abbreviated(twice)}'", file, line)
    if any("\ufffd" in name for name in names) and "\ufffd".encode() not in head:
        raise DataError("the names of the columns are not UTF-8 text; save the file as UTF-8", file, line)
    if not any(names):
        raise DataError("column 1 has no name in the first row", file, line)
    result, left_out, remarks = [], set(), []
    for j, (name, column) in enumerate(zip(names, cells, strict=True)):
        given = name
        if not given:
            empty = all(cell in unknown for cell in column)
            if j and not empty:
                raise DataError(f"column {j + 1} has no name in the first row", file, line)
            given = f"column {j + 1}"
            while given in names:
                given += "'"
            told = "it has no name and no values, and is left out" if empty else "it has no name; the numbers of rows?"
            remarks.append(CsvRemark(file, told, given, () if empty else ("ignore",)))
            if empty:
                left_out.add(given)
        result.append(given)
    return result, frozenset(left_out), remarks
