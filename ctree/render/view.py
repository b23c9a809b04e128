"""TreeView: what pictures and pages show of a tree, whatever its tests ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.render.labels import Branching, branch_labels, clipped, wrapped
from ctree.render.relational_text import question_parts
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Floats

Integers = npt.NDArray[np.integer]


class TreeView(ABC):
    """The nodes of a tree: their questions, branches, class counts and probabilities.

    Parameters
    ----------
    tree : Tree or RelationalTree
    """

    noun = "case"
    """What the tree classifies."""

    def __init__(self, tree: Branching) -> None:
        self.tree = tree

    @property
    @abstractmethod
    def classes(self) -> Sequence[Label]:
        """The classes, in the order of counts and probabilities."""

    @property
    @abstractmethod
    def best(self) -> Integers:
        """The class that each node would predict."""

    @property
    @abstractmethod
    def cases(self) -> Floats:
        """The weight of the training cases of each node."""

    @property
    @abstractmethod
    def errors(self) -> Floats:
        """Of those the weight that is not of the class predicted, or after pruning its estimate."""

    @property
    @abstractmethod
    def counts(self) -> Floats:
        """The weight of each class, (nodes, classes)."""

    @property
    @abstractmethod
    def probabilities(self) -> Floats:
        """The class probabilities of each node."""

    @abstractmethod
    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        """What a node asks, in rows that are no longer than so many characters."""

    @abstractmethod
    def branch_labels(self, node: int) -> list[str]:
        """What leads to each branch of a node."""

    def is_leaf(self, node: int) -> bool:
        return len(self.tree.branches(node)) == 0

    def branches(self, node: int) -> range:
        """The branches of a node."""
        return self.tree.branches(node)

    def class_texts(self) -> list[str]:
        """The classes in few words."""
        return [clipped(str(label)) for label in self.classes]


class PlainView(TreeView):
    """Trees that test attributes."""

    tree: Tree

    @property
    def classes(self) -> Sequence[Label]:
        return self.tree.schema.classes

    @property
    def best(self) -> Integers:
        return self.tree.best

    @property
    def cases(self) -> Floats:
        return self.tree.cases

    @property
    def errors(self) -> Floats:
        return self.tree.errors

    @property
    def counts(self) -> Floats:
        return self.tree.class_counts

    @property
    def probabilities(self) -> Floats:
        return self.tree.probabilities

    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        return [clipped(self.tree.schema[int(self.tree.attribute[node])].name)]

    def branch_labels(self, node: int) -> list[str]:
        return branch_labels(self.tree, node)


class RelationalView(TreeView):
    """Trees that ask for linked rows."""

    noun = "example"
    tree: RelationalTree

    @property
    def classes(self) -> Sequence[Label]:
        return self.tree.schema.classes

    @property
    def best(self) -> Integers:
        return np.asarray(self.tree.probabilities.argmax(axis=1))

    @property
    def cases(self) -> Floats:
        return self.tree.arrays.cases

    @property
    def errors(self) -> Floats:
        return np.asarray(self.cases - self.counts[np.arange(self.tree.n_nodes), self.best])

    @property
    def counts(self) -> Floats:
        return self.tree.counts

    @property
    def probabilities(self) -> Floats:
        return self.tree.probabilities

    def question(self, node: int, width: int, most_rows: int) -> list[str]:
        return wrapped("".join(question_parts(self.tree, node)), width, most_rows)

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
    return RelationalView(tree) if isinstance(tree, RelationalTree) else PlainView(tree)
