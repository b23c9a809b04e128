"""Linked tables to files and back, the real sets, and Parquet."""

import json
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from support.golden import REAL_DATA
from support.linked_tables import molecules, problems, same

import ctree
from ctree.errors import DataConversionWarning, DataError, MissingExtraError, ParameterError

SETS = REAL_DATA.parent / "relational" / "data"
NAMES = ("biodegradability", "carcinogenesis", "machines", "mutagenesis", "trains", "trains20", "uwcse")
needs_sets = pytest.mark.skipif(not SETS.is_dir(), reason="the relational sets are not here")


@given(problems())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_written_is_read_back(tmp_path, problem):
    data = problem.data(name="set")
    ctree.write_relational(data, tmp_path)
    assert same(ctree.read_relational(tmp_path), data)
    assert same(ctree.read_relational(tmp_path / "schema.json"), data)


@given(problems())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_what_was_written_as_parquet_is_read_back(tmp_path, problem):
    pytest.importorskip("pyarrow")
    data = problem.data(name="set")
    ctree.write_relational(data, tmp_path, format="parquet")
    assert same(ctree.read_relational(tmp_path), data)


def test_types_in_parquet_and_values_that_csv_cannot_say(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    problem = molecules()
    problem.tables["atom"]["element"] = ["", " c ", "1", None]
    problem.tables["molecule"]["lumo"] = [0.1 + 0.2, 5e-324, None]
    problem.tables["molecule"]["class"] = [2, 10, 2]
    data = problem.data()
    with pytest.raises(DataError, match=r"a value of 'atom\.element'"):
        ctree.write_relational(data, tmp_path / "csv")
    ctree.write_relational(data, tmp_path, format="parquet")
    assert sorted(os.listdir(tmp_path)) == ["atom.parquet", "bond.parquet", "molecule.parquet", "schema.json"]
    again = ctree.read_relational(tmp_path)
    assert same(again, data)
    assert again.labels == [2, 10, 2]
    assert again.table("atom").values[again.schema.table("atom").index("element")] == ("", " c ", "1")
    written = parquet.read_table(tmp_path / "molecule.parquet")
    assert [str(field.type) for field in written.schema] == ["string", "double", "string"]
    assert written.column("lumo").to_pylist() == [0.1 + 0.2, 5e-324, None]


def test_fewer_examples_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    data = molecules().data().take([2, 0])
    ctree.write_relational(data, tmp_path, format="parquet")
    ctree.write_relational(data, tmp_path / "csv")
    assert same(ctree.read_relational(tmp_path), ctree.read_relational(tmp_path / "csv"))
    assert parquet.read_table(tmp_path / "molecule.parquet").column("id").to_pylist() == ["m3", "m1"]


def test_formats_that_are_none_and_text_that_is_no_unicode(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(ParameterError, match="format must be 'csv' or 'parquet', not 'xml'"):
        ctree.write_relational(molecules().data(), tmp_path, format="xml")
    problem = molecules()
    problem.tables["atom"]["element"][0] = "\ud800"
    with pytest.raises(DataError, match="table 'atom' cannot be written as Parquet"):
        ctree.write_relational(problem.data(), tmp_path, format="parquet")
    assert not any(tmp_path.iterdir())


def test_a_schema_goes_there_and_back_with_its_bias(tmp_path):
    data = molecules().data(links={"bond.atom2": "up"}, constants={"atom.charge": False}, classes=["pos", "neg", "no"])
    ctree.write_relational(data, tmp_path / "new" / "folder")
    again = ctree.read_relational(tmp_path / "new" / "folder")
    assert same(again, data)
    assert again.schema.links == (("bond.atom2", "up"),)
    assert again.schema.classes == ("pos", "neg", "no")
    assert json.loads((tmp_path / "new/folder/schema.json").read_text())["format"] == "ctree-relational"
    assert sorted(os.listdir(tmp_path / "new/folder")) == ["atom.csv", "bond.csv", "molecule.csv", "schema.json"]


@pytest.mark.parametrize("labels", [[1, 0, 1], [True, False, True], [0.5, 1.0, 0.5], ["1", "0", "1"]])
def test_classes_keep_their_type(tmp_path, labels):
    problem = molecules()
    problem.tables["molecule"]["class"] = labels
    data = problem.data()
    assert data.labels == labels
    ctree.write_relational(data, tmp_path)
    assert ctree.read_relational(tmp_path).labels == labels
    assert list(map(type, ctree.read_relational(tmp_path).labels)) == list(map(type, labels))


def test_fewer_examples_are_written_without_the_links_to_others(tmp_path):
    data = molecules().data().take([2, 0])
    ctree.write_relational(data, tmp_path)
    assert (tmp_path / "molecule.csv").read_text() == "id,lumo,class\nm3,0.25,neg\nm1,-1.5,pos\n"
    assert (tmp_path / "atom.csv").read_text().splitlines()[3] == "a3,,,"
    again = ctree.read_relational(tmp_path)
    assert again.keys == data.keys
    assert [mask.tolist() for mask in list(again.closure().values())[1:]] == [
        mask.tolist() for mask in list(data.closure().values())[1:]
    ]


def test_what_a_file_cannot_express_is_refused(tmp_path):
    problem = molecules()
    with pytest.raises(DataError, match="an example is there twice"):
        ctree.write_relational(problem.data().take([0, 0]), tmp_path)
    problem.tables["atom"]["element"][0] = " c"
    with pytest.raises(DataError, match=r"a value of 'atom.element' is ' c', which a comma-separated file cannot"):
        ctree.write_relational(problem.data(), tmp_path)
    problem.tables["atom"]["element"][0] = ""
    with pytest.raises(DataError, match="which a comma-separated file cannot express"):
        ctree.write_relational(problem.data(), tmp_path)
    with pytest.raises(DataError, match="this is a dict, but should be a RelationalData"):
        ctree.write_relational({}, tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"file: the folder cannot be made"):
        ctree.write_relational(molecules().data(), tmp_path / "file")


@needs_sets
@pytest.mark.parametrize("name", NAMES)
def test_the_relational_sets(name, tmp_path):
    data = ctree.read_relational(SETS / name)
    counts = json.loads((SETS / name / "schema.json").read_text())["counts"]
    classes = counts.pop("classes")
    assert {table.schema.name: table.n_rows for table in data.tables} == counts
    assert data.describe().classes == classes
    assert all(mask.any() for mask in data.closure().values())
    ctree.write_relational(data, tmp_path)
    assert same(ctree.read_relational(tmp_path), data)


@needs_sets
def test_values_that_are_numerals_are_in_the_order_of_numbers():
    data = ctree.read_relational(SETS / "mutagenesis")
    types = data.table("atom").values[data.table("atom").schema.index("type")]
    assert types == tuple(sorted(types, key=int))
    assert types[0] == "1"


def test_cells_of_files(tmp_path):
    (tmp_path / "schema.json").write_text(
        json.dumps(
            {
                "format": "ctree-relational",
                "version": 1,
                "notes": "free",
                "target": {"table": "t", "column": "c"},
                "tables": {
                    "t": {
                        "file": "t.csv",
                        "key": "k",
                        "columns": {"k": "key", "d": "discrete", "x": "continuous", "c": "class", "i": "ignore"},
                    }
                },
            }
        )
    )
    text = 'k,d,unnamed,x,c,i\n007,?,1, 1e2 ,10,z\n7," NA ",2,,9,z\n\n"a\nb",,3,NaN,9,z\n'
    (tmp_path / "t.csv").write_text("\ufeff" + text, encoding="utf-8")
    data = ctree.read_relational(tmp_path)
    assert data.keys == ["007", "7", "a\nb"]
    assert data.schema.table("t").names == ("k", "d", "x", "c")
    assert data.table("t").values[1] == ("?", "NA")
    assert data.table("t").column("d").tolist() == [0, 1, -1]
    assert np.array_equal(data.table("t").column("x"), [100, np.nan, np.nan], equal_nan=True)
    assert data.labels == ["10", "9", "9"]
    assert data.schema.classes == ("9", "10")


def test_examples_without_classes(tmp_path):
    ctree.write_relational(molecules().data(), tmp_path)
    (tmp_path / "molecule.csv").write_text("id,lumo\nm1,2\nm2,3\n")
    (tmp_path / "atom.csv").write_text("id,molecule,element,charge\na1,m1,c,1\na2,m2,c,1\na3,m2,c,1\n")
    with pytest.raises(DataError, match=r"molecule.csv: there is no column 'class' among id, lumo$"):
        ctree.read_relational(tmp_path)
    data = ctree.read_relational(tmp_path, labels="optional")
    assert data.classes is None
    assert data.labels == [None, None]
    assert data.schema.class_column is None
    (tmp_path / "molecule.csv").write_text("id,lumo,class\nm1,2,neg\nm2,3,\n")
    assert ctree.read_relational(tmp_path, labels="optional").classes.tolist() == [0, -1]
    assert ctree.read_relational(tmp_path, unknown_class="keep").classes.tolist() == [0, -1]
    assert ctree.read_relational(tmp_path, unknown_class="drop").keys == ["m1"]


def test_parquet_files_hold_the_same(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("narwhals")
    import pyarrow.parquet as pq

    problem = molecules()
    data = problem.data()
    ctree.write_relational(data, tmp_path)
    for name, table in problem.tables.items():
        extra = {"when": pa.array([None] * len(next(iter(table.values()))), pa.timestamp("s"))}  # not in the schema
        pq.write_table(pa.table({**table, **extra}), tmp_path / f"{name}.parquet")
    schema = (tmp_path / "schema.json").read_text().replace(".csv", ".parquet")
    (tmp_path / "schema.json").write_text(schema)
    assert same(ctree.read_relational(tmp_path), data)
    pq.write_table(pa.table({"id": ["a1", "a1"], "molecule": ["m1", "m1"]}), tmp_path / "atom.parquet")
    with pytest.raises(DataError, match=r"atom.parquet: there is no column 'element' among id, molecule$"):
        ctree.read_relational(tmp_path)
    full = {"id": ["a1", "a1"], "molecule": ["m1", "m1"], "element": ["c", "c"], "charge": [1.0, 1.0]}
    pq.write_table(pa.table(full), tmp_path / "atom.parquet")
    with pytest.raises(
        DataError, match=r"atom.parquet: row 2: the key 'a1' of table 'atom' occurs twice, first in row 1"
    ):
        ctree.read_relational(tmp_path)
    (tmp_path / "atom.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match=r"atom.parquet: the file cannot be read"):
        ctree.read_relational(tmp_path)
    (tmp_path / "atom.parquet").unlink()
    with pytest.raises(DataError, match=r"atom.parquet: there is no such file"):
        ctree.read_relational(tmp_path)


def test_parquet_needs_pyarrow(tmp_path, monkeypatch):
    ctree.write_relational(molecules().data(), tmp_path)
    schema = (tmp_path / "schema.json").read_text().replace(".csv", ".parquet")
    (tmp_path / "schema.json").write_text(schema)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"to install it: pip install pyarrow narwhals$"):
        ctree.read_relational(tmp_path)


def test_files_of_unlinked_tables_are_not_read(tmp_path):
    ctree.write_relational(molecules().data(), tmp_path)
    schema = json.loads((tmp_path / "schema.json").read_text())
    schema["tables"]["logs"] = {"file": "nowhere.csv", "columns": {"line": "discrete"}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    with pytest.warns(DataConversionWarning, match=r"^table 'logs' cannot be reached from 'molecule' and is left out$"):
        data = ctree.read_relational(tmp_path)
    assert data.unlinked == ("logs",)
    assert data.describe().unlinked == ("logs",)
    assert "logs" not in data.schema.table_names
