"""Ordered values in exports: discrete values like others, of which each branch or rule has some that follow each other.

So no export has to know of orders, and tables have the values themselves, whatever order a database would give them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ctree.data.schema import Attribute, Kind, Schema


def without_orders(schema: Schema) -> Schema:
    """The schema with ordered attributes as discrete ones.

    Examples
    --------
    >>> size = Attribute("size", Kind.ORDERED, ("small", "large"))
    >>> without_orders(Schema((size,), ("no", "yes")))[0].kind
    <Kind.DISCRETE: 'discrete'>
    """
    attributes = (replace(a, kind=Kind.DISCRETE) if a.is_ordered else a for a in schema)
    return Schema(tuple(attributes), schema.classes)


def branches_of_places(attribute: Attribute, cuts: Sequence[float]) -> tuple[int, ...]:
    """The branch of each value, given the upper bounds of all branches but the last.

    Examples
    --------
    >>> branches_of_places(Attribute("size", Kind.ORDERED, ("small", "medium", "large")), [1.0])
    (0, 0, 1)
    """
    return tuple(sum(cut < place for cut in cuts) for place in range(len(attribute.values)))


def codes_between(attribute: Attribute, low: float | None, high: float | None) -> tuple[int, ...]:
    """The codes of the values above one bound and not above another."""
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    return tuple(place for place in range(len(attribute.values)) if least < place <= most)


def code_fillers(schema: Schema, fillers: Sequence[float | int | None]) -> tuple[float | int | None, ...]:
    """What is taken for unknown values, of ordered ones as codes."""
    pairs = zip(schema, fillers, strict=True)
    return tuple(int(filler) if filler is not None and a.is_ordered else filler for a, filler in pairs)
