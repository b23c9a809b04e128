"""A tree as a CASE expression that gives the leaf of a row, and what all queries with such an expression share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ctree.data.schema import Schema
from ctree.errors import ModelError
from ctree.export.dialects import Dialect
from ctree.export.plan import Plan
from ctree.export.sql_columns import MAX_CASE, class_columns, coded, lines, one_of, own_column, own_parts
from ctree.export.sql_dates import compared_moments


def case_query(plan: Plan, dialect: Dialect, table: str) -> str:
    """The query for the rows of a table: all of its columns, the leaf, and what the leaf says."""
    leaf = "0"
    if plan.questions[0] is not None:
        # A WHEN for each leaf, side by side: databases refuse a CASE within a CASE from some fifteen levels on.
        leaf = chosen(((condition, node) for node, condition in _leaf_conditions(plan, dialect)), "tree")
    number = own_column("ctree_leaf" if dialect.name == "bigquery" else "ctree leaf", plan.schema.names)
    found = (
        f"  SELECT c.*, {leaf} AS {dialect.identifier(number)}\n  FROM {dialect.identifier(table)} AS c",
        f"LEFT JOIN {{}} AS l ON l.node = c.{dialect.identifier(number)}",
    )
    outcomes = [(leaf, plan.best(leaf), plan.probabilities[leaf]) for leaf in plan.leaves]
    return outcome_query(plan.schema, dialect, table, "c.*", plan.schema.names, found, outcomes)


def chosen(whens: Iterable[tuple[str, int]], what: str, otherwise: int | None = None) -> str:
    """The CASE that gives the number behind the first condition to hold, or else another one."""
    texts, length = [], 0
    for condition, number in whens:
        texts.append(f"\n    WHEN {condition} THEN {number}")
        length += len(texts[-1])
        if length > MAX_CASE:
            instead = "as it repeats the whole path to each leaf; form='walk' has a row for each branch"
            raise ModelError(
                f"{'form=' + repr('case') if what == 'tree' else 'the query'} would take more than {MAX_CASE:,} "
                f"characters for this {what}" + (f", {instead}" if what == "tree" else "")
            )
    if not texts:
        return str(otherwise)
    return f"CASE{''.join(texts)}{'' if otherwise is None else f' ELSE {otherwise}'} END"


def outcome_query(
    schema: Schema,
    dialect: Dialect,
    table: str,
    kept: str,
    names: Iterable[str],
    found: tuple[str, str],
    outcomes: Sequence[tuple[int, int | None, Sequence[float]]],
) -> str:
    """A query that finds a number for each row, and what it stands for in a list.

    Parameters
    ----------
    schema : Schema
    dialect : Dialect
    table : str
    kept : str
        What is returned of each row besides.
    names : iterable of str
        What the columns of these are called.
    found : pair of str
        The subquery with the number, and how the list is joined to it.
    outcomes : sequence of tuples
        Each number with the place of a class, None if there is none, and the class probabilities.
    """
    labels, listed = schema.classes, own_parts(table)[3]
    columns, result = [("node", dialect.integer)], [kept]
    predicts = all(best is not None for _, best, _ in outcomes)
    if predicts:
        columns.append(("best", dialect.label_type(labels)))
        result.append(f"l.best AS {dialect.identifier(own_column('prediction', names))}")
    columns += [(f"p{c}", dialect.double) for c in range(len(labels))]
    result += [f"l.p{c} AS {name}" for c, name in enumerate(class_columns(labels, dialect))]
    rows = []
    for number, best, probabilities in outcomes:
        label = [dialect.label(labels, best)] if predicts and best is not None else []
        rows.append((str(number), *label, *map(dialect.literal, probabilities)))
    subquery, join = found
    return (
        f"WITH {dialect.listed_rows(listed, columns, rows)}\nSELECT {lines(result)}\n"
        f"FROM (\n{subquery}\n) AS c\n{join.format(listed)}"
    )


def _leaf_conditions(plan: Plan, dialect: Dialect) -> Iterable[tuple[int, str]]:
    """Each leaf with what leads to it, a condition for each attribute; none holds where a value is unknown."""
    waiting: list[tuple[int, dict[int, Any]]] = [(0, {})]
    while waiting:
        node, asked = waiting.pop()
        question = plan.questions[node]
        if question is None:
            parts = [part for a, allowed in asked.items() for part in _conditions(plan, a, allowed, dialect)]
            yield node, " AND ".join(parts) or "1 = 1"
            continue
        a = question.attribute
        below: list[tuple[int, dict[int, Any]]] = []
        if plan.schema[a].is_discrete:
            for branch, child in enumerate(plan.branches(node)):
                codes = {code for code, b in enumerate(question.branch_of) if b == branch}
                codes &= asked.get(a, codes)
                if codes:
                    below.append((child, {**asked, a: codes}))
        else:
            low, high = asked.get(a, (-math.inf, math.inf))
            bounds = [-math.inf, *question.cuts, math.inf]
            for branch, child in enumerate(plan.branches(node)):
                below.append((child, {**asked, a: (max(low, bounds[branch]), min(high, bounds[branch + 1]))}))
        waiting.extend(reversed(below))


def _conditions(plan: Plan, attribute: int, allowed: Any, dialect: Dialect) -> list[str]:
    entry, filler = plan.schema[attribute], plan.fillers[attribute]
    if entry.is_moment and filler is None:
        dates = compared_moments(entry, f"c.{dialect.identifier(entry.name)}", allowed, dialect)
        if dates is not None:  # they are easier to read than their numbers
            return dates
    if not entry.is_discrete:
        return bounded(coded(plan.schema, attribute, filler, dialect), allowed, dialect)
    codes = sorted(allowed)
    if filler is None:  # the values themselves are easier to read than their codes
        return [one_of(entry, [entry.values[code] for code in codes], dialect)]
    value, texts = coded(plan.schema, attribute, filler, dialect), [str(code) for code in codes]
    return [f"{value} = {texts[0]}" if len(texts) == 1 else f"{value} IN ({', '.join(texts)})"]


def bounded(value: str, bounds: tuple[float, float], dialect: Dialect) -> list[str]:
    """The conditions that a number lies above one bound and not above another, each of which may be infinite."""
    low, high = bounds
    parts = [f"{value} > {dialect.bound(low)}"] if low > -math.inf else []
    return parts + ([f"{value} <= {dialect.bound(high)}"] if high < math.inf else [])
