"""Relational trees as clauses in the manner of Prolog.

There is a clause for each leaf, in the order from yes to no. Its body is the query of the leaf, without what has failed
above it: an example belongs to the first clause whose body holds, by the order of the clauses and the cuts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctree.tree.relational_arrays import Comparison
from ctree.tree.relational_canonical import whole
from ctree.tree.relational_queries import Query, queries
from ctree.tree.relational_tree import RelationalTree

PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|-?[0-9]+(\.[0-9]+)?")

Term = tuple[int, tuple[int, ...]]


def prolog_text(tree: RelationalTree) -> str:
    """A clause for each leaf, with the share of its examples that are of its class."""
    asked = queries(tree.arrays)
    labels = [atom(str(label)) for label in tree.schema.classes]
    lines = []
    for leaf in _leaves(tree):
        counts = tree.counts[leaf].tolist()
        best = int(tree.best[leaf])
        body = _Clause(tree, asked[leaf]).body()
        share = f"{whole(counts[best])}/{whole(sum(counts))}"
        lines.append(f"class(X0, {labels[best]}) :- {', '.join([*body, '!'])}.  % {share}")
    return "\n".join(lines)


def atom(text: str) -> str:
    """A name or value as Prolog writes it.

    Examples
    --------
    >>> print(atom("o"), atom("27"), atom("Don't Play"))
    o 27 'Don\\'t Play'
    """
    if PLAIN.fullmatch(text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _leaves(tree: RelationalTree) -> Iterator[int]:
    """The leaves from yes to no."""
    first, waiting = tree.arrays.first_branch.tolist(), [0]
    while waiting:
        node = waiting.pop()
        if first[node] < 0:
            yield node
        else:
            waiting += [first[node] + 1, first[node]]


class _Clause:
    """The body of a clause: a literal for each row, then comparisons."""

    def __init__(self, tree: RelationalTree, query: Query) -> None:
        self.tree = tree
        self.keys = tree.schema.foreign_keys
        self.links = tuple(step.link for step in query.steps)
        self.rows: dict[Term, dict[str, str]] = {}
        self.goals: list[str] = []
        self._n_rows = self._n_values = 0
        for variable, step in enumerate(query.steps, 1):
            above = self.name(step.variable, step.path)
            self.row(variable, ())[self.keys[step.link].column] = above
        for condition in query.conditions:
            self.add(condition)

    def name(self, variable: int, path: tuple[int, ...]) -> str:
        """The name of the row that a term stands for: a variable, Y1 where links lead to it."""
        if not path:
            return f"X{variable}"
        before = self.row(variable, path[:-1])
        column = self.keys[path[-1]].column
        if column not in before:
            self._n_rows += 1
            before[column] = f"Y{self._n_rows}"
            self.row(variable, path)
        return before[column]

    def row(self, variable: int, path: tuple[int, ...]) -> dict[str, str]:
        """What is known of the columns of a row."""
        if (variable, path) not in self.rows:
            own = self.name(variable, path) if path else f"X{variable}"
            key = self.tree.schema.table(self.tree.table_of(self.links, variable, path)).key
            self.rows.setdefault((variable, path), {} if key is None else {key: own})
        return self.rows[variable, path]

    def add(self, condition: Comparison) -> None:
        if condition.op == "is":
            names = [
                self.name(condition.variable, condition.path),
                self.name(condition.other_variable, condition.other_path),
            ]
            self.row(condition.variable, condition.path)
            self.row(condition.other_variable, condition.other_path)
            self.goals.append(" = ".join(names))
        elif self.tree.aggregate(condition) is not None:
            self.goals.append(f"holds({atom(self.tree.condition_text(condition))})")
        else:
            self.compare(condition)

    def compare(self, condition: Comparison) -> None:
        row = self.row(condition.variable, condition.path)
        column = self.tree.column_name(condition.column)[1]
        constant = self.tree.constant(condition)
        if isinstance(constant, str) and column not in row:
            row[column] = atom(constant)
            return
        if column not in row:
            self._n_values += 1
            row[column] = f"V{self._n_values}"
        text = atom(constant) if isinstance(constant, str) else repr(constant)
        self.goals.append(f"{row[column]} { {'<=': '=<'}.get(condition.op, condition.op) } {text}")

    def body(self) -> list[str]:
        literals = []
        for (variable, path), known in self.rows.items():
            table = self.tree.schema.table(self.tree.table_of(self.links, variable, path))
            cells = ", ".join(known.get(column, "_") for column in table.names)
            literals.append(f"{atom(table.name)}({cells})")
        return literals + self.goals
