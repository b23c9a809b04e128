"""The dialects of SQL: how databases quote names and texts, call their types, and list rows in a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Label
from ctree.errors import ModelError

ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}
"""Of a text in BigQuery and Snowflake, where a backslash begins an escape."""

NO_NAME = re.compile(r'[!"$()*,./;?@\[\\\]^`{}~]')
"""What no column of BigQuery has in its name."""


@dataclass(frozen=True)
class Dialect:
    """How a database wants its SQL.

    Parameters
    ----------
    name, title : str
        What it is called in an option, and in a sentence.
    double, text, integer : str
        Its types.
    quotes : pair of str
        What stands before and behind a name; the latter is doubled within.
    prefix : str
        What stands before a text.
    backslashes : bool
        Whether a backslash in a text begins an escape.
    collation : str
        What makes the comparison of texts exact, where it is not.
    recursive, materialized : str
        Keywords of a WITH.
    lists_columns : bool
        Whether the columns of a part of a WITH may be listed behind its name.
    plain_values : bool
        Whether VALUES is a query of its own, whose numbers are doubles if they have an exponent.
    nan : str
        How a number ``{}`` that may be NaN becomes NULL then.
    from_boolean : bool
        Whether a boolean can be made a double.
    row_number : str
        How rows are numbered.
    keeps_numbers : bool
        Whether rows keep these numbers where they are read again.
    max_depth : int, optional
        The most steps of a recursive query.
    max_columns : int, optional
    max_length : int, optional
        Of a query.
    """

    name: str
    title: str
    double: str = "DOUBLE"
    text: str = "VARCHAR"
    integer: str = "INTEGER"
    quotes: tuple[str, str] = ('"', '"')
    prefix: str = ""
    backslashes: bool = False
    collation: str = ""
    recursive: str = " RECURSIVE"
    materialized: str = ""
    lists_columns: bool = True
    plain_values: bool = False
    nan: str = "{}"
    from_boolean: bool = False
    row_number: str = "row_number() OVER ()"
    keeps_numbers: bool = False
    max_depth: int | None = None
    max_columns: int | None = None
    max_length: int | None = None

    def identifier(self, name: str) -> str:
        """A name in quotes."""
        first, last = self.quotes
        return first + name.replace(last, last * 2) + last

    def literal(self, value: Label | None) -> str:
        """A text, or a number as a double."""
        if not isinstance(value, str):
            return literal(value)
        if self.backslashes:
            return "'" + "".join(ESCAPES.get(c, c) for c in value) + "'"
        return self.prefix + literal(value)

    def label(self, labels: Sequence[Label], place: int) -> str:
        """A class as it stands in a result: a whole number, a number or a text, as all classes are."""
        value = labels[place]
        if any(isinstance(label, str | bool) for label in labels):
            return self.literal(text_of(value))
        return str(value) if all(isinstance(label, int) for label in labels) else self.literal(value)

    def label_type(self, labels: Sequence[Label]) -> str:
        """The type of such a class."""
        if any(isinstance(label, str | bool) for label in labels):
            return self.text
        return self.integer if all(isinstance(label, int) for label in labels) else self.double

    def bound(self, value: float | None) -> str:
        """A number that is compared with others, to the last bit."""
        return bound(value, self.name)

    def number(self, column: str) -> str:
        """A column as a double; NULL for NaN."""
        return self.nan.format(self.cast(column, self.double))

    def compared_text(self, column: str) -> str:
        """A column as a text that is compared with others."""
        return self.cast(column, self.text) + self.collation

    def cast(self, expression: str, kind: str) -> str:
        """An expression as a value of another type."""
        return f"CAST({expression} AS {kind})"

    def with_part(self, name: str, columns: Sequence[str], query: str, *, once: bool = True) -> str:
        """A part of a WITH; `once` says that it is to be computed once. Its query names the columns too."""
        listed = f"({', '.join(columns)})" if self.lists_columns and columns else ""
        return f"{name}{listed} AS {self.materialized if once else ''}(\n{query}\n)"

    def listed_rows(self, name: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
        """A part of a WITH that has these rows, given the name and type of each column."""
        names = [column for column, _ in columns]
        lines = ",\n".join(f"    ({', '.join(row)})" for row in rows)
        if self.plain_values:
            return self.with_part(name, names, f"  VALUES\n{lines}")
        if not self.lists_columns:
            kinds = ", ".join(f"{column} {kind}" for column, kind in columns)
            return self.with_part(name, names, f"  SELECT * FROM UNNEST(ARRAY<STRUCT<{kinds}>>[\n{lines}\n  ])")
        cells = ", ".join(f"{self.cast(f't.{column}', kind)} AS {column}" for column, kind in columns)
        return self.with_part(name, names, f"  SELECT {cells}\n  FROM (VALUES\n{lines}\n  ) AS t({', '.join(names)})")

    def greatest(self, terms: Sequence[str]) -> str:
        """The greatest of some numbers."""
        if len(terms) == 1:
            return terms[0]
        if self.name == "sqlserver":  # which has GREATEST from 2022 on
            return f"(SELECT MAX(t.x) FROM (VALUES {', '.join(f'({term})' for term in terms)}) AS t(x))"
        function, most = ("MAX", 100) if self.name == "sqlite" else ("GREATEST", 500)
        runs = [terms[start : start + most] for start in range(0, len(terms), most)]
        parts = [run[0] if len(run) == 1 else f"{function}({', '.join(run)})" for run in runs]
        return parts[0] if len(parts) == 1 else self.greatest(parts)

    def checked(self, query: str) -> str:
        """A query, unless it is too long."""
        if self.max_length is not None and len(query) > self.max_length:
            raise ModelError(
                f"{self.title} takes queries of no more than {self.max_length:,} characters, but this one would have "
                f"{len(query):,}"
            )
        return query

    def check_name(self, name: str, what: str) -> None:
        """Refuse a name that no column can have."""
        if not name and self.name != "sqlite":
            raise ModelError(f"{self.title} does not allow empty names, but {what} has one")
        found = NO_NAME.search(name) if self.name == "bigquery" else None
        if found is not None:
            sign = found.group()
            raise ModelError(f"{self.title} allows no '{sign}' in a name, but {what} '{abbreviated(name)}' has one")


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "duckdb",
            "DuckDB",
            materialized="MATERIALIZED ",
            plain_values=True,
            nan="NULLIF({}, CAST('NaN' AS DOUBLE))",  # a number there, greater than all others
            from_boolean=True,
            keeps_numbers=True,
        ),
        Dialect(
            "sqlite",
            "SQLite",
            materialized="MATERIALIZED ",
            plain_values=True,
            from_boolean=True,
            keeps_numbers=True,
            max_columns=2000,  # unless it is compiled otherwise
        ),
        Dialect(
            "postgresql",
            "PostgreSQL",
            double="DOUBLE PRECISION",
            text="TEXT",
            materialized="MATERIALIZED ",
            nan="NULLIF({}, CAST('NaN' AS DOUBLE PRECISION))",
            keeps_numbers=True,
            max_columns=1600,
        ),
        Dialect(
            "bigquery",
            "BigQuery",
            double="FLOAT64",
            text="STRING",
            integer="INT64",
            quotes=("`", "`"),
            backslashes=True,
            lists_columns=False,
            nan="IF(IS_NAN({0}), NULL, {0})",  # where NaN is not equal to NaN
            max_depth=500,
            max_length=1_000_000,
        ),
        Dialect(
            "snowflake",
            "Snowflake",
            backslashes=True,
            nan="NULLIF({}, CAST('NaN' AS DOUBLE))",
            row_number="row_number() OVER (ORDER BY NULL)",
            max_depth=100,
            max_length=1_000_000,
        ),
        Dialect(
            "sqlserver",
            "SQL Server",
            double="DOUBLE PRECISION",  # its name for FLOAT(53) too
            text="NVARCHAR(MAX)",
            integer="INT",
            quotes=("[", "]"),
            prefix="N",
            collation=" COLLATE Latin1_General_BIN2",
            recursive="",
            from_boolean=True,
            row_number="row_number() OVER (ORDER BY (SELECT NULL))",
            max_columns=4096,
        ),
    )
}
"""By name."""


def identifier(name: str) -> str:
    """A name in the quotes of SQL.

    Examples
    --------
    >>> print(identifier('size "large"'))
    "size ""large\"""
    """
    return '"' + name.replace('"', '""') + '"'


def text_of(value: Label) -> str:
    """A label as a text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def literal(value: Label | None) -> str:
    """A text, or a number as a double: with an exponent it is no decimal."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def bound(value: float | None, dialect: str) -> str:
    """A number that is compared with others, to the last bit.

    SQLite rounds some decimals of four places and more wrongly, so that a case that lies on a threshold would go the
    other way. For it they are a whole number divided or multiplied by powers of 2, all of which it reads exactly.

    Examples
    --------
    >>> bound(82.5, "sqlite"), bound(0.1 + 0.2, "duckdb"), bound(0.1 + 0.2, "sqlite")
    ('82.5e0', '0.30000000000000004e0', '(1351079888211149 / 562949953421312e0 / 8e0)')
    """
    # With up to three places the quotient of two whole numbers is never so close to the middle between two doubles that
    # rounding it to 64 bits first, as SQLite does, makes a difference.
    if value is None or dialect != "sqlite" or (abs(value) < 1e12 and float(f"{value:.3f}") == value):
        return literal(value)
    numerator, denominator = value.as_integer_ratio()
    zeros = (abs(numerator) >> 53).bit_length()  # a double has no more than 53 bits before them
    text = str(numerator >> zeros)
    for sign, power in (("/", denominator.bit_length() - 1), ("*", zeros)):
        for done in range(0, power, 49):
            text += f" {sign} {1 << min(power - done, 49)}e0"
    return f"({text})"
