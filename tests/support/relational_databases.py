"""Linked tables in databases, loaded from the columns of problems, and what exported queries say of them."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import duckdb
import numpy as np

DIALECTS = ("sqlite", "duckdb")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def columns_of_folder(folder: Path) -> tuple[dict, dict]:
    """The schema and the columns of a folder of CSV files, None where a cell is empty."""
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    columns = {}
    for name, entry in schema["tables"].items():
        with (folder / entry["file"]).open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        cells = {c: [row[i] or None for row in rows] for i, c in enumerate(header) if c in entry["columns"]}
        columns[name] = cells
    return schema, columns


class Databases:
    """The same tables in SQLite and in DuckDB; keys and discrete values are text, numbers doubles."""

    def __init__(self, schema: dict, columns: dict) -> None:
        self.schema = schema
        self.bases = {"sqlite": sqlite3.connect(":memory:"), "duckdb": duckdb.connect()}
        self.key = schema["tables"][schema["target"]["table"]]["key"]
        self.order = columns[schema["target"]["table"]][self.key]
        for name, entry in schema["tables"].items():
            self._load(name, entry, columns[name])
        for link in schema["foreign_keys"]:
            self._index(link["table"], link["column"])

    def _load(self, name: str, entry: dict, columns: dict) -> None:
        kinds = {c: "DOUBLE" if kind == "continuous" else "VARCHAR" for c, kind in entry["columns"].items()}
        used = [c for c in kinds if c in columns]
        declared = ", ".join(f"{quoted(c)} {kinds[c]}" for c in used)
        cells = [[_cell(value, kinds[c]) for value in columns[c]] for c in used]
        for base in self.bases.values():
            base.execute(f"CREATE TABLE {quoted(name)} ({declared})")
        marks = ", ".join("?" * len(used))
        rows = list(zip(*cells, strict=True))
        if rows:
            self.bases["sqlite"].executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", rows)
            names = [f"c{i}" for i in range(len(used))]
            arrays = dict(zip(names, cells, strict=True))
            unnested = ", ".join(f"unnest(${c}::{kinds[u]}[]) AS {c}" for c, u in zip(names, used, strict=True))
            self.bases["duckdb"].execute(f"INSERT INTO {quoted(name)} SELECT {unnested}", arrays)
        if entry.get("key"):
            self._index(name, entry["key"])

    def _index(self, table: str, column: str) -> None:
        self.bases["sqlite"].execute(
            f"CREATE INDEX IF NOT EXISTS {quoted(f'{table} {column}')} ON {quoted(table)} ({quoted(column)})"
        )

    def predictions(self, query: str, dialect: str) -> list:
        """The classes that a query gives the examples, in the order of their rows."""
        rows = {row[0]: row[1] for row in self.bases[dialect].execute(query).fetchall()}
        return [rows[key] for key in self.order]

    def probabilities(self, query: str, dialect: str) -> np.ndarray:
        """What a query says of the examples, in the order of their rows."""
        rows = {row[0]: row[2:] for row in self.bases[dialect].execute(query).fetchall()}
        assert len(rows) == len(self.order)
        return np.array([rows[key] for key in self.order])


def _cell(value, kind):
    return None if value is None else float(value) if kind == "DOUBLE" else str(value)
