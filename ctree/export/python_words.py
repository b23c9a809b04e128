"""What Python modules of all kinds of models have in common: the attributes, their values, and the case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
