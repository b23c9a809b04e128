"""Trees as a recursive query: a walk down a table of branches, with parts of cases where values are unknown."""

from __future__ import annotations

from collections.abc import Iterable

from ctree.data.schema import Schema
from ctree.errors import ModelError, ParameterError
from ctree.export.decision import sql_predicted, sql_votes
from ctree.export.dialects import Dialect
from ctree.export.plan import Plan, Question
from ctree.export.sql_columns import added, class_columns, coded, lines, own_column, own_parts

MANY = 64
"""Attributes whose values are better kept in a list than in columns, where there are lists."""

USUAL_DEPTH = 100
"""The steps after which SQL Server gives up unless told otherwise."""


def walk_query(plan: Plan, dialect: Dialect, table: str, key: str | None) -> str:
    """The query for the rows of a table."""
    depth = plan.depth
    if key is None and not dialect.keeps_numbers:
        raise ParameterError(
            f"the query of a tree needs a key for {dialect.title}, which numbers rows anew each time it reads them; "
            "name a column that identifies the rows, or take form='case'"
        )
    if dialect.max_depth is not None and depth > dialect.max_depth:
        raise ModelError(
            f"the tree is {depth} levels deep, but a recursive query of {dialect.title} takes no more than "
            f"{dialect.max_depth} steps; prune the tree, or take form='case'"
        )
    numbers = [coded(plan.schema, a, plan.fillers[a], dialect) for a in plan.attributes]
    places = {a: place for place, a in enumerate(plan.attributes, 1)}
    # In each step DuckDB takes along all columns; it is several times as fast with a list if there are many.
    listed = dialect.name == "duckdb" and len(numbers) > MANY
    values = [f"[{', '.join(numbers)}] AS v"] if listed else [f"{x} AS v{i}" for i, x in enumerate(numbers, 1)]
    row = dialect.row_number if key is None else f"c.{dialect.identifier(key)}"
    # What is used in every step is made once, where there are words for it.
    known, walk, branches_, *_, roots_, _ = own_parts(table)
    read = f"  SELECT {lines([f'{row} AS k', *values])}\n  FROM {dialect.identifier(table)} AS c"
    parts = [dialect.with_part(known, (), read)]
    one = "1e0" if dialect.plain_values else dialect.cast("1", dialect.double)
    source, begin, goes_on = f"{known} AS k", "0 AS node", ""
    tree: list[str] = []
    if len(plan.roots) > 1:
        source, begin = f"{known} AS k CROSS JOIN {roots_} AS r", "r.node AS tree, r.node AS node"
        goes_on, tree = "w.tree, ", ["tree"]
        columns = [("node", dialect.integer), ("attribute", dialect.integer)]
        parts.append(dialect.listed_rows(roots_, columns, ((str(n), _asked(plan, n, places)) for n in plan.roots)))
    if not places:
        start = f"  SELECT k.k AS k, {begin}, {one} AS weight FROM {source}"
        parts.append(dialect.with_part(walk, ("k", *tree, "node", "weight"), start, once=False))
    else:
        whens = " ".join(f"WHEN {i} THEN k.v{i}" for i in places.values())
        value = "k.v[b.attribute]" if listed else f"CASE b.attribute {whens} END"
        if len(plan.roots) > 1:
            first = value.replace("b.attribute", "r.attribute")
        else:
            first = f"k.v[{_asked(plan, 0, places)}]" if listed else f"k.v{_asked(plan, 0, places)}"
        branches = (way for node in range(len(plan.questions)) for way in _branches(plan, node, places, dialect))
        # v is the value that the node asks for, found when the row comes there.
        step = (
            f"  SELECT k.k AS k, {begin}, {one} AS weight, {first} AS v FROM {source}\n"
            "  UNION ALL\n"
            f"  SELECT w.k, {goes_on}b.child, w.weight * b.share, {value}\n"
            f"  FROM {walk} AS w JOIN {branches_} AS b ON b.node = w.node JOIN {known} AS k ON k.k = w.k\n"
            f"  WHERE {_way(dialect)}"
        )
        parts += [
            dialect.listed_rows(branches_, _branch_columns(dialect), branches),
            dialect.with_part(walk, ("k", *tree, "node", "weight", "v"), step, once=False),
        ]
    option = f"\nOPTION (MAXRECURSION {depth + 1})" if dialect.name == "sqlserver" and depth >= USUAL_DEPTH else ""
    return f"WITH{dialect.recursive}\n" + ",\n".join(parts) + _summed(plan, dialect, table, key) + option


