"""Damaged files: each gives a data set or an error of ctree's, never another exception, a crash or a hang."""

import random
from pathlib import Path

import pytest

from ctree import Dataset, read_c45, read_cases, read_names
from ctree.errors import CtreeError

pytestmark = pytest.mark.slow

NAMES = rb"""Play, Don't Play, c\.x.   | classes
outlook: sunny, overcast, rain, St\. Ives.
temperature: continuous.
id: ignore.
colour: discrete 4.
only: one.
windy: true, false.
"""
DATA = rb"""sunny, 85, x, red, one, false, Don't Play
overcast, -7.25e1, ?, blue, ?, true, Play.
| comment
St\. Ives,0.1234567890123456789, ,N/A,N/A,N/A,c\.x
rain,?,
  b,?,one,
  true,Play
?,1e300,,red,one,true,Play | end
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
        b"\xef\xbb\xbf",
        b"\xff",
        "ü".encode(),
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
N_MUTATIONS = 10_000


def mutate(text: bytes, rng: random.Random) -> bytes:
    """A file with one to four faults."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randint(0, len(text)) for _ in range(2))
        match rng.randrange(7):
            case 0 if text:
                i = rng.randrange(len(text))
                text = text[:i] + bytes([text[i] ^ 1 << rng.randrange(8)]) + text[i + 1 :]
            case 1:
                text = text[:i] + text[min(j, i + rng.choice((1, 3, 40))) :]
            case 2:
                text = text[:j] + text[i:j] + text[j:]
            case 3:
                text = text[:i] + rng.choice(TOKENS) + text[i:]
            case 4:
                text = text[:i] + rng.choice((NAMES, DATA))[rng.randrange(50) :][: rng.randrange(80)] + text[j:]
            case 5:
                parts = text.split(b",")
                a, b = rng.randrange(len(parts)), rng.randrange(len(parts))
                parts[a], parts[b] = parts[b], parts[a]
                text = b",".join(parts)
            case _:
                text = text[:i] + bytes(rng.randrange(256) for _ in range(rng.randrange(6))) + text[i:]
    return text


def read_all_ways(stem: Path) -> list[Dataset]:
    """Every way to read the files; what is wrong may only be an error of ctree's."""
    found, messages = [], []
    for read in (
        lambda: read_c45(stem, unknown_class="keep"),
        lambda: read_c45(stem, "test", unknown_class="drop"),
        lambda: read_cases(stem.with_suffix(".data"), read_names(stem.with_suffix(".names")), labels="optional"),
    ):
        try:
            data = read()
        except CtreeError as error:
            messages.append(str(error))
        else:
            assert len(data) > 0
            found.append(data)
    assert not any("\n" in message for message in messages)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused(seed, tmp_path):
    rng = random.Random(seed)
    stem = tmp_path / "t"
    names, data = stem.with_suffix(".names"), stem.with_suffix(".data")
    names.write_bytes(NAMES)
    data.write_bytes(DATA)
    stem.with_suffix(".test").write_bytes(DATA)
    assert len(read_all_ways(stem)) == 2, "the undamaged files are in order but for their new values"
    read = 0
    for _ in range(N_MUTATIONS // 4):
        names.write_bytes(mutate(NAMES, rng) if rng.random() < 0.4 else NAMES)
        data.write_bytes(mutate(DATA, rng) if rng.random() < 0.8 else DATA)
        read += bool(read_all_ways(stem))
    assert read > N_MUTATIONS // 40, "the mutations are mild enough for some files to be read"


@pytest.mark.parametrize(
    "junk", [b"\0" * 5000, bytes(range(256)) * 20, b"|" * 999, b"\\" * 999, b"," * 999, b". " * 999]
)
def test_junk_is_refused(junk, tmp_path):
    stem = tmp_path / "t"
    stem.with_suffix(".names").write_bytes(NAMES)
    stem.with_suffix(".data").write_bytes(junk)
    stem.with_suffix(".test").write_bytes(junk)
    assert not read_all_ways(stem)
    stem.with_suffix(".names").write_bytes(junk)
    assert not read_all_ways(stem)
