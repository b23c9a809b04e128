"""Small words that texts and messages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def unquoted(text: str) -> str:
    """A text without the quotes around it, if it has any."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


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


def no_such(what: str, name: object, names: Iterable[object]) -> str:
    """That a name is not among those that there are, with the one that was probably meant.

    Examples
    --------
    >>> print(no_such("column", "plays", ["outlook", "play"]))
    there is no column 'plays' among outlook, play (did you mean 'play'?)
    """
    known = list(names)
    shown = f"'{abbreviated(name)}'" if isinstance(name, str) else shortened(name)
    return f"there is no {what} {shown} among {abbreviated_list(known) or 'none'}{near_match(name, known)}"


def near_match(name: object, candidates: Iterable[object], least: float = 0.7) -> str:
    """A hint at the candidate that was probably meant, or nothing.

    Parameters
    ----------
    name : object
        What was given; only a text can be misspelt.
    candidates : iterable
        What would have been right, of which the first 2000 are looked at.
    least : float
        How alike the two have to be, from 0 to 1. More than usual where the message lists the candidates anyway, as a
        wrong guess would only distract.

    Examples
    --------
    >>> near_match("bic-stpo", ["bic-prune", "bic-stop"])
    " (did you mean 'bic-stop'?)"
    """
    found = nearest(name, candidates, least)
    return "" if found is None else f" (did you mean '{abbreviated(found)}'?)"


def nearest(name: object, candidates: Iterable[object], least: float = 0.7) -> str | None:
    """The candidate that was probably meant, if there is one."""
    import difflib  # only what is wrong pays for it

    if not isinstance(name, str):
        return None
    texts = [str(c) for _, c in zip(range(2000), candidates, strict=False)]
    by_lower = {text.lower(): text for text in reversed(texts)}
    given = name[:200].lower()
    found = difflib.get_close_matches(given, by_lower, n=1, cutoff=least)
    # two letters in each other's place make short words look less alike than they are
    found = found or [text for text in by_lower if sorted(text) == sorted(given)]
    return by_lower[found[0]] if found else None
