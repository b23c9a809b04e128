"""Dates, times and timestamps by Python's own calendar, the microseconds counted one part after the other."""

from __future__ import annotations

import datetime

EPOCH = datetime.datetime(1970, 1, 1)


def number_of(kind: str, moment: datetime.date | datetime.time | datetime.datetime) -> int:
    """What a moment is as a number."""
    if kind == "date":
        return (moment - EPOCH.date()).days
    if kind == "time":
        seconds = 3600 * moment.hour + 60 * moment.minute + moment.second
        return 1_000_000 * seconds + moment.microsecond
    if moment.tzinfo is not None:
        moment = (moment - moment.utcoffset()).replace(tzinfo=None)
    passed = moment - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds
