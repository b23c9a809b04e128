"""Rules as an SQL query: one CASE expression that gives the first rule to apply."""

from __future__ import annotations

from ctree.export.dialects import Dialect
from ctree.export.rule_plan import Demand, RulePlan
from ctree.export.sql_case import bounded, chosen, outcome_query
from ctree.export.sql_columns import coded, one_of
from ctree.export.sql_dates import compared_moments


def rules_query(plan: RulePlan, dialect: Dialect, table: str, key: str | None) -> str:
    """The query for the rows of a table."""
    whens = ((" AND ".join(_conditions(plan, rule, dialect)) or "1 = 1", i) for i, rule in enumerate(plan.rules))
    number = chosen(whens, "rule list", len(plan.rules))
    named = "row" if key is None else key
    row = dialect.row_number if key is None else f"c.{dialect.identifier(key)}"
    found = (
        f"  SELECT {row} AS k, {number} AS node\n  FROM {dialect.identifier(table)} AS c",
        "JOIN {} AS l ON l.node = c.node",
    )
    outcomes = [(i, plan.best[i], p) for i, p in enumerate(plan.probabilities)]
    return outcome_query(plan.schema, dialect, table, f"c.k AS {dialect.identifier(named)}", [named], found, outcomes)


def _conditions(plan: RulePlan, rule: tuple[Demand, ...], dialect: Dialect) -> list[str]:
    texts = []
    for demand in rule:
        entry = plan.schema[demand.attribute]
        if entry.is_discrete:
            texts.append(one_of(entry, [entry.values[code] for code in demand.codes], dialect))
        else:
            bounds, column = (demand.low, demand.high), f"c.{dialect.identifier(entry.name)}"
            dates = compared_moments(entry, column, bounds, dialect) if entry.is_moment else None
            if dates:
                texts += dates
                continue
            value = coded(plan.schema, demand.attribute, None, dialect)
            # where neither bound is finite, any number will do
            texts += bounded(value, bounds, dialect) or [f"{value} IS NOT NULL"]
    return texts
