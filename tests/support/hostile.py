"""Names, values and classes that are hard on every language and file, and cases with them."""

from __future__ import annotations

import random

import numpy as np

from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import CtreeError

PIECES = (
    *("'", '"', "`", "´", "“", "”", "„", "«", "''", '""', "\\", "\\\\", "\\'", '\\"', "\\n", "\\u0041", "\\0"),
    *("\0", "\n", "\r", "\r\n", "\t", "\v", "\f", "\b", "\x1b[31m", "\x1c", "\x7f", "\x85", "\xa0", "\u2028", "\u2029"),
    *(
        "\u200e",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\ufffe",
        "\uffff",
        "\ud800",
        "\udfff",
        "\ud83d",
        "\ude00",
        "😀",
        "é",
        "e\u0301",
    ),
    *(
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "</script>",
        "<b>",
        "&amp;",
        "&#0;",
        "--",
        "/*",
        "*/",
        "//",
        "??/",
        "?",
        "%s",
        "%d",
        "%",
    ),
    *(
        "{}",
        "{0}",
        "{",
        "}",
        "${x}",
        "$x$",
        "#",
        "@data",
        "@attribute",
        "|",
        ":",
        ",",
        ";",
        ".",
        "=",
        "=1+1",
        "], [",
        ": ",
        ", ",
    ),
    *(
        "",
        " ",
        "  ",
        " a",
        "a ",
        "a",
        "A",
        "ab",
        "0",
        "1",
        "-1",
        "1.0",
        "1e5",
        "01",
        "x" * 10_000,
        "é" * 2_050,
        "\\" * 99,
    ),
    *("NaN", "nan", "NA", "N/A", "null", "NULL", "None", "True", "true", "inf", "continuous", "ignore", "discrete 3"),
    *("select", "from", "table", "row", "case", "class", "def", "int", "main", "node", "known", "leaves", "ctree leaf"),
    *("share0", "p(a)", "__proto__", "constructor", "rowid", "k", "v0", "help", "unknown", "all cases"),
)
"""What names are made of: one of these, or several in a row."""


def hostile_text(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def hostile_texts(rng: random.Random, n: int, share: float) -> tuple[str, ...]:
    """As many different texts, of which about this share is hostile."""
    found: dict[str, None] = {}
    while len(found) < n:
        found[hostile_text(rng) if rng.random() < share else f"n{rng.randrange(100)}"] = None
    return tuple(found)


def hostile_labels(rng: random.Random, n: int, share: float) -> tuple[str | int, ...]:
    """Texts; sometimes one of them is a number, which may be the text of another."""
    texts = hostile_texts(rng, n, share)
    return (*texts[:-1], rng.choice((1, 0, -1))) if rng.random() < 0.1 else texts


def hostile_data(seed: int, n: int = 30) -> Dataset:
    """Cases of two discrete attributes and a continuous one, on all of which the class depends."""
    rng = random.Random(seed)
    share = rng.choice((0.1, 0.3, 1.0))  # so that most kinds of files can express some of the data sets
    sizes = [rng.choice((2, 3)), rng.choice((2, 3, 5))]
    names = hostile_texts(rng, 3, share)
    attributes = (
        *(Attribute(names[i], Kind.DISCRETE, hostile_labels(rng, size, share)) for i, size in enumerate(sizes)),
        Attribute(names[2], Kind.CONTINUOUS),
    )
    codes = np.random.default_rng(seed)
    columns = [*(codes.integers(size, size=n) for size in sizes), codes.integers(5, size=n).astype(float)]
    n_classes = rng.choice((2, 3))
    classes = (columns[0] + columns[1] + (columns[2] > 2)).astype(np.int64) % n_classes
    return Dataset(Schema(attributes, hostile_labels(rng, n_classes, share)), columns, classes)


def check_sentence(error: CtreeError) -> None:
    """An error is a single line that a person reads."""
    text = str(error)
    assert 0 < len(text) < 500, text
    assert text.isprintable(), ascii(text)
