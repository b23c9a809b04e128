"""Dates, times and timestamps as the numbers that learners see, and back as text.

A date is the number of days since 1970-01-01, a time the microseconds since midnight, a timestamp the microseconds
since 1970-01-01 00:00 UTC. Doubles hold dates of all years from 1 to 9999 exactly, times too, and timestamps from 1684
to 2255; those of other years are exact to two microseconds or more.
"""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Attribute, Kind
from ctree.errors import DataError
from ctree.wording import abbreviated, shortened
from ctree_ext.io import coding
from ctree_ext.io.moments import DATE, TIME, TIMESTAMP, moments

Floats = npt.NDArray[np.float64]

CODES = {Kind.DATE: DATE, Kind.TIME: TIME, Kind.TIMESTAMP: TIMESTAMP}
"""The kinds, as the kernel knows them."""

EXAMPLES = {Kind.DATE: "2024-03-31", Kind.TIME: "13:45:00", Kind.TIMESTAMP: "2024-03-31 13:45:00"}

SINCE = {
    Kind.DATE: "days since 1970-01-01",
    Kind.TIME: "microseconds since midnight",
    Kind.TIMESTAMP: "microseconds since 1970-01-01 00:00:00 UTC",
}
"""What the numbers are."""

UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
PER_DAY = 86_400_000_000
FIRST_DAY, LAST_DAY = -719162, 2932896
"""0001-01-01 and 9999-12-31."""

LIMITS = {
    Kind.DATE: (FIRST_DAY, LAST_DAY + 1),
    Kind.TIME: (0, PER_DAY),
    Kind.TIMESTAMP: (FIRST_DAY * PER_DAY, (LAST_DAY + 1) * PER_DAY),
}
"""The first number of a kind, and the one after the last."""

_EPOCH = datetime.datetime(1970, 1, 1)


class NotADateError(Exception):
    """A known value of a column is no date, time or timestamp."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def not_a_date(kind: Kind, name: str, value: object) -> str:
    """What is wrong with a value, and what would be right."""
    hint = ""
    if kind is Kind.DATE and isinstance(value, str) and moments([value], TIMESTAMP)[1] < 0:
        hint = "; it has a time of day, so the attribute may be a timestamp"
    shown = f"'{abbreviated(value)}'" if isinstance(value, str) else shortened(value)
    right = f"which is no {kind.value} such as {EXAMPLES[kind]}"
    return f"attribute '{abbreviated(name)}' has the value {shown}, {right}{hint}"


def moment_kind(value: object) -> Kind | None:
    """The kind of an object of Python or numpy; None if it is none of these.

    Examples
    --------
    >>> moment_kind(datetime.date(2024, 3, 31)), moment_kind("2024-03-31")
    (<Kind.DATE: 'date'>, None)
    """
    if isinstance(value, datetime.datetime):
        return Kind.TIMESTAMP
    if isinstance(value, datetime.date):
        return Kind.DATE
    if isinstance(value, datetime.time):
        return Kind.TIME
    if isinstance(value, np.datetime64):
        return Kind.TIMESTAMP if np.datetime_data(value.dtype)[0] not in ("Y", "M", "W", "D") else Kind.DATE
    return None


def column_kind(column: list[Any]) -> Kind | None:
    """The kind of a column of objects, None if they are not all dates, all times or all timestamps."""
    found: set[Kind | None] = set()
    for kind in set(map(type, column)):
        example = next(value for value in column if type(value) is kind)
        if coding.collect_objects([example])[1] if _hashable(example) else True:
            found.add(moment_kind(example))
    return found.pop() if len(found) == 1 else None


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def numbers_of(column: list[Any], kind: Kind) -> Floats:
    """A column of text or objects as numbers, NaN where a value is unknown; what is none is a `NotADateError`.

    Numbers are taken as what they are.
    """
    if all(value is None or type(value) is str for value in column):
        numbers, wrong = moments(column, CODES[kind])
        if wrong >= 0:
            raise NotADateError(wrong)
        return numbers
    codes, table = _collected(column)
    found = np.array([*(_number_at(value, kind) for value in table), math.nan])
    if np.isinf(found).any():
        strange = int(np.argmax(np.isinf(found)))
        raise NotADateError(int(np.argmax(codes == strange)))
    result: Floats = found[codes]
    return result


def _collected(column: list[Any]) -> tuple[npt.NDArray[np.int32], list[Any]]:
    for row, value in enumerate(column):
        if not _hashable(value):
            raise NotADateError(row)
    codes, table = coding.collect_objects(column)
    return codes, list(table)


def _number_at(value: Any, kind: Kind) -> float:
    """The number of one value; infinite if it has none."""
    if isinstance(value, str):
        numbers, wrong = moments([str(value)], CODES[kind])
        return math.inf if wrong >= 0 else float(numbers[0])
    if isinstance(value, np.datetime64):
        return float(numbers_of_array(np.array([value]), kind)[0])
    if isinstance(value, datetime.datetime) and kind is not Kind.TIME:
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        microseconds = (value - _EPOCH) // datetime.timedelta(microseconds=1)
        return float(microseconds if kind is Kind.TIMESTAMP else microseconds // PER_DAY)
    if isinstance(value, datetime.date) and kind is not Kind.TIME:
        days = value.toordinal() - _EPOCH.toordinal()
        return float(days if kind is Kind.DATE else days * PER_DAY)
    if isinstance(value, datetime.time) and kind is Kind.TIME:
        return float(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    return math.inf


def numbers_of_array(array: npt.NDArray[Any], kind: Kind) -> Floats:
    """An array of numpy's datetime64 as numbers, NaN for NaT; years beyond 1 to 9999 are a `NotADateError`."""
    unknown = np.isnat(array)
    counted = array.astype("datetime64[D]" if kind is Kind.DATE else "datetime64[us]")
    numbers: Floats = counted.astype(np.int64).astype(np.float64)
    numbers[unknown] = np.nan
    days = array.astype("datetime64[D]").astype(np.int64)
    beyond = ~unknown & ((days < FIRST_DAY) | (days > LAST_DAY))
    if beyond.any():
        raise NotADateError(int(np.argmax(beyond)))
    if kind is Kind.TIME:
        return np.mod(numbers, PER_DAY)
    return numbers


