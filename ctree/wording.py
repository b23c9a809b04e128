"""Small words that texts and messages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def plural(count: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> plural(1, "case"), plural(2, "class"), plural(0, "leaf")
    ('1 case', '2 classes', 'no leaves')
    """
    if count == 1:
        return f"1 {noun}"
    many = noun[:-1] + "ves" if noun.endswith("f") else noun + "es" if noun.endswith("s") else noun + "s"
    return f"{count if count else 'no'} {many}"


def either(words: Sequence[str]) -> str:
    """Words with commas, and "or" before the last.

    Examples
    --------
    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def shortened(value: Any, most: int = 60) -> str:
    """A value as Python shows it, cut off where it is long."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of too many digits to be written
        return "so large a number"
    return text if len(text) <= most else f"{text[:most]}..."
