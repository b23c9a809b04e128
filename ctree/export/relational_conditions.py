"""The queries of relational trees as conditions of SQL.

The variables of a query hang together by steps and by conditions that two rows are the same. What hangs together only
through X0 can be asked for separately: this makes a condition for each such part, and so there is no product of rows
that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctree.errors import ModelError
from ctree.export.dialects import bound, identifier, literal
from ctree.export.relational_aggregates import aggregate_condition, aggregate_table
from ctree.tree.relational_aggregates import Aggregate
from ctree.tree.relational_arrays import Comparison
from ctree.tree.relational_queries import Part, Query, variables_of
from ctree.tree.relational_tree import RelationalTree
from ctree.wording import abbreviated

MAX_JOINED = 64
"""Tables of a subquery in SQLite."""

Path = tuple[int, ...]


def conditions_of(query: Query, known: Query, names: Names) -> list[str]:
    """The conditions of SQL that say a query, but for the parts that are known to hold already."""
    there = set(known.parts())
    links = tuple(step.link for step in query.steps)
    return [names.scope(links).part(part) for part in query.parts() if part not in there]


class Names:
    """What tables, rows and columns are called in a query.

    Parameters
    ----------
    tree : RelationalTree
    dialect : str
    """

    def __init__(self, tree: RelationalTree, dialect: str) -> None:
        self.tree = tree
        self.schema = tree.schema
        self.dialect = dialect
        self._taken = {name.lower() for name in tree.schema.table_names}
        self._symmetric = {
            table.name: self.own(f"{table.name}, both ways") for table in tree.schema.tables if table.symmetric
        }
        self._used: dict[str, None] = {}
        self._aggregates: dict[Aggregate, str] = {}

    def own(self, name: str) -> str:
        """A quoted name that no table has."""
        while name.lower() in self._taken:
            name += "_"
        return identifier(name)

    def table(self, name: str) -> str:
        """What to select from, to have the rows of a table as queries see them."""
        if name not in self._symmetric:
            return identifier(name)
        self._used[name] = None
        return self._symmetric[name]

    def key(self, table: str) -> str:
        """The key of a table, to which a foreign key refers."""
        key = self.schema.table(table).key
        assert key is not None
        return identifier(key)

    def aggregate(self, aggregate: Aggregate) -> str:
        """The table with the figures of an aggregate."""
        number = len(self._aggregates) + 1
        return self._aggregates.setdefault(aggregate, self.own(f"ctree aggregate {number}"))

    def definitions(self) -> Iterator[str]:
        """The definitions of the aggregates and symmetric tables that have been asked for."""
        made = {name: aggregate_table(self, aggregate) for aggregate, name in self._aggregates.items()}
        for name in self._used:
            table = self.schema.table(name)
            assert table.symmetric is not None
            one, other = table.symmetric
            exchanged = {one: other, other: one}
            columns = [c for c in table.names if c in exchanged or f"{name}.{c}" in self.tree.needed]
            ways = []
            for way, names in enumerate([[*columns], [exchanged.get(c, c) for c in columns]]):
                cells = [f"{identifier(c)} AS {identifier(as_)}" for c, as_ in zip(names, columns, strict=True)]
                if self.compares_rows(name):
                    cells += [
                        f"{self.row_of(name)} AS {identifier('ctree row')}",
                        f"{way} AS {identifier('ctree way')}",
                    ]
                ways.append(f"  SELECT {', '.join(cells)} FROM {identifier(name)}")
            yield f"{self._symmetric[name]} AS MATERIALIZED (\n" + "\n  UNION ALL\n".join(ways) + "\n)"
        for name, text in made.items():
            yield f"{name} AS MATERIALIZED (\n  {text}\n)"

    def compares_rows(self, table: str) -> bool:
        """Whether a test asks if two rows of a symmetric table are the same."""
        links = self.tree.variable_links
        for node, test in enumerate(self.tree.tests):
            if test is not None and test.condition is not None and test.condition.op == "is":
                known = (*links[node], *(step.link for step in test.steps))
                if self.tree.table_of(known, test.condition.variable, test.condition.path) == table:
                    return True
        return False

    def row_of(self, table: str) -> str:
        """The column that identifies the rows of a table."""
        key = self.schema.table(table).key
        if key is not None:
            return identifier(key)
        if "rowid" in (name.lower() for name in self.schema.table(table).names):
            name = abbreviated(table)
            raise ModelError(
                f"table '{name}' has no key, and its column rowid hides the number by which SQL knows a row"
            )
        return "rowid"

    def scope(self, links: tuple[int, ...]) -> Scope:
        """A subquery, or the query itself, of variables that came by these links."""
        return Scope(self, links)


class Scope:
    """The FROM and WHERE of one subquery in the making.

    Parameters
    ----------
    names : Names
    links : tuple of int
        By which the variables of the whole query came.
    """

    def __init__(self, names: Names, links: tuple[int, ...]) -> None:
        self.names = names
        self.links = links
        self.tables: list[str] = []
        self.where: list[str] = []
        self._aliases: dict[tuple[int, Path], str] = {}

    def part(self, part: Part) -> str:
        """A condition that says what a part of a query does."""
        if not part.steps:
            (condition,) = part.conditions
            self.where.append(self.condition(condition))
            return self.exists() if self.tables else self.where[0]
        if part.is_tied:
            self._add([variable for variable, _ in part.steps], part)
            return self.exists()
        below = part.below()
        return " AND ".join(self.inner()._chain(variable, part, below) for variable in below[0])

    def inner(self) -> Scope:
        return Scope(self.names, self.links)

    def _chain(self, variable: int, part: Part, below: dict[int, list[int]]) -> str:
        """A variable and those that hang on it: joined while there is one, and each asked for if there are several."""
        chain = [variable]
        while len(below.get(chain[-1], ())) == 1:
            chain += below[chain[-1]]
        self._add(chain, part)
        self.where += [self.inner()._chain(other, part, below) for other in below.get(chain[-1], ())]
        return self.exists()

    def _add(self, variables: list[int], part: Part) -> None:
        steps = dict(part.steps)
        keys = self.names.schema.foreign_keys
        for variable in variables:
            step = steps[variable]
            key = keys[step.link]
            self.tables.append(f"{self.names.table(key.table)} AS X{variable}")
            row = self.term(step.variable, step.path)
            self.where.append(f"X{variable}.{identifier(key.column)} = {row}.{self.key(key.references)}")
        for condition in part.conditions:
            if max(variables_of(condition)) in variables or condition.variable in variables:
                self.where.append(self.condition(condition))

    def exists(self) -> str:
        if self.names.dialect == "sqlite" and len(self.tables) > MAX_JOINED:
            raise ModelError(
                f"a query of this tree joins {len(self.tables)} tables, but SQLite allows {MAX_JOINED}; DuckDB has no "
                "such limit"
            )
        return f"EXISTS (SELECT 1 FROM {', '.join(self.tables)} WHERE {' AND '.join(self.where)})"

    def key(self, table: str) -> str:
        return self.names.key(table)

    def term(self, variable: int, path: Path) -> str:
        """The name of the row that a term stands for, joined if need be."""
        if not path:
            return f"X{variable}"
        if (variable, path) not in self._aliases:
            before = self.term(variable, path[:-1])
            key = self.names.schema.foreign_keys[path[-1]]
            alias = f"X{variable}_{1 + sum(v == variable for v, _ in self._aliases)}"
            self._aliases[variable, path] = alias
            self.tables.append(f"{self.names.table(key.references)} AS {alias}")
            self.where.append(f"{alias}.{self.key(key.references)} = {before}.{identifier(key.column)}")
        return self._aliases[variable, path]

    def condition(self, condition: Comparison) -> str:
        """A condition on rows that are named."""
        tree, dialect = self.names.tree, self.names.dialect
        row = self.term(condition.variable, condition.path)
        if condition.op == "is":
            return self._same(row, condition)
        aggregate = tree.aggregate(condition)
        if aggregate is not None:
            return aggregate_condition(self, row, aggregate, condition)
        column = identifier(tree.column_name(condition.column)[1])
        constant = tree.constant(condition)
        if isinstance(constant, str):
            return f"CAST({row}.{column} AS VARCHAR) = {literal(constant)}"
        return f"{number(f'{row}.{column}', dialect)} {condition.op} {bound(constant, dialect)}"

    def _same(self, row: str, condition: Comparison) -> str:
        other = self.term(condition.other_variable, condition.other_path)
        table = self.names.tree.table_of(self.links, condition.variable, condition.path)
        if self.names.schema.table(table).symmetric is None:
            column = self.names.row_of(table)
            return f"{row}.{column} = {other}.{column}"
        columns = [identifier("ctree row"), identifier("ctree way")]
        return " AND ".join(f"{row}.{column} = {other}.{column}" for column in columns)


def number(column: str, dialect: str) -> str:
    """A column as a double; NULL for NaN too, which is a number in DuckDB, greater than all others."""
    text = f"CAST({column} AS DOUBLE)"
    return f"NULLIF({text}, CAST('NaN' AS DOUBLE))" if dialect == "duckdb" else text
