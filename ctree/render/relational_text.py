"""Relational trees as text: in logic, and in words."""

from __future__ import annotations

import numpy as np

from ctree.render.labels import check_depth, leaves_below
from ctree.tree.relational_aggregates import Aggregate
from ctree.tree.relational_arrays import Comparison, QueryTest
from ctree.tree.relational_canonical import whole
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.shown_order import leaf_numbers


def logic_text(tree: RelationalTree, max_depth: int | None = None, numbered: bool = False) -> str:
    """Variables, steps and conditions of each test; the branches of the root stand at the margin."""
    links, folded = tree.variable_links, _folded(tree, max_depth)
    notes = (_numbers(tree) if numbered else {}) | folded

    def leaf(node: int) -> str:
        counts = zip(tree.schema.classes, tree.counts[node].tolist(), strict=True)
        return "[" + ", ".join(f"{label} {whole(n)}" for label, n in counts) + "]" + notes.get(node, "")

    def question(node: int, test: QueryTest) -> str:
        return _logic(tree, test, 1 + len(links[node]))

    lines: list[str] = []
    first = tree.arrays.first_branch.tolist()
    # Of each node that is still to be written: its number, what stands before its line, and before those below it.
    open_nodes = [(0, "", "")]
    while open_nodes:
        node, before, margin = open_nodes.pop()
        test = None if node in folded else tree.tests[node]
        lines.append(before + (leaf(node) if test is None else question(node, test)))
        if test is not None:
            below = margin + "  "
            open_nodes.append((first[node] + 1, f"{margin}no:  ", below))
            open_nodes.append((first[node], f"{margin}yes: ", below))
    return "\n".join(lines)


def question_text(tree: RelationalTree, node: int, form: str) -> str:
    """The question of one node, in words or in logic."""
    test = tree.tests[node]
    assert test is not None
    links = tree.variable_links[node]
    return _logic(tree, test, 1 + len(links)) if form == "logic" else _Words(tree, links, test).question()


def question_parts(tree: RelationalTree, node: int) -> list[str]:
    """The question of one node in words, divided: every second part is the name of a row.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2], "action": ["fix", "ok"]}, "worn": {"machine": [1]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> question_parts(ctree.RelationalTreeClassifier().fit(data).tree_, 0)
    ['does the machine have a worn (', 'worn 1', ')?']
    """
    test = tree.tests[node]
    assert test is not None
    words = _Words(tree, tree.variable_links[node], test)
    plain = words.question()
    # Tables and values may be any text: names stand between signs that are not in it.
    words.mark = next(sign for sign in map(chr, range(0xE000, 0x10FFFF)) if sign not in plain)
    return words.question().split(words.mark)


def _logic(tree: RelationalTree, test: QueryTest, n_known: int) -> str:
    keys = tree.schema.foreign_keys
    condition = "" if test.condition is None else tree.condition_text(test.condition)
    if not test.steps:
        return condition
    steps = [
        f"X{n_known + place} in {keys[step.link].table}({keys[step.link].column}="
        f"{tree.term_text(step.variable, step.path)})"
        for place, step in enumerate(test.steps)
    ]
    return "exists " + ", ".join(steps) + (f": {condition}" if condition else "")


def words_text(tree: RelationalTree, max_depth: int | None = None, numbered: bool = False) -> str:
    """Questions about rows, each with a name by which tests below it speak of it."""
    links, folded = tree.variable_links, _folded(tree, max_depth)
    notes = (_numbers(tree) if numbered else {}) | folded
    first = tree.arrays.first_branch.tolist()
    lines: list[str] = []
    open_nodes = [(0, "", "", "")]
    while open_nodes:
        node, before, label, margin = open_nodes.pop()
        test = None if node in folded else tree.tests[node]
        text = _leaf_words(tree, node) if test is None else _Words(tree, links[node], test).question()
        lines.append(f"{before}{label}{text}{notes.get(node, '')}")
        if test is not None:
            open_nodes.append((first[node] + 1, f"{margin}`-- ", "no: ", f"{margin}    "))
            open_nodes.append((first[node], f"{margin}|-- ", "yes: ", f"{margin}|   "))
    return "\n".join(lines)


def _folded(tree: RelationalTree, max_depth: int | None) -> dict[int, str]:
    """The nodes at a depth that have branches, each with how many leaves it stands for."""
    check_depth(max_depth)
    if max_depth is None:
        return {}
    below = leaves_below(tree).tolist()
    nodes = np.flatnonzero((tree.node_depth == max_depth) & (tree.arrays.n_branches > 0)).tolist()
    return {node: f" [{below[node]} leaves]" for node in nodes}


def _numbers(tree: RelationalTree) -> dict[int, str]:
    """The number of each leaf."""
    numbers = leaf_numbers(tree).tolist()
    return {node: f" [leaf {numbers[node]}]" for node in np.flatnonzero(tree.arrays.n_branches == 0).tolist()}


