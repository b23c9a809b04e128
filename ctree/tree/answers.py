"""What a person may answer when asked for an attribute: a value, how probable several are, a number, a range, ``?``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn

from ctree.data.dates import EXAMPLES, parse_moment
from ctree.data.files.text_file import abbreviated, abbreviated_list, near_match
from ctree.data.schema import Attribute, label_texts
from ctree.errors import DataError

UNKNOWN = "?"

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

MOST = 1e300
"""No number may be larger, so that the width of a range is one as well."""

SLACK = 1e-6
"""Decimal fractions that add up to 1 on paper may miss it by so much in binary."""

MAX_MISSING = 0.02
"""When every value has its probability, they may add up to so much less than 1: three times 0.33 is meant as 1."""


@dataclass(frozen=True)
class Shares:
    """How probable each value of a discrete attribute is, by its code."""

    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Range:
    """The bounds of a continuous attribute; one number is a range of no width."""

    low: float
    high: float


Answer = Shares | Range | None
"""None is an unknown value."""


def parse_answer(attribute: Attribute, text: str) -> Answer:
    """The answer that a text is.

    Parameters
    ----------
    attribute : Attribute
    text : str
        ``?``; of a discrete attribute a value, or ``value: probability`` several times with commas between them, what
        is missing to 1 being shared equally by the other values; the same of an ordered one; of a continuous one a
        number, of others a date or time, or two with ``-`` between them, the latter with blanks around it. Values may
        have blanks, colons and commas: the longest that fits is meant.

    Raises
    ------
    DataError
        With what is wrong and what would be right.

    Examples
    --------
    >>> from ctree import Attribute, Kind
    >>> outlook = Attribute("outlook", Kind.DISCRETE, ("sunny", "overcast", "rain"))
    >>> parse_answer(outlook, "rain")
    Shares(probabilities=(0.0, 0.0, 1.0))
    >>> parse_answer(outlook, "rain: 0.5")
    Shares(probabilities=(0.25, 0.25, 0.5))
    >>> parse_answer(Attribute("humidity", Kind.CONTINUOUS), "70 - 80")
    Range(low=70.0, high=80.0)
    """
    text = text.strip()
    if text == UNKNOWN:
        return None
    if not text and "" not in attribute.values:
        raise DataError(f"there is no answer for '{abbreviated(attribute.name)}'; if it is unknown, enter ?")
    if attribute.is_moment:
        return _date_or_range(attribute, text)
    return _number_or_range(attribute, text) if attribute.is_continuous else _shares(attribute, text)


def answer_texts(attribute: Attribute) -> list[str]:
    """What is answered for each value: its text, or what Python writes where that is no answer to be had on a line.

    Examples
    --------
    >>> from ctree import Attribute, Kind
    >>> answer_texts(Attribute("a", Kind.DISCRETE, ("b", " b", "?", 1, "1")))
    ['b', "' b'", "'?'", '1', "'1'"]
    """
    texts = label_texts(attribute.values)
    for place, text in enumerate(texts):
        if text == UNKNOWN or text != text.strip() or len(text.splitlines()) > 1:
            texts[place] = repr(attribute.values[place])
    return texts if len(set(texts)) == len(texts) else [repr(value) for value in attribute.values]


def expected(attribute: Attribute) -> str:
    """What an answer may be, in one sentence."""
    if attribute.is_moment:
        return f"Enter a {attribute.kind.value} such as {EXAMPLES[attribute.kind]}, or ? if it is unknown."
    if attribute.is_continuous:
        return "Enter a number, a range such as 10 - 20, or ? if it is unknown."
    names = answer_texts(attribute)
    pair = f", several with their probabilities such as {names[0]}: 0.7, {names[1]}: 0.3," if len(names) > 1 else ""
    return f"Enter one of {', '.join(names)}{pair} or ? if it is unknown."


def _number_or_range(attribute: Attribute, text: str) -> Range:
    if re.fullmatch(NUMBER, text):
        low = high = _finite(text)
    elif ends := re.fullmatch(rf"({NUMBER})\s*-\s*({NUMBER})", text):
        low, high = _finite(ends[1]), _finite(ends[2])
    else:
        raise DataError(
            f"'{abbreviated(text)}' is not a number for '{abbreviated(attribute.name)}'; enter a number such as 75, "
            "a range such as 70 - 80, or ?"
        )
    if low > high:
        raise DataError(f"the range {low:g} - {high:g} runs backwards; the lower end comes first")
    return Range(low, high)


def _date_or_range(attribute: Attribute, text: str) -> Range:
    ends = re.split(r"\s+-\s+", text, maxsplit=1)
    low, *rest = [parse_moment(attribute.kind, attribute.name, end) for end in ends]
    high = rest[0] if rest else low
    if low > high:
        raise DataError(f"the range {abbreviated(text)} runs backwards; the lower end comes first")
    return Range(low, high)


def _finite(text: str) -> float:
    value = float(text)
    if abs(value) > MOST:
        raise DataError(f"the number {abbreviated(text)} is too large")
    return value


def _shares(attribute: Attribute, text: str) -> Shares:
    names = answer_texts(attribute)
    code = _code(names, text)
    if code is not None:
        return Shares(tuple(float(v == code) for v in range(len(names))))
    given: dict[int, float] = {}
    # The longest names come first, so that one which begins with another is not taken for it.
    choices = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    entry = re.compile(rf"\s*({choices})\s*:\s*({NUMBER})\s*(?:,|$)", re.IGNORECASE)
    at = 0
    while at < len(text):
        found = entry.match(text, at)
        code = None if found is None else _code(names, found[1])
        if found is None or code is None:
            _complain(attribute, names, text[at:])
        if code in given:
            raise DataError(f"the value '{abbreviated(names[code])}' is given twice")
        given[code] = _probability(names[code], found[2])
        at = found.end()
    return Shares(_completed(names, given))


def _code(names: list[str], text: str) -> int | None:
    """The value that a text names, in capitals or not if only one is spelled so."""
    if text in names:
        return names.index(text)
    alike = [code for code, name in enumerate(names) if name.lower() == text.lower()]
    return alike[0] if len(alike) == 1 else None


def _probability(name: str, text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise DataError(f"the probability of '{abbreviated(name)}' should be from 0 to 1, not {abbreviated(text)}")
    return value


def _completed(names: list[str], given: dict[int, float]) -> tuple[float, ...]:
    """Probabilities of all values: what is missing to 1 is shared by those that are not given."""
    total = math.fsum(given.values())
    if total > 1 + SLACK:
        raise DataError(f"the probabilities add up to {total:g}, but may not exceed 1")
    others = len(names) - len(given)
    if others == 0:
        if total < 1 - MAX_MISSING:
            raise DataError(f"all values have a probability, so these should add up to 1, not {total:g}")
        return tuple(given[v] / total for v in range(len(names)))
    rest = max(0.0, 1 - total) / others
    scale = max(1.0, total)
    return tuple(given[v] / scale if v in given else rest for v in range(len(names)))


def _complain(attribute: Attribute, names: list[str], rest: str) -> NoReturn:
    """Say what is wrong with the rest of an answer, which no value and probability begins."""
    colon = re.match(rf"\s*(.*?)\s*:\s*({NUMBER})\s*(?:,|$)", rest)
    name = colon[1] if colon else rest.strip()
    head = re.split("[:,]", name)[0].strip()
    code = _code(names, head)
    if code is not None and not colon:
        raise DataError(
            f"after '{abbreviated(names[code])}' a probability is missing, as in '{abbreviated(names[code])}: 0.5'"
        )
    hint = near_match(name, names)
    raise DataError(
        f"'{abbreviated(name)}' is not a value of '{abbreviated(attribute.name)}'{hint}; its values are "
        f"{abbreviated_list(names)}"
    )
