"""What models keep by attribute, as plain fields and back: the bounds of bins, what stands for unknown values.

::

    "cuts": {"humidity": [70.0, 78.0, 85.0, 90.0], ...},
    "fillers": {"outlook": 2, ...}
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ctree.data.dates import LIMITS
from ctree.data.fields import Fields, checked, shown_json
from ctree.data.schema import Attribute, Schema
from ctree.errors import ModelError


def by_attribute(schema: Schema, values: Sequence[Any]) -> dict[str, Any]:
    """What there is of each attribute, by name; nothing of those that have None."""
    found = {a.name: value for a, value in zip(schema, values, strict=True) if value is not None}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()}


def cuts_from_fields(cuts: Fields, attribute: Attribute) -> Any:
    """The upper bounds of the bins of a continuous attribute."""
    place = cuts.place_of(attribute.name)
    if not attribute.has_order:
        raise ModelError(f"'{place}' is of an attribute that is not continuous")
    values = [checked(value, float, place) for value in cuts.get(attribute.name, list)]
    if any(not low < high for low, high in pairwise(values)):
        raise ModelError(f"'{place}' should ascend")
    return np.array(values, dtype=np.float64)


def check_attribute_names(fields: Fields, schema: Schema) -> None:
    names = {attribute.name for attribute in schema}
    for name in fields:
        if name not in names:
            raise ModelError(f"'{fields.place_of(name)}' does not belong to an attribute of the schema")


def filler_from_fields(fillers: Fields, attribute: Attribute) -> float | int:
    place = fillers.place_of(attribute.name)
    if attribute.has_order:
        return filling_number(attribute, fillers.value(attribute.name), place)
    code = int(checked(fillers.value(attribute.name), int, place))
    if not 0 <= code < len(attribute.values):
        raise ModelError(f"'{place}' should be the number of a value, not {shown_json(code)}")
    return code


def filling_number(attribute: Attribute, value: Any, place: str) -> float:
    """A number that stands for unknown values: a place of ordered values, a date, or any number."""
    number = float(checked(value, float, place))
    low, high = (0, max(len(attribute.values), 1)) if attribute.is_ordered else LIMITS.get(attribute.kind, (None, None))
    if low is not None and high is not None and not (number.is_integer() and low <= number < high):
        what = "the place of a value" if attribute.is_ordered else f"the whole number of a {attribute.kind.value}"
        raise ModelError(f"'{place}' should be {what}, not {shown_json(value)}")
    return number


def hexadecimal(text: Any, place: str) -> int:
    """A number of 64 bits, which JSON has as text, as not every reader of it knows so large ones."""
    try:
        number = int(checked(text, str, place), 16)
    except ValueError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise ModelError(f"'{place}' should be a number of 64 bits in hexadecimal, not {shown_json(text)}")
    return number
