"""The queries that the nodes of a relational tree have: the tests above them whose yes branches lead there."""

from __future__ import annotations

from dataclasses import dataclass

from ctree.tree.relational_arrays import Comparison, QueryTest, RelationalArrays, Step


@dataclass(frozen=True)
class Query:
    """The steps and conditions of the tests above a node whose yes branches lead to it."""

    steps: tuple[Step, ...] = ()
    conditions: tuple[Comparison, ...] = ()

    def with_test(self, test: QueryTest) -> Query:
        """The query of the yes branch."""
        more = () if test.condition is None else (test.condition,)
        return Query(self.steps + test.steps, self.conditions + more)

    def parts(self) -> list[Part]:
        """The variables that hang together, each with its conditions; conditions on X0 alone are parts without any."""
        group = list(range(len(self.steps) + 1))

        def tie(one: int, other: int) -> None:
            if one and other and group[one] != group[other]:
                group[:] = [group[one] if g == group[other] else g for g in group]

        for variable, step in enumerate(self.steps, 1):
            tie(step.variable, variable)
        for condition in self.conditions:
            if condition.op == "is":
                tie(condition.variable, condition.other_variable)
        result = []
        for number in dict.fromkeys(group[1:]):
            variables = tuple(v for v in range(1, len(group)) if group[v] == number)
            asked = tuple(c for c in self.conditions if set(variables_of(c)) & set(variables))
            result.append(Part(tuple((v, self.steps[v - 1]) for v in variables), asked))
        result += [Part((), (c,)) for c in dict.fromkeys(self.conditions) if not any(variables_of(c))]
        return result


@dataclass(frozen=True)
class Part:
    """Some variables, each with the step by which it came, and what is asked of them."""

    steps: tuple[tuple[int, Step], ...]
    conditions: tuple[Comparison, ...]

    @property
    def is_tied(self) -> bool:
        """Whether a condition speaks of two variables, which then cannot be looked for separately."""
        return any(sum(variable > 0 for variable in variables_of(condition)) > 1 for condition in self.conditions)

    def below(self) -> dict[int, list[int]]:
        """The variables that hang on each variable of this part, and those that hang on none of them, under 0."""
        inside = {variable for variable, _ in self.steps}
        result: dict[int, list[int]] = {}
        for variable, step in self.steps:
            result.setdefault(step.variable if step.variable in inside else 0, []).append(variable)
        return result


def variables_of(condition: Comparison) -> tuple[int, ...]:
    """The variables of the terms of a condition."""
    return (condition.variable, condition.other_variable) if condition.op == "is" else (condition.variable,)


def queries(arrays: RelationalArrays) -> list[Query]:
    """The query of each node."""
    result = [Query()] * len(arrays)
    for node, first in enumerate(arrays.first_branch.tolist()):
        test = arrays.test(node)
        if test is not None:
            result[first], result[first + 1] = result[node].with_test(test), result[node]
    return result
