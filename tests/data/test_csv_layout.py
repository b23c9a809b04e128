"""How comma-separated files are laid out: what holds for files of all sizes, and what is said of many columns."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import ctree
from ctree.data.files import csv_layout
from ctree.data.files.csv_layout import find_layout, head_of, head_of_file
from ctree.data.files.csv_settings import NO_NUMBERS, CsvSettings
from ctree.errors import DataConversionWarning, DataError, ParameterError


@pytest.mark.parametrize("size", [0, 5, 99, 100, 101, 250])
def test_a_file_is_judged_by_the_same_bytes_in_memory_and_on_disk(tmp_path, monkeypatch, size):
    monkeypatch.setattr(csv_layout, "HEAD", 100)
    path = tmp_path / "t.csv"
    for line in (b"1,2,3\n", b"a" * 90 + b"\n", b"a" * 70):
        text = (line * size)[:size]
        path.write_bytes(text)
        head, whole = head_of_file(str(path))
        assert head == head_of(text)
        assert whole == (head == text)
        assert whole or len(head) == 100 or head.count(b"\n") < 4 or head[:100].count(b"\n") < 4


def test_names_that_take_more_than_what_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_layout, "HEAD", 64)
    names = [f"a column of the name {i}" for i in range(30)]
    rows = [[i * j + 0.5 for j in range(30)] for i in range(8)]
    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join([";".join([*names, "y"]), *(";".join([*map(str, r), "ab"[i % 2]]) for i, r in enumerate(rows))])
    )
    data = ctree.read_csv(path)
    assert data.schema.names == tuple(names)
    np.testing.assert_array_equal(np.column_stack(data.columns), rows)
    with ctree.scan_csv(path) as cases:
        assert cases.schema == data.schema


def test_rows_that_the_head_cuts_off_do_not_count(tmp_path, monkeypatch):
    """The head ends within a row, a quoted cell or a character."""
    rows = [["x", "y"], *(["é, ü" if i % 3 else "né", "ab"[i % 2]] for i in range(40))]
    text = "".join(f'"{x}";{y}\n' for x, y in rows).encode()
    for size in range(60, 200):
        layout = find_layout(text[:size], False, "t.csv", CsvSettings())
        assert layout.delimiter == ";"
        assert layout.names == ["x", "y"]
        assert set(layout.sample["x"]) <= {"é, ü", "né"}
        assert not layout.remarks


@pytest.mark.parametrize("comment", ["# a", '# a, "b" c', '#"', "#", '# "a, b', "#a,b", "#a,b,c,d"])
def test_comments_may_have_anything_in_them(tmp_path, comment):
    path = tmp_path / "t.csv"
    path.write_text(f"{comment}\nx,z,y\n1,2,a\n2,3,b\n")
    for read in (ctree.read_csv, ctree.scan_csv):
        with pytest.warns(DataConversionWarning, match="the first line begins with # and is left out"):
            data = read(path)
        assert data.schema.names == ("x", "z")


@pytest.mark.parametrize(
    "text", ["# a\n", "#a,b\n", '# a\n"b', '#"a\n"', "#\n#\n\n", 'sep="\na,b\n1,x\n', "sep=a\n1,x\n", "sep=;"]
)
def test_what_is_hardly_a_file_is_refused_or_read(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError):
        ctree.read_csv(path)


def test_names_that_are_expected_make_a_header(tmp_path):
    """What looks like a case has the names of the model."""
    path = tmp_path / "t.csv"
    path.write_text("5,7,a\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n")
    with pytest.warns(DataConversionWarning, match="is taken for a case"):
        assert len(ctree.read_csv(path)) == 5
    schema = ctree.from_arrays({"5": [1.0, 2.0], "7": [3.0, 1.0]}, ["a", "b"]).schema
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = ctree.read_csv(path, "a", schema=schema)
    assert data.columns[0].tolist() == [1, 3, 5, 7]


def test_many_remarks_are_summed_up(tmp_path):
    path = tmp_path / "t.csv"
    rows = [",".join(f"c{j}" for j in range(40)) + ",y"]
    rows += [",".join(f"{i + j}%" for j in range(40)) + "," + "ab"[i % 2] for i in range(6)]
    path.write_text("\n".join(rows))
    with pytest.warns(DataConversionWarning) as told:
        ctree.read_csv(path)
    assert len(told) == 12
    assert str(told[0].message).endswith(
        "c0: values such as '0%' are taken as numbers, here 0; to change that: categorical_features= or ignore="
    )
    assert str(told[11].message).endswith(
        "29 more such remarks, on c11, c12, c13, …; to change that: categorical_features= or ignore="
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"decimal": ";"}, ParameterError, "decimal is ';', but should be '.' or ','"),
        ({"decimal": ",", "delimiter": ","}, ParameterError, "the delimiter and the decimal mark are both ','"),
        ({"header": "yes"}, ParameterError, "header is 'yes', but should be True, False or None"),
        ({"unknown": "null"}, ParameterError, "unknown is 'null', but should be a list of texts"),
        ({"unknown": [0]}, ParameterError, "unknown has 0, which is no text"),
        ({"delimiter": ";;"}, DataError, "the delimiter is ';;', but should be one character"),
        ({"ignore": ["z"]}, DataError, r"there is no column 'z' among x, y"),
        ({"ignore": ["y"]}, DataError, "the class 'y' is among the columns to leave out"),
    ],
)
@pytest.mark.parametrize("read", [ctree.read_csv, ctree.scan_csv], ids=["read", "scan"])
def test_wrong_settings(tmp_path, read, options, error, message):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(error, match=message):
        read(path, **options)


def test_files_of_a_scan_are_understood_one_by_one(tmp_path):
    """One has semicolons and decimal commas, one commas and points, one no columns that tell."""
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text("x,z,y\n1.5,a,k\n2,b,l\n")
    (tmp_path / "b.csv").write_text("y;x;z\nk;2,5;a\nl;n/a;c\n")
    (tmp_path / "c.tsv").write_text("z\ty\tx\na\tk\t7\n")
    (tmp_path / "all.csv").write_text("x,z,y\n1.5,a,k\n2,b,l\n2.5,a,k\n?,c,l\n7,a,k\n")
    expected = ctree.read_csv(tmp_path / "all.csv")
    (tmp_path / "all.csv").unlink()
    from support.scanned import check_parts

    with ctree.scan_csv(tmp_path, "y") as cases:
        check_parts(cases, expected)


def test_the_page_has_all_marks_of_unknown_numbers():
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
    told, exact = page.split("**Unknown among numbers**")[1].split("**What is said.**")[0].split("in front;")
    words = re.findall("`([^`]+)`", told)
    marks = re.findall("`([^`]+)`", exact.split("In a discrete")[0])
    alone = [".", "..", "-", "--", "---", "\N{EN DASH}", "\N{EM DASH}"]
    assert {*(f for w in words for f in (w, w.upper(), w[0].upper() + w[1:])), *marks, *alone} == NO_NUMBERS
