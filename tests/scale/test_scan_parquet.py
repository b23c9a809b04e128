"""Parquet files, scanned: the schema, the values and the classes are those of the same table in memory."""

from __future__ import annotations

import numpy as np
import pytest
from support.arrow_tables import CLASSES, in_memory, random_table
from support.scanned import check_parts

import ctree
from ctree.data.scan.parquet_files import ParquetReader
from ctree.errors import DataError
from ctree.scale import coding_pass

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("narwhals")


def as_parquet_has_it(table):
    """Without categories of numbers, which Parquet does not know."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer)
    return pq.read_table(buffer.getvalue())


def written(table, folder, rng, n_files):
    """A table in several files, each with its columns in another order, some of them empty."""
    edges = np.sort(rng.integers(0, table.num_rows + 1, n_files - 1)) if n_files > 1 else []
    edges = [0, *edges, table.num_rows]
    for i in range(n_files):
        piece = table.slice(edges[i], edges[i + 1] - edges[i])
        order = list(piece.column_names) if i == 0 else list(rng.permutation(piece.column_names))
        group = int(rng.integers(1, 50))
        pq.write_table(piece.select(order), folder / f"{i:03}.parquet", row_group_size=group)
    return folder


@pytest.mark.parametrize("seed", range(12))
def test_random_tables(tmp_path, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 400))
    table = random_table(rng, n, list(CLASSES)[seed % len(CLASSES)])
    monkeypatch.setattr(coding_pass, "SAMPLE", int(rng.choice([1, 20, 200_000])))
    monkeypatch.setattr(coding_pass, "BLOCK", int(rng.choice([1, 4, 256])))
    folder = written(table, tmp_path, rng, int(rng.integers(1, 6)))
    memory = int(rng.choice([1 << 20, 1 << 31]))
    with ctree.scan_parquet(folder, "the class", memory=memory, n_jobs=int(rng.integers(1, 4))) as cases:
        check_parts(cases, in_memory(as_parquet_has_it(table)), 255 if memory == 1 << 20 else 65_535)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_may_be_discrete(tmp_path, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    names = [
        "int8",
        "uint8",
        "int16",
        "int64",
        "uint64",
        "large",
        "double",
        "whole",
        "half",
        "decimal",
        "nothing",
        "text",
    ]
    table = random_table(rng, 300, "int", names)
    monkeypatch.setattr(coding_pass, "SAMPLE", int(rng.choice([1, 200_000])))
    written(table, tmp_path, rng, 3)
    chosen = [names, list(range(len(names))), [True] * len(names)][seed % 3]
    with ctree.scan_parquet(tmp_path, "the class", categorical_features=chosen) as cases:
        check_parts(cases, in_memory(table, categorical_features=chosen))


def test_text_that_is_to_be_numbers(tmp_path):
    table = pa.table({"x": ["1", " 2.5 ", None, "-3e2"], "b": [True, None, False, True], "y": ["a", "b", "a", "b"]})
    pq.write_table(table, tmp_path / "t.parquet")
    with ctree.scan_parquet(tmp_path, "y", categorical_features=[]) as cases:
        check_parts(cases, in_memory(table, "y", categorical_features=[]))
    pq.write_table(pa.table({"x": ["1", "one"], "y": [1, 2]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"row group 0: attribute 'x' has the value 'one', .* not a number"):
        ctree.scan_parquet(tmp_path, "y", categorical_features=[])


def test_values_that_the_sample_did_not_have(tmp_path, monkeypatch):
    """Labels beyond one byte and numbers in between, all after the rows that were sampled."""
    monkeypatch.setattr(coding_pass, "SAMPLE", 10)
    n = 3000
    table = pa.table(
        {
            "late": ["b"] * 100 + [f"v{i % 700}" for i in range(n - 100)],
            "x": [5.0] * 100 + [float(i % 900) / 7 for i in range(n - 100)],
            "mostly": [0.0] * (n - 1) + [0.5],
            "last": [None] * (n - 1) + [1.0],
            "y": [1] * (n - 300) + list(range(2, 302)),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=250)
    with ctree.scan_parquet(tmp_path, "y", n_jobs=2) as cases:
        check_parts(cases, in_memory(table, "y"))


@pytest.mark.parametrize("sample", [10, 70_000, 200_000])
def test_more_values_than_bins(tmp_path, monkeypatch, sample):
    """The sample shows few values of a column that has more than there are bins, or shows that there are more."""
    monkeypatch.setattr(coding_pass, "SAMPLE", sample)
    rng = np.random.default_rng(3)
    n = 90_000
    table = pa.table(
        {
            "x": np.where(np.arange(n) < 60_000, np.round(rng.normal(size=n)), rng.normal(size=n)),
            "y": rng.permutation(n) % 70_000 - 35_000.0,
            "z": rng.permutation(n) % 65_535,
            "class": np.arange(n) % 2,
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=20_000)
    with ctree.scan_parquet(tmp_path, "class", n_jobs=2) as cases:
        assert [len(cases.bins[j]) <= 65_535 for j in range(3)] == [True] * 3
        check_parts(cases, in_memory(table, "class"))


def test_wide_tables_share_the_memory(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({**{f"x{j}": rng.normal(size=2000) for j in range(300)}, "y": rng.integers(0, 2, 2000)})
    pq.write_table(table, tmp_path / "t.parquet")
    with ctree.scan_parquet(tmp_path, "y", memory="1MB") as cases:
        assert {len(bins) for bins in cases.bins} == {255}
        data = in_memory(table, "y")
        for j in (0, 150, 299):
            codes = np.concatenate([part.load().codes[j] for part in cases.parts]).astype(int)
            numbers = np.concatenate([part.load().numbers[j] for part in cases.parts])
            np.testing.assert_array_equal(numbers, data.columns[j])
            np.testing.assert_array_equal(codes - 1, np.searchsorted(cases.bins[j].cuts, numbers))
            assert np.bincount(codes).max() < 20  # of 8 each


def test_row_groups_are_sliced(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    table = random_table(rng, 1000, names=("double", "text", "category", "normal"))
    pq.write_table(table, tmp_path / "t.parquet")
    monkeypatch.setattr(coding_pass, "MOST_ROWS", 300)
    monkeypatch.setattr(coding_pass, "BLOCK", 1)
    with ctree.scan_parquet(tmp_path / "t.parquet", "the class") as cases:
        assert [part.n for part in cases.parts] == [300, 300, 300, 100]
        check_parts(cases, in_memory(table))


def test_files_by_path_pattern_folder_and_list(tmp_path):
    rng = np.random.default_rng(0)
    table = random_table(rng, 100, names=("text", "normal"))
    (tmp_path / "in").mkdir()
    pq.write_table(table.slice(0, 40), tmp_path / "a.parquet")
    pq.write_table(table.slice(40), tmp_path / "b.pq")
    pq.write_table(table.slice(0, 40), tmp_path / "in" / "_hidden.parquet")
    (tmp_path / "in" / "notes.txt").write_text("no")
    (tmp_path / "in" / "deep").mkdir()
    pq.write_table(table, tmp_path / "in" / "deep" / "c.parquet")
    given = [
        [tmp_path / "a.parquet", str(tmp_path / "b.pq")],
        str(tmp_path / "[ab].p*q*"),
        str(tmp_path / "in"),
        tmp_path / "in" / "deep" / "c.parquet",
    ]
    for paths in given:
        with ctree.scan_parquet(paths, "the class") as cases:
            check_parts(cases, in_memory(table))


def test_columns_that_are_left_out(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"when": pandas.to_datetime(["2020-01-01"] * 3), "x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}, index=[5, 3, 9]
    )
    frame.to_parquet(tmp_path / "f.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "f.parquet").names
    with ctree.scan_parquet(tmp_path, "y", ignore=["when"]) as cases:
        check_parts(cases, ctree.from_arrays(frame[["x"]], frame["y"]))


def test_unknown_classes(tmp_path):
    table = pa.table({"x": [1.0, None, 3.0, 4.0], "t": ["a", "b", None, "c"], "y": ["p", None, "q", None]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    with pytest.raises(DataError, match=r"t\.parquet: row group 0, row 2: the class 'y' is unknown"):
        ctree.scan_parquet(tmp_path, "y")
    with ctree.scan_parquet(tmp_path, "y", unknown_class="drop") as cases:
        attributes = (
            ctree.Attribute("x", ctree.Kind.CONTINUOUS),
            ctree.Attribute("t", ctree.Kind.DISCRETE, ("a", "b", "c")),
        )
        columns = [np.array([1.0, 3.0]), np.array([0, -1], dtype=np.int32)]
        check_parts(
            cases, ctree.Dataset(ctree.Schema(attributes, ("p", "q")), columns, np.array([0, 1], dtype=np.int32))
        )
    pq.write_table(pa.table({"x": [1.0], "y": pa.nulls(1, pa.string())}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="the class of every case is unknown"):
        ctree.scan_parquet(tmp_path, "y", unknown_class="drop")


@pytest.mark.parametrize("first", ["int", "float"])
def test_types_that_can_be_one(tmp_path, first):
    whole = pa.table({"x": pa.array([1, 2, None], pa.int32()), "d": ["a", "b", "a"], "n": pa.nulls(3), "y": [1, 0, 1]})
    fractions = pa.table(
        {"y": [0.0, 1.0], "x": [0.5, 2.0], "n": ["q", None], "d": pa.array(["b", "c"]).dictionary_encode()}
    )
    tables = [whole, fractions] if first == "int" else [fractions, whole]
    for i, table in enumerate(tables):
        pq.write_table(table, tmp_path / f"{i}.parquet")
    names = [name for name in tables[0].column_names if name != "y"]
    plain = {name: [v for table in tables for v in table.column(name).to_pylist()] for name in (*names, "y")}
    for discrete in (None, names):
        with ctree.scan_parquet(tmp_path, "y", categorical_features=discrete) as cases:
            rows = {name: plain[name] for name in names}
            check_parts(cases, ctree.from_arrays(rows, plain["y"], categorical_features=discrete))


def test_a_sample_comes_from_all_over(tmp_path):
    for i in range(4):
        x = np.arange(i * 10_000, (i + 1) * 10_000)
        pq.write_table(pa.table({"x": x, "y": x % 2}), tmp_path / f"{i}.parquet", row_group_size=1000)
    batches = list(ParquetReader(tmp_path, "y", None, ()).sample(["x"], 2000))
    seen = np.concatenate([batch.cells["x"] for batch in batches])
    assert 2000 <= len(seen) <= 2100
    assert np.histogram(seen, 4, (0, 40_000))[0].min() >= 400
