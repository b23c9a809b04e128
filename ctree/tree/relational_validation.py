"""Whether arrays are a relational tree of a schema: what is not is refused before any kernel sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ctree.data.relational.schema import ColumnKind, RelationalSchema
from ctree.errors import ModelError
from ctree.tree.relational_aggregates import AGGREGATES, Aggregate
from ctree.tree.relational_arrays import COMPARISONS, Comparison, QueryTest, RelationalArrays
from ctree.tree.relational_tables import ColumnPlaces
from ctree.wording import abbreviated

MAX_VARIABLES = 1000
"""Of a query; no learner takes more."""

Values = Mapping[str, Sequence[str]]


def check_paths(schema: RelationalSchema, paths: Sequence[Sequence[int]]) -> None:
    """Refuse paths that do not lead upwards from table to table by links of the schema; the first must be empty."""
    if not paths or paths[0]:
        raise ModelError("the first of the paths should be empty")
    for number, path in enumerate(paths):
        table = None
        for link in path:
            if not 0 <= link < len(schema.foreign_keys):
                raise ModelError(f"path {number} follows link {link}, which the schema does not have")
            key = schema.foreign_keys[link]
            if table not in (None, key.table):
                raise ModelError(f"path {number} follows '{abbreviated(key.name)}' from table '{abbreviated(table)}'")
            if key.references == schema.target:
                raise ModelError(f"path {number} leads to the table of the examples")
            table = key.references


def check_relational_tree(
    schema: RelationalSchema, values: Values, arrays: RelationalArrays, aggregates: Sequence[Aggregate]
) -> None:
    """Refuse arrays that are no tree of this schema; their shapes and paths have been looked at before."""
    _check_branches(arrays)
    checks = _Checks(schema, values, aggregates)
    n_paths = len(arrays.path_start) - 1
    tables: list[tuple[str, ...]] = [(schema.target,)] * len(arrays)
    first = arrays.first_branch.tolist()
    for node, numbers in enumerate(arrays.tests.tolist()):
        if not numbers[0]:
            continue
        n_steps, op = numbers[1], numbers[8]
        if not 0 <= n_steps <= 2 or not 0 <= op < len(COMPARISONS) or not (n_steps or op):
            raise ModelError(f"node {node} has no valid test")
        asked = [*numbers[6 : 6 + n_steps], *((numbers[10], numbers[14]) if op else ())]
        if not all(0 <= path < n_paths for path in asked):
            raise ModelError(f"the test of node {node} follows a path that does not exist")
        test = arrays.test(node)
        assert test is not None
        try:
            known = checks.variables(test, tables[node])
            if test.condition is not None:
                checks.condition(test.condition, known)
        except ModelError as error:
            raise ModelError(f"the test of node {node} {error}") from None
        tables[first[node]], tables[first[node] + 1] = known, tables[node]


def _check_branches(arrays: RelationalArrays) -> None:
    n_branches = arrays.n_branches
    if not len(arrays):
        raise ModelError("a tree has at least one node")
    if not np.isin(n_branches, (0, 2)).all() or (arrays.tests[:, 0] != (n_branches > 0)).any():
        raise ModelError("the numbers of branches of the tree do not fit its tests")
    inner = np.flatnonzero(n_branches)
    if int(n_branches.sum(dtype=np.int64)) != len(arrays) - 1 or (arrays.first_branch[inner] <= inner).any():
        raise ModelError("the branches of the tree do not make up its nodes")


class _Checks:
    """What tests may say; an error goes on from the words "the test of node 3"."""

    def __init__(self, schema: RelationalSchema, values: Values, aggregates: Sequence[Aggregate]) -> None:
        self.schema = schema
        self.values = values
        self.columns = ColumnPlaces(schema).names
        self.kinds = [schema.table(table).column(column).kind for table, column in self.columns]
        self.aggregates = aggregates
        for number, aggregate in enumerate(aggregates):
            try:
                self.aggregate(aggregate)
            except ModelError as error:
                raise ModelError(f"aggregate {number} {error}") from None

    def variables(self, test: QueryTest, known: tuple[str, ...]) -> tuple[str, ...]:
        """The tables of the variables after the steps of a test."""
        for step in test.steps:
            table = self.term(step.variable, step.path, known)
            known = (*known, self.step(step.link, table))
        if len(known) > MAX_VARIABLES:
            raise ModelError(f"has more than {MAX_VARIABLES} variables")
        return known

    def step(self, link: int, table: str) -> str:
        """The table to which a link leads down from a table."""
        if not 0 <= link < len(self.schema.foreign_keys):
            raise ModelError(f"goes by link {link}, which the schema does not have")
        key = self.schema.foreign_keys[link]
        if key.references != table:
            raise ModelError(
                f"goes from table '{abbreviated(table)}' by '{abbreviated(key.name)}', which does not lead there"
            )
        if key.table == self.schema.target:
            raise ModelError("goes to the table of the examples")
        return key.table

    def term(self, variable: int, path: Sequence[int], known: Sequence[str]) -> str:
        """The table of what a term stands for."""
        if not 0 <= variable < len(known):
            raise ModelError(f"speaks of X{variable}, which is not defined there")
        return self.above(path, known[variable])

    def above(self, path: Sequence[int], table: str) -> str:
        """The table to which a path leads from a table."""
        keys = [self.schema.foreign_keys[link] for link in path]
        if keys and keys[0].table != table:
            raise ModelError(f"follows '{abbreviated(keys[0].name)}' from table '{abbreviated(table)}'")
        return keys[-1].references if keys else table

    def condition(self, condition: Comparison, known: Sequence[str]) -> None:
        table = self.term(condition.variable, condition.path, known)
        if condition.op == "is":
            if self.term(condition.other_variable, condition.other_path, known) != table:
                raise ModelError("compares rows of two tables")
            return
        place = condition.column - len(self.columns)
        if place < 0:
            kind = self.kind(condition.column, table)
            discrete, column = kind is ColumnKind.DISCRETE, condition.column
            if not discrete and kind is not ColumnKind.CONTINUOUS:
                raise ModelError(f"compares '{self.name(column)}', a column of kind '{kind.value}'")
        elif place < len(self.aggregates):
            aggregate = self.aggregates[place]
            discrete, column = aggregate.is_discrete, aggregate.column
            if self.schema.foreign_keys[aggregate.link].references != table:
                raise ModelError(f"compares aggregate {place}, which is not of table '{abbreviated(table)}'")
        else:
            raise ModelError(f"compares column {condition.column}, which does not exist")
        if discrete != (condition.op == "="):
            raise ModelError(f"compares what is {'' if discrete else 'not '}discrete by '{condition.op}'")
        if discrete:
            self.code(condition.code, column)

    def kind(self, column: int, table: str) -> ColumnKind:
        """The kind of a column, which must be of this table."""
        if not 0 <= column < len(self.columns):
            raise ModelError(f"compares column {column}, which does not exist")
        if self.columns[column][0] != table:
            raise ModelError(f"compares '{self.name(column)}' of a row of table '{abbreviated(table)}'")
        return self.kinds[column]

    def code(self, code: int, column: int) -> None:
        if not 0 <= code < len(self.values.get(".".join(self.columns[column]), ())):
            raise ModelError(f"names value {code} of '{self.name(column)}', which does not exist")

    def name(self, column: int) -> str:
        return abbreviated(".".join(self.columns[column]))

    def aggregate(self, aggregate: Aggregate) -> None:
        if aggregate.name not in AGGREGATES:
            raise ModelError(f"is called '{abbreviated(aggregate.name)}'; they are {', '.join(AGGREGATES)}")
        keys = self.schema.foreign_keys
        table = self.step(aggregate.link, keys[aggregate.link].references) if 0 <= aggregate.link < len(keys) else None
        if table is None:
            raise ModelError(f"goes by link {aggregate.link}, which the schema does not have")
        check_paths(self.schema, [(), aggregate.path])
        table = self.above(aggregate.path, table)
        if aggregate.name == "count":
            if aggregate.column >= 0 or aggregate.path:
                raise ModelError("counts rows, but names a column")
            return
        wanted = ColumnKind.CONTINUOUS if aggregate.name in ("min", "max", "mean") else ColumnKind.DISCRETE
        if self.kind(aggregate.column, table) is not wanted:
            raise ModelError(f"is the {aggregate.name} of a column that is not {wanted.value}")
        if aggregate.name == "share":
            self.code(aggregate.code, aggregate.column)
