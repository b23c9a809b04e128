"""Data sets with ordered values and dates, and the same with numbers in their place."""

from __future__ import annotations

import numpy as np

from ctree import Attribute, Dataset, Kind, Schema

SIZES = ("tiny", "small", "medium", "large", "huge")
FIRST_DAY = 19_700
FIRST_MOMENT = 1_700_000_000_123_456.0


def orders(n=200, seed=0, unknown=0.05, moments=True, weights=None):
    """Cases whose class depends on a size, a date, a timestamp, a time, a number and a colour."""
    rng = np.random.default_rng(seed)
    size = rng.integers(0, len(SIZES), n).astype(float)
    day = FIRST_DAY + rng.integers(0, 60, n).astype(float)
    moment = FIRST_MOMENT + rng.integers(0, 10**11, n).astype(float)
    time = 1000.0 * rng.integers(0, 86_400_000, n)
    number = rng.normal(size=n).round(1)
    colour = rng.integers(0, 3, n)
    points = (size > 2).astype(int) + (day > FIRST_DAY + 30) + (moment > FIRST_MOMENT + 5e10) + (time > 4e10)
    points += (colour == 1) + (rng.random(n) < 0.15)
    classes = (points >= 3).astype(np.int32)
    for column in (size, day, moment, time):
        column[rng.random(n) < unknown] = np.nan
    attributes = [
        Attribute("size", Kind.ORDERED, SIZES),
        Attribute("day", Kind.DATE),
        Attribute("number", Kind.CONTINUOUS),
        Attribute("colour", Kind.DISCRETE, ("blue", "green", "red")),
    ]
    columns = [size, day, number, colour]
    if moments:
        attributes += [Attribute("at", Kind.TIMESTAMP), Attribute("time", Kind.TIME)]
        columns += [moment, time]
    return Dataset(Schema(tuple(attributes), ("no", "yes")), columns, classes, weights)


def as_numbers(data):
    """The same cases, with places, days and microseconds as plain numbers."""
    attributes = [Attribute(a.name, Kind.CONTINUOUS) if a.has_order else a for a in data.schema]
    schema = Schema(tuple(attributes), data.schema.classes)
    return Dataset(schema, data.columns, data.classes, data.weights, n_cases=data.n_cases)