def check_moments(numbers: Floats, attribute: Attribute) -> None:
    """Refuse numbers that are no dates, times or timestamps: they are whole, and of a day or of the years 1 to 9999."""
    low, high = LIMITS[attribute.kind]
    wrong = (numbers < low) | (numbers >= high) | (np.floor(numbers) != numbers) & ~np.isnan(numbers)
    if wrong.any():
        raise DataError(
            f"attribute '{abbreviated(attribute.name)}' has the number {numbers[wrong][0]:.17g}, but a "
            f"{attribute.kind.value} is a whole number of {SINCE[attribute.kind]}, from {low} to {high - 1}"
        )


def moment_text(kind: Kind, number: float) -> str | None:
    """The last date, time or timestamp that is not after a number, as text; None if there is none.

    As all values are whole numbers, a threshold is met by the same values whether it is cut off or not.

    Examples
    --------
    >>> moment_text(Kind.DATE, 19783.5), moment_text(Kind.TIME, 45e9), moment_text(Kind.TIMESTAMP, 0)
    ('2024-03-01', '12:30:00', '1970-01-01 00:00:00')
    """
    if not math.isfinite(number):
        return None
    whole = math.floor(number)
    try:
        if kind is Kind.DATE:
            return datetime.date.fromordinal(whole + _EPOCH.toordinal()).isoformat()
        if kind is Kind.TIME and not 0 <= whole < PER_DAY:
            return None
        moment = _EPOCH + datetime.timedelta(microseconds=whole)
        return moment.time().isoformat() if kind is Kind.TIME else moment.isoformat(sep=" ")
    except (OverflowError, ValueError):
        return None


def parse_moment(kind: Kind, name: str, text: str) -> float:
    """The number of a text; what is none is a `DataError`."""
    numbers, wrong = moments([text], CODES[kind])
    if wrong >= 0:
        raise DataError(not_a_date(kind, name, text))
    return float(numbers[0])
