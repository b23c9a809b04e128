"""Dates and times that are text, against Python's calendar."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.moments import number_of

from ctree.data.dates import moment_text
from ctree.data.schema import Kind
from ctree_ext.io.moments import DATE, TIME, TIMESTAMP, moments

CODES = {"date": DATE, "time": TIME, "timestamp": TIMESTAMP}
ZONES = st.none() | st.integers(-23 * 60, 23 * 60).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)


def number(kind, text):
    found, wrong = moments([text], CODES[kind])
    return None if wrong >= 0 else found[0]


@given(st.dates(), st.sampled_from("-/"), st.booleans())
def test_dates_are_days(date, sign, short):
    text = f"{date.year:04}{sign}{date.month}{sign}{date.day}" if short else date.isoformat().replace("-", sign)
    assert number("date", text) == number_of("date", date)
    assert number("date", f"{text} 00:00:00") == number_of("date", date)
    assert moment_text(Kind.DATE, number_of("date", date)) == date.isoformat()


@given(st.times())
def test_times_are_microseconds(time):
    assert number("time", time.isoformat()) == number_of("time", time)
    assert moment_text(Kind.TIME, number_of("time", time)) == time.isoformat()


@given(st.datetimes(timezones=ZONES), st.sampled_from("T "))
def test_timestamps_are_microseconds_of_utc(moment, between):
    expected = number_of("timestamp", moment)
    first, last = (number_of("timestamp", end) for end in (datetime.datetime.min, datetime.datetime.max))
    found = number("timestamp", moment.isoformat(sep=between))
    if first <= expected <= last:
        assert found == float(expected)
    else:
        assert found is None
    if moment.tzinfo is None and abs(expected) < 2**53:
        assert moment_text(Kind.TIMESTAMP, expected) == moment.isoformat(sep=" ")


@given(st.text("0123456789-/:. TZ+", max_size=20))
def test_what_is_read_is_what_python_reads(text):
    found = number("timestamp", text)
    if found is not None:
        plain = text.replace("/", "-").rstrip("Z")
        date, *rest = plain.split("-")
        assert len(date) == 4
        assert rest
        again = moment_text(Kind.TIMESTAMP, found)
        assert number("timestamp", again) == found


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "2023-02-29"),
        ("date", "2023-13-01"),
        ("date", "2023-00-01"),
        ("date", "0000-01-01"),
        ("date", "23-01-01"),
        ("date", "2023-01/01"),
        ("date", "2023-01-01 12:00"),
        ("date", "2023-01-01x"),
        ("date", ""),
        ("time", "24:00"),
        ("time", "12:60"),
        ("time", "12:00:60"),
        ("time", "12"),
        ("time", "12:00:00."),
        ("timestamp", "2023-01-01 "),
        ("timestamp", "2023-01-01 12:00 PM"),
        ("timestamp", "2023-01-01 12:00+1"),
        ("timestamp", "0001-01-01T00:00+01:00"),
        ("timestamp", "\ud800"),
    ],
)
def test_what_is_none_is_told_by_its_place(kind, text):
    known = {"date": "2024-03-31", "time": "13:45", "timestamp": "2024-03-31T13:45Z"}[kind]
    numbers, wrong = moments([known, None, text, known], CODES[kind])
    assert wrong == 2
    assert np.isfinite(numbers[0])
    assert np.isnan(numbers[1])
