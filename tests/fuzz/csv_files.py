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
    *(b"0,5", b"1,234", b"1.234,5", b"12%", "€ 3".encode(), b"null", b"#", b"sep=;\n", b"\xff\xfe"),
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
        "delimiter": rng.choice((delimiter, None))
        if rng.random() < 0.95
        else rng.choice((",", ";", "", "::", '"', "\n", "\0", "é")),
        "class_name": None if rng.random() < 0.7 else rng.choice([*names, "no such"]),
        "discrete": [] if rng.random() < 0.7 else rng.sample(names, 1),
        "unknown_class": rng.choice(("error", "drop", "keep")),
        "decimal": None if rng.random() < 0.9 else rng.choice((".", ".", ",", ";")),
        "header": None if rng.random() < 0.7 else rng.choice((*[True] * 10, False, 2)),
        "unknown": [] if rng.random() < 0.8 else rng.choice((["null"], ["null"], ["-", "0"], "null", [0])),
        "ignore": [] if rng.random() < 0.9 else rng.sample(names, 1),
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
        **{name: given[name] for name in ("decimal", "header", "unknown", "ignore") if name in given},
        categorical_features=given["discrete"],
        unknown_class=given["unknown_class"],
    )
    with may_refuse():
        name = given["class_name"] or "the class"
        ctree.write_csv(data, again, name)
        discrete = [a.name for a in data.schema if a.is_discrete]
        read = ctree.read_csv(
            again, name, delimiter=",", header=True, categorical_features=[*discrete, name], unknown_class="keep"
        )
        check_same_cases(data, read, "CSV files", exact_labels=False)
    learn_from(data)
    return True
