"""Values as text and in order, and columns coded by them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ctree.data.files.text_file import near_match
from ctree.data.relational.sources import Source
from ctree.data.schema import Label
from ctree.data.tables.levels import Codes, Floats, RawColumn, find_levels
from ctree.data.tables.numeric import NotANumberError, as_numbers
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list, shortened
from ctree_ext.io import coding

NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def text_of(value: Any) -> str:
    """A key, a discrete value or a class as text: whole numbers without a point, truth values as SQL writes them.

    Examples
    --------
    >>> text_of(1.0), text_of(2.5), text_of("007"), text_of(True)
    ('1', '2.5', '007', 'true')
    """
    if isinstance(value, np.generic) and not isinstance(value, str):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _digits(value)
    if isinstance(value, float | Decimal):
        number = float(value)
        if math.isinf(number):
            raise DataError("it has an infinite value")
        return str(int(value)) if number.is_integer() else repr(number)
    raise DataError(f"it has the value {shortened(value)}, which is not text, a number or a boolean")


def _digits(number: int) -> str:
    try:
        return str(number)
    except ValueError:  # as Python refuses to write thousands of digits
        raise DataError("it has a whole number of too many digits") from None


def in_order(values: Iterable[str]) -> list[str]:
    """Values in their order: as numbers if every one is a numeral, else as text by code point.

    Examples
    --------
    >>> in_order(["10", "9", "-1.5"]), in_order(["10", "9", "x"])
    (['-1.5', '9', '10'], ['10', '9', 'x'])
    """
    listed = list(values)
    if all(NUMERAL.fullmatch(value) for value in listed):
        return sorted(listed, key=lambda value: (float(value), value))
    return sorted(listed)


def texts_of(column: RawColumn) -> tuple[list[str], Codes]:
    """The distinct values of a column as text, in any order, and the number of each cell, -1 where it is unknown.

    What cannot be a label is a `DataError` without a place.
    """
    if isinstance(column, list):
        try:
            codes, table = coding.collect_objects(column)
        except TypeError:
            codes, table = find_levels(column, "it")[1], {}  # which has the words for it
        levels: Sequence[Any] = list(table)
    else:
        levels, codes = find_levels(column, "it")
    found: dict[str, int] = {}
    places = np.array([*(found.setdefault(text_of(level), len(found)) for level in levels), -1], dtype=np.int32)
    if len(found) < len(levels):  # 1 and "1"
        codes = places[codes]
    return list(found), codes


def key_texts(column: RawColumn) -> list[str | None]:
    """The keys of a column as text, None where they are unknown."""
    if isinstance(column, list):
        types = set(map(type, column))
        if types <= {str, type(None)}:
            return column
        if types == {int}:
            return list(map(_digits, column))
    elif coding.integer_range(column)[2]:
        return _whole_texts(column)
    found, codes = texts_of(column)
    texts = np.empty(len(found) + 1, dtype=object)
    texts[:-1] = found
    return texts[codes].tolist()  # type: ignore[no-any-return]


def _whole_texts(column: Floats) -> list[str | None]:
    """The texts of whole numbers, None where they are unknown."""
    unknown = np.isnan(column)
    texts: list[str | None] = list(map(str, np.where(unknown, 0, column).astype(np.int64).tolist()))
    for row in np.flatnonzero(unknown).tolist():
        texts[row] = None
    return texts


def discrete_column(source: Source, name: str) -> tuple[tuple[str, ...], Codes]:
    """The values of a discrete column in order, and the code of each cell."""
    try:
        found, codes = texts_of(source.column(name))
    except DataError as error:
        raise source.error(f"column '{abbreviated(name)}': {error}") from None
    values = in_order(found)
    places = {value: place for place, value in enumerate(values)}
    order = np.array([*(places[value] for value in found), -1], dtype=np.int32)
    return tuple(values), order[codes]


def continuous_column(source: Source, name: str) -> Floats:
    """The numbers of a continuous column."""
    cells = source.column(name)
    try:
        numbers = np.ascontiguousarray(as_numbers(cells))
        if source.is_text and "_" in "".join(filter(None, cells)):
            raise NotANumberError(next(i for i, cell in enumerate(cells) if cell and "_" in cell))
    except NotANumberError as error:
        value = cells[error.row]
        if isinstance(value, int):
            raise source.error(f"{abbreviated(name)} is a whole number of too many digits", error.row) from None
        raise source.error(f"{abbreviated(name)} is '{abbreviated(value)}', which is not a number", error.row) from None
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        value = abbreviated(cells[row])
        raise source.error(f"{abbreviated(name)} is '{value}', and an infinite number cannot be used", row)
    return numbers


def class_column(source: Source, name: str, classes: Sequence[Label]) -> tuple[tuple[Label, ...], Codes]:
    """The classes, those of the data in order if none are given, and the class of each row, -1 where it is unknown."""
    column = source.column(name)
    try:
        levels, codes = find_levels(column, f"the class '{abbreviated(name)}'")
    except DataError as error:
        raise source.error(str(error)) from None
    try:
        found = [text_of(level) for level in levels]
    except DataError as error:
        raise source.error(f"the class '{abbreviated(name)}': {error}") from None
    by_text: dict[str, Label] = {}
    for label in classes or levels:
        by_text.setdefault(text_of(label), label)
    if classes and len(by_text) < len(classes):
        raise source.error(f"two of the classes {abbreviated_list(classes)} are the same as text")
    texts = list(by_text) if classes else in_order(by_text)
    places = {text: place for place, text in enumerate(texts)}
    coded = np.array([*(places.get(text, -2) for text in found), -1], dtype=np.int32)[codes]
    strange = np.flatnonzero(coded == -2)
    if strange.size:
        row = int(strange[0])
        text = found[codes[row]]
        message = f"the class is '{abbreviated(text)}', which is not one of {abbreviated_list(classes)}"
        raise source.error(message + near_match(text, classes), row)
    return tuple(by_text[text] for text in texts), coded


def recoded(codes: Codes, values: Sequence[str], known: Sequence[str]) -> Codes:
    """Codes of one list of values as codes of another: -2 is a value that the other list does not have; -1, -2 stay.

    Examples
    --------
    >>> recoded(np.array([0, 1, -1, -2], dtype=np.int32), ["c", "n"], ["a", "c"]).tolist()
    [1, -2, -1, -2]
    """
    places: Mapping[str, int] = {value: place for place, value in enumerate(known)}
    return np.array([*(places.get(value, -2) for value in values), -2, -1], dtype=np.int32)[codes]
