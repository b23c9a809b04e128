"""Databases: keys and foreign keys from the catalogue."""

import sqlite3
import sys
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from support.linked_tables import molecules, problems, same

import ctree
from ctree.errors import DataConversionWarning, DataError, MissingExtraError, ParameterError

TABLES = """
CREATE TABLE molecule (id TEXT PRIMARY KEY, lumo DOUBLE, class TEXT);
CREATE TABLE atom (id TEXT PRIMARY KEY, molecule TEXT REFERENCES molecule(id), element TEXT, charge DOUBLE);
CREATE TABLE bond (atom1 TEXT REFERENCES atom(id), atom2 TEXT, type TEXT, FOREIGN KEY (atom2) REFERENCES atom(id));
CREATE TABLE logs (line TEXT, seen TIMESTAMP, PRIMARY KEY (line, seen));
INSERT INTO logs VALUES ('x', '2020-01-01');
"""
TARGET = ("molecule", "class")
SYMMETRIC = {"bond": ("atom1", "atom2")}


def filled(connection):
    """The molecules in a database."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    for name, table in molecules().tables.items():
        marks = ", ".join("?" * len(table))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", list(zip(*table.values(), strict=True)))
    return connection


def sqlite():
    return filled(sqlite3.connect(":memory:"))


def duckdb():
    return filled(pytest.importorskip("duckdb", reason="duckdb is not installed").connect())


DATABASES = {"sqlite": (sqlite, ctree.RelationalData.from_sqlite), "duckdb": (duckdb, ctree.RelationalData.from_duckdb)}
every_database = pytest.mark.parametrize("kind", DATABASES)


@every_database
def test_keys_come_from_the_catalogue(kind):
    connect, read = DATABASES[kind]
    with pytest.warns(DataConversionWarning, match="table 'logs' cannot be reached from 'molecule' and is left out"):
        data = read(connect(), target=TARGET, symmetric=SYMMETRIC, tables=["molecule", "atom", "bond", "logs"])
    assert same(data, molecules().data())
    assert data.unlinked == ("logs",)
    assert [key.name for key in data.schema.foreign_keys] == ["atom.molecule", "bond.atom1", "bond.atom2"]


@every_database
def test_tables_can_be_chosen_and_kinds_given(kind):
    connect, read = DATABASES[kind]
    options = {"tables": ["atom", "bond"], "kinds": {"atom.charge": "ignore", "molecule.lumo": "discrete"}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read(connect(), target=TARGET, **options)
    assert data.schema.table("atom").names == ("id", "molecule", "element")
    assert data.table("molecule").values[1] == ("-1.5", "0.25")
    assert read(connect(), target="molecule", tables=["atom"], name="few").schema.table_names == ("molecule", "atom")
    with pytest.raises(DataError, match=r"the database has no table 'atm' \(tables: .*did you mean 'atom'"):
        read(connect(), target=TARGET, tables=["atm"])
    with pytest.raises(DataError, match="the database has no table 'x'"):
        read(connect(), target=("x", "class"))
    with pytest.raises(TypeError, match=r"'kind' is no argument \(did you mean 'kinds'\?\)"):
        read(connect(), target=TARGET, kind={})
    with pytest.raises(ParameterError, match=r"kinds names 'atom\.charg', which is no column"):
        read(connect(), target=TARGET, tables=["atom"], kinds={"atom.charg": "ignore"})
    with pytest.raises(ParameterError, match="tables must be a list of names, not 'atom'"):
        read(connect(), target=TARGET, tables="atom")


@every_database
def test_the_order_of_tables(kind):
    connect, read = DATABASES[kind]
    with pytest.warns(DataConversionWarning):
        names = read(connect(), target=TARGET).schema.table_names
    assert names == (("molecule", "atom", "bond") if kind == "sqlite" else ("atom", "bond", "molecule"))
    assert read(connect(), target=TARGET, tables=["bond", "atom"]).schema.table_names == ("molecule", "bond", "atom")
    data = read(connect(), target=TARGET, tables=["bond", "molecule", "atom", "bond"])
    assert data.schema.table_names == ("bond", "molecule", "atom")
    assert [key.name for key in data.schema.foreign_keys] == ["bond.atom1", "bond.atom2", "atom.molecule"]


@every_database
def test_keys_can_be_added(kind):
    connect, read = DATABASES[kind]
    connection = connect()
    connection.execute("CREATE TABLE note (about TEXT, words TEXT)")
    connection.execute("INSERT INTO note VALUES ('m1', 'good'), ('m1', NULL)")
    data = read(connection, target=TARGET, tables=["note"], foreign_keys={"note.about": "molecule"})
    assert data.table("note").column("about").tolist() == [0, 0]
    assert data.table("note").column("words").tolist() == [0, -1]


@every_database
def test_composite_keys(kind):
    connect, read = DATABASES[kind]
    connection = connect()
    connection.execute(
        "CREATE TABLE place (molecule TEXT REFERENCES molecule(id), n INTEGER, PRIMARY KEY (molecule, n))"
    )
    connection.execute("INSERT INTO place VALUES ('m1', 1), ('m1', 2)")
    data = read(connection, target=TARGET, tables=["place"])
    assert data.schema.table("place").key is None  # as nothing refers to it
    connection.execute(
        "CREATE TABLE visit (molecule TEXT, n INTEGER, FOREIGN KEY (molecule, n) REFERENCES place(molecule, n))"
    )
    message = r"a foreign key of table 'visit' has the columns molecule, n and refers .* keys are single columns; join"
    with pytest.raises(DataError, match=message):
        read(connection, target=TARGET, tables=["place", "visit"])


@every_database
def test_a_foreign_key_may_refer_to_a_unique_column(kind):
    connect, read = DATABASES[kind]
    connection = connect()
    connection.execute(
        "CREATE TABLE maker (id INTEGER PRIMARY KEY, code TEXT UNIQUE, molecule TEXT REFERENCES molecule)"
    )
    connection.execute("CREATE TABLE sale (maker TEXT REFERENCES maker(code))")
    connection.execute("INSERT INTO maker VALUES (5, 'x', 'm2')")
    connection.execute("INSERT INTO sale VALUES ('x')")
    data = read(connection, target=TARGET, tables=["maker", "sale"])
    assert data.schema.table("maker").key == "code"
    assert data.table("sale").column("maker").tolist() == [0]
    connection.execute("CREATE TABLE gift (maker INTEGER REFERENCES maker(id))")
    with pytest.raises(
        DataError, match="foreign keys refer to the columns 'code' and 'id' of table 'maker', but a table"
    ):
        read(connection, target=TARGET, tables=["maker", "sale", "gift"])


@every_database
def test_numbers_are_keys_and_types_that_are_none(kind):
    connect, read = DATABASES[kind]
    connection = connect()
    connection.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, parent BIGINT REFERENCES t(id), x INTEGER, y BOOLEAN)")
    connection.execute("INSERT INTO t VALUES (9007199254740993, NULL, 1, true)")
    connection.execute("INSERT INTO t VALUES (9007199254740992, 9007199254740993, NULL, false)")
    data = read(connection, target=("t", "y"), tables=[])
    assert data.keys == ["9007199254740993", "9007199254740992"]
    assert data.up(0).tolist() == [-1, 0]
    assert data.schema.table("t").column("x").kind.value == "continuous"
    connection.execute("CREATE TABLE u (t BIGINT REFERENCES t(id), photo BLOB)")
    connection.execute("INSERT INTO u VALUES (9007199254740993, CAST('ab' AS BLOB))")
    with pytest.raises(DataError, match="table 'u': column 'photo'"):
        read(connection, target=("t", "y"), tables=["u"])
    assert len(read(connection, target=("t", "y"), tables=["u"], kinds={"u.photo": "ignore"}))
    with pytest.raises(DataError, match="table 'u' has no columns that are not ignored"):
        read(connection, target=("t", "y"), tables=["u"], kinds={"u.photo": "ignore", "u.t": "ignore"})


def put(connection, problem, types):
    """A random problem as tables of a database, with the foreign keys that are declared afterwards."""

    def name(text):
        return '"' + text.replace('"', '""') + '"'

    for table, columns in problem.tables.items():
        declared = ", ".join(f"{name(c)} {types(cells)}" for c, cells in columns.items())
        connection.execute(f"CREATE TABLE {name(table)} ({declared})")
        rows = list(zip(*columns.values(), strict=True))
        if rows:
            connection.executemany(f"INSERT INTO {name(table)} VALUES ({', '.join('?' * len(columns))})", rows)


def of_type(cells):
    kinds = {type(cell) for cell in cells} - {type(None)}
    return {str: "VARCHAR", int: "BIGINT", float: "DOUBLE"}[kinds.pop()] if kinds else "VARCHAR"


@every_database
@given(problem=problems())
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_random_tables_are_the_same_as_in_memory(kind, problem):
    if len({name.lower() for name in problem.tables}) < len(problem.tables):
        return  # which is one name in a database
    data = problem.data()
    if kind == "sqlite":
        connection = sqlite3.connect(":memory:")
    else:
        connection = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    put(connection, problem, of_type)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        found = DATABASES[kind][1](connection, tables=list(problem.tables), **problem.options())
    connection.close()
    assert same(found, data)


def test_files_of_sqlite(tmp_path):
    path = tmp_path / "a base?#%.db"
    with sqlite3.connect(path) as connection:
        filled(connection)
    connection.close()
    before = path.read_bytes()
    data = ctree.RelationalData.from_sqlite(path, target=TARGET, tables=["atom", "bond"], symmetric=SYMMETRIC)
    assert same(data, molecules().data())
    assert path.read_bytes() == before
    with pytest.raises(DataError, match=r"nowhere.db: there is no such file"):
        ctree.RelationalData.from_sqlite(tmp_path / "nowhere.db", target=TARGET)
    assert not (tmp_path / "nowhere.db").exists()
    (tmp_path / "text.db").write_text("no database" * 100)
    with pytest.raises(DataError, match=r"text.db: the database cannot be read \(file is not a database\)"):
        ctree.RelationalData.from_sqlite(tmp_path / "text.db", target=TARGET)
    with pytest.raises(DataError, match=r"db: the database has no table 'x'"):
        ctree.RelationalData.from_sqlite(path, target="x")


def test_names_of_sqlite_are_the_same_in_any_case_of_letters():
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE Machine (Id INTEGER PRIMARY KEY, action TEXT);"
        "CREATE TABLE worn (MACHINE INTEGER REFERENCES MACHINE, part TEXT REFERENCES nowhere(x));"
        "INSERT INTO machine VALUES (1, 'fix'); INSERT INTO worn VALUES (1, 'gear');"
    )
    data = ctree.RelationalData.from_sqlite(connection, target=("Machine", "action"))
    assert [key.name for key in data.schema.foreign_keys] == ["worn.MACHINE"]
    assert data.schema.table("Machine").key == "Id"


def test_files_of_duckdb(tmp_path, monkeypatch):
    module = pytest.importorskip("duckdb", reason="duckdb is not installed")
    path = tmp_path / "base.duckdb"
    with module.connect(str(path)) as connection:
        filled(connection)
    data = ctree.RelationalData.from_duckdb(path, target=TARGET, tables=["atom", "bond"], symmetric=SYMMETRIC)
    assert same(data, molecules().data())
    with pytest.raises(DataError, match=r"nowhere: there is no such file"):
        ctree.RelationalData.from_duckdb(tmp_path / "nowhere", target=TARGET)
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    with pytest.raises(DataError, match=r"text.duckdb: the database cannot be read"):
        ctree.RelationalData.from_duckdb(tmp_path / "text.duckdb", target=TARGET)
    with pytest.raises(ParameterError, match="this should be a connection of duckdb or a file, not a int"):
        ctree.RelationalData.from_duckdb(3, target=TARGET)
    with pytest.raises(ParameterError, match="this should be a connection of duckdb or a file, not a Connection"):
        ctree.RelationalData.from_duckdb(sqlite(), target=TARGET)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"to install it: pip install duckdb$"):
        ctree.RelationalData.from_duckdb(path, target=TARGET)


def test_types_of_duckdb():
    connection = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    connection.execute("CREATE TYPE colour AS ENUM ('red', 'green')")
    connection.execute(
        "CREATE TABLE t (id UUID PRIMARY KEY, c colour, d DECIMAL(5, 2), b BOOLEAN, i UTINYINT, l INTEGER[], y VARCHAR)"
    )
    connection.execute(
        "INSERT INTO t VALUES (uuid(), 'red', 1.25, true, 200, [1], 'a'), (uuid(), NULL, NULL, NULL, NULL, NULL, 'b')"
    )
    with pytest.raises(DataError, match=r"table 't': column 'l' has the type INTEGER\[\]; it should hold numbers"):
        ctree.RelationalData.from_duckdb(connection, target=("t", "y"))
    data = ctree.RelationalData.from_duckdb(connection, target=("t", "y"), kinds={"t.l": "ignore"})
    kinds = {column.name: column.kind.value for column in data.schema.table("t").columns}
    assert kinds == {"id": "key", "c": "discrete", "d": "continuous", "b": "discrete", "i": "continuous", "y": "class"}
    assert data.table("t").values[3] == ("true",)
    assert data.table("t").column("c").tolist() == [0, -1]
    assert str(data.table("t").column("d").tolist()) == "[1.25, nan]"


class TestDatabasesInUse:
    """Databases that others write to, that are locked or damaged, and connections with ways of their own."""

    def test_all_tables_are_read_at_one_moment(self, tmp_path):
        path = tmp_path / "base.db"
        filled(sqlite3.connect(path)).commit()
        writer = sqlite3.connect(path)
        writer.execute("PRAGMA journal_mode = WAL")
        reader = sqlite3.connect(path)

        def change(statement):
            if 'FROM "bond"' in statement:  # after atoms were read
                writer.execute("INSERT INTO atom VALUES ('late', 'm1', 'c', 1)")
                writer.execute("INSERT INTO bond VALUES ('late', 'late', '1')")
                writer.commit()

        reader.set_trace_callback(change)
        data = ctree.RelationalData.from_sqlite(reader, target=TARGET, tables=["atom", "bond"], symmetric=SYMMETRIC)
        assert same(data, molecules().data())
        assert not reader.in_transaction
        assert reader.execute("SELECT count(*) FROM bond WHERE atom1 = 'late'").fetchone() == (1,)

    def test_a_transaction_of_the_caller_goes_on(self):
        connection = sqlite()
        assert connection.in_transaction
        ctree.RelationalData.from_sqlite(connection, target=TARGET, tables=["atom"])
        assert connection.in_transaction
        connection.rollback()
        assert connection.execute("SELECT count(*) FROM atom").fetchone() == (0,)

    def test_rows_and_texts_in_other_forms(self):
        expected = molecules().data()
        for change in (
            {"row_factory": sqlite3.Row},
            {"row_factory": lambda cursor, row: {c[0]: x for c, x in zip(cursor.description, row, strict=True)}},
            {"text_factory": bytes},
        ):
            connection = sqlite()
            for name, value in change.items():
                setattr(connection, name, value)
            data = ctree.RelationalData.from_sqlite(
                connection, target=TARGET, tables=["atom", "bond"], symmetric=SYMMETRIC
            )
            assert same(data, expected)
            assert all(getattr(connection, name) is value for name, value in change.items())

    def test_locked(self, tmp_path):
        path = tmp_path / "base.db"
        writer = filled(sqlite3.connect(path))
        writer.commit()
        writer.execute("BEGIN EXCLUSIVE")
        reader = sqlite3.connect(path, timeout=0)
        with pytest.raises(DataError, match=r"^the database cannot be read \(database is locked\)$"):
            ctree.RelationalData.from_sqlite(reader, target=TARGET)
        writer.rollback()
        ctree.RelationalData.from_sqlite(reader, target=TARGET, tables=["atom"])

    def test_closed(self):
        connection = sqlite()
        connection.close()
        with pytest.raises(DataError, match=r"the database cannot be read \(Cannot operate on a closed database.\)"):
            ctree.RelationalData.from_sqlite(connection, target=TARGET)

    def test_damaged_anywhere(self, tmp_path):
        path = tmp_path / "base.db"
        with sqlite3.connect(path) as connection:
            filled(connection)
        connection.close()
        whole, refused = path.read_bytes(), []
        for place in range(0, len(whole), 61):
            path.write_bytes(whole[:place] + b"\xff\x00\xff" * 7 + whole[place + 21 :])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    ctree.RelationalData.from_sqlite(path, target=TARGET, dangling="unknown")
                except DataError as error:
                    refused.append(str(error))
        assert len(refused) > 5
        assert not any("\n" in message for message in refused)

    def test_what_is_said_and_wrong(self):
        for options, message in (
            ({"keys": 3}, "keys must be a mapping, not 3"),
            ({"foreign_keys": ["a"]}, r"foreign_keys must be a mapping, not \['a'\]"),
            ({"kinds": "x"}, "kinds must be a mapping, not 'x'"),
            ({"tables": 5}, "tables must be a list of names, not 5"),
            ({"tables": [1]}, r"tables must be a list of names, not \[1\]"),
        ):
            with pytest.raises(ParameterError, match=message):
                ctree.RelationalData.from_sqlite(sqlite(), target=TARGET, **options)
        with pytest.raises(DataError, match=r"the foreign key 'bond.atom2' refers to \[\], but the tables are"):
            ctree.RelationalData.from_sqlite(sqlite(), target=TARGET, foreign_keys={"bond.atom2": []})

    @every_database
    def test_views_are_no_tables_and_need_none(self, kind):
        connect, read = DATABASES[kind]
        connection = connect()
        connection.execute("CREATE VIEW heavy AS SELECT id, lost FROM atom" if kind == "sqlite" else
                           "CREATE VIEW heavy AS SELECT id FROM atom")  # fmt: skip
        assert same(read(connection, target=TARGET, tables=["atom", "bond"], symmetric=SYMMETRIC), molecules().data())
        with pytest.raises(DataError, match="the database has no table 'heavy'"):
            read(connection, target="heavy")

    @every_database
    def test_without_any_keys(self, kind):
        connect, read = DATABASES[kind]
        connection = connect()
        connection.execute("CREATE TABLE alone (x DOUBLE, y TEXT)")
        connection.execute("INSERT INTO alone VALUES (1, 'a'), (2, 'b')")
        data = read(connection, target=("alone", "y"), tables=["alone"])
        assert data.keys is None
        assert ctree.RelationalTreeClassifier().fit(data).predict(data).tolist() == ["a", "b"]
