"""JSON text that a person can read."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: object, indent: str = "") -> str:
    """JSON text with one field a line, lists of numbers or labels on one line, and matrices with one row a line.

    NaN and infinity, which JSON does not have, are a ValueError.
    """
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_compact(key)}: {json_text(entry, inner)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + _compact(entry) for entry in value) + f"\n{indent}]"
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = _compact(value).replace("], [", f"],\n{inner}[")  # the rows hold numbers only
        return f"[\n{inner}{rows[1:-1]}\n{indent}]"
    return _compact(value)


def with_nulls(value: Any) -> Any:
    """Plain data in which null stands for a number that JSON does not have, such as an R-hat without variance.

    Examples
    --------
    >>> with_nulls({"r_hat": [1.01, math.inf], "name": "leaves"})
    {'r_hat': [1.01, None], 'name': 'leaves'}
    """
    if isinstance(value, dict):
        return {key: with_nulls(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [with_nulls(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
