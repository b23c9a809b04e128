"""Batches of Arrow, scanned: from files, functions, tables and streams."""

from __future__ import annotations

import numpy as np
import pytest
from support.arrow_tables import CLASSES, in_memory, random_table
from support.scanned import check_parts

import ctree
from ctree.data.scan import arrow_batches
from ctree.errors import DataError, DataTypeError, ParameterError
from ctree.scale import coding_pass

pa = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")


def batches_of(table, rng):
    start, found = 0, []
    while start < table.num_rows:
        size = int(rng.integers(0, 40))
        found += table.slice(start, size).combine_chunks().to_batches() or []
        start += size
    return found


FORMS = ["table", "batches", "callable", "iterator", "reader", "tables", "stream", "file", "stream file"]


def given(form, table, rng, folder):
    batches = batches_of(table, rng)
    if form in ("file", "stream file"):
        make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
        unified = pa.Table.from_batches(batches).unify_dictionaries()
        for i, part in enumerate((unified.slice(0, 50), unified.slice(50))):
            with make(str(folder / f"{i}.arrow"), table.schema) as writer:
                writer.write_table(part, max_chunksize=30)
        (folder / "empty.arrow").write_bytes(b"")
        return folder
    return {
        "table": table,
        "batches": batches,
        "callable": lambda: iter(batches),
        "iterator": iter(batches),
        "reader": pa.RecordBatchReader.from_batches(table.schema, batches),
        "tables": [table.slice(0, 10), table.slice(10)],
        "stream": Stream(table),
    }[form]


class Stream:
    """A table of another library, which Arrow can read again and again."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", FORMS)
def test_random_tables(tmp_path, form, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 200, list(CLASSES)[seed])
    monkeypatch.setattr(coding_pass, "MOST_ROWS", 70)
    with ctree.scan_arrow(given(form, table, rng, tmp_path), "the class", n_jobs=1 + seed) as cases:
        check_parts(cases, in_memory(table))
        assert len(cases.parts) >= 3


def test_dictionaries_differ_from_batch_to_batch():
    rows = [["b", "a", None], ["c", "b"], ["a"]]
    arrays = [pa.array(some).dictionary_encode() for some in rows]
    batches = [pa.record_batch({"d": array, "y": [1] * len(array)}) for array in arrays]
    with ctree.scan_arrow(batches, "y") as cases:
        check_parts(cases, ctree.from_arrays({"d": [value for some in rows for value in some]}, [1] * 6))


def test_views_and_runs():
    view = pa.array(["b", None, "a"]).cast(pa.string_view())
    runs = pa.compute.run_end_encode(pa.array([1.5, 1.5, None]))
    table = pa.table({"v": view, "r": runs, "y": [1, 2, 1]})
    with ctree.scan_arrow(table, "y") as cases:
        check_parts(cases, ctree.from_arrays({"v": ["b", None, "a"], "r": [1.5, 1.5, None]}, [1, 2, 1]))


def test_a_sample_is_every_so_many(monkeypatch):
    table = pa.table({"x": np.arange(10_000), "y": np.arange(10_000) % 2})
    reader = arrow_batches.ArrowReader(
        lambda: arrow_batches.record_batches(table.to_batches(max_chunksize=77)), "y", None, sample=300
    )
    seen = np.concatenate([batch.cells["x"] for batch in reader.sample(["x"], 300)])
    assert 300 <= len(seen) <= 600
    assert (np.diff(seen) > 0).all()
    assert np.diff(seen).max() <= 77
    assert reader.n_rows == 10_000


def test_batches_that_are_others_the_second_time():
    sizes = iter([10, 9, 10, 11])
    for _ in range(2):
        with pytest.raises(DataError, match="not the same 10 cases"):
            ctree.scan_arrow(lambda: [pa.record_batch({"x": range(n := next(sizes)), "y": range(n)})], "y")


@pytest.mark.parametrize(
    ("batches", "error", "message"),
    [
        ([], DataError, "batches is empty"),
        (3, DataTypeError, "batches is a int"),
        ([1, 2], DataTypeError, "batches has a int"),
        (list, DataError, "there are no batches"),
        (lambda: [{"x": 1}], DataTypeError, "batches has a dict"),
        ({"x": [1]}, DataTypeError, "batches is a dict"),
    ],
)
def test_what_is_no_batch(batches, error, message):
    with pytest.raises(error, match=message):
        ctree.scan_arrow(batches, "y")


def test_errors_of_types_name_the_batches():
    batches = [pa.record_batch({"x": [1], "y": [1]}), pa.record_batch({"x": ["a"], "y": [1]})]
    with pytest.raises(DataError, match="column 'x' has the type string, but int64 in an earlier batch"):
        ctree.scan_arrow(batches, "y")


def test_a_cache_is_for_files(tmp_path):
    with pytest.raises(ParameterError, match="cache can be given for files only"):
        ctree.scan_arrow(pa.table({"x": [1], "y": [1]}), "y", cache=tmp_path)


def test_a_file_that_is_none_of_arrow(tmp_path):
    (tmp_path / "a.arrow").write_bytes(b"ARROW1 is not all that it needs")
    with pytest.raises(DataError, match=r"a\.arrow: the file cannot be read"):
        ctree.scan_arrow(tmp_path / "a.arrow", "y")
    (tmp_path / "a.arrow").write_bytes(b"something else")
    with pytest.raises(DataError, match=r"a\.arrow: the file cannot be read"):
        ctree.scan_arrow(tmp_path / "a.arrow", "y")
    with pytest.raises(DataError, match="no such file"):
        ctree.scan_arrow(tmp_path / "b.arrow", "y")
