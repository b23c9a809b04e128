"""Naive Bayes as an SQL query: what the values of a row add to the logarithm of each class."""

from __future__ import annotations

import math

from ctree.errors import ModelError
from ctree.export.bayes_plan import BayesPlan
from ctree.export.decision import sql_predicted, sql_votes
from ctree.export.dialects import Dialect
from ctree.export.sql_columns import (
    MAX_CASE,
    added,
    class_columns,
    coded,
    lines,
    own_column,
)

IMPOSSIBLE = -1e300
"""In place of the logarithm of 0; the sums of some millions of them are numbers yet."""

NEGLIGIBLE = -700.0
"""The exponential of less is 0 or close to it; PostgreSQL calls it an error."""


def bayes_query(plan: BayesPlan, dialect: Dialect, table: str, key: str | None) -> str:
    """The query for the rows of a table."""
    labels, classes = plan.schema.classes, range(plan.schema.n_classes)
    named = "row" if key is None else key
    row = dialect.row_number if key is None else f"c.{dialect.identifier(key)}"
    values = [f"{coded(plan.schema, a, None, dialect)} AS v{i}" for i, a in enumerate(plan.attributes)]
    known = f"SELECT {lines([f'{row} AS k', *values])}\n  FROM {dialect.identifier(table)} AS c"
    logs = [f"{_log(plan, c, dialect)} AS l{c}" for c in classes]
    length = sum(map(len, logs))
    if length > MAX_CASE:
        raise ModelError(f"the query would take more than {MAX_CASE:,} characters; export the model as Python or C")
    sums = [f"l{c}" for c in classes]
    weights = [f"{_weight(plan, c, dialect)} AS e{c}" for c in classes]
    exps, shares = [f"e{c}" for c in classes], [f"e{c} / total" for c in classes]
    best = sql_predicted(labels, exps, "total", "best", plan.worth, 0.0, dialect)
    most = dialect.greatest(sql_votes(exps, plan.worth, dialect))
    result = [f"k AS {dialect.identifier(named)}"]
    result.append(f"{best} AS {dialect.identifier(own_column('prediction', [named]))}")
    result += [f"{share} AS {name}" for share, name in zip(shares, class_columns(labels, dialect), strict=True)]
    return (
        f"SELECT {lines(result)}\nFROM (\n"
        f"  SELECT w.*, {added(exps)} AS total, {most} AS best\n  FROM (\n"
        f"  SELECT s.k AS k, {lines(weights)}\n  FROM (\n"
        f"  SELECT l.*, {dialect.greatest(sums)} AS most\n  FROM (\n"
        f"  SELECT v.k AS k, {lines(logs)}\n  FROM (\n  {known}\n  ) AS v\n  ) AS l\n  ) AS s\n  ) AS w\n) AS t"
    )


def _log(plan: BayesPlan, c: int, dialect: Dialect) -> str:
    """The logarithm of a class, by what is known of the row v."""
    # A double, and so the sum is one where 1.5e0 is a decimal.
    terms = [dialect.cast(_number(plan.log_priors[c], dialect), dialect.double)]
    for i, a in enumerate(plan.attributes):
        rows, cuts = plan.logs[a], plan.cuts[a]
        assert rows is not None
        value, numbers = f"v.v{i}", [_number(row[c], dialect) for row in rows]
        if cuts is None:
            whens = [f"WHEN {code}.0e0 THEN {number}" for code, number in enumerate(numbers)]
            terms.append(f"CASE {value} {' '.join(whens)} ELSE 0e0 END")
            continue
        bounds = map(dialect.bound, cuts)
        whens = [f"WHEN {value} <= {cut} THEN {number}" for cut, number in zip(bounds, numbers, strict=False)]
        terms.append(f"CASE WHEN {value} IS NULL THEN 0e0 {' '.join(whens)} ELSE {numbers[-1]} END")
    return added(terms)


def _weight(plan: BayesPlan, c: int, dialect: Dialect) -> str:
    """The exponential of a logarithm, of which the greatest has 1; the priors if no class is possible."""
    way = f"s.l{c} - s.most"
    first = f"WHEN s.most <= {IMPOSSIBLE / 10!r} THEN {dialect.literal(plan.priors[c])} " if _rules_out(plan) else ""
    return f"CASE {first}WHEN {way} < {NEGLIGIBLE!r} THEN 0e0 ELSE EXP({way}) END"


def _rules_out(plan: BayesPlan) -> bool:
    """Whether a value can rule a class out."""
    rows = [row for a in plan.attributes for row in plan.logs[a] or ()]
    return any(-math.inf in row for row in (plan.log_priors, *rows))


def _number(value: float, dialect: Dialect) -> str:
    return dialect.literal(IMPOSSIBLE if value == -math.inf else value)
