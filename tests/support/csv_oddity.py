"""A small comma-separated file that is odd in one way, with what a person would take it for and what should be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Sequence[float | str | None]


@dataclass(frozen=True)
class Oddity:
    """A file.

    Parameters
    ----------
    title : str
        What is odd about it.
    content : str or bytes
    columns : mapping from name to values
        What its columns should be, the class last: numbers, text, None for unknown. Empty if it is refused.
    said : sequence of str
        In the words of the command, without the name of the file.
    error : str
        The end of the message if it is refused.
    scan_error : str
        The same where it is scanned, if other.
    options : mapping
        Of `read_csv`.
    suffix : str
    """

    title: str
    content: str | bytes
    columns: Mapping[str, Values] = field(default_factory=dict)
    said: Sequence[str] = ()
    error: str = ""
    scan_error: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    suffix: str = ".csv"

    @property
    def bytes(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def lines(*rows: str) -> str:
    return "".join(row + "\n" for row in rows)


YN = ("yes", "no", "yes", "no")
X = (1.5, 2.0, 3.25, 4.0)
PLAIN = lines("x,y", "1.5,yes", "2,no", "3.25,yes", "4,no")
SEMICOLON = PLAIN.replace(",", ";")


def numbers(*cells: str, others: Sequence[str] = ()) -> str:
    """A file of one column of cells, quoted, and a class; or with a second column beside it."""
    more = [f'"{other}",' for other in others] or [""] * len(cells)
    rows = [
        f'"{cell}",{other}{"yes" if i % 2 == 0 else "no"}'
        for i, (cell, other) in enumerate(zip(cells, more, strict=True))
    ]
    return lines("x,z,y" if others else "x,y", *rows)


def yn(n: int) -> list[str]:
    return ["yes" if i % 2 == 0 else "no" for i in range(n)]


def table(n: int, name: str, cell: Any) -> str:
    """A file of so many cases."""
    return lines(f"{name},y", *(f"{cell(i)},{'yes' if i % 2 == 0 else 'no'}" for i in range(n)))
