"""CSV files: written by the rules, with many ways of quoting, then damaged."""

from __future__ import annotations

import csv
import io
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
        b";",
        b'"',
        b'""',
        b"'",
        b"\n",
        b"\r",
        b"\r\n",
        b"\0",
        b"?",
        b"NA",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3\xbc",
        b"\t",
    ),
    *(b"1e999", b"nan", b"inf", b"9" * 400, b"a" * 300, b"\n\n", b" ", b'"a\nb"', b"=1+1"),
]


def draw(rng: random.Random) -> Any:
    """A file, and how it is read."""
    names = some_texts(rng, rng.randint(2, 5), 0.15)
    delimiter = rng.choice((",", ",", ",", ";", "\t", "|"))
    columns = [_values(rng) for _ in names[1:]] + [some_texts(rng, rng.randint(1, 4), 0.15)]
    out = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=rng.choice(("\n", "\n", "\r\n")))
    writer.writerow(names)
    for _ in range(rng.choice((1, 2, 5, 10, 20))):
        unknown = rng.choice(("", "?"))
        writer.writerow([unknown if rng.random() < 0.06 else rng.choice(values) for values in columns])
    text = out.getvalue().encode("utf-8", "surrogatepass")
    if rng.random() < 0.35:
        for _ in range(rng.randint(1, 3)):
            text = damaged_bytes(rng, text, TOKENS)
    return {
        "text": text.decode("latin-1"),
        "delimiter": delimiter if rng.random() < 0.95 else rng.choice((",", ";", "", "::", '"', "\n", "\0", "é")),
        "class_name": None if rng.random() < 0.7 else rng.choice([*names, "no such"]),
        "discrete": [] if rng.random() < 0.7 else rng.sample(names, 1),
        "unknown_class": rng.choice(("error", "drop", "keep")),
    }


def _values(rng: random.Random) -> list[str]:
    return list(NUMBERS) if rng.random() < 0.5 else some_texts(rng, rng.randint(1, 6), 0.15)


def run(given: Any, folder: Path) -> bool:
    """Read the file, write what was read, read that, and learn from it."""
    path, again = folder / "t.csv", folder / "again.csv"
    path.write_bytes(given["text"].encode("latin-1"))
    data = ctree.read_csv(
        path,
        given["class_name"],
        delimiter=given["delimiter"],
        categorical_features=given["discrete"],
        unknown_class=given["unknown_class"],
    )
    with may_refuse():
        name = given["class_name"] or "the class"
        ctree.write_csv(data, again, name)
        discrete = [a.name for a in data.schema if a.is_discrete]
        read = ctree.read_csv(again, name, categorical_features=discrete, unknown_class="keep")
        check_same_cases(data, read, "CSV files", exact_labels=False)
    learn_from(data)
    return True
