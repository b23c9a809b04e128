"""What the columns of a frame that lies elsewhere are called, and which of them are named."""

from __future__ import annotations

from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.errors import DataError, DataTypeError, NamingError, ParameterError
from ctree.wording import no_such, shortened


def column_names(keys: list[Any], special: list[Any]) -> dict[Any, str]:
    """What the columns are called: by their names, or x0, x1, ... if these are no text; the special ones last."""
    others = [key for key in keys if key not in special]
    text = [key for key in others if isinstance(key, str)]
    if len(set(keys)) != len(keys):
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise DataError(f"two columns are called '{abbreviated(twice)}'")
    if text and len(text) < len(others):
        odd = next(key for key in others if not isinstance(key, str))
        raise DataTypeError(
            f"one column is called '{abbreviated(text[0])}' and another {shortened(odd)}; convert all of them to text"
        )
    names = {key: key if text else f"x{j}" for j, key in enumerate(others)}
    for key in special:
        names[key] = name_among(names, str(key))
    return names


def name_among(names: dict[Any, str], name: str) -> str:
    """A name that none of these columns has."""
    while name in names.values():
        name += "'"
    return name


def no_column(name: Any, keys: list[Any]) -> NamingError:
    """A column was asked for that is not there."""
    return NamingError(no_such("column", name, keys))


def both(name: Any) -> NamingError:
    """A column was named twice."""
    return NamingError(f"column {told(name)} cannot be both the class and the weight")


def told(name: Any) -> str:
    """The name of a column in messages."""
    return f"'{abbreviated(name)}'" if isinstance(name, str) else shortened(name)


def chosen_names(given: Any, parameter: str) -> list[str]:
    """The names of columns that a parameter has: several, or one."""
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"{parameter} has {shortened(name)}, but should have names of columns")
    return names