def _leaf_words(tree: RelationalTree, node: int) -> str:
    probabilities = tree.probabilities[node].tolist()
    labels = [str(label) for label in tree.schema.classes]
    best = labels[int(tree.best[node])]
    number = whole(float(tree.counts[node].sum()))
    shares = ", ".join(f"{label} {p:.2f}" for label, p in zip(labels, probabilities, strict=True))
    return f"{best}  ({number:g} example{'s' * (number != 1)}: {shares})"


class _Words:
    """One test in words.

    Parameters
    ----------
    tree : RelationalTree
    links : tuple of int
        By which the variables of the query came that the node has.
    test : QueryTest
    """

    def __init__(self, tree: RelationalTree, links: tuple[int, ...], test: QueryTest) -> None:
        self.tree = tree
        self.test = test
        self.n_known = 1 + len(links)
        self.links = (*links, *(step.link for step in test.steps))
        self.mark = ""  # stands before and after the name of a row

    def name(self, variable: int) -> str:
        """A variable by its table and a number: atom 1 is the first of the query's atoms."""
        table = self.tree.table_of(self.links, variable)
        if variable == 0:
            return f"the {table}"
        tables = [self.tree.table_of(self.links, other) for other in range(1, variable + 1)]
        return f"{self.mark}{table} {tables.count(table)}{self.mark}"

    def term(self, variable: int, path: tuple[int, ...]) -> str:
        """What a term stands for: the atom2 of bond 1."""
        names = [f"the {self.tree.schema.foreign_keys[link].column} of " for link in reversed(path)]
        return "".join(names) + self.name(variable)

    def question(self) -> str:
        if not self.test.steps:
            assert self.test.condition is not None
            return self.about_known(self.test.condition)
        parts = []
        for place, step in enumerate(self.test.steps):
            variable = self.n_known + place
            table = self.tree.table_of(self.links, variable)
            new = f"{_article(table)} {table} ({self.name(variable)})"
            if place == 0:
                parts.append(f"does {self.term(step.variable, step.path)} have {new}")
            elif step.path:
                parts.append(f"whose {self._columns(step.path)} has {new}")
            else:
                parts.append(f"that has {new}")
        if self.test.condition is not None:
            parts.append(self.about_new(self.test.condition))
        return " ".join(parts) + "?"

    def about_known(self, condition: Comparison) -> str:
        """A question about a row that is known already."""
        if condition.op == "is":
            other = self.term(condition.other_variable, condition.other_path)
            return f"is {self.term(condition.variable, condition.path)} the same as {other}?"
        aggregate = self.tree.aggregate(condition)
        if aggregate is not None:
            return f"is {self.about_all(aggregate, condition)}?"
        column = self._column(condition)
        if condition.variable == 0 and not condition.path:
            return f"is {column}?"
        return f"does {self.term(condition.variable, condition.path)} have {column}?"

    def about_all(self, aggregate: Aggregate, condition: Comparison) -> str:
        """A comparison of a figure of all rows that refer to one."""
        table = self.tree.schema.foreign_keys[aggregate.link].table
        rows = f"{table} rows of {self.term(condition.variable, condition.path)}"
        constant = self._constant(condition)
        if aggregate.column < 0:
            return f"the number of {rows} {condition.op} {constant}"
        rows = f"all {rows}"
        column = self.tree.column_name(aggregate.column)[1]
        if aggregate.path:
            column = f"{self._columns(aggregate.path)}'s {column}"
        figures = {"min": "least", "max": "greatest", "mean": "mean", "mode": "most frequent"}
        if aggregate.name in figures:
            return f"the {figures[aggregate.name]} {column} of {rows} {condition.op} {constant}"
        if aggregate.name == "nunique":
            return f"the number of values of {column} of {rows} {condition.op} {constant}"
        value = self.tree.values[".".join(self.tree.column_name(aggregate.column))][aggregate.code]
        return f"the share of {column} = {value} of {rows} {condition.op} {constant}"

    def about_new(self, condition: Comparison) -> str:
        """What is asked of the row to which the steps lead."""
        if condition.op == "is":
            other = self.term(condition.other_variable, condition.other_path)
            own = f"whose {self._columns(condition.path)}" if condition.path else "that"
            return f"{own} is {other}"
        if condition.path:
            return f"whose {self._columns(condition.path)} has {self._column(condition)}"
        return f"with {self._column(condition)}"

    def _columns(self, path: tuple[int, ...]) -> str:
        names: list[str] = [self.tree.schema.foreign_keys[link].column for link in path]
        return "'s ".join(names)

    def _column(self, condition: Comparison) -> str:
        column = self.tree.column_name(condition.column)[1]
        return f"{column} {condition.op} {self._constant(condition)}"

    def _constant(self, condition: Comparison) -> str:
        value = self.tree.constant(condition)
        return f"{value:g}" if isinstance(value, float) else value


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeio" else "a"
