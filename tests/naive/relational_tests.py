"""The tests that a relational tree may ask at a node, in order, each tried on lists of all answers.

An answer of a query is a tuple: the number of a row for each variable, X0's first. A node keeps for each of its
examples the list of its answers, as they are; their numbers multiply, which is why only small data are for this module.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from naive.relational_data import ForeignKey, RelationalData

Answer = tuple[int, ...]
Answers = dict[int, list[Answer]]

AGGREGATES = ("count", "min", "max", "mean", "mode", "share", "nunique")


@dataclass(frozen=True)
class Variable:
    """A row that a query speaks of; it refers to an earlier one by the foreign key `by`, unless it is X0."""

    number: int
    table: str
    by: ForeignKey | None = None


@dataclass(frozen=True)
class Term:
    """The row that is reached from a variable by going up along some foreign keys."""

    variable: Variable
    path: tuple[ForeignKey, ...] = ()

    @property
    def table(self) -> str:
        return self.path[-1].references if self.path else self.variable.table

    @property
    def is_of_example(self) -> bool:
        """Does it stand for one row only, whatever the answer?"""
        return self.variable.number == 0

    def row(self, data: RelationalData, answer: Answer) -> int | None:
        """What it stands for in an answer; None if a foreign key on the way is unknown."""
        return self.row_above(data, answer[self.variable.number])

    def row_above(self, data: RelationalData, row: int | None) -> int | None:
        """What it stands for if its variable stands for that row."""
        for key in self.path:
            if row is None:
                return None
            row = data.up(key, row)
        return row

    def __str__(self) -> str:
        return ".".join([f"X{self.variable.number}", *(key.column for key in self.path)])


@dataclass(frozen=True)
class Step:
    """A new variable: any row that refers to what a term stands for."""

    variable: Variable
    of: Term

    def rows(self, data: RelationalData, answer: Answer) -> list[int]:
        row = self.of.row(data, answer)
        return [] if row is None else data.down(self.variable.by, row)

    def __str__(self) -> str:
        return f"X{self.variable.number} in {self.variable.table}({self.variable.by.column}={self.of})"

    def to_json(self) -> dict:
        return {
            "variable": f"X{self.variable.number}",
            "table": self.variable.table,
            "by": self.variable.by.column,
            "of": str(self.of),
        }


@dataclass(frozen=True)
class Column:
    """The value of a column in the row of a term."""

    term: Term
    column: str

    def value(self, data: RelationalData, answer: Answer):
        row = self.term.row(data, answer)
        return None if row is None else data.tables[self.term.table].rows[row][self.column]

    def __str__(self) -> str:
        return f"{self.term}.{self.column}"

    def to_json(self) -> dict:
        return {"term": str(self.term), "column": self.column}


@dataclass(frozen=True)
class Aggregate:
    """A figure of all the rows to which a step would lead, or of a column of theirs.

    `inner` is the column, of a term of the variable that the step would introduce; a count has none. `of_value` is the
    value whose share is meant, `values` the order of values, by which one of several most frequent ones is chosen.
    """

    name: str
    step: Step
    inner: Column | None = None
    of_value: str | None = None
    values: tuple[str, ...] = ()

    def value(self, data: RelationalData, answer: Answer):
        if self.step.of.row(data, answer) is None:
            return None
        rows = self.step.rows(data, answer)
        if self.name == "count":
            return float(len(rows))
        columns = [self.inner.value(data, (*answer, row)) for row in rows]
        return self.figure([value for value in columns if value is not None])

    def figure(self, known: list):
        """The figure of the known values; only their number may be told where there are none."""
        if self.name == "nunique":
            return float(len(set(known)))
        if not known:
            return None
        if self.name == "mode":
            order = [*self.values, *sorted(set(known) - set(self.values))]
            return max(order, key=known.count)
        if self.name == "share":
            return known.count(self.of_value) / len(known)
        return {"min": min, "max": max, "mean": mean}[self.name](known)

    def __str__(self) -> str:
        rows = f"{self.step.variable.table}({self.step.variable.by.column}={self.step.of})"
        if self.inner is None:
            return f"{self.name}({rows})"
        column = ".".join([rows, *(key.column for key in self.inner.term.path), self.inner.column])
        return f"{self.name}({column} = {self.of_value})" if self.name == "share" else f"{self.name}({column})"

    def to_json(self) -> dict:
        result = {
            "term": str(self.step.of),
            "aggregate": self.name,
            "table": self.step.variable.table,
            "by": self.step.variable.by.column,
            "path": [key.column for key in self.inner.term.path] if self.inner else [],
            "column": self.inner.column if self.inner else None,
        }
        return result | ({"of_value": self.of_value} if self.name == "share" else {})


@dataclass(frozen=True)
class Compared:
    """A column or an aggregate, compared with a constant; it does not hold where the value is unknown."""

    what: Column | Aggregate
    op: str
    constant: str | float

    def holds(self, data: RelationalData, answer: Answer) -> bool:
        return compares(self.what.value(data, answer), self.op, self.constant)

    def __str__(self) -> str:
        return f"{self.what} {self.op} {self.constant}"

    def to_json(self) -> dict:
        return self.what.to_json() | {"op": self.op, "value": self.constant}


@dataclass(frozen=True)
class Same:
    """Two terms stand for the same row; one of a symmetric table and the same with its ends exchanged are two."""

    term: Term
    other: Term

    def holds(self, data: RelationalData, answer: Answer) -> bool:
        row = self.term.row(data, answer)
        return row is not None and row == self.other.row(data, answer)

    def __str__(self) -> str:
        return f"{self.term} is {self.other}"

    def to_json(self) -> dict:
        return {"term": str(self.term), "column": None, "op": "is", "value": str(self.other)}


def mean(numbers: Sequence[float]) -> float:
    """Whatever the order of the rows."""
    return math.fsum(numbers) / len(numbers)


def compares(value, op: str, constant) -> bool:
    """
    >>> compares(1.5, "<=", 1.5), compares(1.5, ">", 1.5), compares(None, ">", 1.5)
    (True, False, False)
    """
    if value is None:
        return False
    return {"=": value == constant, "<=": op != "=" and value <= constant, ">": op != "=" and value > constant}[op]


@dataclass(frozen=True)
class Test:
    """Steps to new rows, then at most one condition."""

    __test__ = False  # not one of pytest's

    steps: tuple[Step, ...]
    condition: Compared | Same | None = None

    def __str__(self) -> str:
        if not self.steps:
            return str(self.condition)
        steps = "exists " + ", ".join(str(step) for step in self.steps)
        return steps if self.condition is None else f"{steps}: {self.condition}"

    def answers(self, data: RelationalData, answers: Answers) -> Answers:
        """The answers of the query with this test added, of those examples that have one."""
        longer = extended(data, answers, self.steps)
        if self.condition is not None:
            longer = {e: [a for a in listed if self.condition.holds(data, a)] for e, listed in longer.items()}
        return {example: listed for example, listed in longer.items() if listed}


def extended(data: RelationalData, answers: Answers, steps: Sequence[Step]) -> Answers:
    """All ways to add rows for new variables to the answers of each example."""
    for step in steps:
        answers = {e: [(*a, row) for a in listed for row in step.rows(data, a)] for e, listed in answers.items()}
    return answers


def inequalities(term: Term) -> list[str]:
    """Where there is but one row, it is enough to ask in one direction."""
    return ["<="] if term.is_of_example else ["<=", ">"]


@dataclass
class Language:
    """Which tests there are, and in which order.

    `links` and `constants` are in place of those of the schema; `values` and `cuts` of a column, by table and name, are
    fixed before the tree grows. Without `cuts` every threshold is tried that divides the examples differently.
    """

    data: RelationalData
    values: Mapping[tuple[str, str], Sequence[str]]
    cuts: Mapping[tuple[str, str], Sequence[float]] | None = None
    lookahead: int = 0
    forward: int = 2
    max_variables: int = 8
    closing: bool = False
    links: Mapping[str, str] | None = None
    constants: Mapping[str, bool] | None = None
    aggregates: Sequence[str] = ()

    def __post_init__(self):
        self.links = self.data.links if self.links is None else self.links
        self.constants = self.data.constants if self.constants is None else self.constants

    def root_query(self) -> tuple[Variable, ...]:
        return (Variable(0, self.data.target),)

    def may_follow(self, key: ForeignKey, direction: str) -> bool:
        return self.links.get(key.name, "both") in ("both", direction)

    def terms(self, variable: Variable) -> list[Term]:
        """The terms of a variable, the shorter ones first; none leads to other examples, or back where it came from."""
        result = [Term(variable)]
        longest = result
        for _ in range(self.forward):
            longest = [
                Term(variable, (*term.path, key))
                for term in longest
                for key in self.data.foreign_keys
                if key.table == term.table
                and key.references != self.data.target
                and self.may_follow(key, "up")
                and not (term.path == () and key == variable.by)
            ]
            result = result + longest
        return result

    def steps(self, term: Term, number: int) -> list[Step]:
        """The steps down from a term, each to a new variable of that number."""
        return [
            Step(Variable(number, key.table, key), term)
            for key in self.data.foreign_keys
            if key.references == term.table
            and key.table != self.data.target
            and self.may_follow(key, "down")
            and key.column in (self.data.tables[key.table].symmetric or (key.column,))[:1]
        ]

    def candidates(self, query: Sequence[Variable], answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        """Every test at a node, whether or not it divides, and the examples for which it succeeds."""
        known = [term for variable in query for term in self.terms(variable)]
        for term in known:
            earlier = [other for other in known if other.variable.number < term.variable.number]
            yield from self.with_conditions((), term, earlier, answers)
        if len(query) < self.max_variables:
            yield from self.one_step(query, known, answers)
        if self.lookahead and len(query) + 2 <= self.max_variables:
            yield from self.two_steps(query, known, answers)
        yield from self.of_aggregates(query, known, answers)

    def one_step(self, query, known: list[Term], answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        for term in known:
            for step in self.steps(term, len(query)):
                yield from self.after_steps((step,), known, answers)

    def two_steps(self, query, known: list[Term], answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        for term in known:
            for first in self.steps(term, len(query)):
                new = self.terms(first.variable)
                after_first = extended(self.data, answers, [first])
                for between in new:
                    for second in self.steps(between, len(query) + 1):
                        yield from self.after_steps((first, second), known + new, after_first)

    def after_steps(self, steps, earlier: list[Term], answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        """The steps alone, then with a condition on the last new variable. `answers` lack the last step only."""
        longer = extended(self.data, answers, steps[-1:])
        yield Test(steps), {example for example, listed in longer.items() if listed}
        for term in self.terms(steps[-1].variable):
            yield from self.with_conditions(steps, term, earlier, longer)

    def with_conditions(self, steps, term: Term, earlier, answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        """Tests of the conditions of a term, on the answers after the steps."""
        for column in self.compared_columns(term):
            operators = ["="] if self.is_discrete(term, column) else inequalities(term)
            yield from self.comparisons(steps, Column(term, column), operators, answers)
        if self.closing and not term.is_of_example:
            for other in earlier:
                if other.table == term.table:
                    same = Same(term, other)
                    holds = {e for e, listed in answers.items() if any(same.holds(self.data, a) for a in listed)}
                    yield Test(steps, same), holds

    def compared_columns(self, term: Term) -> list[str]:
        """The columns of a term's table that may be compared with constants."""
        table = self.data.tables[term.table]
        return [
            column
            for column, kind in table.columns.items()
            if kind in ("discrete", "continuous") and self.constants.get(f"{table.name}.{column}", True)
        ]

    def is_discrete(self, term: Term, column: str) -> bool:
        return self.data.tables[term.table].columns[column] == "discrete"

    def comparisons(self, steps, what, operators, answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        """Tests of a column or an aggregate, by each operator with each constant."""
        seen = {e: {what.value(self.data, a) for a in listed} - {None} for e, listed in answers.items()}
        for op in operators:
            for constant in self.values_tried(what) if op == "=" else self.thresholds_tried(what, op, seen):
                holds = {e for e, values in seen.items() if any(compares(value, op, constant) for value in values)}
                yield Test(steps, Compared(what, op, constant)), holds

    def values_tried(self, what: Column | Aggregate) -> Sequence[str]:
        """All values in order; but where there is but one row, and two values, one of them is enough."""
        column = what if isinstance(what, Column) else what.inner
        values = self.values[column.term.table, column.column]
        return values[:1] if column.term.is_of_example and len(values) == 2 else values

    def thresholds_tried(self, what: Column | Aggregate, op: str, seen: Mapping[int, set]) -> Sequence[float]:
        """The cuts of the column; or the least values of the examples for `<=`, the greatest for `>`.

        Aggregates have no cuts: of them every threshold is tried that divides the examples differently.
        """
        if self.cuts is not None and isinstance(what, Column):
            return self.cuts[what.term.table, what.column]
        extreme = min if op == "<=" else max
        return sorted({extreme(values) for values in seen.values() if values})

    def of_aggregates(self, query, known: list[Term], answers: Answers) -> Iterator[tuple[Test, set[int]]]:
        """Tests of figures of all the rows that refer to a term; no new variable stays behind."""
        for term in known if self.aggregates else ():
            for step in self.steps(term, len(query)):
                for aggregate in self.aggregates_of(step):
                    # That some row is small, or some great, is a test of one step already; not so that all are.
                    operators = {"min": [">"], "max": ["<="], "mode": ["="]}.get(aggregate.name, inequalities(term))
                    yield from self.comparisons((), aggregate, operators, answers)

    def aggregates_of(self, step: Step) -> list[Aggregate]:
        """The number of rows, then for each column of each term of theirs the aggregates of its kind."""
        result = [Aggregate("count", step)]
        for term in self.terms(step.variable):
            for name in self.compared_columns(term):
                column = Column(term, name)
                if self.is_discrete(term, name):
                    values = tuple(self.values[term.table, name])
                    result.append(Aggregate("mode", step, column, values=values))
                    result += [Aggregate("share", step, column, value) for value in values]
                    result.append(Aggregate("nunique", step, column))
                else:
                    result += [Aggregate(which, step, column) for which in ("min", "max", "mean")]
        return [aggregate for aggregate in result if aggregate.name in self.aggregates]
