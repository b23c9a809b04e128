"""A relational tree as an SQL query: a CASE whose conditions ask for linked rows by EXISTS."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from ctree.domains.domain import Choice
from ctree.errors import ModelError
from ctree.export.dialects import DIALECTS, identifier, literal
from ctree.export.relational_conditions import Names, conditions_of
from ctree.export.sql_columns import MAX_CASE, class_columns, lines, own_column
from ctree.export.texts import NO_TEXT, check_text
from ctree.tree.relational_queries import Query
from ctree.tree.relational_tree import RelationalTree

SPOKEN = ("duckdb", "sqlite")
"""The dialects of these queries."""

MAX_NESTED = 4
"""CASE expressions within each other; the parser of SQLite allows some fifteen, and subqueries stand within them."""


def relational_to_sql(tree: RelationalTree, dialect: str = "duckdb") -> str:
    """A relational tree as an SQL query that gives the class probabilities of the rows of the target table.

    Parameters
    ----------
    tree : RelationalTree
    dialect : {"duckdb", "sqlite"}

    Returns
    -------
    str
        Tables and columns have the names of the schema; discrete columns are compared as text, NULL is unknown. The
        result has the key of each example (without one, its number in the column "row"), its class in the column
        ``prediction``, and the columns ``p(<class>)``.

    Notes
    -----
    Databases round a mean otherwise than ctree: it is taken to be equal to a threshold if they differ by less than
    1e-12 of the mean size of its numbers.
    """
    Choice(*SPOKEN).check("dialect", dialect)
    names = Names(tree, dialect)
    _check(tree, dialect)
    leaves = [node for node, test in enumerate(tree.tests) if test is None]
    case = "".join(_Cases(tree, names).case(0, Query(), 0)) if len(leaves) > 1 else "0"
    if len(case) > MAX_CASE:
        raise ModelError(f"the query would take more than {MAX_CASE:,} characters for this tree; prune it")
    target = tree.schema.target_table
    key = "row_number() OVER ()" if target.key is None else f"X0.{identifier(target.key)}"
    classes = tree.schema.classes
    spoken, named = DIALECTS[dialect], target.key or "row"
    result = [f"l.p{c} AS {name}" for c, name in enumerate(class_columns(classes, spoken))]
    shares = lines([f"l.best AS {identifier(own_column('prediction', [named]))}", *result])
    rows = []
    for leaf in leaves:
        best = spoken.label(classes, int(tree.best[leaf]))
        rows.append(f"    ({leaf}, {best}, {', '.join(map(literal, tree.probabilities[leaf].tolist()))})")
    listed = names.own("ctree leaves")
    parts = [
        *names.definitions(),
        f"{listed}(node, best, {', '.join(f'p{c}' for c in range(len(classes)))}) AS MATERIALIZED (\n  VALUES\n"
        + ",\n".join(rows)
        + "\n)",
    ]
    defined = ",\n".join(parts)
    return (
        f"WITH {defined}\n"
        f"SELECT c.k AS {identifier(named)}, {shares}\n"
        f"FROM (\n  SELECT {key} AS k, {case} AS leaf\n  FROM {identifier(target.name)} AS X0\n) AS c\n"
        f"JOIN {listed} AS l ON l.node = c.leaf"
    )


class _Cases:
    """The CASE that gives the leaf of an example.

    A test in a no branch is the next WHEN. What is below a yes branch is a CASE of its own or, if it would lie too
    deep, a WHEN for each of its tests that stands before the WHEN of the yes branch: an example for which the longer
    query holds is caught there, as Prolog does it by the order of clauses.
    """

    def __init__(self, tree: RelationalTree, names: Names) -> None:
        self.tree = tree
        self.names = names
        self.first = tree.arrays.first_branch.tolist()

    def case(self, node: int, known: Query, level: int) -> Iterator[str]:
        """What is below a node; of its query all is known."""
        margin = "\n  " + "  " * (level + 1)
        yield "CASE"
        last = yield from self._whens(node, known, known, level, margin)
        yield f"{margin}ELSE {last} END"

    def _whens(self, node: int, query: Query, known: Query, level: int, margin: str) -> Generator[str, None, int]:
        """A WHEN for each test from a node by its no branches; the leaf at their end."""
        # Of each node that is still to be written its query, or in place of the node the text that follows.
        waiting: list[tuple[int | str, Query]] = [(node, query)]
        last = node
        while waiting:
            here, query = waiting.pop()
            if isinstance(here, str):
                yield f"{margin}WHEN {here} THEN {last}"
                continue
            test = self.tree.tests[here]
            if test is None:
                last = here
                continue
            yes, longer = self.first[here], query.with_test(test)
            condition = " AND ".join(conditions_of(longer, known, self.names)) or "1 = 1"
            waiting.append((yes + 1, query))
            if self.tree.tests[yes] is None or level + 1 >= MAX_NESTED:
                waiting += [(condition, longer), (yes, longer)]
            else:
                below = "".join(self.case(yes, longer, level + 1))
                yield f"{margin}WHEN {condition} THEN {below}"
        return last


def _check(tree: RelationalTree, dialect: str) -> None:
    """Refuse what cannot be said in SQL."""
    schema = tree.schema
    tables = {name for name in tree.needed if name in schema.table_names}
    for label in schema.classes:
        check_text("the class", str(label), NO_TEXT, "SQL")
    for table in schema.tables:
        if table.name not in tables:
            continue
        asked = [c for c in table.names if f"{table.name}.{c}" in tree.needed or c == table.key]
        texts = [("the table", table.name), *(("the column", column) for column in asked)]
        texts += [("the value", value) for c in asked for value in tree.values.get(f"{table.name}.{c}", ())]
        for what, text in texts:
            check_text(what, text, NO_TEXT, "SQL")
            if not text and what != "the value" and dialect == "duckdb":
                raise ModelError("DuckDB does not allow empty names, but a table or column has one")
        for column in asked:
            if [name.lower() for name in asked].count(column.lower()) > 1:
                raise ModelError(f"SQL cannot distinguish column '{column}' of table '{table.name}' from another")
        if [name.lower() for name in tables].count(table.name.lower()) > 1:
            raise ModelError(
                f"SQL cannot distinguish table '{table.name}' from another whose name differs only in case"
            )
    most = DIALECTS[dialect].max_columns
    if most is not None and len(schema.classes) + 2 > most:
        raise ModelError(f"SQLite allows {most:,} columns, but the query would have one for each class")
