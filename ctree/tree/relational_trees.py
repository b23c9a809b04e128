"""Several relational trees of one learner, which new examples go down after they have been prepared once for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from ctree.data.relational.data import RelationalData
from ctree.tree.relational_tables import kept_arrays
from ctree.tree.relational_tree import RelationalTree
from ctree_ext.base.node_arrays import Ints


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
        lead, needed = self.trees[0], self._needed
        known = data.conformed(lead.schema, needed=needed)
        if unseen == "error":
            known.check_values(lead.values, needed=needed)
        downwards = frozenset[int]().union(*(tree.links_down for tree in self.trees))
        kept_arrays(known, lead.arrays.path_start, lead.arrays.path_links, downwards)
        return lambda number: self.trees[number].apply(known)

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for tree in self.trees for name in tree.needed))
