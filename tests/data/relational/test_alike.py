"""Databases read as a model knows their tables."""

import sqlite3

import pytest
from support.linked_tables import molecules, same

import ctree
from ctree.errors import DataConversionWarning, DataError, ParameterError

FULL = {
    "molecule": "id TEXT, seen BLOB, lumo DOUBLE, class TEXT",
    "atom": "id TEXT, molecule TEXT, element TEXT, charge DOUBLE, photo BLOB",
    "bond": "atom1 TEXT, atom2 TEXT, type INTEGER",
    "logs": "line BLOB",
}
"""Without keys, with columns that cannot be read, and numbers where the model has values."""


def database(tables=FULL):
    base = sqlite3.connect(":memory:")
    known = molecules().tables
    for name, columns in tables.items():
        base.execute(f"CREATE TABLE {name} ({columns})")
        names = [c.split()[0] for c in columns.split(",") if c.split()[0] in known.get(name, {})]
        for row in zip(*(known[name][c] for c in names), strict=True) if names else ():
            base.execute(f"INSERT INTO {name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", row)
    return base


def without(table, column):
    columns = [c for c in FULL[table].split(", ") if c.split()[0] != column]
    return FULL | {table: ", ".join(columns)}


def test_keys_links_and_kinds_are_those_of_the_model():
    data = molecules().data()
    assert same(ctree.RelationalData.from_sqlite(database(), like=data.schema), data)


def test_duckdb_reads_the_same():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    base = database()
    for name, columns in FULL.items():
        duckdb.execute(f"CREATE TABLE {name} ({columns})")
        for row in base.execute(f"SELECT * FROM {name}").fetchall():
            duckdb.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
    data = molecules().data()
    found = ctree.RelationalData.from_duckdb(duckdb, like=data.schema)
    assert same(found, data)


def test_the_class_may_be_missing():
    data = molecules().data()
    found = ctree.RelationalData.from_sqlite(database(without("molecule", "class")), like=data.schema)
    assert found.classes is None
    assert found.keys == data.keys
    model = ctree.RelationalTreeClassifier().fit(data)
    assert (model.predict_proba(found) == model.predict_proba(data)).all()


def test_what_is_missing_is_seen_when_the_model_asks_for_it():
    data = molecules().data()
    model = ctree.RelationalTreeClassifier().fit(data)
    assert model.tree_.needed == ("molecule", "molecule.lumo")
    with pytest.warns(DataConversionWarning, match="table 'bond' cannot be reached"):
        found = ctree.RelationalData.from_sqlite(
            database({name: FULL[name] for name in ("molecule", "bond")}), like=model.schema_
        )
    assert (model.predict_proba(found) == model.predict_proba(data)).all()
    found = ctree.RelationalData.from_sqlite(
        database(FULL | {"atom": "other BLOB"} | {"bond": "x TEXT"}), like=data.schema
    )
    assert (model.predict_proba(found) == model.predict_proba(data)).all()
    found = ctree.RelationalData.from_sqlite(database(without("molecule", "lumo")), like=model.schema_)
    with pytest.raises(DataError, match="table 'molecule' has no column 'lumo', which the model asks for"):
        model.predict(found)
    with pytest.raises(DataError, match="the database has no table 'molecule'"):
        ctree.RelationalData.from_sqlite(database({"atom": FULL["atom"]}), like=model.schema_)


def test_a_target_or_a_model_is_needed():
    with pytest.raises(ParameterError, match="like must be a RelationalSchema, not 'molecule'"):
        ctree.RelationalData.from_sqlite(database(), like="molecule")
    with pytest.raises(ParameterError, match="target must be the names of a table and of its class column"):
        ctree.RelationalData.from_sqlite(database())


def test_classes_among_those_of_a_model():
    data = molecules().data()  # its classes are neg and pos
    assert data.classes_among(["pos", "other", "neg"]).tolist() == [0, 2, 2]
    assert data.take([2, 0]).classes_among(("neg", "pos")).tolist() == [0, 1]
    with pytest.raises(DataError, match="the class 'neg' is not one of pos, negative, which the model knows"):
        data.classes_among(["pos", "negative"])
