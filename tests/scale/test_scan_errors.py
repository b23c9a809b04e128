"""Bad input of scans: one sentence that names the file, the row group and the column; nothing is left behind."""

from __future__ import annotations

import datetime
import errno
import os
import sys
import tempfile

import numpy as np
import pytest

import ctree
from ctree.data.scan.parquet_files import ParquetReader
from ctree.errors import DataError, DataTypeError, MissingExtraError, ParameterError
from ctree.scale import batch_codes, coding_pass, column_coders, part_file

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, which is empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def write(path, columns=None, **options):
    columns = {"x": [1.0, 2.0], "y": ["a", "b"]} if columns is None else columns
    pq.write_table(pa.table(columns), path, **options)
    return path


def message(path, *arguments, kind=DataError, **options):
    with pytest.raises(kind) as error:
        ctree.scan_parquet(path, *(arguments or ("y",)), **options)
    return str(error.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"x": [1], "y": [datetime.datetime(2020, 1, 1)]}, ["column 'y' holds dates or times"]),
        ({"x": [datetime.timedelta(1)], "y": [1]}, ["column 'x' holds lengths of time", "duration"]),
        ({"x": [[1, 2]], "y": [1]}, ["column 'x' has the type list"]),
        ({"x": [{"a": 1}], "y": [1]}, ["column 'x' has the type struct"]),
        ({"x": [b"a"], "y": [1]}, ["column 'x' has the type binary"]),
    ],
)
def test_types_that_are_neither_numbers_nor_labels(tmp_path, columns, words):
    told = message(write(tmp_path / "t.parquet", columns), kind=DataTypeError)
    assert "t.parquet: " in told
    assert all(word in told for word in words)


def test_those_types_can_be_left_out(tmp_path):
    write(tmp_path / "t.parquet", {"x": [[1, 2]], "z": [1], "y": [1]})
    with ctree.scan_parquet(tmp_path / "t.parquet", "y", ignore="x") as cases:
        assert cases.schema.names == ("z",)


@pytest.mark.parametrize("number", [np.inf, -np.inf])
@pytest.mark.parametrize("discrete", [(), ("x",)])
def test_infinite_numbers(tmp_path, number, discrete):
    path = write(tmp_path / "t.parquet", {"x": [1.0, 2.0, 3.0, number], "y": [1, 2, 1, 2]}, row_group_size=2)
    told = message(path, categorical_features=discrete)
    assert "t.parquet: row group 1" in told
    assert "attribute 'x' has an infinite value" in told
    if not discrete:
        assert "row 2" in told
    assert "the class 'c' has an infinite value" in message(write(path, {"x": [1.0], "c": [number]}), "c")


