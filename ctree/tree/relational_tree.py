"""RelationalTree: a tree whose tests ask for linked rows, with the schema that it speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import RelationalSchema
from ctree.data.tables.arrays import UNSEEN
from ctree.domains.domain import Choice
from ctree.errors import ParameterError
from ctree.tree.interface import DecidedNodes
from ctree.tree.outputs import Plotted, PrintedTree
from ctree.tree.relational_aggregates import Aggregate, AggregateColumns, aggregate_text
from ctree.tree.relational_arrays import CODE, Comparison, QueryTest, RelationalArrays
from ctree.tree.relational_needed import needed_by, unseen_by
from ctree.tree.relational_tables import ColumnPlaces, kept_arrays
from ctree_ext.base.node_arrays import Floats, Ints, levels
from ctree_ext.relational.linked import LinkedArrays
from ctree_ext.relational.relational_router import RelationalRouter

FORMS = Choice("words", "logic", "prolog")


class RelationalTree(PrintedTree, Plotted, DecidedNodes):
    """A classification tree whose tests ask whether there are linked rows of some kind.

    A test may bring variables: the rows that it has found, of which the tests below its yes branch can say more. X0 is
    the example's own row. Nodes are numbered from the root, 0, level by level; the yes branch stands before the no
    branch.

    Parameters
    ----------
    schema : RelationalSchema
    values : mapping
        From names of discrete columns, ``"atom.type"``, to their values, in the order of the codes of tests.
    arrays : RelationalArrays
    probabilities : array (nodes, classes)
        What the leaf estimate made of the counts.
    aggregates : sequence of Aggregate
        Figures of linked rows that conditions compare; their columns follow those of the schema.
    worth : array (classes, classes), optional
        What predictions go by if they go by costs; see `ctree.data.costs`.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2, 3, 4], "action": ["fix", "ok", "fix", "ok"]},
    ...      "worn": {"machine": [1, 1, 3, 4], "part": ["gear", "belt", "gear", "belt"]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> tree = ctree.RelationalTreeClassifier().fit(data).tree_
    >>> tree.n_nodes, tree.n_leaves, tree.depth
    (3, 2, 1)
    >>> print(tree.to_text("logic"))
    exists X1 in worn(machine=X0): X1.part = gear
    yes: [fix 2, ok 0]
    no:  [fix 0, ok 2]
    """

    def __init__(
        self,
        schema: RelationalSchema,
        values: Mapping[str, Sequence[str]],
        arrays: RelationalArrays,
        probabilities: Floats,
        aggregates: Sequence[Aggregate] = (),
        worth: Floats | None = None,
    ) -> None:
        self.schema = schema
        self.worth = worth
        self.values = {name: tuple(known) for name, known in values.items()}
        self.arrays = arrays
        self.probabilities = probabilities
        self.aggregates = tuple(aggregates)
        self._columns = ColumnPlaces(schema).names

    @property
    def n_nodes(self) -> int:
        return len(self.arrays)

    @property
    def n_leaves(self) -> int:
        return int((self.arrays.n_branches == 0).sum())

    @property
    def depth(self) -> int:
        """The greatest number of tests on the way to a leaf."""
        return int(self.node_depth.max())

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node, -1 for the root."""
        return self.arrays.parents().astype(np.int32)

    @cached_property
    def node_depth(self) -> Ints:
        """The depth of each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int32)
        for number, level in enumerate(levels(self.arrays.parents()), 1):
            depth[level] = number
        return depth

    def branches(self, node: int) -> range:
        """The branches of a node: that of the answer yes, and that of no."""
        first = int(self._first_branch[node])
        return range(first, first + 2) if first >= 0 else range(0)

    @cached_property
    def _first_branch(self) -> Ints:
        return self.arrays.first_branch

    @property
    def counts(self) -> Floats:
        """The weight of the training examples of each class, for each node."""
        return self.arrays.counts

    def __repr__(self) -> str:
        return f"<RelationalTree: {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth}>"

    def apply(self, data: RelationalData, unseen: str = "unknown") -> Ints:
        """The number of the leaf of each example.

        Parameters
        ----------
        data : RelationalData
        unseen : {"unknown", "error"}
            Whether a discrete value that the tree does not know equals none of its values, or is an error.

        Returns
        -------
        array of int32
        """
        UNSEEN.check("unseen", unseen)
        known = data.conformed(self.schema, needed=self.needed)
        if unseen == "error":
            known.check_values(self.values, needed=self.needed)
        arrays = self.arrays
        tables = kept_arrays(known, arrays.path_start, arrays.path_links, self.links_down)
        more = self.aggregate_columns(known)
        if more:
            tables = tables.with_columns(more)
        return self.leaves_in(tables, known.rows, self._tests_by(known))

    def leaves_in(self, tables: LinkedArrays, rows: Ints, tests: Ints | None = None) -> Ints:
        """The leaf of each of these rows of the target.

        Parameters
        ----------
        tables : LinkedArrays
        rows : array of int32
        tests : array of int32, optional
            The numbers of the tests; those of the tree if None, where the tables have its codes.
        """
        target, tests = self.schema.index(self.schema.target), self.arrays.tests if tests is None else tests
        return RelationalRouter(tables, target, self._first_branch, tests, self.arrays.threshold).leaves(rows)

    def aggregate_columns(self, known: RelationalData) -> list[tuple[int, Any]]:
        """The columns of aggregates, those that tests compare; of others nothing is known.

        Parameters
        ----------
        known : RelationalData
            In the form of the tree's schema.

        Returns
        -------
        list of tuples
            Of each aggregate the place of its table, and the figure of each row there or None.
        """
        columns = AggregateColumns(known, self.values)
        return [
            (table, columns.kept_column(aggregate) if is_used else None)
            for table, aggregate, is_used in self._aggregates_used
        ]

    @cached_property
    def _aggregates_used(self) -> tuple[tuple[int, Aggregate, bool], ...]:
        """Of each aggregate the place of its table, and whether a test compares it; none if no test compares any."""
        used = {test.condition.column for test in self.tests if test is not None and test.condition is not None}
        if not self.aggregates or max(used, default=0) < len(self._columns):
            return ()
        keys, places = self.schema.foreign_keys, range(len(self._columns), len(self._columns) + len(self.aggregates))
        tables = [self.schema.index(keys[aggregate.link].references) for aggregate in self.aggregates]
        return tuple(zip(tables, self.aggregates, [place in used for place in places], strict=True))

    @cached_property
    def _values_asked(self) -> dict[tuple[int, int], list[int]]:
        """The columns and codes of conditions that compare a column with a value, and the nodes that have each."""
        asked: dict[tuple[int, int], list[int]] = {}
        for node, test in enumerate(self.tests):
            condition = None if test is None else test.condition
            if condition is not None and condition.op == "=" and condition.column < len(self._columns):
                asked.setdefault((condition.column, condition.code), []).append(node)
        return asked

    def own_codes(self, known: RelationalData) -> dict[tuple[int, int], int]:
        """The codes that values of the tree have in some data: by the place of the column, and the tree's code.

        Parameters
        ----------
        known : RelationalData
            In the form of the tree's schema.

        Returns
        -------
        dict
            Of values that tests ask for; -2, which no row has, for a value that is not there.
        """
        names, values = self._columns, self.values
        return {
            (column, code): known.codes_of(*names[column]).get(values[".".join(names[column])][code], -2)
            for column, code in self._values_asked
        }

    def _tests_by(self, known: RelationalData) -> Ints:
        """The numbers of the tests, with the codes of these data in place of the tree's."""
        tests = self.arrays.tests.copy()
        for place, code in self.own_codes(known).items():
            tests[self._values_asked[place], CODE] = code
        return tests

    def aggregate(self, condition: Comparison) -> Aggregate | None:
        """The aggregate that a condition compares; None if it compares a column."""
        place = condition.column - len(self._columns)
        return self.aggregates[place] if condition.op != "is" and place >= 0 else None

    def predict_proba(self, data: RelationalData, unseen: str = "unknown") -> Floats:
        """Class probabilities, one row an example; see `apply`."""
        return np.asarray(self.probabilities[self.apply(data, unseen)])

    @cached_property
    def tests(self) -> tuple[QueryTest | None, ...]:
        """The test of each node, None for leaves."""
        return tuple(self.arrays.test(node) for node in range(self.n_nodes))

    @cached_property
    def variable_links(self) -> list[tuple[int, ...]]:
        """Of each node the rows that its query speaks of, without the example's, by the links by which they came."""
        return self.arrays.links_of_variables()

    @cached_property
    def links_down(self) -> frozenset[int]:
        return frozenset(step.link for test in self.tests if test is not None for step in test.steps)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The tables, columns and foreign keys that tests ask for, ``"atom"`` and ``"atom.type"``."""
        return needed_by(self)

    def unseen_values(self, data: RelationalData) -> dict[str, str]:
        """The columns that tests compare and in which linked rows have a value that the tree does not know.

        Parameters
        ----------
        data : RelationalData

        Returns
        -------
        dict
            From names of columns, ``"atom.type"``, to the first such value of each.
        """
        return unseen_by(self, data)

    def table_of(self, links: Sequence[int], variable: int, path: Sequence[int] = ()) -> str:
        """The table of what a term stands for, where variables came by these links."""
        keys = self.schema.foreign_keys
        if path:
            return keys[path[-1]].references
        return keys[links[variable - 1]].table if variable else self.schema.target

    def column_name(self, place: int) -> tuple[str, str]:
        """The table and the name of a column, by its place among all."""
        return self._columns[place]

    def term_text(self, variable: int, path: Sequence[int]) -> str:
        """A term as X1.atom2."""
        return ".".join([f"X{variable}", *(self.schema.foreign_keys[link].column for link in path)])

    def constant(self, condition: Comparison) -> str | float:
        """What a condition compares its column with."""
        if condition.op != "=":
            return condition.threshold
        aggregate = self.aggregate(condition)
        table, column = self._columns[condition.column if aggregate is None else aggregate.column]
        return self.values[f"{table}.{column}"][condition.code]

    def to_canonical(self) -> dict[str, Any]:
        """The tree as plain data, in a form that is the same for all programs that learn such trees."""
        from ctree.tree.relational_canonical import canonical_tree

        return canonical_tree(self)

    def condition_text(self, condition: Comparison) -> str:
        """A condition as X1.type = 27."""
        term = self.term_text(condition.variable, condition.path)
        if condition.op == "is":
            return f"{term} is {self.term_text(condition.other_variable, condition.other_path)}"
        aggregate = self.aggregate(condition)
        if aggregate is None:
            what = f"{term}.{self._columns[condition.column][1]}"
        else:
            what = aggregate_text(aggregate, term, self.schema, self.values)
        return f"{what} {condition.op} {self.constant(condition)}"

    def question(self, node: int, form: str = "words") -> str:
        """The question of a node, in words or in logic."""
        from ctree.render.relational_text import question_text

        return question_text(self, node, form)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in DOT, the language of Graphviz, with its questions in words; see `Tree.to_dot`.

        Parameters
        ----------
        max_depth : int, optional
            Deeper nodes are folded; a node with a dashed outline stands for them.
        """
        from ctree.render.dot import tree_dot

        return tree_dot(self, max_depth)

    def to_html(self, title: str = "Tree", max_depth: int | None = None, examples: RelationalData | None = None) -> str:
        """The tree as a self-contained, interactive HTML page, with its questions in words.

        Its nodes can be folded and searched. Examples that are given can be picked in the page, which then shows their
        way through the tree and the linked rows that answer each question.

        Parameters
        ----------
        title : str
            The heading of the page.
        max_depth : int, optional
            How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
        examples : RelationalData, optional
            At most 500; `RelationalData.take` chooses some.

        Examples
        --------
        >>> import ctree
        >>> data = ctree.RelationalData(
        ...     {"machine": {"id": [1, 2], "action": ["fix", "ok"]}, "worn": {"machine": [1]}},
        ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
        >>> tree = ctree.RelationalTreeClassifier().fit(data).tree_
        >>> tree.to_html("What to do with machines", examples=data.take([0])).splitlines()[0]
        '<!doctype html>'
        """
        from ctree.render.relational_html import relational_page

        return relational_page(self, examples, title=title, max_depth=max_depth)

    def to_sql(self, dialect: str = "duckdb") -> str:
        """The tree as an SQL query.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite"}

        Returns
        -------
        str
            Tables and columns have the names of the schema; discrete columns are compared as text, and NULL is unknown.
            The result has the key of each example, or its number in the column "row" if there are no keys, and the
            class probabilities in the columns ``p(<class>)``.
        """
        from ctree.export.relational_sql import relational_to_sql

        return relational_to_sql(self, dialect)

    def to_text(self, form: str = "words", max_depth: int | None = None, numbered: bool = False) -> str:
        """The tree as text.

        Parameters
        ----------
        form : {"words", "logic", "prolog"}
            Questions about the tables in plain words; or the variables, steps and conditions of each test, with the
            class counts of the leaves; or a clause for each leaf in the manner of Prolog, where an example belongs to
            the first clause whose body holds.
        max_depth : int, optional
            Deeper nodes are left out, in words and in logic; the node in their place shows how many leaves it stands
            for.
        numbered : bool
            Print the number of each leaf, by which explanations name it.
        """
        from ctree.render.relational_prolog import prolog_text
        from ctree.render.relational_text import logic_text, words_text

        FORMS.check("form", form)
        if form == "prolog":
            if max_depth is not None or numbered:
                raise ParameterError(
                    f"{'numbered' if numbered else 'max_depth'} is for trees in words and in logic, not for clauses"
                )
            return prolog_text(self)
        return (words_text if form == "words" else logic_text)(self, max_depth, numbered)
