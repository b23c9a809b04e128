"""On which line of a JSON file an entry stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ctree.errors import DataError

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:\n]|[^\s{}\[\],:"]+')

Entry = tuple[str | int, ...]
"""The names of fields, and places in lists, that lead to an entry."""


class EntryLines:
    """The lines of all entries.

    Parameters
    ----------
    text : str
        It is JSON.

    Examples
    --------
    >>> lines = EntryLines('{"tables":\\n {"atom": {"key": 1},\\n  "bond": []}}')
    >>> lines.line(("tables", "bond")), lines.line(("tables", "bond", "columns", "type")), lines.line(("bias",))
    (3, 3, None)
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Entry, int] = {}
        path: list[str | int] = []  # of each object or list that is open, where in it the next token belongs
        line, is_new = 1, False  # whether a text would be the name of a field, or anything an entry of a list
        for match in TOKEN.finditer(text):
            token = match.group()
            if token == "\n":
                line += 1
                continue
            if is_new and token not in "]}":
                if isinstance(path[-1], str):
                    path[-1] = json.loads(token)
                self._lines[tuple(path)] = line
            is_new = token in "{[,"
            if token in "{[":
                path.append("" if token == "{" else 0)
            elif token in "}]":
                path.pop()
            elif token == "," and isinstance(path[-1], int):
                path[-1] += 1

    def line(self, entry: Sequence[str | int]) -> int | None:
        """The line of an entry, or of what it would belong to if it is not there; None for the whole file."""
        for end in range(len(entry), 0, -1):
            if tuple(entry[:end]) in self._lines:
                return self._lines[tuple(entry[:end])]
        return None

    def of_place(self, place: str) -> int | None:
        """The line of an entry whose names stand with points between them, ``"tables.atom.key"``."""
        best, result = "", None
        for entry, line in self._lines.items():
            name = "" if any(isinstance(part, int) for part in entry) else ".".join(map(str, entry))
            if len(name) > len(best) and (place == name or place.startswith(f"{name}.")):
                best, result = name, line
        return result


@contextmanager
def about(*entry: str | int) -> Iterator[None]:
    """Say of errors, but for those that know it better, which entry they are about."""
    try:
        yield
    except DataError as error:
        if not hasattr(error, "entry"):
            error.__dict__["entry"] = entry
        raise
