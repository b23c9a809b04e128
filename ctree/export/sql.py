"""A tree as an SQL query: a walk down a table of branches, with parts of cases where values are unknown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Attribute, Label
from ctree.domains import Choice
from ctree.errors import ModelError, ParameterError
from ctree.export.plan import Plan, Question, plan_of
from ctree.export.texts import NO_TEXT, check_distinct, check_texts

DIALECTS = ("duckdb", "sqlite")
FORMS = ("walk", "case")

MAX_COLUMNS = 2000
"""Of a table or query of SQLite, unless it is compiled otherwise."""

MAX_NESTING = 500
"""Operators in a row, each of which is a level of an expression; SQLite and DuckDB allow 1,000 levels."""

MANY = 64
"""Attributes whose values are better kept in a list than in columns, where there are lists."""

MAX_CASE = 10_000_000
"""The greatest length of the CASE expression."""


def to_sql(
    model: Any, dialect: str = "duckdb", table: str = "cases", key: str | None = None, form: str = "walk"
) -> str:
    """A tree as an SQL query that gives the class probabilities of the rows of a table.

    Parameters
    ----------
    model : a fitted learner of one tree, or a `Tree`
    dialect : {"duckdb", "sqlite"}
    table : str
        The table or view with the cases. Its columns have the names of the attributes.
    key : str, optional
        A column that identifies the rows; it is returned with the probabilities. None: the rows are numbered from
        1 in the column "row", as the database comes upon them. For ``form="walk"``.
    form : {"walk", "case"}
        ``"walk"``: a recursive query over the branches of the tree. NULL, NaN and values that the model does not have
        are unknown: such a row goes down every branch, as in `predict_proba`.
        ``"case"``: one CASE expression that gives the leaf of a row, in the column "ctree leaf" behind all columns of
        the table, and the probabilities of the leaf. It is the quicker of the two, and the expression can be pasted
        anywhere. A row has NULL where the tree asks for a value that is unknown and for which nothing is taken.

    Returns
    -------
    str
        The columns ``p(<class>)`` have the probabilities.

    Examples
    --------
    >>> import sqlite3
    >>> import ctree
    >>> model = ctree.C45Classifier(estimate="laplace").fit(ctree.load_golf())
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("create table days (day, outlook, humidity, windy)")
    >>> _ = base.execute("insert into days values ('Monday', 'sunny', null, 'true'), ('Friday', 'rain', 70, 'true')")
    >>> rows = base.execute(ctree.to_sql(model, "sqlite", table="days", key="day") + " order by 2").fetchall()
    >>> [(day, round(p, 2), round(q, 2)) for day, p, q in rows]
    [('Friday', 0.25, 0.75), ('Monday', 0.42, 0.58)]
    """
    Choice(*DIALECTS).check("dialect", dialect)
    Choice(*FORMS).check("form", form)
    plan = plan_of(model)
    _check_plan(plan, dialect, table, key)
    if form == "case":
        if key is not None:
            raise ParameterError("key is only for form='walk'; form='case' returns all columns of the table")
        return _case_query(plan, dialect, table)
    return _walk_query(plan, dialect, table, key)


def identifier(name: str) -> str:
    """A name in the quotes of SQL.

    Examples
    --------
    >>> print(identifier('size "large"'))
    "size ""large\"""
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: Label | None) -> str:
    """A text, or a number as a double: with an exponent it is no decimal."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def bound(value: float | None, dialect: str) -> str:
    """A number that is compared with others, to the last bit.

    SQLite rounds some decimals of four places and more wrongly, so that a case that lies on a threshold would go the
    other way. For it they are a whole number divided or multiplied by powers of 2, all of which it reads exactly.

    Examples
    --------
    >>> bound(82.5, "sqlite"), bound(0.1 + 0.2, "duckdb"), bound(0.1 + 0.2, "sqlite")
    ('82.5e0', '0.30000000000000004e0', '(1351079888211149 / 562949953421312e0 / 8e0)')
    """
    # With up to three places the quotient of two whole numbers is never so close to the middle between two doubles that
    # rounding it to 64 bits first, as SQLite does, makes a difference.
    if value is None or dialect != "sqlite" or (abs(value) < 1e12 and float(f"{value:.3f}") == value):
        return literal(value)
    numerator, denominator = value.as_integer_ratio()
    zeros = (abs(numerator) >> 53).bit_length()  # a double has no more than 53 bits before them
    text = str(numerator >> zeros)
    for sign, power in (("/", denominator.bit_length() - 1), ("*", zeros)):
        for done in range(0, power, 49):
            text += f" {sign} {1 << min(power - done, 49)}e0"
    return f"({text})"


def _check_plan(plan: Plan, dialect: str, table: str, key: str | None) -> None:
    """Refuse what cannot be said in SQL: the query would not run, or not tell apart what the tree does."""
    asked = [plan.schema[a] for a in plan.attributes]
    given = [("the table", table), *([] if key is None else [("the key", key)])]
    check_texts(plan.schema, asked, NO_TEXT, "SQL", given)
    seen: set[str] = set()
    for attribute in asked:
        name = abbreviated(attribute.name)
        if _is_numeric(attribute):
            _check_numbers(attribute)
        check_distinct(attribute.values, f"attribute '{name}'", "SQL", literal if _is_numeric(attribute) else _text)
        if not attribute.name and dialect == "duckdb":
            raise ModelError("DuckDB does not allow empty names, but an attribute has one")
        if attribute.name.lower() in seen:
            raise ModelError(f"SQL cannot distinguish attribute '{name}' from another whose name differs only in case")
        seen.add(attribute.name.lower())
    columns = max(len(asked) + 1, plan.schema.n_classes + 2)
    if dialect == "sqlite" and columns > MAX_COLUMNS:
        raise ModelError(
            f"SQLite allows {MAX_COLUMNS:,} columns, but the query would need {columns:,}; DuckDB has no such limit, "
            "nor do Python and C"
        )


def _check_numbers(attribute: Attribute) -> None:
    for value in attribute.values:
        try:
            float(value)
        except OverflowError:
            raise ModelError(
                f"attribute '{abbreviated(attribute.name)}' has a value that is too large for a number of SQL"
            ) from None


def _is_numeric(attribute: Attribute) -> bool:
    return all(not isinstance(v, str) for v in attribute.values)


def _text(value: Label) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(plan: Plan, attribute: int, dialect: str) -> str:
    """The expression of an attribute as a number, or as the code of its value; NULL where it is unknown.

    Codes are doubles too: in the walk both stand in one column, whose type DuckDB takes from the root.
    """
    entry, filler = plan.schema[attribute], plan.fillers[attribute]
    column = f"c.{identifier(entry.name)}"
    number = f"CAST({column} AS DOUBLE)"
    if entry.is_continuous:
        if dialect == "duckdb":  # where NaN is a number, greater than all others
            number = f"NULLIF({number}, CAST('NaN' AS DOUBLE))"
    elif not entry.values:
        number = "NULL"
    else:
        what = number if _is_numeric(entry) else f"CAST({column} AS VARCHAR)"
        number = f"CASE {what} {_codes(entry, dialect)} END"
    return number if filler is None else f"COALESCE({number}, {bound(float(filler), dialect)})"


def _codes(attribute: Attribute, dialect: str) -> str:
    values = [
        (code, text) for code, v in enumerate(attribute.values) for text in _value_literals(attribute, v, dialect)
    ]
    return " ".join(f"WHEN {text} THEN {literal(float(code))}" for code, text in values)


def _class_columns(plan: Plan) -> list[str]:
    """The names of the columns with the probabilities; numbered where they would differ in capitals only."""
    names = [f"p({label})" for label in plan.schema.classes]
    alike = len({name.lower() for name in names}) < len(names)
    return [identifier(f"{name} {i + 1}" if alike else name) for i, name in enumerate(names)]


def _walk_query(plan: Plan, dialect: str, table: str, key: str | None) -> str:
    n_classes = plan.schema.n_classes
    row = "row_number() OVER ()" if key is None else f"c.{identifier(key)}"
    numbers = [_number(plan, a, dialect) for a in plan.attributes]
    places = {a: place for place, a in enumerate(plan.attributes, 1)}
    # In each step DuckDB takes along all columns; it is several times as fast with a list if there are many.
    listed = dialect == "duckdb" and len(numbers) > MANY
    values = [f"[{', '.join(numbers)}] AS v"] if listed else [f"{x} AS v{i}" for i, x in enumerate(numbers, 1)]
    leaves = [(leaf, *map(literal, plan.probabilities[leaf])) for leaf in plan.leaves]
    sums = [f"SUM(w.weight * l.p{c}) AS s{c}" for c in range(n_classes)]
    shares = [f"s{c} / total AS {name}" for c, name in enumerate(_class_columns(plan))]
    # What is used in every step is made once.
    known, walk, branches_, leaves_, sums_, totals = _own_names(table)
    parts = [
        f"{known} AS MATERIALIZED (\n  SELECT {_lines([f'{row} AS k', *values])}\n  FROM {identifier(table)} AS c\n)"
    ]
    root = plan.questions[0]
    if root is None:
        parts.append(f"{walk}(k, node, weight) AS (\n  SELECT k.k, 0, 1e0 FROM {known} AS k\n)")
    else:
        first = f"k.v[{places[root.attribute]}]" if listed else f"k.v{places[root.attribute]}"
        whens = " ".join(f"WHEN {i} THEN k.v{i}" for i in places.values())
        value = "k.v[b.attribute]" if listed else f"CASE b.attribute {whens} END"
        branches = [way for node in range(len(plan.questions)) for way in _branches(plan, node, places, dialect)]
        parts += [
            f"{branches_}(node, known, low, high, child, share, attribute) AS MATERIALIZED (\n{_values(branches)}\n)",
            # v is the value that the node asks for, found when the row comes there.
            f"{walk}(k, node, weight, v) AS (\n"
            f"  SELECT k.k, 0, 1e0, {first} FROM {known} AS k\n"
            "  UNION ALL\n"
            f"  SELECT w.k, b.child, w.weight * b.share, {value}\n"
            f"  FROM {walk} AS w JOIN {branches_} AS b ON b.node = w.node JOIN {known} AS k ON k.k = w.k\n"
            "  WHERE CASE WHEN w.v IS NULL THEN b.known = 0\n"
            "    ELSE b.known = 1 AND (b.low IS NULL OR w.v > b.low) AND (b.high IS NULL OR w.v <= b.high) END\n)",
        ]
    total = _sum([f"s{c}" for c in range(n_classes)])
    return (
        f"WITH RECURSIVE\n{_list(parts)},\n"
        f"{leaves_}(node, {', '.join(f'p{c}' for c in range(n_classes))}) AS MATERIALIZED (\n{_values(leaves)}\n),\n"
        f"{sums_} AS (\n  SELECT w.k, {_lines(sums)}\n"
        f"  FROM {walk} AS w JOIN {leaves_} AS l ON l.node = w.node\n  GROUP BY w.k\n),\n"
        f"{totals} AS MATERIALIZED (\n  SELECT *, {total} AS total FROM {sums_}\n)\n"
        f"SELECT k AS {identifier('row' if key is None else key)}, {_lines(shares)}\nFROM {totals}"
    )


def _own_names(table: str) -> list[str]:
    """What the parts of a query are called; none of them may hide the table with the cases."""
    names = ["known", "walk", "branches", "leaves", "sums", "totals"]
    return [f"ctree_{name}" for name in names] if table.lower() in names else names


def _sum(terms: Sequence[str]) -> str:
    """A sum, of many terms in brackets of some hundreds: each plus is a level more of the expression."""
    if len(terms) <= MAX_NESTING:
        return " + ".join(terms)
    runs = [terms[start : start + MAX_NESTING] for start in range(0, len(terms), MAX_NESTING)]
    return " + ".join(f"({' + '.join(run)})" for run in runs)


def _branches(plan: Plan, node: int, places: dict[int, int], dialect: str) -> Iterable[tuple[str, ...]]:
    """The ways from a node: for values above low and up to high, and for an unknown value, with the share of the case.

    At the end stands the place of the attribute that the branch asks for, 0 for a leaf.
    """
    question = plan.questions[node]
    if question is None:
        return
    unknown = [(child, plan.cases[child] / plan.cases[node]) for child in plan.filled_branches(node)]
    ways: list[tuple[str, float | None, float | None, int, float]] = []
    for low, high, branch in _intervals(plan, question):
        parts = unknown if branch < 0 else [(question.first + branch, 1.0)]
        ways += [("1", low, high, child, share) for child, share in parts]
    ways += [("0", None, None, child, share) for child, share in unknown]
    for known, low, high, child, share in ways:
        below = plan.questions[child]
        asked = "0" if below is None else str(places[below.attribute])
        yield str(node), known, bound(low, dialect), bound(high, dialect), str(child), literal(share), asked


def _intervals(plan: Plan, question: Question) -> list[tuple[float | None, float | None, int]]:
    if plan.schema[question.attribute].is_discrete:
        return [(code - 0.5, code + 0.5, branch) for code, branch in enumerate(question.branch_of)]
    bounds = [None, *question.cuts, None]
    return [(bounds[i], bounds[i + 1], i) for i in range(len(bounds) - 1)]


def _case_query(plan: Plan, dialect: str, table: str) -> str:
    # A WHEN for each leaf, side by side: databases refuse a CASE within a CASE from some fifteen levels on.
    whens, length = [], 0
    for node, condition in _leaf_conditions(plan, dialect):
        whens.append(f"\n    WHEN {condition} THEN {node}")
        length += len(whens[-1])
        if length > MAX_CASE:
            raise ModelError(
                f"form='case' would take more than {MAX_CASE:,} characters for this tree, as it repeats the whole path "
                "to each leaf; form='walk' has a row for each branch"
            )
    leaf = "0" if plan.questions[0] is None else f"CASE{''.join(whens)} END"
    number = "ctree leaf"
    while number in {name.lower() for name in plan.schema.names}:
        number += "_"
    leaves_ = _own_names(table)[3]
    leaves = [(node, *map(literal, plan.probabilities[node])) for node in plan.leaves]
    places = ", ".join(f"p{c}" for c in range(plan.schema.n_classes))
    shares = [f"l.p{c} AS {name}" for c, name in enumerate(_class_columns(plan))]
    return (
        f"WITH {leaves_}(node, {places}) AS MATERIALIZED (\n{_values(leaves)}\n)\n"
        f"SELECT c.*, {_lines(shares)}\n"
        f"FROM (\n  SELECT c.*, {leaf} AS {identifier(number)}\n  FROM {identifier(table)} AS c\n) AS c\n"
        f"LEFT JOIN {leaves_} AS l ON l.node = c.{identifier(number)}"
    )


def _leaf_conditions(plan: Plan, dialect: str) -> Iterable[tuple[int, str]]:
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


def _conditions(plan: Plan, attribute: int, allowed: Any, dialect: str) -> list[str]:
    entry = plan.schema[attribute]
    value = _number(plan, attribute, dialect)
    if not entry.is_discrete:
        low, high = allowed
        parts = [f"{value} > {bound(low, dialect)}"] if low > -math.inf else []
        return parts + ([f"{value} <= {bound(high, dialect)}"] if high < math.inf else [])
    filled = plan.fillers[attribute] is not None
    if not filled:  # the values themselves are easier to read than their codes
        value = f"CAST(c.{identifier(entry.name)} AS {'DOUBLE' if _is_numeric(entry) else 'VARCHAR'})"
    codes = sorted(allowed)
    texts = [str(code) for code in codes]
    if not filled:
        texts = [text for code in codes for text in _value_literals(entry, entry.values[code], dialect)]
    return [f"{value} = {texts[0]}" if len(texts) == 1 else f"{value} IN ({', '.join(texts)})"]


def _value_literals(attribute: Attribute, value: Label, dialect: str) -> list[str]:
    """How a value may stand in the table: SQLite reads a number that is kept as text as it reads one in a query."""
    if not _is_numeric(attribute):
        return [literal(_text(value))]
    return list(dict.fromkeys((literal(value), bound(float(value), dialect))))


def _values(rows: Iterable[tuple[Any, ...]]) -> str:
    return "  VALUES\n" + ",\n".join(f"    ({', '.join(map(str, row))})" for row in rows)


def _lines(items: Iterable[str]) -> str:
    return ",\n    ".join(items)


def _list(items: Iterable[str]) -> str:
    return ",\n".join(items)
