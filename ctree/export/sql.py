"""Models as SQL queries that give the class and its probabilities for the rows of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ctree.domains.domain import Choice
from ctree.errors import ParameterError
from ctree.export.dialects import DIALECTS
from ctree.export.plan import Plan
from ctree.export.plans import planned
from ctree.export.rule_plan import RulePlan
from ctree.export.sql_bayes import bayes_query
from ctree.export.sql_case import case_query
from ctree.export.sql_columns import check_columns
from ctree.export.sql_rules import rules_query
from ctree.export.sql_walk import walk_query

FORMS = ("walk", "case")

NEARLY = 1e-12
"""Means of many probabilities that differ by less are equal."""


def to_sql(
    model: Any, dialect: str = "duckdb", table: str = "cases", key: str | None = None, form: str | None = None
) -> str:
    """A model as an SQL query that gives the class and its probabilities for the rows of a table.

    Parameters
    ----------
    model : a fitted learner of one tree, of rules or of naive Bayes, a `Tree` or a `RuleList`
        Or a `CommitteeClassifier` by bagging or of a forest, whose members are trees; it has the form ``"walk"``.
    dialect : {"duckdb", "sqlite", "postgresql", "bigquery", "snowflake", "sqlserver"}
    table : str
        The table or view with the cases. Its columns have the names of the attributes.
    key : str, optional
        A column that identifies the rows; it is returned with the probabilities. None: the rows are numbered from
        1 in the column "row", as the database comes upon them, which BigQuery, Snowflake and SQL Server cannot do
        for ``form="walk"``. ``form="case"`` has no key.
    form : {"walk", "case"}, optional
        Of a tree; None is the first.
        ``"walk"``: a recursive query over the branches of the tree. NULL, NaN and values that the model does not have
        are unknown: such a row goes down every branch, as in `predict_proba`.
        ``"case"``: one CASE expression that gives the leaf of a row, in the column "ctree leaf" behind all columns of
        the table, and the probabilities of the leaf. It is the quicker of the two, and the expression can be pasted
        anywhere. A row has NULL where the tree asks for a value that is unknown and for which nothing is taken.

    Returns
    -------
    str
        The column ``prediction`` has the class that `predict` gives, and the columns ``p(<class>)`` (for BigQuery
        ``p_<class>``) have the probabilities. It is left out where the class does not follow from them: in J48's
        variant with another estimate than ``estimate="frequency"``.

    Examples
    --------
    >>> import sqlite3
    >>> import ctree
    >>> model = ctree.C45Classifier(estimate="laplace").fit(ctree.load_golf())
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("create table days (day, outlook, humidity, windy)")
    >>> _ = base.execute("insert into days values ('Monday', 'sunny', null, 'true'), ('Friday', 'rain', 70, 'true')")
    >>> rows = base.execute(ctree.to_sql(model, "sqlite", table="days", key="day") + " order by day").fetchall()
    >>> [(day, label, round(p, 2), round(q, 2)) for day, label, p, q in rows]
    [('Friday', "Don't Play", 0.25, 0.75), ('Monday', "Don't Play", 0.42, 0.58)]
    """
    Choice(*DIALECTS).check("dialect", dialect)
    if form is not None:
        Choice(*FORMS).check("form", form)
    plan, spoken = planned(model), DIALECTS[dialect]
    check_columns(plan.schema, plan.attributes, spoken, table, key)
    if not isinstance(plan, Plan):
        if form is not None:
            raise ParameterError(f"form is only for trees, and a {type(model).__name__} is none; leave it out")
        if isinstance(plan, RulePlan):
            return spoken.checked(rules_query(plan, spoken, table, key))
        return spoken.checked(bayes_query(plan, spoken, table, key))
    if form == "case":
        plan.check_single("one CASE expression")
        if key is not None:
            raise ParameterError("key is only for form='walk'; form='case' returns all columns of the table")
        return spoken.checked(case_query(plan, spoken, table))
    if len(plan.roots) > 1:
        # a database adds up in any order, so that what should be equal may not be
        plan = replace(plan, tie_tolerance=NEARLY)
    return spoken.checked(walk_query(plan, spoken, table, key))
