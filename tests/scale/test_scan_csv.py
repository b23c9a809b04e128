"""Comma-separated files, scanned: everything is as `read_csv` reads it."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from support.scanned import check_parts

import ctree
from ctree.data.scan import csv_blocks
from ctree.data.scan.csv_quotes import StrictCsv
from ctree.errors import DataError, ParameterError
from ctree.scale import coding_pass

pytestmark = pytest.mark.filterwarnings("ignore::ctree.data.files.csv_remarks.CsvRemark")
pytest.importorskip("pyarrow")

NUMBERS = [
    "1",
    " 2.5",
    "-3e2 ",
    "+7",
    "1.",
    ".5",
    "007",
    "1e-320",
    "-0.0",
    "\u0661\u0662",
    "\t4\x1f",
    "0.1",
    "12345678901234567890",
]
UNKNOWN = ["", "?", "NA", "NaN", "nan", "  ", " ? "]
WORDS = [
    "a",
    " b ",
    "b",
    'say "x"',
    "two\nlines",
    "x,y",
    "é",
    "10",
    "9",
    "-",
    "\u00a0c",
    "1_000",
    "0x10",
    "inf",
    "N/A",
    "null",
]


OPTIONS = [
    {},
    {"delimiter": ";"},
    {"quoting": csv.QUOTE_ALL},
    {"lineterminator": "\n"},
    {"lineterminator": "\r", "quoting": csv.QUOTE_ALL},
]


def random_rows(rng, n):
    pools = [
        NUMBERS,
        [*NUMBERS, *UNKNOWN],
        [*UNKNOWN, "-nan", "NAN"],
        [*WORDS, *UNKNOWN],
        ["0", "1", "2"],
        [repr(x) for x in rng.normal(size=50)],
        [*NUMBERS, "1_0"],
    ]
    columns = [[pool[i] for i in rng.integers(0, len(pool), n)] for pool in pools]
    labels = ["yes", "no", " no", "1", "maybe so"]
    return [*columns, [labels[i] for i in rng.integers(0, len(labels), n)]]


def write(path, names, rows, **options):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, **options)
        writer.writerow(names)
        writer.writerows(rows)


@pytest.mark.parametrize("seed", range(10))
def test_random_files(tmp_path, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    columns = random_rows(rng, n)
    names = [" n1", "n2 ", "unknown", "words", "digits", "normal", "text after all", "the class"]
    rows = list(zip(*columns, strict=True))
    options = OPTIONS[seed % len(OPTIONS)]
    delimiter = options.get("delimiter", ",")
    write(tmp_path / "all.txt", names, rows, **options)
    folder = tmp_path / "parts"
    folder.mkdir()
    edges = [0, *sorted(rng.integers(0, n + 1, 2).tolist()), n]
    for i in range(3):
        order = rng.permutation(len(names)) if i else np.arange(len(names))
        part = [[row[j] for j in order] for row in rows[edges[i] : edges[i + 1]]]
        write(folder / f"{i}.csv", [names[j] for j in order], part, **options)
    (folder / "empty.csv").write_text("")
    monkeypatch.setattr(csv_blocks, "FIRST_ROWS", int(rng.choice([1, 20_000])))
    monkeypatch.setattr(coding_pass, "SAMPLE", int(rng.choice([1, 200_000])))
    for discrete in ((), ("digits", "n1")):
        expected = ctree.read_csv(tmp_path / "all.txt", "the class", delimiter=delimiter, categorical_features=discrete)
        arguments = {"delimiter": delimiter, "categorical_features": discrete, "n_jobs": 1 + seed % 2}
        for paths in (tmp_path / "all.txt", folder):
            with ctree.scan_csv(paths, "the class", **arguments) as cases:
                check_parts(cases, expected)


def test_the_last_column_is_the_class_unless_another_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffx,d,y\n1,a,p\n\n2,b,q\n?,a,p\n", encoding="utf-8")
    for name in (None, "d"):
        with ctree.scan_csv(path, name) as cases:
            check_parts(cases, ctree.read_csv(path, name))
    with ctree.scan_csv(path, ignore=["x"]) as cases:
        assert cases.schema.names == ("d",)


def test_a_column_that_is_text_at_its_very_end(tmp_path, monkeypatch):
    """The files are read again, and an infinite number is then a text like any other."""
    monkeypatch.setattr(csv_blocks, "FIRST_ROWS", 10)
    monkeypatch.setattr(coding_pass, "SAMPLE", 10)
    monkeypatch.setattr(csv_blocks, "MOST_ROWS", 100)
    path = tmp_path / "t.csv"
    rows = [[i, i % 7, "ab"[i % 2]] for i in range(1000)]
    rows[500][0], rows[999][0] = "inf", "the end"
    write(path, ["x", "z", "y"], rows)
    with ctree.scan_csv(path, n_jobs=2) as cases:
        assert cases.schema[0].kind is ctree.Kind.DISCRETE
        assert sum(part.n for part in cases.parts) == 1000
        check_parts(cases, ctree.read_csv(path))
    rows[999][0] = 5
    write(path, ["x", "z", "y"], rows)
    with pytest.raises(DataError, match=r"t\.csv: row 501: attribute 'x' has an infinite value"):
        ctree.scan_csv(path)


def test_unknown_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\n2,?\n3,b\n")
    with pytest.raises(DataError, match=r"t\.csv: row 2: the class 'y' is unknown"):
        ctree.scan_csv(path)
    with ctree.scan_csv(path, unknown_class="drop") as cases:
        check_parts(cases, ctree.read_csv(path, unknown_class="drop"))
    with pytest.raises(ParameterError, match="unknown_class is 'keep'"):
        ctree.scan_csv(path, unknown_class="keep")


def test_a_sample_from_the_middle_of_a_large_file(tmp_path, monkeypatch):
    """Rows that begin in the middle of a quoted cell only make other bins."""
    monkeypatch.setattr(csv_blocks, "BLOCK", 1 << 12)
    monkeypatch.setattr(coding_pass, "SAMPLE", 500)
    rng = np.random.default_rng(0)
    rows = [[repr(x), 'a\nb "c", 5,6\n7,8,9' if i % 3 else "d", i % 2] for i, x in enumerate(rng.normal(size=4000))]
    path = tmp_path / "t.csv"
    write(path, ["x", "t", "y"], rows)
    reader = csv_blocks.CsvReader(path)
    assert {batch.sure for batch in reader.sample(["x"], 500)} == {True, False}
    with ctree.scan_csv(path) as cases:
        check_parts(cases, ctree.read_csv(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; its first row should name the columns"),
        ("\n\n", "the file is empty"),
        ("x,y\n", "there are no cases"),
        ("x,x,y\n1,2,3\n", "1: two columns are called 'x'"),
        ("x,,y\n1,2,3\n", "1: column 2 has no name"),
        ("y\n1\n", "there are no columns but the class 'y'"),
        ("x,y\n1,2\n1,2,3\n", "row 2 has 3 fields, but the first row names 2 columns"),
        ("x,y\n1\n", "row 1 has 1 fields, but the first row names 2 columns"),
        ('x,y\n1,"2\n', "a quoted cell does not end"),
        ('x,y\n1,"2', "a quoted cell does not end"),
        ('x,y\n1,"', "a quoted cell does not end"),
        ('x,y\n1,"2 ""or\n3,4\n5,6\n', "a quoted cell does not end"),
        ("x,y\n1e999,a\n", "row 1: attribute 'x' has an infinite value"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        ctree.scan_csv(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


@pytest.mark.parametrize("end", ['"2"', '"2"\n', '""', '""\n', '2"', '"2 ""or"', '"2 or"""', "", '"""2"'])
def test_quotes_at_the_end_of_a_file(tmp_path, end):
    path = tmp_path / "t.csv"
    path.write_text(f"y,x\na,1\nb,{end}")
    with ctree.scan_csv(path, "y") as cases:
        check_parts(cases, ctree.read_csv(path, "y"))


def test_wrong_names_and_bytes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("colour,label\nred,1\n")
    with pytest.raises(DataError, match=r"there is no column 'lable' among colour, label \(did you mean 'label'\?\)"):
        ctree.scan_csv(path, "lable")
    with pytest.raises(DataError, match="there is no column 'color'"):
        ctree.scan_csv(path, ignore=["color"])
    with pytest.raises(DataError, match="delimiter"):
        ctree.scan_csv(path, delimiter=",,")
    (tmp_path / "u.csv").write_text("colour,size,label\nred,1,1\n")
    with pytest.raises(DataError, match=r"u\.csv: there is a column 'size', which .*t\.csv does not have"):
        ctree.scan_csv(tmp_path)
    path.write_bytes(b"x,y\n\xff,1\n")
    with pytest.raises(DataError, match=r"t\.csv: the file is not UTF-8 text; save it as UTF-8"):
        ctree.scan_csv(path)


@pytest.mark.parametrize("cell", ['"ab"c', '"ab" ', '"a"b"c"', '"a,b"c', '"1"2', '"a\nb"c', '"a"b\n"c,1'])
def test_text_after_a_quoted_cell_is_refused_as_in_memory(tmp_path, cell):
    (tmp_path / "t.csv").write_text(f"\ufefft,label\n'k\"',yes\n{cell},no\nz,yes\n", encoding="utf-8")
    told = []
    for read in (ctree.read_csv, ctree.scan_csv):
        with pytest.raises(DataError) as error:
            read(tmp_path / "t.csv", "label")
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("seed", range(200))
def test_quotation_marks_are_those_of_the_csv_module(tmp_path, seed):
    rng = np.random.default_rng(seed)
    text = "".join(rng.choice(list('a;"\n\r""'), int(rng.integers(1, 30))).tolist())
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    try:
        for _ in reader:
            pass
    except csv.Error as error:
        expected = str(error) if "expected after" in str(error) else None
    for size in (1, 2, 5, 100):
        found = None
        with StrictCsv(str(path), ";") as file:
            try:
                parts = list(iter(lambda: file.read(size), b""))  # noqa: B023
                assert b"".join(parts) == path.read_bytes()
            except DataError as error:
                found = str(error)
        assert (found is None) == (expected is None), (text, size)
        assert found is None or found.endswith(f"the row cannot be read ({expected})")


def test_a_file_that_goes_before_its_end_was_looked_at(tmp_path, monkeypatch):
    path = tmp_path / "cases.csv"
    path.write_text("x,label\n1,a\n2,b\n")
    tables = csv_blocks.CsvReader._tables

    def going(self, *arguments):
        yield from tables(self, *arguments)
        path.unlink(missing_ok=True)

    monkeypatch.setattr(csv_blocks.CsvReader, "_tables", going)
    with pytest.raises(DataError, match=r"cases\.csv: the file cannot be read \(.*No such file"):
        ctree.scan_csv(path)
