"""Values that plain JSON has no way to write: an input has ``{"odd": name}`` in their place."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

ODD: dict[str, Any] = {
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "NaT": np.datetime64("NaT", "ns"),
    "decimal": Decimal("1.5"),
    "decimal nan": Decimal("NaN"),
    "fraction": Fraction(1, 3),
    "bytes": b"x\xff",
    "date": datetime.date(2020, 2, 29),
    "duration": datetime.timedelta(days=1),
    "complex": 1j,
    "object": object(),
    "class": int,
    "set": frozenset({1}),
    "tuple": (1, 2),
    "ellipsis": ...,
    "float32": np.float32(1.5),
    "float16": np.float16(0.1),
    "int8": np.int8(-7),
    "uint64": np.uint64(2**64 - 1),
    "bool_": np.bool_(True),
    "str_": np.str_("sunny"),
    "array": np.array([0.5, 0.5]),
    "empty array": np.empty(0),
    "array of rank 0": np.array(3),
    "generator": np.random.default_rng(1),
    "seeded": np.random.RandomState(1),
}

NUMBERS: list[Any] = [
    *(0, 1, 2, 3, 5, 7, 100, -1, -2, 127, 128, 255, 65535, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63 - 1, 2**63, 2**64),
    *(
        2**70,
        10**20,
        10**400,
        0.0,
        -0.0,
        0.5,
        0.1,
        1.5,
        2.5,
        -1.5,
        1e-5,
        1e5,
        16777216.0,
        16777217.0,
        1e15,
        1e38,
        3.5e38,
    ),
    *(1e300, 1e308, -1e308, 1.7e308, 1e-300, 1e-308, 5e-324, -1e-300, {"odd": "nan"}, {"odd": "inf"}, {"odd": "-inf"}),
]
TEXTS: list[str] = [
    *(
        "",
        " ",
        "x",
        "X",
        "yes",
        "no",
        "1",
        "1.0",
        "01",
        "1e3",
        "nan",
        "None",
        "True",
        "?",
        "N/A",
        "a b",
        " a",
        "a ",
        "\t",
    ),
    *(
        ",",
        ":",
        ".",
        ";",
        "|",
        "\\",
        "'",
        '"',
        "''",
        '""',
        "`",
        "%",
        "%s",
        "{}",
        "{0}",
        "$x",
        "#",
        "&amp;",
        "<b>",
        "]]>",
    ),
    *(
        "a,b",
        "a.b",
        "a\nb",
        "a\r\nb",
        "a\0b",
        "n\0",
        "=1+1",
        "-1",
        "+1",
        "@x",
        "--",
        "/*",
        "*/",
        "?" * 9,
        "??/",
        "\x1b[0m",
    ),
    *(
        "ü",
        "日本",
        "\u202e",
        "\ufeff",
        "\ud800",
        "e\u0301",
        "é",
        "İ",
        "ß",
        "\U0001f332",
        "select",
        "class",
        "x0",
        "case",
    ),
    *(
        "a" * 300,
        "é" * 100,
        "continuous",
        "ignore",
        "discrete",
        "discrete 3",
        "@data",
        "null",
        "NULL",
        "__proto__",
        "if",
    ),
]
OTHERS: list[Any] = [
    *(None, True, False, [], [0], [[0]], [[]], [None], {}, {"tree": {}}, [1.5, 2], [True, False], [0.1, 0.1, 0.2, 0.6]),
    *({"odd": name} for name in ODD),
]


def thawed(value: Any) -> Any:
    """The value that an input stands for."""
    if isinstance(value, dict):
        if len(value) == 1 and value.get("odd") in ODD:
            return ODD[value["odd"]]
        return {key: thawed(entry) for key, entry in value.items()}
    return [thawed(entry) for entry in value] if isinstance(value, list) else value


def odd_value(rng: random.Random) -> Any:
    """Anything."""
    return rng.choice(rng.choice((NUMBERS, NUMBERS, TEXTS, OTHERS)))


def odd_text(rng: random.Random) -> str:
    """A text that is difficult somewhere."""
    text = rng.choice(TEXTS)
    if rng.random() < 0.3:
        text += rng.choice(TEXTS)
    return text
