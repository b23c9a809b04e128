"""Queries about linked rows, and the tests that are added to them: what they say, and when they hold.

An answer of a query is a tuple: the number of a row for each variable, X0's first. The answers of each example are a
list, as they are; their numbers multiply, which is why only small data are for this module.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from naive.relational_data import ForeignKey, RelationalData

Answer = tuple[int, ...]
Answers = dict[int, list[Answer]]


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
