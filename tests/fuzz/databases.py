"""SQLite databases: keys of all forms, views, odd types and names, wrong values, and files that are damaged."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import ctree

from .judging import VoidError
from .linked import drawn_problem, drawn_settings
from .linked_usage import STEPS, learned, live_with
from .mutations import hostile
from .odd import odd_value, thawed

MEMORY_MAY_RUN_OUT = False

TYPES = ("TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "", "DATE", "BOOLEAN", "VARCHAR(9)", "ANY")
KEY_TYPES = ("TEXT", "NUMERIC", "BLOB", "")
"""Those of keys: a column that is INTEGER PRIMARY KEY takes no text."""


def draw(rng: random.Random) -> Any:
    """The statements that make a database, and how it is read."""
    problem = drawn_problem(rng, 0.3)
    script: list[Any] = []
    for name, columns in problem["columns"].items():
        script.append([_create(rng, problem, name, list(columns)), []])
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        for row in rows:
            if rng.random() < 0.02 and row:
                row[rng.randrange(len(row))] = odd_value(rng)
            row[:] = [float(x) if isinstance(x, int) and 2**63 <= abs(x) < 2**1000 else x for x in row]
        script.append([f"INSERT OR IGNORE INTO {_quoted(name)} VALUES ({', '.join('?' * len(columns))})", rows])
    more = (
        "CREATE VIEW v AS SELECT * FROM example",
        "CREATE TABLE alone (a, b)",
        "CREATE TABLE bare (a INTEGER PRIMARY KEY)",
        "CREATE TABLE twice (a, b, PRIMARY KEY (a, b))",
        "CREATE TABLE made (a, b AS (a || 'x'))",
        "CREATE TABLE lost (a REFERENCES nowhere(x), b REFERENCES example)",
        "CREATE VIRTUAL TABLE words USING fts5(a)",
        "CREATE TABLE self (id PRIMARY KEY, other REFERENCES self) WITHOUT ROWID",
        "ATTACH ':memory:' AS other",
    )
    script += [[line, []] for line in rng.sample(more, rng.choice((0, 0, 1, 2)))]
    target = problem["schema"]["target"]
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        keys = problem["schema"]["foreign_keys"]
        options["foreign_keys"] = {f"{key['table']}.{key['column']}": key["references"] for key in keys}
        options["keys"] = {t: e["key"] for t, e in problem["schema"]["tables"].items() if e.get("key")}
    if rng.random() < 0.3:
        options["tables"] = [name for name in problem["columns"] if rng.random() < 0.8]
    options["dangling"] = rng.choice(("error", "unknown", "unknown"))
    given = {
        "script": script,
        "target": [target["table"], target["column"]] if rng.random() < 0.95 else odd_value(rng),
        "options": options,
        "damage": [[rng.randrange(1 << 16), rng.randrange(256)] for _ in range(rng.choice((0, 0, 0, 0, 1, 5, 40)))],
        "by": rng.choice(("file", "file", "connection")),
        "settings": drawn_settings(rng, problem),
        "steps": [rng.choice(STEPS) for _ in range(rng.randint(0, 3))],
        "seed": rng.getrandbits(32),
    }
    if rng.random() < 0.15:
        hostile(rng, given["options"])
    return given


def _create(rng: random.Random, problem: Any, table: str, columns: list[str]) -> str:
    entry = problem["schema"]["tables"].get(table, {})
    keys = {k["column"]: k["references"] for k in problem["schema"]["foreign_keys"] if k["table"] == table}
    parts = []
    for column in columns:
        kinds = KEY_TYPES if column == entry.get("key") else TYPES
        part = f"{_quoted(column)} {rng.choice(kinds) if rng.random() < 0.4 else 'TEXT'}"
        if column == entry.get("key") and rng.random() < 0.9:
            part += rng.choice((" PRIMARY KEY", " PRIMARY KEY", " UNIQUE", " NOT NULL"))
        if column in keys and rng.random() < 0.9:
            there = problem["schema"]["tables"][keys[column]].get("key")
            there = there if rng.random() < 0.95 else "bare"
            part += f" REFERENCES {_quoted(keys[column])}" + (f"({_quoted(there)})" if there else "")
        parts.append(part)
    if rng.random() < 0.03 and len(columns) > 1:
        two = f"({_quoted(columns[0])}, {_quoted(columns[1])})"
        parts.append(rng.choice((f"PRIMARY KEY {two}", f"FOREIGN KEY {two} REFERENCES {_quoted(table)} {two}")))
    return f"CREATE TABLE {_quoted(table)} ({', '.join(parts)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run(given: Any, folder: Path) -> bool:
    """Make the database, read it, and learn from it."""
    path = folder / "tables.db"
    base = sqlite3.connect(path)
    try:
        _make(base, given["script"])
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError, ValueError, TypeError) as error:
        base.close()
        raise VoidError(f"SQLite: {type(error).__name__}") from None
    base.close()
    content = bytearray(path.read_bytes())
    for place, byte in given["damage"]:
        content[place % len(content)] = byte
    path.write_bytes(content)
    source: Any = path if given["by"] == "file" else sqlite3.connect(path)
    try:
        data = ctree.RelationalData.from_sqlite(source, target=thawed(given["target"]), **thawed(given["options"]))
    except TypeError as error:
        if "is no argument" in str(error):  # as of any function
            raise VoidError("an argument that there is not") from None
        raise
    finally:
        if given["by"] == "connection":
            source.close()
    str(data.describe())
    settings = {name: thawed(value) for name, value in given["settings"].items()}
    live_with(learned(settings, data), data, given["steps"], folder, random.Random(given["seed"]))
    return True


def _make(base: Any, script: list[Any]) -> None:
    for statement, rows in script:
        if rows:
            base.executemany(statement, thawed(rows))
        else:
            base.execute(statement) if "INSERT" not in statement else None
    base.commit()
