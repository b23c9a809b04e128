"""The tests that a relational tree may ask at a node, in order, each tried on lists of all answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from naive.relational_data import ForeignKey, RelationalData
from naive.relational_queries import (
    Aggregate,
    Answers,
    Column,
    Compared,
    Same,
    Step,
    Term,
    Test,
    Variable,
    compares,
    extended,
)

AGGREGATES = ("count", "min", "max", "mean", "mode", "share", "nunique")


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