def _way(dialect: Dialect) -> str:
    """The condition that a row goes down a branch."""
    passes = "(b.low IS NULL OR w.v > b.low) AND (b.high IS NULL OR w.v <= b.high)"
    if dialect.plain_values:  # where a condition is a value like others
        return f"CASE WHEN w.v IS NULL THEN b.known = 0\n    ELSE b.known = 1 AND {passes} END"
    return f"(w.v IS NULL AND b.known = 0)\n    OR (w.v IS NOT NULL AND b.known = 1 AND {passes})"


def _summed(plan: Plan, dialect: Dialect, table: str, key: str | None) -> str:
    """The rest of the query: what the leaves say together of each row."""
    _, walk, _, leaves_, sums_, totals, _, trees = own_parts(table)
    schema, classes = plan.schema, range(plan.schema.n_classes)
    columns = [("node", dialect.integer), *((f"p{c}", dialect.double) for c in classes)]
    leaves = ((str(leaf), *map(dialect.literal, plan.probabilities[leaf])) for leaf in plan.leaves)
    sums = [f"SUM(w.weight * l.p{c}) AS s{c}" for c in classes]
    named = "row" if key is None else key
    result = [f"k AS {dialect.identifier(named)}"]
    more = ""
    if plan.tie_tolerance is not None:
        shares = [f"s{c}" for c in classes]
        best = sql_predicted(schema.classes, shares, "total", "most", plan.worth, plan.tie_tolerance, dialect)
        result.append(f"{best} AS {dialect.identifier(own_column('prediction', [named]))}")
        more = f", {dialect.greatest(sql_votes(shares, plan.worth, dialect))} AS most"
    result += [f"s{c} / total AS {name}" for c, name in enumerate(class_columns(schema.classes, dialect))]
    parts = [dialect.listed_rows(leaves_, columns, leaves)]
    by = "w.k" if len(plan.roots) == 1 else "w.k, w.tree"
    summed = f"  SELECT {by}, {lines(sums)}\n  FROM {walk} AS w JOIN {leaves_} AS l ON l.node = w.node\n  GROUP BY {by}"
    if len(plan.roots) > 1:  # each tree by itself adds up to one
        parts.append(dialect.with_part(trees, (), summed, once=False))
        of_tree = added([f"t.s{c}" for c in classes])
        means = [f"SUM(t.s{c} / ({of_tree})) AS s{c}" for c in classes]
        summed = f"  SELECT t.k, {lines(means)}\n  FROM {trees} AS t\n  GROUP BY t.k"
    parts.append(dialect.with_part(sums_, (), summed, once=False))
    totalled = f"  SELECT {sums_}.*, {added([f's{c}' for c in classes])} AS total{more} FROM {sums_}"
    parts.append(dialect.with_part(totals, (), totalled))
    return ",\n" + ",\n".join(parts) + f"\nSELECT {lines(result)}\nFROM {totals}"


def _branch_columns(dialect: Dialect) -> list[tuple[str, str]]:
    kinds = {"low": dialect.double, "high": dialect.double, "share": dialect.double}
    names = ("node", "known", "low", "high", "child", "share", "attribute")
    return [(name, kinds.get(name, dialect.integer)) for name in names]


def _branches(plan: Plan, node: int, places: dict[int, int], dialect: Dialect) -> Iterable[tuple[str, ...]]:
    """The ways from a node: for values above low and up to high, and for an unknown value, with the share of the case.

    At the end stands the place of the attribute that the branch asks for, 0 for a leaf.
    """
    question = plan.questions[node]
    if question is None:
        return
    unknown = [(child, plan.cases[child] / plan.cases[node]) for child in plan.filled_branches(node)]
    ways: list[tuple[str, float | None, float | None, int, float]] = []
    for low, high, branch in _intervals(plan.schema, question):
        parts = unknown if branch < 0 else [(question.first + branch, 1.0)]
        ways += [("1", low, high, child, share) for child, share in parts]
    ways += [("0", None, None, child, share) for child, share in unknown]
    for known, low, high, child, share in ways:
        asked = _asked(plan, child, places)
        yield str(node), known, dialect.bound(low), dialect.bound(high), str(child), dialect.literal(share), asked


def _asked(plan: Plan, node: int, places: dict[int, int]) -> str:
    """The place of the attribute that a node asks for, 0 for a leaf."""
    question = plan.questions[node]
    return "0" if question is None else str(places[question.attribute])


def _intervals(schema: Schema, question: Question) -> list[tuple[float | None, float | None, int]]:
    if schema[question.attribute].is_discrete:
        return [(code - 0.5, code + 0.5, branch) for code, branch in enumerate(question.branch_of)]
    bounds = [None, *question.cuts, None]
    return [(bounds[i], bounds[i + 1], i) for i in range(len(bounds) - 1)]
