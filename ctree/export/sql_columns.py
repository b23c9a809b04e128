"""What queries read and return: attributes as numbers or codes, the class and its probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Attribute, Label, Schema
from ctree.errors import ModelError
from ctree.export.dialects import Dialect, text_of
from ctree.export.sql_dates import moment_number
from ctree.export.texts import NO_TEXT, check_distinct, check_texts

MAX_NESTING = 500
"""Operators in a row, each of which is a level of an expression; SQLite and DuckDB allow 1,000 levels."""

MAX_CASE = 10_000_000
"""The greatest length of an expression."""


def check_columns(schema: Schema, asked: Sequence[int], dialect: Dialect, table: str, key: str | None) -> None:
    """Refuse what cannot be said in SQL: the query would not run, or not tell apart what the model does."""
    attributes = [schema[a] for a in asked]
    given = [("the table", table), *([] if key is None else [("the key", key)])]
    check_texts(schema, attributes, NO_TEXT, "SQL", given)
    seen: set[str] = set()
    for attribute in attributes:
        name = abbreviated(attribute.name)
        if is_numeric(attribute):
            _check_numbers(attribute)
        written = dialect.literal if is_numeric(attribute) else text_of
        check_distinct(attribute.values, f"attribute '{name}'", "SQL", written)
        if dialect.name == "sqlserver":  # to which blanks at the end make no difference
            check_distinct(attribute.values, f"attribute '{name}'", dialect.title, lambda v: text_of(v).rstrip(" "))
        dialect.check_name(attribute.name, "an attribute")
        if attribute.name.lower() in seen:
            raise ModelError(f"SQL cannot distinguish attribute '{name}' from another whose name differs only in case")
        seen.add(attribute.name.lower())
    columns = max(len(attributes) + 1, schema.n_classes + 3)
    if dialect.max_columns is not None and columns > dialect.max_columns:
        raise ModelError(
            f"{dialect.title} allows {dialect.max_columns:,} columns, but the query would need {columns:,}; DuckDB has "
            "no such limit, nor do Python and C"
        )


def _check_numbers(attribute: Attribute) -> None:
    for value in attribute.values:
        try:
            float(value)
        except OverflowError:
            raise ModelError(
                f"attribute '{abbreviated(attribute.name)}' has a value that is too large for a number of SQL"
            ) from None


def is_numeric(attribute: Attribute) -> bool:
    """Whether values of a discrete attribute are compared as numbers."""
    return all(not isinstance(v, str) for v in attribute.values)


def numeric_column(attribute: Attribute, dialect: Dialect) -> str:
    """A column as a number, of c; NULL for NaN where it is continuous."""
    column = f"c.{dialect.identifier(attribute.name)}"
    if attribute.is_moment:
        return moment_number(attribute, column, dialect)
    if attribute.has_order:
        return dialect.number(column)
    if not dialect.from_boolean and attribute.values and all(isinstance(v, bool) for v in attribute.values):
        column = dialect.cast(column, dialect.integer)
    return dialect.cast(column, dialect.double)


def coded(schema: Schema, attribute: int, filler: float | int | None, dialect: Dialect) -> str:
    """The expression of an attribute of c as a number, or as the code of its value; NULL where it is unknown.

    Codes are doubles too: in the walk both stand in one column, whose type DuckDB takes from the root.
    """
    entry = schema[attribute]
    if entry.has_order:
        number = numeric_column(entry, dialect)
    elif not entry.values:
        number = dialect.cast("NULL", dialect.double)
    else:
        column = f"c.{dialect.identifier(entry.name)}"
        what = numeric_column(entry, dialect) if is_numeric(entry) else dialect.compared_text(column)
        number = f"CASE {what} {_codes(entry, dialect)} END"
        number = number if dialect.plain_values else dialect.cast(number, dialect.double)
    return number if filler is None else f"COALESCE({number}, {dialect.bound(float(filler))})"


def _codes(attribute: Attribute, dialect: Dialect) -> str:
    values = [(code, text) for code, v in enumerate(attribute.values) for text in value_literals(attribute, v, dialect)]
    return " ".join(f"WHEN {text} THEN {dialect.literal(float(code))}" for code, text in values)


def value_literals(attribute: Attribute, value: Label, dialect: Dialect) -> list[str]:
    """How a value may stand in the table: SQLite reads a number that is kept as text as it reads one in a query."""
    if not is_numeric(attribute):
        return [dialect.literal(text_of(value))]
    return list(dict.fromkeys((dialect.literal(value), dialect.bound(float(value)))))


def one_of(attribute: Attribute, values: Iterable[Label], dialect: Dialect) -> str:
    """The condition that a discrete attribute of c has one of these values, which does not hold where it is unknown."""
    texts = [text for value in values for text in value_literals(attribute, value, dialect)]
    if not texts:
        return "1 = 0"
    column = f"c.{dialect.identifier(attribute.name)}"
    what = numeric_column(attribute, dialect) if is_numeric(attribute) else dialect.compared_text(column)
    return f"{what} = {texts[0]}" if len(texts) == 1 else f"{what} IN ({', '.join(texts)})"


def class_columns(labels: Sequence[Label], dialect: Dialect) -> list[str]:
    """The names of the columns with the probabilities; numbered where they would differ in capitals only."""
    names = [f"p({label})" for label in labels]
    if dialect.name == "bigquery":
        names = [re.sub(r"\W", "_", f"p_{label}", flags=re.ASCII) for label in labels]
    alike = len({name.lower() for name in names}) < len(names)
    between = "_" if dialect.name == "bigquery" else " "
    return [dialect.identifier(f"{name}{between}{i + 1}" if alike else name) for i, name in enumerate(names)]


def own_column(name: str, others: Iterable[str]) -> str:
    """A name for a column of the result that none of the others has."""
    taken = {other.lower() for other in others}
    while name in taken:
        name += "_"
    return name


def own_parts(table: str) -> list[str]:
    """What the parts of a query are called; none of them may hide the table with the cases."""
    names = ["known", "walk", "branches", "leaves", "sums", "totals", "roots", "trees"]
    return [f"ctree_{name}" for name in names] if table.lower() in names else names


def most_probable(labels: Sequence[Label], shares: Sequence[str], most: str, tie: float, dialect: Dialect) -> str:
    """The first class that no other exceeds by more than `tie`, given each share and the greatest of them."""
    if len(labels) == 1:
        return dialect.label(labels, 0)
    least = most if tie == 0 else f"{most} - {dialect.literal(tie)}"
    whens = [f"WHEN {share} >= {least} THEN {dialect.label(labels, c)}" for c, share in enumerate(shares)]
    return f"CASE {' '.join(whens)} END"


def added(terms: Sequence[str]) -> str:
    """A sum, of many terms in brackets of some hundreds: each plus is a level more of the expression."""
    if len(terms) <= MAX_NESTING:
        return " + ".join(terms)
    runs = [terms[start : start + MAX_NESTING] for start in range(0, len(terms), MAX_NESTING)]
    return " + ".join(f"({' + '.join(run)})" for run in runs)


def lines(items: Iterable[str]) -> str:
    """Items of a list, a line each."""
    return ",\n    ".join(items)
