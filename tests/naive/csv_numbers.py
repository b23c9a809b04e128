"""Columns of numbers as people write them, by trying every way to read them."""

from __future__ import annotations

import re

MINUS = "\N{MINUS SIGN}"
CURRENCIES = "$€£¥"


def digits_of(text: str, mark: str) -> str | None:
    """A number without signs as Python writes it, if it is one by this decimal mark."""
    other = "," if mark == "." else "."
    body, exponent, power = text.lower().partition("e")
    if exponent and not re.fullmatch(r"[+-]?[0-9]+", power):
        return None
    whole, point, fraction = body.partition(mark)
    if mark in fraction or not set(fraction) <= set("0123456789"):
        return None
    for between in (other, " ", "\u00a0", "'"):
        groups = whole.split(between)
        if len(groups) > 1:
            first, *rest = groups
            fine = 1 <= len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in rest)
            if not fine or exponent:
                return None
            whole = "".join(groups)
            break
    if not set(whole) <= set("0123456789") or not whole + fraction:
        return None
    return f"{whole}{'.' if point else ''}{fraction}{exponent}{power}"


def number(cell: str, mark: str) -> tuple[float, str] | None:
    """The number that a cell is by this decimal mark, and its percent or currency sign."""
    minus, sign = "", ""
    text = cell.replace(MINUS, "-")
    for _ in range(2):  # the minus may stand before or after the currency
        if text[:1] in ("-", "+") and not minus:
            minus, text = text[0], text[1:]
        elif text[:1] and text[0] in CURRENCIES and not sign:
            sign, text = text[0], text[1:].lstrip(" ")
    if text[-1:] and text[-1] in CURRENCIES + "%" and not sign:
        sign, text = text[-1], text[:-1].rstrip(" ")
    found = digits_of(text, mark)
    return None if found is None else (float(minus + found), sign)


def column(cells: list[str]) -> list[float] | None:
    """The numbers of a column that stands alone, if they are numbers, and if it is clear which."""
    ways = {}
    for mark in (".", ","):
        found = [number(cell, mark) for cell in cells]
        if all(one is not None for one in found) and len({one[1] for one in found}) == 1:
            ways[mark] = [one[0] for one in found]
    if len(ways) == 2 and ways["."] != ways[","]:
        return ways["."] if not any("," in cell for cell in cells) else None
    return next(iter(ways.values()), None)
