"""C4.5's files: `.names` and `.data` written by their grammar, then damaged."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ctree
from ctree.errors import CtreeError

from .judging import FindingError, check_message, may_refuse
from .mutations import damaged_bytes, some_texts
from .usage import probabilities

MEMORY_MAY_RUN_OUT = False

NAMES = rb"""Play, Don't Play, c\.x.   | classes
outlook: sunny, overcast, rain, St\. Ives.
temperature: continuous.
id: ignore.
colour: discrete 4.
only: one.
windy: true, false.
size: [ordered] small, St\. Ives, large.
since: date.
at: time.
seen: timestamp.
number: label.
case weight: continuous.
"""
DATA = rb"""sunny, 85, x, red, one, false, small, 2024/3/1, 10:00, 2024-03-01 10:00:00.5, A-1, 1, Don't Play
overcast, -7.25e1, ?, blue, ?, true, large, 0001-01-01, 23:59:59.999999, 9999-12-31T23:59:59Z, ?, 2.5, Play.
| comment
St\. Ives,0.1234567890123456789, ,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,0,c\.x
rain,?,
  b,?,one,
  true,St\. Ives,?,?,1970-01-01,A\:1,1,Play
?,1e300,,red,one,true,?,2024-02-29 00:00,0:00:00,2024-02-29 00:00+02:00,\?,1,Play | end
"""
TOKENS = [
    *(
        b",",
        b":",
        b".",
        b". ",
        b"|",
        b"\\",
        b"\n",
        b"\r\n",
        b" ",
        b"  ",
        b"\t",
        b"\0",
        b"?",
        b"N/A",
        b"\\\n",
        b"..",
        b",,",
    ),
    *(
        b"continuous",
        b"ignore",
        b"discrete",
        b"discrete 1",
        b"discrete 99999999999",
        b"[ordered]",
        b"date",
        b"timestamp",
        b"label",
        b":=",
        b"2024-02-30",
        b"12:00:00",
        b"case weight",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3\xbc",
    ),
    *(
        b"1e999",
        b"-",
        b"nan",
        b"0x1p3",
        b"9" * 40,
        b"1e-99999999999999999999",
        b"." * 9,
        b"\\" * 9,
        b"a" * 300,
        b"-0.0",
    ),
]
JUNK = [b"\0" * 5000, bytes(range(256)) * 20, b"|" * 999, b"\\" * 999, b"," * 999, b". " * 999, b""]
NUMBERS = (
    "0",
    "1",
    "-1",
    "2.5",
    "-0.0",
    "1e3",
    "1e-300",
    "1e308",
    "3.5e38",
    ".5",
    "5.",
    "+7",
    "007",
    "16777217",
    "0.1",
)


def draw(rng: random.Random) -> Any:
    """The two files, most of them in order or nearly so."""
    names, data = (NAMES, DATA) if rng.random() < 0.3 else written(rng)
    way = rng.random()
    if way < 0.25:
        for _ in range(rng.randint(1, 4)):
            data = damaged_bytes(rng, data, TOKENS)
    elif way < 0.4:
        for _ in range(rng.randint(1, 3)):
            names = damaged_bytes(rng, names, TOKENS)
    elif way < 0.42:
        data = rng.choice(JUNK)
    elif way < 0.43:
        names = rng.choice(JUNK)
    return {"names": names.decode("latin-1"), "data": data.decode("latin-1")}


def written(rng: random.Random) -> tuple[bytes, bytes]:
    """Two files that agree with each other, in one of the many ways of writing them."""
    classes = some_texts(rng, rng.randint(1, 4), 0.15)
    lines = [_listed(rng, classes)]
    attributes: list[list[str] | str] = []
    for name in some_texts(rng, rng.randint(1, 5), 0.15):
        kind = rng.randrange(6)
        if kind < 3:
            values: list[str] | str = some_texts(rng, rng.randint(1, 5), 0.15)
            lines.append(f"{escaped(name)}: {_listed(rng, values)}")
        else:
            values = ("continuous", "ignore", f"discrete {rng.randint(1, 9)}")[
                max(kind - 3, 0) if rng.random() < 0.3 else 0
            ]
            lines.append(f"{escaped(name)}:{_space(rng)}{values}.")
        attributes.append(values)
    rows = []
    for _ in range(rng.choice((1, 2, 5, 10, 20))):
        fields = [_field(rng, values) for values in attributes]
        fields.append(escaped(rng.choice(classes)))
        rows.append(f",{_space(rng)}".join(fields) + ("." if rng.random() < 0.2 else ""))
    end = rng.choice(("\n", "\n", "\r\n"))
    comment = f" | a comment{end}"
    names = "".join(line + (comment if rng.random() < 0.1 else end) for line in lines)
    data = "".join(row + (comment if rng.random() < 0.1 else end) for row in rows)
    return names.encode("utf-8", "surrogatepass"), data.encode("utf-8", "surrogatepass")


def escaped(text: str) -> str:
    """A text so that its commas, colons, periods and bars are its own."""
    return "".join("\\" + c if c in ",:.|?\\" else c for c in text)


def _listed(rng: random.Random, values: list[str]) -> str:
    return f",{_space(rng)}".join(map(escaped, values)) + "."


def _space(rng: random.Random) -> str:
    return rng.choice(("", " ", " ", "  ", "\t", "\n "))


def _field(rng: random.Random, values: list[str] | str) -> str:
    if rng.random() < 0.08:
        return rng.choice(("?", "?", "?", "N/A"))
    if isinstance(values, list):
        return escaped(rng.choice(values))
    if values == "continuous":
        return rng.choice(NUMBERS) if rng.random() < 0.5 else repr(rng.gauss(0, 10))
    return rng.choice(("red", "blue", "1"))


def run(given: Any, folder: Path) -> bool:
    """Read the files in every way, write what was read, and learn from it."""
    stem = folder / "t"
    stem.with_suffix(".names").write_bytes(given["names"].encode("latin-1"))
    for suffix in (".data", ".test"):
        stem.with_suffix(suffix).write_bytes(given["data"].encode("latin-1"))
    found: list[Any] = []
    refusal: CtreeError | None = None
    for read in (
        lambda: ctree.read_c45(stem, unknown_class="keep"),
        lambda: ctree.read_c45(stem, "test", unknown_class="drop"),
        lambda: ctree.read_cases(
            stem.with_suffix(".data"), ctree.read_names(stem.with_suffix(".names")), labels="optional"
        ),
    ):
        try:
            data = read()
        except CtreeError as error:
            check_message(str(error))
            refusal = error
        else:
            if not len(data):
                raise FindingError("a file without cases that was accepted")
            found.append(data)
    for data in found[:1]:
        with may_refuse():
            ctree.write_c45(data, folder / "again")
            check_same_cases(data, ctree.read_c45(folder / "again", unknown_class="keep"), "C4.5 files")
        learn_from(data)
    if not found and refusal is not None:
        raise refusal
    return True


def learn_from(data: Any) -> None:
    """A tree of cases that were read, and its probabilities."""
    with may_refuse():
        probabilities(ctree.C45Classifier(min_cases=1).fit(data), data)


def check_same_cases(data: Any, again: Any, form: str, exact_labels: bool = True) -> None:
    """Cases that were written and read again are the same, value by value; labels may have become text."""
    if len(again) != len(data) or len(again.schema) != len(data.schema):
        raise FindingError(f"{form} that were written have other cases")
    for place in range(len(data.schema)):
        for case in range(len(data)):
            one, other = (None if d.columns[place] is None else d.value(case, place) for d in (data, again))
            if one != other and (exact_labels or str(one) != str(other)):
                raise FindingError(f"{form} that were written have other values")
    if data.classes is not None and list(map(str, data.labels)) != list(map(str, again.labels or [])):
        raise FindingError(f"{form} that were written have other classes")
