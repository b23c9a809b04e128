"""Several relational trees of one learner, which new examples go down after they have been prepared once for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ctree.data.relational.data import RelationalData
from ctree.tree.relational_arrays import N_NUMBERS, QueryTest
from ctree.tree.relational_tables import linked_arrays
from ctree.tree.relational_tree import RelationalTree
from ctree_ext.base.node_arrays import Ints
from ctree_ext.relational.linked import LinkedArrays
from ctree_ext.relational.relational_router import RelationalRouter

WHAT_IS_READ = (0, 1, 2, 3, 6, 7, 8, 10, 11, 14)
"""The numbers of a test that say which tables, columns and links it reads: not its variables, values and thresholds."""


class RelationalTrees:
    """Trees with the same schema, values, paths and aggregates.

    Parameters
    ----------
    trees : sequence of RelationalTree
        At least one.
    """

    def __init__(self, trees: Sequence[RelationalTree]) -> None:
        self.trees = tuple(trees)

    def __len__(self) -> int:
        return len(self.trees)

    def routes(self, data: RelationalData, unseen: str = "unknown") -> Callable[[int], Ints]:
        """Prepare examples; the result gives the leaf of each of them in the tree of a number.

        It may be called by several threads. See `RelationalTree.apply` for the parameters.
        """
        lead = self.trees[0]
        known = data.conformed(lead.schema, lead.values, needed=self._needed, unseen=unseen)
        more = lead._aggregate_columns(known, data, self._asked)
        down = {step.link for test in self._asked for step in test.steps}
        tables = linked_arrays(known, lead.arrays.path_start, lead.arrays.path_links, down, more=more)
        return lambda number: leaves_of(self.trees[number], tables, known.rows)

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        return self.trees[0].needed_by(self._asked)

    @cached_property
    def _asked(self) -> tuple[QueryTest, ...]:
        """The tests of all trees, one of each sort that reads the same."""
        distinct: set[tuple[int, ...]] = set()
        for tree in self.trees:
            tests = tree.arrays.tests
            distinct |= set(map(tuple, tests[tests[:, 0] > 0][:, WHAT_IS_READ].tolist()))
        numbers = np.zeros((len(distinct), N_NUMBERS), dtype=np.int32)
        if distinct:
            numbers[:, WHAT_IS_READ] = sorted(distinct)
        arrays = replace(self.trees[0].arrays, tests=numbers, threshold=np.zeros(len(numbers)))
        return tuple(test for number in range(len(numbers)) if (test := arrays.test(number)) is not None)


def leaves_of(tree: RelationalTree, tables: LinkedArrays, rows: Ints) -> Ints:
    """The leaf of each of these rows of the target, in tables that have the codes of the tree."""
    arrays, target = tree.arrays, tree.schema.index(tree.schema.target)
    router = RelationalRouter(tables, target, arrays.first_branch, arrays.tests, arrays.threshold)
    return router.leaves(rows)
