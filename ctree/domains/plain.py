"""Values as Python has them: what is a list, what is a number, and all of them without the types of numpy."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

NO_SEQUENCES = (str, bytes, bytearray, memoryview, Mapping, Set)
"""What has a length and entries, but is no list of values in an order."""


def is_list(value: Any) -> bool:
    """Whether a value has entries in an order, which are there as often as they are asked for.

    Examples
    --------
    >>> is_list((1, 2)), is_list(range(2)), is_list({1, 2}), is_list("ab"), is_list(iter([1, 2]))
    (True, True, False, False, False)
    """
    if isinstance(value, NO_SEQUENCES) or getattr(value, "shape", None) == ():
        return False
    return hasattr(value, "__len__") and hasattr(value, "__iter__")


def is_plain(value: Any, kind: Any) -> bool:
    """Whether a value is a number of a kind of `numbers` that arrays can be computed with: Python's own, or numpy's.

    Fractions are numbers as well, but make arrays of objects.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numbers import Real
    >>> is_plain(2, Real), is_plain(True, Real), is_plain(Fraction(1, 2), Real)
    (True, False, False)
    """
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    return is_number and (isinstance(value, int | float) or hasattr(value, "dtype"))


def plain(value: Any) -> Any:
    """A value without numpy's types, tuples as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value
