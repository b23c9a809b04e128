"""Rows for the variables of a query: the first answer that an example has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctree.data.relational.data import RelationalData
from ctree.tree.relational_arrays import Comparison
from ctree.tree.relational_queries import Part, Query, variables_of
from ctree.tree.relational_tree import RelationalTree

Rows = dict[int, int]


class Witnesses:
    """Finds answers of queries.

    Variables that hang together only through X0 are looked for separately, and so are those that hang on one row
    without being tied to each other.

    Parameters
    ----------
    tree : RelationalTree
    data : RelationalData
        As it was given.
    """

    def __init__(self, tree: RelationalTree, data: RelationalData) -> None:
        self.tree = tree
        self.data = data.conformed(tree.schema, needed=tree.needed)
        self.codes = tree.own_codes(self.data)
        self.columns: list[Any] = [column for table in self.data.seen for column in table.columns]
        self.columns += [column for _, column in tree.aggregate_columns(self.data)]

    def rows(self, query: Query, example: int) -> Rows:
        """The rows, as queries see them, of the first answer; of X0 the example's own."""
        found: Rows = {0: int(self.data.rows[example])}
        for part in query.parts():
            # Where none is tied, the rows that hang on a row do not depend on each other.
            below = part.below()
            more = (
                next(self._joint(part, 0, found), None)
                if part.is_tied
                else self._below(part, below.get(0, []), below, found)
            )
            assert more is not None, "the example has no answer"
            found |= more
        return found

    def _joint(self, part: Part, place: int, found: Rows) -> Iterator[Rows]:
        """Answers of a part whose rows depend on each other: one variable after the other."""
        if place == len(part.steps):
            yield found
            return
        variable, _ = part.steps[place]
        for row in self._candidates(part, variable, found):
            longer = {**found, variable: row}
            if self._fits(part, variable, longer):
                yield from self._joint(part, place + 1, longer)

    def _below(self, part: Part, variables: list[int], below: Mapping[int, list[int]], found: Rows) -> Rows | None:
        """Rows for variables and for those that hang on them, each looked for separately; None if there are none."""
        result: Rows = {}
        for variable in variables:
            for row in self._candidates(part, variable, found):
                longer = {**found, variable: row}
                if self._fits(part, variable, longer):
                    deeper = self._below(part, below.get(variable, []), below, longer)
                    if deeper is not None:
                        result |= {variable: row, **deeper}
                        break
            else:
                return None
        return result

    def _candidates(self, part: Part, variable: int, found: Rows) -> list[int]:
        step = dict(part.steps)[variable]
        row = self._row(step.variable, step.path, found)
        if row < 0:
            return []
        start, rows = self.data.down(step.link)
        listed: list[int] = rows[start[row] : start[row + 1]].tolist()
        return listed

    def _fits(self, part: Part, variable: int, found: Rows) -> bool:
        """Whether the conditions hold that speak of a variable and of no later one."""
        return all(self._holds(c, found) for c in part.conditions if max(variables_of(c)) == variable)

    def _row(self, variable: int, path: tuple[int, ...], found: Rows) -> int:
        row = found[variable]
        for link in path:
            row = int(self.data.up(link)[row]) if row >= 0 else -1
        return row

    def _holds(self, condition: Comparison, found: Rows) -> bool:
        row = self._row(condition.variable, condition.path, found)
        if row < 0:
            return False
        if condition.op == "is":
            return row == self._row(condition.other_variable, condition.other_path, found)
        value = self.columns[condition.column][row]
        if condition.op == "=":
            return bool(value == self.codes.get((condition.column, condition.code), condition.code))
        return bool(value <= condition.threshold if condition.op == "<=" else value > condition.threshold)
