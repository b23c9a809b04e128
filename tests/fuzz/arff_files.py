"""ARFF files: written by the grammar, with many ways of quoting, then damaged."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ctree

from .case_files import NUMBERS, check_same_cases, learn_from
from .judging import may_refuse
from .mutations import damaged_bytes, some_texts

MEMORY_MAY_RUN_OUT = False

TOKENS = [
    *(
        b",",
        b"{",
        b"}",
        b'"',
        b"'",
        b"\\'",
        b"%",
        b"%s",
        b"\n",
        b"\r\n",
        b"\0",
        b"?",
        b"@",
        b"@data\n",
        b"@attribute ",
        b"\\",
    ),
    *(
        b"numeric",
        b"real",
        b"string",
        b"date",
        b"relational",
        b"@end",
        b"{1 2}",
        b"{0 a, 1 b}",
        b"\xff",
        b"\xc3\xbc",
        b"\t",
    ),
    *(b"1e999", b"nan", b"9" * 400, b"a" * 300, b"\\u0041", b"\\n"),
]


def draw(rng: random.Random) -> Any:
    """A file, and how it is read."""
    names = some_texts(rng, rng.randint(2, 5), 0.15)
    kinds: list[list[str] | None] = [
        some_texts(rng, rng.randint(1, 5), 0.15) if rng.random() < 0.5 else None for _ in names[1:]
    ]
    kinds.append(some_texts(rng, rng.randint(1, 4), 0.15))
    word = rng.choice((str.lower, str.upper, str.title))
    lines = [f"{word('@relation')} {quoted(rng, 'cases')}", ""]
    for name, values in zip(names, kinds, strict=True):
        numeric = word(rng.choice(("numeric", "real", "integer")))
        lines.append(f"{word('@attribute')} {quoted(rng, name)} {_listed(rng, values) if values else numeric}")
    lines.append(word("@data"))
    sparse = rng.random() < 0.1
    for _ in range(rng.choice((1, 2, 5, 10, 20))):
        fields = [_field(rng, values) for values in kinds]
        if sparse:
            lines.append("{" + ", ".join(f"{i} {field}" for i, field in enumerate(fields)) + "}")
        else:
            lines.append(rng.choice((",", ", ")).join(fields))
        if rng.random() < 0.05:
            lines.append(rng.choice(("% a comment", "", "  ")))
    text = rng.choice(("\n", "\n", "\r\n")).join([*lines, ""]).encode("utf-8", "surrogatepass")
    if rng.random() < 0.35:
        for _ in range(rng.randint(1, 3)):
            text = damaged_bytes(rng, text, TOKENS)
    return {
        "text": text.decode("latin-1"),
        "class_name": None if rng.random() < 0.7 else rng.choice([*names, "no such"]),
        "unknown_class": rng.choice(("error", "drop", "keep")),
    }


def quoted(rng: random.Random, text: str) -> str:
    """A text in quotes, unless it needs none."""
    if text.isalnum() and text.isascii() and rng.random() < 0.8:
        return text
    quote = rng.choice("'\"")
    return (
        quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\n", "\\n").replace("%", "\\%") + quote
    )


def _listed(rng: random.Random, values: list[str]) -> str:
    return "{" + rng.choice((",", ", ")).join(quoted(rng, value) for value in values) + "}"


def _field(rng: random.Random, values: list[str] | None) -> str:
    if rng.random() < 0.06:
        return "?"
    return rng.choice(NUMBERS) if values is None else quoted(rng, rng.choice(values))


def run(given: Any, folder: Path) -> bool:
    """Read the file, write what was read, read that, and learn from it."""
    path, again = folder / "t.arff", folder / "again.arff"
    path.write_bytes(given["text"].encode("latin-1"))
    data = ctree.read_arff(path, given["class_name"], unknown_class=given["unknown_class"])
    with may_refuse():
        ctree.write_arff(data, again, "the class")
        check_same_cases(data, ctree.read_arff(again, unknown_class="keep"), "ARFF files")
    learn_from(data)
    return True
