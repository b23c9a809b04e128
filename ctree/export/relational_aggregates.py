"""Aggregates of linked rows as scalar subqueries of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctree.export.sql import bound, identifier, literal
from ctree.tree.relational_aggregates import Aggregate
from ctree.tree.relational_arrays import Comparison

if TYPE_CHECKING:
    from ctree.export.relational_conditions import Scope

ROUNDING = "1e-12"
"""By what share of the mean size of its numbers a mean may be wrong."""


def aggregate_condition(scope: Scope, row: str, aggregate: Aggregate, condition: Comparison) -> str:
    """A comparison of a figure of the rows that refer to a row.

    Parameters
    ----------
    scope : Scope
    row : str
        What the row is called.
    aggregate : Aggregate
    condition : Comparison
    """
    from ctree.export.relational_conditions import number

    names = scope.names
    keys = names.schema.foreign_keys
    key = keys[aggregate.link]
    tables, last = [f"{names.table(key.table)} AS a0"], "a0"
    where = [f"a0.{identifier(key.column)} = {row}.{scope.key(key.references)}"]
    for place, link in enumerate(aggregate.path, 1):
        up = keys[link]
        tables.append(f"{names.table(up.references)} AS a{place}")
        where.append(f"a{place}.{scope.key(up.references)} = {last}.{identifier(up.column)}")
        last = f"a{place}"
    rows = f"FROM {', '.join(tables)} WHERE {' AND '.join(where)}"
    constant = names.tree.constant(condition)
    if aggregate.column < 0:
        figure = "COUNT(*)"
    else:
        table, name = names.tree.column_name(aggregate.column)
        column = f"{last}.{identifier(name)}"
        text, numeric = f"CAST({column} AS VARCHAR)", number(column, names.dialect)
        values = names.tree.values.get(f"{table}.{name}", ())
        if isinstance(constant, str):  # the most frequent value, the first of equals
            order = " ".join(f"WHEN {literal(value)} THEN {code}" for code, value in enumerate(values))
            grouped = f"{rows} AND {column} IS NOT NULL GROUP BY {text}"
            ordered = f"ORDER BY COUNT(*) DESC, CASE {text} {order} ELSE {len(values)} END"
            return f"(SELECT {text} {grouped} {ordered} LIMIT 1) = {literal(constant)}"
        wanted = literal(values[aggregate.code] if values else "")
        figure = {
            "min": f"MIN({numeric})",
            "max": f"MAX({numeric})",
            "mean": f"AVG({numeric}) - {ROUNDING} * AVG(ABS({numeric}))",
            "nunique": f"COUNT(DISTINCT {text})",
            "share": f"SUM(CASE WHEN {text} = {wanted} THEN 1e0 ELSE 0e0 END) / NULLIF(COUNT({column}), 0)",
        }[aggregate.name]
    assert isinstance(constant, float)
    return f"(SELECT {figure} {rows}) {condition.op} {bound(constant, names.dialect)}"
