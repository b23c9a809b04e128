"""What parameters of relational learners may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.domains.domain import Domain
from ctree.domains.plain import is_list
from ctree.errors import ParameterError
from ctree.wording import either, shortened


class LinkedTables(Domain):
    """Linked tables."""

    metavar = "DATA"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, RelationalData)

    def words(self) -> list[str]:
        return ["a RelationalData"]

    def type_text(self) -> str:
        return "RelationalData"

    def parse(self, text: str) -> Any:
        raise ValueError  # no text stands for tables

    def to_plain(self, value: Any) -> Any:
        return None  # a model is kept without the tables that it was learned from


class ByName(Domain):
    """What is said of columns by their names; whether they are columns, and may be so, is seen in `fit`.

    Parameters
    ----------
    entry : Domain
        What may be said of a column.

    Examples
    --------
    >>> from ctree.domains.domain import Choice, Flag
    >>> ByName(Choice("up", "none")).read("links", "bond.molecule=none, bond.atom2=up")
    {'bond.molecule': 'none', 'bond.atom2': 'up'}
    >>> ByName(Flag()).read("constants", "atom.charge=no")
    {'atom.charge': False}
    """

    metavar = "TABLE.COLUMN=WORD,..."

    def __init__(self, entry: Domain) -> None:
        self.entry = entry

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)

    def words(self) -> list[str]:
        return [f"a dict from names of columns to {self.entry.describe()}"]

    def typed(self) -> list[str]:
        words = self.entry.typed()
        return [f"columns with {either(words)}, as in TABLE.COLUMN={words[-1]}"]

    def type_text(self) -> str:
        return "dict"

    def to_plain(self, value: Any) -> Any:
        result = {str(name): what.item() if isinstance(what, np.generic) else what for name, what in value.items()}
        for name, what in result.items():
            if not isinstance(what, str | bool):
                raise ParameterError(
                    f"{shortened(what)} is said of {shortened(name)}, but should be a word or a boolean"
                )
        return result

    def parse(self, text: str) -> dict[str, Any]:
        pairs = [part.rpartition("=") for part in text.strip("{} ").split(",") if part.strip()]
        if not pairs or not all(equals and name.strip() for name, equals, _ in pairs):
            raise ValueError
        return {name.strip(): self.entry.parse(word.strip()) for name, _, word in pairs}


class Names(Domain):
    """Some of several names.

    Examples
    --------
    >>> Names("count", "mean").read("aggregates", "mean, count")
    ('mean', 'count')
    """

    metavar = "A,B"

    def __init__(self, *names: str) -> None:
        self.names = names

    def accepts(self, value: Any) -> bool:
        return is_list(value) and all(isinstance(name, str) and name in self.names for name in value)

    def words(self) -> list[str]:
        return [f"a list of some of {', '.join(self.names)}"]

    def typed(self) -> list[str]:
        return [f"some of {','.join(self.names)}, with commas between them", "none"]

    def type_text(self) -> str:
        return "sequence of str"

    def parse(self, text: str) -> tuple[str, ...]:
        if text.lower() == "none":
            return ()
        return tuple(part.strip() for part in text.strip("()[] ").split(",") if part.strip())

    def spelled(self, value: Any) -> str:
        return ",".join(value) or "none"

    def to_plain(self, value: Any) -> Any:
        return [str(name) for name in value]

    def from_plain(self, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value
