"""TreeView: what pictures and pages show of a tree, whatever its tests ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.render.labels import Branching, branch_labels, clipped, wrapped
from ctree.render.relational_text import question_text
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.shown_order import leaf_numbers, shown_branches
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Floats


class TreeView(ABC):
    """The nodes of a tree: their questions, branches, class counts and probabilities.

    Parameters
    ----------
    tree : Tree or RelationalTree
    classes : sequence of labels
        In the order of counts and probabilities.
    best : array of int
        The class that each node would predict.
    cases, errors : array
        The weight of the training cases of each node, and of those in error, after pruning an estimate.
    counts, probabilities : array (nodes, classes)
    """

    noun: str
    """What the tree classifies."""

    def __init__(
        self,
        tree: Branching,
        classes: Sequence[Label],
        best: npt.NDArray[np.integer],
        cases: Floats,
        errors: Floats,
        counts: Floats,
        probabilities: Floats,
    ) -> None:
        self.tree = tree
        self.classes = classes
        self.best = best
        self.cases = cases
        self.errors = errors
        self.counts = counts
        self.probabilities = probabilities

    @abstractmethod
    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        """What a node asks, in rows that are no longer than so many characters."""

    @abstractmethod
    def branch_labels(self, node: int) -> list[str]:
        """What leads to each branch of a node."""

    def branches(self, node: int) -> range:
        """The branches of a node."""
        return self.tree.branches(node)

    def shown_branches(self, node: int) -> list[int]:
        """The branches of a node in the order in which they are shown."""
        return shown_branches(self.tree, node)

    @cached_property
    def numbers(self) -> list[int]:
        """The number of each leaf, and of the first leaf below any other node."""
        return [int(number) for number in leaf_numbers(self.tree)]

    def is_leaf(self, node: int) -> bool:
        """Whether a node asks nothing."""
        return len(self.branches(node)) == 0

    def class_texts(self) -> list[str]:
        """The classes in few words."""
        return [clipped(str(label)) for label in self.classes]


class AttributeView(TreeView):
    """A tree that tests attributes."""

    noun = "case"
    tree: Tree

    def __init__(self, tree: Tree) -> None:
        classes = tree.schema.classes
        super().__init__(tree, classes, tree.best, tree.cases, tree.errors, tree.class_counts, tree.probabilities)

    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        return [clipped(self.tree.schema[int(self.tree.attribute[node])].name)]

    def branch_labels(self, node: int) -> list[str]:
        return branch_labels(self.tree, node)


class RelationalView(TreeView):
    """A tree that asks for linked rows."""

    noun = "example"
    tree: RelationalTree

    def __init__(self, tree: RelationalTree) -> None:
        cases, counts = tree.arrays.cases, tree.counts
        errors = np.asarray(cases - counts[np.arange(tree.n_nodes), tree.best])
        super().__init__(tree, tree.schema.classes, tree.best, cases, errors, counts, tree.probabilities)

    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        return wrapped(question_text(self.tree, node, "words"), width, most_rows)

    def branch_labels(self, node: int) -> list[str]:
        return [] if self.is_leaf(node) else ["yes", "no"]


def view_of(tree: Tree | RelationalTree) -> TreeView:
    """How a tree is shown.

    Examples
    --------
    >>> import ctree
    >>> view = view_of(ctree.C45Classifier().fit(ctree.load_golf()).tree_)
    >>> view.question(0, 30, 1), view.branch_labels(0)
    (['outlook'], ['sunny', 'overcast', 'rain'])
    """
    return RelationalView(tree) if isinstance(tree, RelationalTree) else AttributeView(tree)
