"""RelationalExplanation: the path of an example through a relational tree, with the linked rows that were found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctree.data.relational.data import RelationalData
from ctree.tree.explain.explanation import Explanation, Reason
from ctree.tree.relational_queries import queries
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.relational_witness import Witnesses
from ctree.tree.shown_order import leaf_numbers


@dataclass(frozen=True)
class FoundRow:
    """A linked row by which a question is answered.

    Parameters
    ----------
    name : str
        What questions call it, ``"atom 1"``.
    table : str
    key : str or int
        Its key or, in a table without one, its number, from 1.
    """

    name: str
    table: str
    key: str | int

    def __str__(self) -> str:
        return f"{self.name} is {self.key}" if isinstance(self.key, str) else f"{self.name} is row {self.key}"


@dataclass(frozen=True)
class Answered:
    """A question of the tree and its answer.

    Parameters
    ----------
    question : str
        In words.
    test : str
        The same with variables.
    holds : bool
    rows : tuple of FoundRow
        New rows that the question speaks of, if it holds. Together with those of the questions before, they fit all
        that is asked on the path; there may be others that do.
    """

    question: str
    test: str
    holds: bool
    rows: tuple[FoundRow, ...] = ()

    def __str__(self) -> str:
        rows = f" ({', '.join(map(str, self.rows))})" if self.rows else ""
        return f"{self.question} {'yes' if self.holds else 'no'}{rows}"


@dataclass(frozen=True, repr=False)
class RelationalExplanation(Explanation):
    """Why an example is given its class by a relational tree.

    Parameters
    ----------
    prediction : label
    probabilities : dict of label to float
    leaf : int
        The node, as `apply` gives it.
    number : int
        The number of the leaf, from 1 in the order in which the tree is shown.
    questions : tuple of Answered
        From the root to the leaf.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": ["a", "b", "c", "d"], "action": ["fix", "ok", "fix", "ok"]},
    ...      "worn": {"machine": ["a", "a", "c", "d"], "part": ["belt", "gear", "gear", "belt"]}},
    ...     target=("machine", "action"), keys={"machine": "id"}, foreign_keys={"worn.machine": "machine"})
    >>> model = ctree.RelationalTreeClassifier().fit(data)
    >>> print(model.explain(data)[0])
    class fix [75.0%] by leaf 1:
        does the machine have a worn (worn 1) with part = gear? yes (worn 1 is row 2)
    """

    leaf: int
    number: int
    questions: tuple[Answered, ...]

    def to_text(self) -> str:
        """The questions on the path to the leaf, with their answers."""
        heading = f"{self.verdict} by leaf {self.number}"
        return "\n".join([heading + ":" * bool(self.questions), *(f"    {line}" for line in self.questions)])

    def _reasons(self) -> list[Reason]:
        return [Reason(f"by leaf {self.number}", [str(line) for line in self.questions])]

    def _details(self) -> dict[str, Any]:
        questions = [
            {
                "question": entry.question,
                "test": entry.test,
                "holds": entry.holds,
                "rows": [{"name": row.name, "table": row.table, "key": row.key} for row in entry.rows],
            }
            for entry in self.questions
        ]
        return {"leaf": self.leaf, "number": self.number, "questions": questions}


def explain_by_relational_tree(
    tree: RelationalTree, data: RelationalData, unseen: str = "unknown"
) -> list[RelationalExplanation]:
    """Why each example is given its class."""
    leaves, parents = tree.apply(data, unseen).tolist(), tree.arrays.parents().tolist()
    first, asked = tree.arrays.first_branch.tolist(), queries(tree.arrays)
    links, numbers = tree.variable_links, leaf_numbers(tree).tolist()
    witnesses = Witnesses(tree, data)
    words: dict[int, tuple[str, str]] = {}
    result = []
    for example, leaf in enumerate(leaves):
        rows = witnesses.rows(asked[leaf], example)
        path = [leaf]
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        questions = []
        for child in path[-2::-1]:
            node = parents[child]
            holds = child == first[node]
            test = tree.tests[node]
            assert test is not None
            n_known = 1 + len(links[node])
            new = range(n_known, n_known + len(test.steps)) if holds else ()
            found = tuple(_found(tree, data, links[child], variable, rows[variable]) for variable in new)
            if node not in words:
                words[node] = tree.question(node), tree.question(node, "logic")
            questions.append(Answered(*words[node], holds, found))
        by_class = dict(zip(tree.schema.classes, tree.probabilities[leaf].tolist(), strict=True))
        best = int(tree.best[leaf])
        result.append(RelationalExplanation(tree.schema.classes[best], by_class, leaf, numbers[leaf], tuple(questions)))
    return result


def _found(tree: RelationalTree, data: RelationalData, links: tuple[int, ...], variable: int, row: int) -> FoundRow:
    table = tree.table_of(links, variable)
    number = [tree.table_of(links, other) for other in range(1, variable + 1)].count(table)
    coded = data.table(table)
    row %= coded.n_rows  # a row of a symmetric table stands twice
    return FoundRow(f"{table} {number}", table, row + 1 if coded.keys is None else coded.keys[row])
