"""Linked tables as plain lists: rows are dicts, and a row is known by its number in its table.

From a folder with schema.json and CSV files, or from columns in memory. A symmetric table holds each of its rows twice,
the second time with its two ends exchanged. Nothing is checked: what is wrong with the input is not this module's
business.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from naive.candidate_tests import equal_frequency_cuts

Columns = Mapping[str, Sequence]

NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class ForeignKey:
    """A column of `table` whose values are keys of the table `references`."""

    table: str
    column: str
    references: str

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass
class Table:
    """`columns` gives the kind of each column, in order; `symmetric` the two ends of a link without direction."""

    name: str
    columns: dict[str, str]
    key: str | None
    symmetric: tuple[str, str] | None
    rows: list[dict]


class RelationalData:
    """Tables whose foreign keys are resolved.

    >>> schema = {
    ...     "target": {"table": "town", "column": "class"},
    ...     "tables": {
    ...         "town": {"key": "town", "columns": {"town": "key", "class": "class"}},
    ...         "road": {
    ...             "columns": {"one": "key", "other": "key", "miles": "continuous"},
    ...             "symmetric": ["one", "other"],
    ...         },
    ...     },
    ...     "foreign_keys": [
    ...         {"table": "road", "column": "one", "references": "town"},
    ...         {"table": "road", "column": "other", "references": "town"},
    ...     ],
    ... }
    >>> towns = {"town": ["A", "B", "C"], "class": ["x", "y", "x"]}
    >>> data = RelationalData(schema, {"town": towns, "road": {"one": ["A"], "other": ["B"], "miles": ["7"]}})
    >>> one, other = data.foreign_keys
    >>> data.tables["road"].rows
    [{'one': 'A', 'other': 'B', 'miles': 7.0}, {'one': 'B', 'other': 'A', 'miles': 7.0}]
    >>> [data.down(one, town) for town in range(3)], data.up(other, 0)
    ([[0], [1], []], 1)
    """

    def __init__(self, schema: Mapping, columns: Mapping[str, Columns]):
        self.schema = schema
        self.target = schema["target"]["table"]
        self.class_column = schema["target"]["column"]
        self.tables = {name: made_table(name, told, columns[name]) for name, told in schema["tables"].items()}
        self.foreign_keys = [
            ForeignKey(key["table"], key["column"], key["references"]) for key in schema.get("foreign_keys", ())
        ]
        found = {row.get(self.class_column) for row in self.examples}
        self.classes = list(schema["target"].get("classes") or in_order(found - {None}))
        bias = schema.get("bias") or {}
        self.links = bias.get("links", {})
        self.constants = bias.get("constants", {})
        self._up = {key: self.referred_rows(key) for key in self.foreign_keys}
        self._down = {key: self.referring_rows(key) for key in self.foreign_keys}

    @property
    def examples(self) -> list[dict]:
        return self.tables[self.target].rows

    def class_of(self, example: int) -> int:
        return self.classes.index(self.examples[example][self.class_column])

    def referred_rows(self, key: ForeignKey) -> list[int | None]:
        """The number of the row that each row of the table refers to by a foreign key; None if it is unknown."""
        there = self.tables[key.references]
        numbers = {row[there.key]: number for number, row in enumerate(there.rows)}
        return [None if (value := row[key.column]) is None else numbers[value] for row in self.tables[key.table].rows]

    def referring_rows(self, key: ForeignKey) -> list[list[int]]:
        """The numbers of the rows that refer to each row by a foreign key."""
        result: list[list[int]] = [[] for _ in self.tables[key.references].rows]
        for number, referred in enumerate(self._up[key]):
            if referred is not None:
                result[referred].append(number)
        return result

    def up(self, key: ForeignKey, row: int) -> int | None:
        """The row that a row refers to."""
        return self._up[key][row]

    def down(self, key: ForeignKey, row: int) -> list[int]:
        """The rows that refer to a row."""
        return self._down[key][row]

    def closure(self, examples: Iterable[int]) -> dict[str, set[int]]:
        """The rows of each table that can be reached from these examples, in any direction, by way of no other example.

        It fixes what a tree may know before it grows: the values and cuts of each column.
        """
        reached = {name: set() for name in self.tables}
        reached[self.target] = set(examples)
        open_ends = [(self.target, row) for row in reached[self.target]]
        while open_ends:
            table, row = open_ends.pop()
            for other, there in self.neighbours(table, row):
                if other != self.target and there not in reached[other]:
                    reached[other].add(there)
                    open_ends.append((other, there))
        return reached

    def neighbours(self, table: str, row: int) -> list[tuple[str, int]]:
        """The rows that a row refers to, and those that refer to it, each with its table."""
        result = []
        for key in self.foreign_keys:
            if key.table == table and self.up(key, row) is not None:
                result.append((key.references, self.up(key, row)))
            if key.references == table:
                result += [(key.table, there) for there in self.down(key, row)]
        return result

    def values(self, closure: Mapping[str, set[int]], table: str, column: str) -> list[str]:
        """The values of a discrete column among the rows of the closure, in order."""
        found = {self.tables[table].rows[row][column] for row in closure[table]}
        return in_order(found - {None})

    def cuts(self, closure: Mapping[str, set[int]], table: str, column: str, n_cuts: int) -> list[float]:
        """Thresholds of a continuous column for the whole tree: they divide the rows of the closure evenly."""
        return equal_frequency_cuts([self.tables[table].rows[row][column] for row in closure[table]], n_cuts + 1)


def made_table(name: str, told: Mapping, columns: Columns) -> Table:
    """A table of what the schema tells of it and of its columns; columns that the schema does not name are left out.

    The class column may be absent, as it is where classes are to be predicted.
    """
    kinds = {column: kind for column, kind in told["columns"].items() if kind != "ignore" and column in columns}
    n_rows = max((len(column) for column in columns.values()), default=0)
    rows = [
        {column: known_value(columns[column][number], kind) for column, kind in kinds.items()}
        for number in range(n_rows)
    ]
    symmetric = tuple(told["symmetric"]) if told.get("symmetric") else None
    if symmetric:
        one, other = symmetric
        rows += [row | {one: row[other], other: row[one]} for row in rows]
    return Table(name, kinds, told.get("key"), symmetric, rows)


def known_value(value, kind: str):
    """A number if the column is continuous, text otherwise; None if unknown.

    >>> known_value("1.50", "continuous"), known_value("1.50", "discrete"), known_value("", "key")
    (1.5, '1.50', None)
    """
    if value is None or value == "" or value != value:
        return None
    return float(value) if kind == "continuous" else str(value)


def in_order(values: Iterable[str]) -> list[str]:
    """Values of a discrete column: as numbers if all are numerals, else by code point.

    >>> in_order({"10", "9", "-1.5"}), in_order({"10", "9", "b", "B"})
    (['-1.5', '9', '10'], ['10', '9', 'B', 'b'])
    """
    values = sorted(values)
    return sorted(values, key=float) if all(NUMERAL.fullmatch(value) for value in values) else values


def read_folder(folder: Path | str) -> RelationalData:
    """The data of a folder with a schema.json, or of a schema.json and the CSV files beside it."""
    place = Path(folder)
    place = place / "schema.json" if place.is_dir() else place
    schema = json.loads(place.read_text("utf-8"))
    return RelationalData(
        schema, {name: read_columns(place.parent / told["file"]) for name, told in schema["tables"].items()}
    )


def read_columns(path: Path) -> dict[str, list[str]]:
    """The columns of a CSV file, as text."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    return {column: [line[place] for line in lines] for place, column in enumerate(header)}
