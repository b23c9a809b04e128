"""JSON text that a person can read."""

from __future__ import annotations

import json


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


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
