"""Aggregates of linked rows in SQL: each a table of its own, with the figure of every row that others refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctree.export.dialects import bound, identifier, literal
from ctree.tree.relational_aggregates import Aggregate
from ctree.tree.relational_arrays import Comparison

if TYPE_CHECKING:
    from ctree.export.relational_conditions import Names, Scope

ROUNDING = "1e-12"
"""By what share of the mean size of its numbers a mean may be wrong."""


def aggregate_condition(scope: Scope, row: str, aggregate: Aggregate, condition: Comparison) -> str:
    """A comparison of a figure of the rows that refer to a row, whose table of figures is joined.

    Parameters
    ----------
    scope : Scope
    row : str
        What the row is called.
    aggregate : Aggregate
    condition : Comparison
    """
    names = scope.names
    alias = f"g{len(scope.tables)}"
    scope.tables.append(f"{names.aggregate(aggregate)} AS {alias}")
    scope.where.append(f"{alias}.k = {row}.{scope.key(names.schema.foreign_keys[aggregate.link].references)}")
    constant = names.tree.constant(condition)
    text = literal(constant) if isinstance(constant, str) else bound(constant, names.dialect)
    return f"{alias}.v {condition.op} {text}"


def aggregate_table(names: Names, aggregate: Aggregate) -> str:
    """The query of a table with the key (k) of each row that others may refer to, and its figure (v)."""
    from ctree.export.relational_conditions import number

    keys = names.schema.foreign_keys
    key = keys[aggregate.link]
    own = f"r.{names.key(key.references)}"
    rows = f"FROM {names.table(key.references)} AS r"
    rows += f" LEFT JOIN {names.table(key.table)} AS a0 ON a0.{identifier(key.column)} = {own}"
    for place, link in enumerate(aggregate.path):
        up = keys[link]
        here, there = f"a{place}.{identifier(up.column)}", f"a{place + 1}.{names.key(up.references)}"
        rows += f" LEFT JOIN {names.table(up.references)} AS a{place + 1} ON {there} = {here}"
    if aggregate.column < 0:
        return f"SELECT {own} AS k, COUNT(a0.{identifier(key.column)}) AS v {rows} GROUP BY {own}"
    table, name = names.tree.column_name(aggregate.column)
    column = f"a{len(aggregate.path)}.{identifier(name)}"
    text, numeric = f"CAST({column} AS VARCHAR)", number(column, names.dialect)
    values = names.tree.values.get(f"{table}.{name}", ())
    if aggregate.is_discrete:  # the most frequent value, the first of equals
        order = " ".join(f"WHEN {literal(value)} THEN {code}" for code, value in enumerate(values))
        place_of = f"CASE {text} {order} ELSE {len(values)} END" if values else "1"
        ranked = f"row_number() OVER (PARTITION BY {own} ORDER BY COUNT(*) DESC, {place_of})"
        inner = f"SELECT {own} AS k, {text} AS v, {ranked} AS place {rows} WHERE {column} IS NOT NULL"
        return f"SELECT k, v FROM ({inner} GROUP BY {own}, {text}) AS m WHERE place = 1"
    wanted = literal(values[aggregate.code]) if aggregate.name == "share" else ""
    figure = {
        "min": f"MIN({numeric})",
        "max": f"MAX({numeric})",
        "mean": f"AVG({numeric}) - {ROUNDING} * AVG(ABS({numeric}))",
        "nunique": f"COUNT(DISTINCT {text})",
        "share": f"SUM(CASE WHEN {text} = {wanted} THEN 1e0 ELSE 0e0 END) / NULLIF(COUNT({column}), 0)",
    }[aggregate.name]
    return f"SELECT {own} AS k, {figure} AS v {rows} GROUP BY {own}"
