"""The compiled reader of case files beside a slow one that reads character by character."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import c45_reader

from ctree import Attribute, Kind, Schema, read_cases
from ctree.data.files.c45_names import tokens_of
from ctree.errors import DataError
from ctree_ext.io import case_file as casefile

SCHEMA = Schema(
    (
        Attribute(
            "d",
            Kind.DISCRETE,
            ("a", "b c", "St. Ives", "x,y", "?", "v.", "ü", "eight8es", "sixteen letters.", "x" * 16),
        ),
        Attribute("x", Kind.CONTINUOUS),
        Attribute("skip", Kind.IGNORE),
    ),
    ("yes", "no way", "c.d"),
)

# Pieces that make valid, nearly valid and wild files alike.
VALUES = [
    "eight8es",
    "sixteen letters\\.",
    "x" * 16,
    "x" * 17,
    "eight8e",
    "a",
    "b c",
    "b  c",
    " a ",
    "St\\. Ives",
    "x\\,y",
    "\\?",
    "?",
    "v\\.",
    "ü",
    "\\a",
    "N/A",
    "",
    "b\\ c",
    "\ta\t",
]
NUMBERS = ["1", "-2.5", "1e5", ".5", "5.", "+3", "?", "N/A", " 7 ", "1e400", "abc", "1_0", "0x10", "nan", "-0", "1\\.5"]
CLASSES = ["yes", "no way", "no  way.", "yes.", "c.d", "c\\.d", "?", "c.d.", " yes | so", "yes,", "yes.  "]
ENDS = ["\n", "\r\n", "\n\n", " \n", "|comment, a\n", "\n| comment\n", ",\n", ". \n", ""]


def joined(values: tuple[str, str, str, str, str, str]) -> str:
    value, number, ignored, label, comma, end = values
    return comma.join((value, number, ignored, label)) + end


RECORDS = st.tuples(
    st.sampled_from(VALUES),
    st.one_of(st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False).map(repr)),
    st.sampled_from(["?", "anything", "", "12"]),
    st.sampled_from(CLASSES),
    st.sampled_from([",", ",", ", ", " ,", ":", ",\n", ", |c\n", ". "]),
    st.sampled_from(ENDS),
).map(joined)
TIDY_RECORDS = st.tuples(
    st.sampled_from(
        [
            "a",
            "eight8es",
            "sixteen letters\\.",
            "x" * 16,
            "b c",
            "b   c",
            "St\\. Ives",
            "x\\,y",
            "\\?",
            "?",
            "v\\.",
            "ü",
            "N/A",
        ]
    ),
    st.one_of(st.sampled_from(["1", "?", "N/A"]), st.floats(allow_nan=False, allow_infinity=False).map(repr)),
    st.sampled_from(["?", "anything", "", "12"]),
    st.sampled_from(["yes", "no way", "no  way.", "c.d", "yes.", " yes | so"]),
    st.sampled_from([",", ", ", " ,\t", ":", ",\n", ", |c\n"]),
    st.sampled_from(["\n", "\r\n", "\n\n", "|comment, a\n", "\n| comment\n", ". \n"]),
).map(joined)
WILD = st.text(alphabet="ab?yes,:.|\\ \t\r\n19-eü\x00", max_size=60)
FILES = st.one_of(
    st.lists(TIDY_RECORDS, min_size=1, max_size=8).map("".join),
    st.lists(RECORDS, max_size=5).map("".join),
    st.lists(st.one_of(RECORDS, WILD), max_size=4).map("".join),
    WILD,
)


def expected(text: str) -> tuple[list[list[object]], list[object]] | None:
    try:
        return c45_reader.read_cases(text, SCHEMA)
    except c45_reader.WrongFile:
        return None


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("naive") / "cases.data"


def check(text: str, path) -> None:
    path.write_bytes(text.encode())
    wanted = expected(text)
    if wanted is None:
        with pytest.raises(DataError):
            read_cases(path, SCHEMA)
        return
    data = read_cases(path, SCHEMA)
    rows = [[data.value(i, j) for j in range(len(SCHEMA))] for i in range(len(data))]
    assert rows == wanted[0]
    assert data.labels == wanted[1]


@settings(max_examples=600, deadline=None)
@given(text=FILES)
@example(text="a,5.,x,yes.")
@example(text="a,5.,x,yes\\")
@example(text="\ufeffa,1,x,yes|")
@example(text="a,1,x,yes,\n|\n\n")
@example(text="a,1,\n\n,\nyes\n")
@example(text="a,.., ,yes")
def test_every_file_is_read_as_the_slow_reader_reads_it(text, path):
    check(text, path)


@settings(max_examples=300, deadline=None)
@given(text=WILD)
def test_names_and_case_files_have_the_same_tokens(text):
    compared = [t.text for line in c45_reader.cases_of_tokens(text, 1) for t in line]
    assert [t.text for t in tokens_of(text.encode())] == compared


def numbers_read(texts: list[str]) -> np.ndarray:
    """The numbers of a file of one column, by the compiled reader."""
    text = "".join(t.replace(".", "\\.") + "\n" if t.endswith(".") else t + "\n" for t in texts)
    file = casefile.CaseFile(text.encode(), [casefile.NUMBER], [[]], [0], False, False)
    file.read()
    assert file.problem == casefile.FINE, file.token
    return file.columns[0]


def assert_same_bits(texts: list[str]) -> None:
    wanted = np.array([float(t) for t in texts])
    got = numbers_read(texts)
    odd = np.flatnonzero(wanted.view(np.uint64) != got.view(np.uint64))
    assert not odd.size, [(texts[i], wanted[i], got[i]) for i in odd[:5]]


DIGITS = st.text(alphabet="0123456789", max_size=25)


@st.composite
def decimals(draw):
    whole, part = draw(DIGITS), draw(st.one_of(st.none(), DIGITS))
    if not whole and not part:
        whole = "0"
    exponent = draw(
        st.one_of(st.just(""), st.integers(-30, 30).map("e{}".format), st.integers(-330, 280).map("E{:+}".format))
    )
    return draw(st.sampled_from(["", "-", "+"])) + whole + ("" if part is None else "." + part) + exponent


@settings(max_examples=200, deadline=None)
@given(texts=st.lists(decimals(), min_size=1, max_size=20))
def test_decimal_numbers_have_the_bits_of_float(texts):
    assert_same_bits([t for t in texts if math.isfinite(float(t))])


@settings(max_examples=100, deadline=None)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_printed_floats_have_the_bits_of_float(numbers):
    assert_same_bits([repr(x) for x in numbers])


def test_random_bit_patterns_and_halfway_cases_have_the_bits_of_float():
    rng = np.random.default_rng(5)
    doubles = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    texts = [repr(x) for x in doubles[np.isfinite(doubles)].tolist()]
    texts += [f"{m}e{e}" for m, e in zip(rng.integers(1, 2**63, 20_000), rng.integers(-30, 31, 20_000), strict=True)]
    # Exactly between two doubles: ties go to the even one.
    for mantissa, shift in zip(
        rng.integers(2**52, 2**53, 20_000).tolist(), rng.integers(-9, 10, 20_000).tolist(), strict=True
    ):
        middle = 2 * mantissa + 1
        texts.append(str(middle << shift) if shift >= 0 else f"{middle * 5**-shift}e{shift}")
    assert_same_bits(texts)
