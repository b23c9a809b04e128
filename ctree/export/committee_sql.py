"""A committee of relational trees as one SQL query: the mean of what the queries of its members say."""

from __future__ import annotations

from collections.abc import Sequence

from ctree.data.costs import TIE
from ctree.errors import ModelError
from ctree.export.decision import sql_votes
from ctree.export.dialects import DIALECTS
from ctree.export.relational_sql import relational_to_sql
from ctree.export.sql_columns import MAX_CASE, class_columns, lines, most_probable, own_column
from ctree.tree.relational_tree import RelationalTree

MAX_TOGETHER = 100
"""Queries in one UNION; SQLite allows 500."""


def committee_to_sql(trees: Sequence[RelationalTree], dialect: str = "duckdb") -> str:
    """The mean of relational trees as an SQL query; see `relational_to_sql`, of which it has the columns.

    Parameters
    ----------
    trees : sequence of RelationalTree
        All of one schema.
    dialect : {"duckdb", "sqlite"}

    Returns
    -------
    str
    """
    schema = trees[0].schema
    key = schema.target_table.key
    if key is None:
        raise ModelError(
            f"table '{schema.target}' has no key, by which the query of a committee brings together what its members "
            "say; export its members one by one"
        )
    queries, length = [], 0
    for tree in trees:
        queries.append(f"  SELECT * FROM (\n{relational_to_sql(tree, dialect)}\n  ) AS m")
        length += len(queries[-1])
        if length > MAX_CASE:
            raise ModelError(
                f"the query would take more than {MAX_CASE:,} characters for these {len(trees):,} trees; export "
                "some of them one by one"
            )
    while len(queries) > 1:
        runs = [queries[start : start + MAX_TOGETHER] for start in range(0, len(queries), MAX_TOGETHER)]
        queries = ["\n  UNION ALL\n".join(run) for run in runs]
        if len(queries) > 1:
            queries = [f"  SELECT * FROM (\n{query}\n  ) AS m" for query in queries]
    spoken, classes = DIALECTS[dialect], range(len(schema.classes))
    named, columns = spoken.identifier(key), class_columns(schema.classes, spoken)
    means = [f"SUM(m.{name}) / {len(trees)} AS s{c}" for c, name in enumerate(columns)]
    sums = [f"s{c}" for c in classes]
    worth = None if trees[0].worth is None else tuple(map(tuple, trees[0].worth.tolist()))
    votes = sql_votes(sums, worth, spoken)
    best = most_probable(schema.classes, votes, "most", 0.0 if worth is None else TIE, spoken)
    result = [f"k AS {named}", f"{best} AS {spoken.identifier(own_column('prediction', [key]))}"]
    result += [f"s{c} AS {name}" for c, name in enumerate(columns)]
    return (
        f"SELECT {lines(result)}\nFROM (\n  SELECT a.*, {spoken.greatest(votes)} AS most\n  FROM (\n"
        f"  SELECT m.{named} AS k, {lines(means)}\n  FROM (\n{queries[0]}\n  ) AS m\n  GROUP BY m.{named}\n"
        "  ) AS a\n) AS a"
    )
