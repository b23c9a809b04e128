"""Typed reading of parsed JSON: each value is looked at before it is used, and a wrong one is named by its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.errors import ModelError

LONGEST_PLACE = 100
_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list"}


class Fields:
    """One JSON object of a file.

    Parameters
    ----------
    value : object
        What stands in the file, an object if the file is right.
    place : str
        Where it stands, ``"trees.tree"``; empty for the whole file.
    error : callable
        From a sentence to the exception to raise.

    Examples
    --------
    >>> Fields({"classes": ["yes", "no"]}, "schema").get("classes", list)
    ['yes', 'no']
    """

    def __init__(self, value: object, place: str = "", error: Callable[[str], Exception] = ModelError) -> None:
        if not isinstance(value, dict):
            raise error(f"'{place}' should be an object in braces, not {shown_json(value)}")
        self._values: dict[str, Any] = value
        self.place = place
        self.error = error

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def place_of(self, name: str) -> str:
        return abbreviated(f"{self.place}.{name}" if self.place else name, LONGEST_PLACE)

    def value(self, name: str) -> Any:
        """The value of a field, whatever it is."""
        if name not in self._values:
            raise self.error(f"the field '{abbreviated(self.place_of(name))}' is missing")
        return self._values[name]

    def get(self, name: str, kind: Any) -> Any:
        """The value of a field, which must be of this type."""
        return checked(self.value(name), kind, self.place_of(name), self.error)

    def object(self, name: str) -> Fields:
        """A field that is an object itself."""
        return Fields(self.value(name), self.place_of(name), self.error)


def checked(value: Any, kind: Any, place: str, error: Callable[[str], Exception] = ModelError) -> Any:
    """A value that must be of one of JSON's types; a whole number is a number too, but a truth value is not."""
    if kind is float and type(value) is int:
        try:
            value = float(value)
        except OverflowError:
            raise error(f"'{place}' is too large a number") from None
    if type(value) is not kind:
        raise error(f"'{abbreviated(place)}' should be {_TYPES[kind]}, not {shown_json(value)}")
    if kind is float and not math.isfinite(value):
        raise error(f"'{abbreviated(place)}' is not a finite number")
    return value


def shown_json(value: object) -> str:
    """A value of a file for a message: as it stands there if it is short, else what it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return abbreviated(repr(value), 30) if isinstance(value, float) or abs(value) < 10**30 else "a huge number"
    if isinstance(value, str):
        return f"'{abbreviated(value, 30)}'"
    return "a list" if isinstance(value, list) else "an object"