def test_text_against_numbers(tmp_path):
    write(tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", {"y": ["a"], "x": ["one"]})
    told = message(tmp_path)
    assert "b.parquet: column 'x' has the type string, but double in" in told
    assert "a.parquet" in told.split("but double in")[1]
    write(tmp_path / "b.parquet", {"y": ["a"], "x": [True]})
    assert "column 'x' has the type bool, but double in" in message(tmp_path)


def test_whole_numbers_that_fractions_cannot_hold(tmp_path):
    write(tmp_path / "a.parquet", {"x": [0.5], "y": [1]})
    write(tmp_path / "b.parquet", {"x": [2**53 + 1], "y": [1]})
    told = message(tmp_path, categorical_features=["x"])
    assert "b.parquet: row group 0: column 'x' has the value 9007199254740993" in told
    with ctree.scan_parquet(tmp_path, "y") as cases:
        assert cases.bins[0].most[-1] == 2.0**53


def test_columns_that_differ(tmp_path):
    write(tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", {"y": ["a"]})
    told = message(tmp_path)
    assert "b.parquet: there is no column 'x', which " in told
    write(tmp_path / "b.parquet", {"y": ["a"], "x": [1.0], "z": [1]})
    assert "b.parquet: there is a column 'z', which " in message(tmp_path)
    write(tmp_path / "b.parquet", {"x": [1.0]})
    assert "b.parquet: there is no column 'y' among x" in message(tmp_path)


def test_names_that_are_wrong(tmp_path):
    path = write(tmp_path / "t.parquet", {"colour": [1], "label": [1]})
    assert "there is no column 'lable' among colour, label (did you mean 'label'?)" in message(path, "lable")
    assert "there is no column 'color'" in message(path, "label", ignore=["color"])
    assert "is among the columns to leave out" in message(path, "label", ignore=["label"])
    assert "there are no columns but the class 'label'" in message(path, "label", ignore=["colour"])
    assert "categorical_features names 'color'" in message(path, "label", categorical_features=["color"])
    table = pa.Table.from_arrays([pa.array([1])] * 3, names=["x", "x", "y"])
    pq.write_table(table, path)
    assert "t.parquet: two columns are called 'x'" in message(path)


def test_no_cases(tmp_path):
    empty = {"x": pa.array([], pa.float64()), "y": pa.array([], pa.string())}
    assert "there are no cases" in message(write(tmp_path / "a.parquet", empty))
    write(tmp_path / "b.parquet")
    with ctree.scan_parquet(tmp_path, "y") as cases:
        assert cases.n_cases == 2


def test_files_that_are_not_there(tmp_path):
    assert "no such file" in message(tmp_path / "no.parquet")
    assert "no file has a name like this" in message(str(tmp_path / "*.parquet"))
    (tmp_path / "empty").mkdir()
    assert "the folder has no files that end in .parquet or .pq" in message(tmp_path / "empty")
    (tmp_path / "empty" / "year=2020").mkdir()
    assert "'year=2020' stands for a value of a column" in message(tmp_path / "empty")
    assert "paths is empty" in message([], kind=ParameterError)
    assert "paths is 3" in message(3, kind=ParameterError)
    path = write(tmp_path / "t.parquet")
    assert "the file is given twice" in message([path, path])


def test_damaged_files(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("not Parquet")
    assert "t.parquet: the file cannot be read (" in message(path)
    path.write_bytes(b"")
    assert "t.parquet: the file cannot be read (" in message(path)
    rng = np.random.default_rng(0)
    write(path, {"x": rng.normal(size=20_000), "y": rng.integers(0, 2, 20_000)}, row_group_size=5000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "t.parquet: the file cannot be read (" in message(path)
    for place in range(200, 100_000, 20_000):  # pages with wrong lengths, or wrong numbers
        path.write_bytes(whole[:place] + b"\xff" * 400 + whole[place + 400 :])
        try:
            ctree.scan_parquet(path, "y").close()
        except DataError as error:
            assert "t.parquet: row group" in str(error)  # noqa: PT017


def test_too_many_values(tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet", {"x": [f"v{i}" for i in range(1000)], "y": list(range(1000))})
    monkeypatch.setattr(column_coders.LabelCoder.__init__, "__defaults__", (900,))
    monkeypatch.setattr(column_coders, "MOST_VALUES", 900)
    assert "attribute 'x' has more than 900 values; leave the column out by ignore=" in message(path)
    monkeypatch.undo()
    monkeypatch.setattr(batch_codes, "MOST_CLASSES", 900)
    told = message(path)
    assert "the class 'y' has more than 900 values" in told


def test_a_million_values(tmp_path):
    n = (1 << 20) + 1
    path = write(tmp_path / "t.parquet", {"x": np.arange(n, dtype=np.int32), "y": np.zeros(n, dtype=np.int8)})
    told = message(path, categorical_features=["x"])
    assert "attribute 'x' has more than 1,048,576 values; leave the column out by ignore=" in told


@pytest.mark.parametrize(
    ("memory", "good"),
    [("2GB", 2 << 30), ("500MB", 500 << 20), ("1.5 gb", 3 << 29), (1 << 25, 1 << 25), ("1TB", 1 << 40)]
    + [(bad, None) for bad in ("much", "-1GB", "2PB", 0, -5, 1.5, None, "5", True, [])],
)
def test_memory(tmp_path, memory, good):
    path = write(tmp_path / "t.parquet")
    if good is None:
        assert "memory" in message(path, memory=memory, kind=ParameterError)
    else:
        with ctree.scan_parquet(path, "y", memory=memory) as cases:
            assert cases.memory == good


def test_other_parameters(tmp_path):
    path = write(tmp_path / "t.parquet")
    assert "classes is 3" in message(path, 3, kind=ParameterError)
    assert "unknown_class is 'keep'" in message(path, unknown_class="keep", kind=ParameterError)
    assert "n_jobs" in message(path, n_jobs=0, kind=ParameterError)
    assert "progress" in message(path, progress="yes", kind=ParameterError)
    assert "ignore has 3" in message(path, ignore=[3], kind=ParameterError)
    assert "cache is 3" in message(path, cache=3, kind=ParameterError)


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    for scan in (ctree.scan_parquet, ctree.scan_csv, ctree.scan_arrow):
        with pytest.raises(MissingExtraError, match=r"to install it: pip install pyarrow$"):
            scan(tmp_path, "y")


def test_a_file_that_changes_between_passes(tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet")
    settled = ParquetReader.settled
    for change in (lambda: os.utime(path, (1, 1)), lambda: write(path, {"x": [1.0], "y": ["c"]}), path.unlink):
        write(path)
        monkeypatch.setattr(ParquetReader, "settled", lambda self, change=change: (change(), settled(self))[1])
        told = message(path)
        assert "t.parquet: the file has" in told
        assert "while it was read" in told


def test_a_file_that_changes_before_it_is_opened_again(tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet", {"x": np.arange(1000.0), "y": np.arange(1000) % 2})
    pieces = ParquetReader.pieces
    monkeypatch.setattr(ParquetReader, "pieces", lambda self: (path.write_bytes(b"gone"), pieces(self))[1])
    assert "t.parquet" in message(path)


def test_a_full_disk(tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet", {"x": np.arange(3000.0), "y": np.arange(3000) % 2}, row_group_size=500)
    real, calls = os.write, iter(range(100))

    def refusing(descriptor, content):
        if next(calls) >= 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, content)

    monkeypatch.setattr(part_file.os, "write", refusing)
    assert "there is no space left for the codes of the cases" in message(path, n_jobs=2)
    monkeypatch.undo()
    monkeypatch.setattr(coding_pass.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 5000})())
    told = message(path)
    assert "the codes of the cases take about 0.0 MB, but only 0.0 MB are free" in told


def test_closing(tmp_path, temporary):
    path = write(tmp_path / "t.parquet")
    cases = ctree.scan_parquet(path, "y")
    assert len(list(temporary.iterdir())) == 1
    part = cases.parts[0]
    assert part.load().n == 2
    cases.close()
    cases.close()
    assert list(temporary.iterdir()) == []
    with pytest.raises(DataError, match="the cases were closed"):
        cases.collect()
    with pytest.raises(DataError, match="the codes of the cases are gone"):
        part.load()
    cases = ctree.scan_parquet(path, "y")
    del cases
    assert list(temporary.iterdir()) == []
