"""Dates, times and timestamps in SQL: columns as the numbers that models have, or compared with dates themselves."""

from __future__ import annotations

from ctree.data.dates import moment_text
from ctree.data.schema import Attribute, Kind
from ctree.export.dialects import Dialect

TYPES = {
    "bigquery": {Kind.TIMESTAMP: "TIMESTAMP"},
    "snowflake": {Kind.TIMESTAMP: "TIMESTAMP_NTZ"},
    "sqlserver": {Kind.TIMESTAMP: "DATETIME2"},
}
"""What databases call their types, where that is not DATE, TIME or TIMESTAMP."""

_WHOLE = "CAST(substr(substr({0}, instr({0}, '.') + 1) || '000000', 1, 6) AS REAL)"
_FRACTION = f"CASE WHEN instr({{0}}, '.') > 0 THEN {_WHOLE} ELSE 0e0 END"

NUMBERS = {
    "duckdb": {
        Kind.DATE: "date_diff('day', DATE '1970-01-01', {})",
        Kind.TIME: "date_diff('microsecond', TIME '00:00:00', {})",
        Kind.TIMESTAMP: "epoch_us({})",
    },
    "sqlite": {  # which has them as text
        Kind.DATE: "julianday(date({0})) - 2440587.5e0",
        Kind.TIME: f"(CAST(strftime('%s', '1970-01-01 ' || {{0}}) AS REAL) * 1000000e0 + {_FRACTION})",
        Kind.TIMESTAMP: f"(CAST(strftime('%s', {{0}}) AS REAL) * 1000000e0 + {_FRACTION})",
    },
    "postgresql": {
        Kind.DATE: "({} - DATE '1970-01-01')",
        Kind.TIME: "ROUND(EXTRACT(EPOCH FROM {}) * 1000000)",
        Kind.TIMESTAMP: "ROUND(EXTRACT(EPOCH FROM {}) * 1000000)",
    },
    "bigquery": {
        Kind.DATE: "UNIX_DATE({})",
        Kind.TIME: "TIME_DIFF({}, TIME '00:00:00', MICROSECOND)",
        Kind.TIMESTAMP: "UNIX_MICROS({})",
    },
    "snowflake": {
        Kind.DATE: "DATEDIFF('day', DATE '1970-01-01', {})",
        Kind.TIME: "DATEDIFF('microsecond', CAST('00:00:00' AS TIME), {})",
        Kind.TIMESTAMP: "DATE_PART(epoch_microsecond, {})",
    },
    "sqlserver": {
        Kind.DATE: "DATEDIFF(day, CAST('1970-01-01' AS DATE), {})",
        Kind.TIME: "DATEDIFF_BIG(microsecond, CAST('00:00:00' AS TIME), {})",
        Kind.TIMESTAMP: "DATEDIFF_BIG(microsecond, CAST('1970-01-01' AS DATETIME2), {})",
    },
}
"""How a value becomes the number of days, or of microseconds."""


def moment_number(attribute: Attribute, column: str, dialect: Dialect) -> str:
    """A column of dates, times or timestamps as a double."""
    return dialect.cast(
        NUMBERS[dialect.name][attribute.kind].format(_typed(attribute, column, dialect)), dialect.double
    )


def _typed(attribute: Attribute, column: str, dialect: Dialect) -> str:
    if dialect.name == "sqlite":
        return column
    kind = TYPES.get(dialect.name, {}).get(attribute.kind, attribute.kind.value.upper())
    return dialect.cast(column, kind)


def compared_moments(
    attribute: Attribute, column: str, bounds: tuple[float, float], dialect: Dialect
) -> list[str] | None:
    """The conditions that a column lies above one bound and not above another, as dates.

    None where they have to be compared as numbers: SQLite has timestamps as texts, of which some have fractions.
    """
    low, high = (moment_text(attribute.kind, bound) for bound in bounds)
    if dialect.name == "sqlite":
        if attribute.kind is not Kind.DATE:
            return None
        value, texts = f"date({column})", [None if text is None else f"'{text}'" for text in (low, high)]
    else:
        value = _typed(attribute, column, dialect)
        texts = [None if text is None else _typed(attribute, f"'{text}'", dialect) for text in (low, high)]
    if any(text is None and abs(bound) != float("inf") for text, bound in zip(texts, bounds, strict=True)):
        return None
    parts = [] if texts[0] is None else [f"{value} > {texts[0]}"]
    return parts if texts[1] is None else [*parts, f"{value} <= {texts[1]}"]
