"""What Python modules of all kinds of models have in common: the attributes, their values, and the case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctree.data.dates import SINCE
from ctree.data.schema import Schema
from ctree.tree.fields import label_to_json

KNOWN = '''

def _known(attribute, value):
    """A number, or the code of a value; None where it is unknown."""
    codes = VALUES[attribute]
    if codes is not None:
        return codes.get(value)
    if value is None:
        return None
    value = float(value)
    return value if value == value else None
'''


MOMENTS = '''
# of numbers that are dates: what they are given as, a text or an object of datetime
MOMENTS = {moments}


def _moment(kind, value):
    """{since}"""
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        text = value.strip().replace("/", "-")
        value = time.fromisoformat(text) if kind == "time" else datetime.fromisoformat(text)
    if isinstance(value, time):
        parts = (value.hour * 60 + value.minute) * 60 + value.second
        return float(parts * 1_000_000 + value.microsecond)
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    if kind == "date":
        return float(value.toordinal() - 719163)
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return float((value - datetime(1970, 1, 1)) // timedelta(microseconds=1))
'''


def moments_text(schema: Schema, asked: Sequence[int]) -> str:
    """How dates become numbers; nothing where there are none."""
    kinds = [schema[a].kind for a in asked]
    if not any(schema[a].is_moment for a in asked):
        return ""
    names = in_brackets(repr(kind.value if schema[a].is_moment else "") for a, kind in zip(asked, kinds, strict=True))
    since = "; ".join(f"{kind.value}s are {SINCE[kind]}" for kind in dict.fromkeys(kinds) if kind in SINCE)
    return MOMENTS.format(moments=names, since=f"{since[0].upper()}{since[1:]}.")


def with_moments(module: str, schema: Schema, asked: Sequence[int]) -> str:
    """The text of a module that takes dates, if a model asks for some."""
    text = moments_text(schema, asked)
    if not text:
        return module
    head, quotes, rest = module.partition('\n"""\n')
    rest = rest.replace("float(value)", "_moment(MOMENTS[attribute], value) if MOMENTS[attribute] else float(value)")
    place = rest.index("\n\n\ndef ") + 1
    imports = "\nfrom datetime import datetime, time, timedelta, timezone\n"
    if rest.startswith(("\nfrom ", "\nimport ")):  # which stand at the top
        end = rest.index("\n", 1) + 1
        return head + quotes + rest[:end] + imports[1:] + rest[end:place] + text + rest[place:]
    return head + quotes + imports + rest[:place] + text + rest[place:]


def schema_text(schema: Schema, asked: Sequence[int], what: str) -> str:
    """The classes, and the attributes that a model asks for with their values."""
    names = [schema[a].name for a in asked]
    codes = [
        ascii({label_to_json(value): code for code, value in enumerate(schema[a].values)})
        if schema[a].is_discrete
        else "None"
        for a in asked
    ]
    return (
        f"\nCLASSES = {tuple(map(label_to_json, schema.classes))!a}\n"
        f"\n# the attributes that {what} for\nATTRIBUTES = {in_brackets(map(ascii, names))}\n"
        f"\n# the codes of discrete values; None for numbers\nVALUES = {in_lines(codes)}\n"
    )


def in_brackets(items: Iterable[str]) -> str:
    """A tuple in one line."""
    listed = list(items)
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"


def in_lines(items: Iterable[str], brackets: str = "()") -> str:
    """A tuple, or another container, with an item a line."""
    return f"{brackets[0]}\n{''.join(f'    {item},{chr(10)}' for item in items)}{brackets[1]}"
