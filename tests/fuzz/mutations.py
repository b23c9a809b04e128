"""Changes to valid inputs: JSON values by their structure, texts by their tokens."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from .odd import NUMBERS, TEXTS, odd_text

Way = tuple[Any, ...]

ODD_VALUES: list[Any] = [
    *(n for n in NUMBERS if not isinstance(n, dict)),
    *(
        None,
        True,
        False,
        "",
        "x",
        "tree",
        "discrete",
        "\ud800",
        [],
        [0],
        [[0]],
        [[]],
        [None],
        {},
        {"tree": {}},
        [1.5, 2],
    ),
]


def places(value: Any, way: Way = ()) -> Iterator[Way]:
    """Every place in a JSON value, as the steps that lead to it."""
    if way:
        yield way
    if isinstance(value, dict | list):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*way, step))


def some_place(rng: random.Random, value: Any) -> Way:
    """A place, the same chance for each field whatever its size: long arrays would get all the changes otherwise."""
    way: list[Any] = []
    while isinstance(value, dict | list) and value:
        if way and rng.random() < 0.15:
            break
        step = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        way.append(step)
        value = value[step]
    return tuple(way)


def parent_of(content: Any, way: Way) -> Any:
    """What holds the entry at a place."""
    for step in way[:-1]:
        content = content[step]
    return content


def nudged(rng: random.Random, number: Any) -> Any:
    """Another number, near to this one or of its kind."""
    if isinstance(number, bool):
        return not number
    if isinstance(number, int):
        return rng.choice((number + 1, number - 1, -number, 0, number * 2, number + rng.randint(-9, 9), float(number)))
    step = rng.choice((-math.inf, math.inf))
    near = (math.nextafter(number, step), -number, number / 2, number + 1, number - 1, number * (1 + 1e-9), 0.0)
    return rng.choice((*near, float(round(number)) if abs(number) < 1e300 else 1.0))


def mild(rng: random.Random, content: Any) -> None:
    """A change that may well leave the content valid: a number, an order, or a label wherever it stands."""
    way = some_place(rng, content)
    if not way:
        return
    parent, last = parent_of(content, way), way[-1]
    value = parent[last]
    if isinstance(value, str):
        renamed(content, value, odd_text(rng))
    elif isinstance(value, bool | int | float):
        parent[last] = nudged(rng, value)
    elif isinstance(value, list) and len(value) > 1:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        value[i], value[j] = value[j], value[i]
    elif isinstance(value, list) and all(isinstance(entry, int | float) for entry in value):
        factor = rng.choice((2, 0.5, 1e3, 1e-3))
        parent[last] = [entry * factor for entry in value]


def renamed(content: Any, old: str, new: str) -> None:
    """Put another text wherever this one stands, as a value or as a key."""
    if isinstance(content, dict):
        for key in list(content):
            entry = content.pop(key)  # and in again, so that the order stays
            renamed(entry, old, new)
            content[new if key == old else key] = new if entry == old and isinstance(entry, str) else entry
    elif isinstance(content, list):
        for i, entry in enumerate(content):
            if isinstance(entry, str) and entry == old:
                content[i] = new
            else:
                renamed(entry, old, new)


def hostile(rng: random.Random, content: Any) -> None:
    """A change that most likely makes the content invalid: something is gone, doubled, foreign or elsewhere."""
    way = some_place(rng, content)
    if not way:
        return
    parent, last = parent_of(content, way), way[-1]
    action = rng.randrange(7)
    if action == 0:
        del parent[last]
    elif action == 1 and isinstance(parent, list):
        parent.insert(last, copy.deepcopy(parent[last]))
    elif action == 2:
        other = rng.choice(list(parent)) if isinstance(parent, dict) else rng.randrange(len(parent))
        parent[last], parent[other] = parent[other], parent[last]
    elif action == 3 and isinstance(parent[last], list) and parent[last]:
        del parent[last][rng.randrange(len(parent[last])) :]
    elif action == 4:
        source = some_place(rng, content)
        parent[last] = copy.deepcopy(parent_of(content, source)[source[-1]])
    else:
        parent[last] = copy.deepcopy(rng.choice(ODD_VALUES))  # a later change must not get into the list itself


def damaged_bytes(rng: random.Random, text: bytes, tokens: Sequence[bytes]) -> bytes:
    """A file with a fault: a bit turned, a piece taken out, doubled or put in, two fields exchanged."""
    i, j = sorted(rng.randint(0, len(text)) for _ in range(2))
    match rng.randrange(7):
        case 0 if text:
            i = rng.randrange(len(text))
            return text[:i] + bytes([text[i] ^ 1 << rng.randrange(8)]) + text[i + 1 :]
        case 1:
            return text[:i] + text[min(j, i + rng.choice((1, 3, 40))) :]
        case 2:
            return text[:j] + text[i : min(j, i + 200)] + text[j:]
        case 3:
            return text[:i] + rng.choice(tokens) + text[i:]
        case 4:
            parts = text.split(b",")
            a, b = rng.randrange(len(parts)), rng.randrange(len(parts))
            parts[a], parts[b] = parts[b], parts[a]
            return b",".join(parts)
        case 5:
            lines = text.split(b"\n")
            a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            return b"\n".join(lines[: a + 1] if rng.random() < 0.1 else lines)
        case _:
            return text[:i] + bytes(rng.randrange(256) for _ in range(rng.randrange(6))) + text[i:]


def some_texts(rng: random.Random, n: int, difficult: float = 0.3) -> list[str]:
    """So many different texts, some of them difficult."""
    plain = [
        "sunny",
        "overcast",
        "rain",
        "red",
        "green",
        "blue",
        "low",
        "high",
        "a",
        "b",
        "c",
        "d",
        "e",
        "v1",
        "v2",
        "v3",
    ]
    found: list[str] = []
    while len(found) < n:
        text = rng.choice(TEXTS) if rng.random() < difficult else rng.choice(plain)
        found.append(text if text not in found else f"{text}{len(found)}")
    return found
