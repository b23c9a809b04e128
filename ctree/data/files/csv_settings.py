"""What a person may say of how a comma-separated file is written; what is not said is found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctree.errors import DataError, ParameterError
from ctree.wording import shortened

UNKNOWN = frozenset(("", "?", "NA", "NaN", "nan"))
"""The cells that stand for an unknown value in every column."""

_WORDS = ("null", "none", "n/a", "#n/a", "n.a.", "<na>", "nil", "missing", "unknown", "#null!", "#div/0!")
_MARKS = (
    "na",
    "NaT",
    "#VALUE!",
    "#NUM!",
    "#REF!",
    "#NAME?",
    "\\N",
    "-",
    "--",
    "---",
    ".",
    "..",
    "\N{EN DASH}",
    "\N{EM DASH}",
)
NO_NUMBERS = frozenset([*_MARKS, *(form for word in _WORDS for form in (word, word.upper(), word.capitalize()))])
"""The cells that besides stand for an unknown value among numbers. Elsewhere they are values, as they may well be."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""Those that are found out, by their names."""


@dataclass(frozen=True)
class CsvSettings:
    """How to read a comma-separated file.

    Parameters
    ----------
    delimiter : str, optional
        One character; found out if None.
    decimal : {".", ","}, optional
        The decimal mark; found out if None.
    header : bool, optional
        Whether the first row has the names of the columns; found out if None.
    unknown : tuple of str
        Cells that stand for an unknown value besides `UNKNOWN`.
    """

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    unknown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        delimiter = self.delimiter
        if delimiter is not None:
            if not isinstance(delimiter, str) or len(delimiter) != 1:
                raise DataError(f"the delimiter is {shortened(delimiter)}, but should be one character")
            if delimiter in '"\r\n\0':
                raise DataError(
                    f"the delimiter is {delimiter!r}, but should be one character within a line, and no quote"
                )
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"decimal is {shortened(self.decimal)}, but should be '.' or ','")
        if self.decimal is not None and self.decimal == delimiter:
            raise ParameterError(f"the delimiter and the decimal mark are both {delimiter!r}")
        if self.header not in (None, True, False):
            raise ParameterError(f"header is {shortened(self.header)}, but should be True, False or None")

    @property
    def unknown_cells(self) -> frozenset[str]:
        """The cells that stand for an unknown value in every column."""
        return UNKNOWN.union(self.unknown) if self.unknown else UNKNOWN

    @property
    def unknown_numbers(self) -> frozenset[str]:
        """The cells that stand for an unknown value in a column of numbers."""
        return self.unknown_cells | NO_NUMBERS


def csv_settings(delimiter: Any, decimal: Any, header: Any, unknown: Any) -> CsvSettings:
    """Settings from what was passed to a function."""
    if isinstance(unknown, str) or not isinstance(unknown, Sequence | set | frozenset):
        raise ParameterError(f"unknown is {shortened(unknown)}, but should be a list of texts")
    for text in unknown:
        if not isinstance(text, str):
            raise ParameterError(f"unknown has {shortened(text)}, which is no text")
    return CsvSettings(delimiter, decimal, header, tuple(sorted({text.strip() for text in unknown})))
