"""Node: one node of a tree, as a person asks about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctree.data.schema import Attribute, Label
from ctree_ext.base.node_arrays import Test

if TYPE_CHECKING:
    from ctree.tree.tree import Tree


@dataclass(frozen=True)
class Node:
    """One node of a tree, as a person asks about it."""

    tree: Tree
    index: int

    @property
    def test(self) -> int:
        return int(self.tree.test[self.index])

    @property
    def is_leaf(self) -> bool:
        return self.test == Test.LEAF

    @property
    def attribute(self) -> Attribute | None:
        """The attribute that is tested here."""
        index = int(self.tree.attribute[self.index])
        return None if index < 0 else self.tree.schema[index]

    @property
    def threshold(self) -> float | None:
        return float(self.tree.threshold[self.index]) if self.test == Test.THRESHOLD else None

    @property
    def prediction(self) -> Label:
        """The class that is most frequent here."""
        return self.tree.schema.classes[int(self.tree.best[self.index])]

    @property
    def cases(self) -> float:
        return float(self.tree.cases[self.index])

    @property
    def errors(self) -> float:
        return float(self.tree.errors[self.index])

    @property
    def class_counts(self) -> dict[Label, float]:
        return dict(zip(self.tree.schema.classes, self.tree.class_counts[self.index].tolist(), strict=True))

    @property
    def probabilities(self) -> dict[Label, float]:
        return dict(zip(self.tree.schema.classes, self.tree.probabilities[self.index].tolist(), strict=True))

    @property
    def depth(self) -> int:
        return int(self.tree.node_depth[self.index])

    @property
    def branches(self) -> tuple[Node, ...]:
        return tuple(Node(self.tree, b) for b in self.tree.branches(self.index))

    @property
    def parent(self) -> Node | None:
        parent = int(self.tree.parent[self.index])
        return None if parent < 0 else Node(self.tree, parent)

    @property
    def path(self) -> tuple[Node, ...]:
        """The nodes from the root to this one."""
        path = [self.index]
        while (parent := int(self.tree.parent[path[-1]])) >= 0:
            path.append(parent)
        return tuple(Node(self.tree, i) for i in reversed(path))

    @property
    def condition(self) -> str:
        """What leads from the parent to this node, in words; empty for the root."""
        parent = self.parent
        if parent is None or parent.attribute is None:
            return ""
        from ctree.tree.rules import conditions_of

        branch = self.index - self.tree.branches(parent.index).start
        return str(conditions_of(self.tree, parent.index)[branch])

    def __repr__(self) -> str:
        what = f"-> {self.prediction}" if self.is_leaf else f"tests {self.attribute.name if self.attribute else ''}"
        return f"<Node {self.index}: {what}, {self.cases:g} cases>"
