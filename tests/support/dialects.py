"""Queries in the dialects of databases that are not here, said by sqlglot in that of DuckDB, and run there."""

from __future__ import annotations

import numpy as np

from support import exported

CALLED = {"postgresql": "postgres", "bigquery": "bigquery", "snowflake": "snowflake", "sqlserver": "tsql"}
"""What sqlglot calls them."""


def in_duckdb(query, dialect):
    """The query as DuckDB would have it; an error of sqlglot if it is not one of the dialect."""
    import sqlglot
    from sqlglot import exp

    def changed(node):
        if isinstance(node, exp.Collate):
            return node.this.transform(changed)
        if isinstance(node, exp.National):
            return exp.Literal.string(node.name)
        if isinstance(node, exp.DataType) and str(node.args.get("expressions") or "") != "" and "MAX" in str(node):
            return exp.DataType.build("TEXT")
        if isinstance(node, exp.With) and dialect == "sqlserver":
            node.set("recursive", True)  # what it is without the word
        return node

    parsed = sqlglot.parse_one(query, read=CALLED[dialect], error_level=sqlglot.ErrorLevel.RAISE)
    return parsed.transform(changed).sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)


def by_dialect(query, dialect, data, asked):
    """The class and the probabilities that a query has for each case of the table ``cases``, in their order."""
    import duckdb
    import pyarrow

    base = duckdb.connect(config={"threads": 1})
    declared, rows = exported.table_of(data, asked)
    base.execute(f"CREATE TABLE cases ({declared})")
    names = [f"c{i}" for i in range(len(rows[0]))]
    base.register("arrow", pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))
    base.execute("INSERT INTO cases SELECT * FROM arrow")
    said = query if dialect == "duckdb" else in_duckdb(query, dialect)
    found = {row[0]: row for row in base.execute(said).fetchall()}
    assert sorted(found) == list(range(len(data)))
    C = data.schema.n_classes
    kept = [found[i] for i in range(len(data))]
    shares = [[np.nan if p is None else p for p in row[-C:]] for row in kept]
    return [row[-C - 1] for row in kept], np.array(shares, dtype=np.float64)
