"""The nodes and tests of a relational tree as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ctree_ext.base.node_arrays import Floats, Ints, Places, levels, parents

COMPARISONS = ("", "=", "<=", ">", "is")
"""What a condition asks, by the number of its operator; no operator is no condition."""

N_NUMBERS = 15
"""How many numbers a test is."""

CODE = 12
"""Which of them is the code of the value of a condition."""


class Step(NamedTuple):
    """A new variable: any row that refers, by a link, to what a term stands for. A term is a variable and a path."""

    link: int
    variable: int
    path: tuple[int, ...]


class Comparison(NamedTuple):
    """A condition on a term: a column compared with a value or threshold, or that it is the same row as another."""

    op: str
    variable: int
    path: tuple[int, ...]
    column: int
    code: int
    threshold: float
    other_variable: int
    other_path: tuple[int, ...]


class QueryTest(NamedTuple):
    """Steps to new rows, then at most one condition."""

    steps: tuple[Step, ...]
    condition: Comparison | None


@dataclass(frozen=True, eq=False, repr=False)
class RelationalArrays:
    """One entry a node in each array, but for those of paths.

    Nodes are numbered from the root, 0, level by level; the yes branch of a node stands before its no branch.

    Parameters
    ----------
    n_branches : int32
        2, or 0 in leaves.
    counts : float64 (nodes, classes)
        The weight of the training examples of each class.
    n_tests : int64
        From how many tests that of the node was chosen.
    figure : float64
        What the test was worth when it was chosen.
    tests : int32 (nodes, 15)
        Whether there is a test; the number of its steps; two links, two variables and two paths of the terms from which
        the steps go; the operator, variable, path, column and code of the condition; the variable and path of its other
        term.
    threshold : float64
    path_start, path_links : int32
        Paths of links that lead up: path i is ``path_links[path_start[i]:path_start[i + 1]]``.
    """

    n_branches: Ints
    counts: Floats
    n_tests: npt.NDArray[np.int64]
    figure: Floats
    tests: Ints
    threshold: Floats
    path_start: Ints
    path_links: Ints

    @classmethod
    def of_grown(cls, grown: dict[str, npt.NDArray[Any]], path_start: Ints, path_links: Ints) -> Self:
        """The arrays of nodes that stand before their branches, what is below yes before no."""
        order = np.argsort(grown["depth"], kind="stable")
        tests = grown["tests"][order]
        return cls(
            (2 * tests[:, 0]).astype(np.int32),
            grown["counts"][order],
            grown["n_tests"][order],
            grown["figure"][order],
            tests,
            grown["threshold"][order],
            path_start,
            path_links,
        )

    def __len__(self) -> int:
        return len(self.n_branches)

    def __repr__(self) -> str:
        return f"<RelationalArrays: {len(self)} nodes, {self.counts.shape[1]} classes>"

    @property
    def cases(self) -> Floats:
        """The weight of the examples of each node."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def first_branch(self) -> Ints:
        """The yes branch of each node, which the no branch follows; -1 in leaves."""
        ends = 1 + np.cumsum(self.n_branches) - self.n_branches
        return np.where(self.n_branches > 0, ends, -1).astype(np.int32)

    def parents(self) -> Places:
        """The parent of each node, -1 for the root."""
        return parents(self.n_branches)

    def collapsed(self, nodes: npt.NDArray[np.bool_]) -> Self:
        """The tree in which these nodes are leaves and what was below them is gone."""
        parent = self.parents()
        kept = np.ones(len(self), dtype=bool)
        for level in levels(parent):
            kept[level] = kept[parent[level]] & ~nodes[parent[level]]
        leaf = nodes[kept]
        changed: dict[str, Any] = {
            name: getattr(self, name)[kept]
            for name in ("n_branches", "counts", "n_tests", "figure", "tests", "threshold")
        }
        for name in ("n_branches", "figure", "tests", "threshold"):
            changed[name][leaf] = 0
        return replace(self, **changed)

    def path(self, number: int) -> tuple[int, ...]:
        """The links of a path."""
        return tuple(self.path_links[self.path_start[number] : self.path_start[number + 1]].tolist())

    def test(self, node: int) -> QueryTest | None:
        """The test of a node; None for a leaf."""
        numbers = self.tests[node].tolist()
        if not numbers[0]:
            return None
        steps = [Step(numbers[2 + s], numbers[4 + s], self.path(numbers[6 + s])) for s in range(numbers[1])]
        op, variable, path, column, code, other_variable, other_path = numbers[8:]
        condition = None
        if op:
            threshold = float(self.threshold[node])
            condition = Comparison(
                COMPARISONS[op],
                variable,
                self.path(path),
                column,
                code,
                threshold,
                other_variable,
                self.path(other_path),
            )
        return QueryTest(tuple(steps), condition)

    def links_of_variables(self) -> list[tuple[int, ...]]:
        """Of each node the variables of its query after X0, by the links by which they came."""
        result: list[tuple[int, ...]] = [()] * len(self)
        first = self.first_branch.tolist()
        for node, numbers in enumerate(self.tests.tolist()):
            if numbers[0]:
                result[first[node]] = (*result[node], *numbers[2 : 2 + numbers[1]])
                result[first[node] + 1] = result[node]
        return result
