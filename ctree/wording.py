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


def escaped(text: str) -> str:
    """A text on one line, with what cannot be printed written as Python does.

    Examples
    --------
    >>> print(escaped("two\\nlines"))
    two\\nlines
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def abbreviated(value: object, most: int = 60) -> str:
    """A name, a value or a label from outside, for a message: on one line, and cut off where it is long."""
    try:
        text = str(value)
    except MemoryError:
        raise
    except Exception:  # a whole number of too many digits, or an object that cannot be shown
        text = f"so large a {type(value).__name__}"
    shown = escaped(text[:most])
    return shown if len(text) <= most and len(shown) <= most else shown[: most - 1] + "…"


def abbreviated_list(values: Sequence[object], most: int = 8, width: int = 150) -> str:
    """The first few values for a message, as many as fit into a line."""
    shown: list[str] = []
    for value in values[:most]:
        text = abbreviated(value, 30)
        if shown and sum(map(len, shown)) + len(text) > width:
            break
        shown.append(text)
    return ", ".join(shown) + (", …" if len(values) > len(shown) else "")


def abbreviated_path(path: str, most: int = 160) -> str:
    """A path for a message. Where it is long its end is shown, as that has the name of the file."""
    shown = escaped(path[-most:])
    return shown if len(path) <= most and len(shown) <= most else "…" + shown[1 - most :]


def shortened(value: Any, most: int = 60) -> str:
    """A value as Python shows it, cut off where it is long."""
    try:
        return abbreviated(repr(value), most)
    except MemoryError:
        raise
    except Exception:  # a whole number of too many digits, or lists in lists without end
        return f"so large a {'number' if isinstance(value, int) else type(value).__name__}"
