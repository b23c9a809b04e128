"""What error-based pruning goes by: the estimates and comparisons of release 8, and those of J48."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import Floats, NodeArrays
from ctree_ext.prune import counted, j48_counted
from ctree_ext.prune.j48 import J48Pruner
from ctree_ext.prune.release8 import Pruner
from ctree_ext.scale.gain_bracket import SMALL


class ErrorRules(Protocol):
    """How a tree is pruned whose cases are in a source: picklable."""

    @property
    def small(self) -> float:
        """Branches of no greater share get no part of the cases whose outcome is unknown."""
        ...

    @property
    def largest_by_cases(self) -> bool:
        """Whether the largest branch is that of most weight, cases of unknown outcome included, or of known ones."""
        ...

    def pruned(self, tree: NodeArrays, table: CaseTable, *, moved: bool = False) -> NodeArrays:
        """A tree, pruned with its cases; `moved` if they are others than those that it was grown from."""
        ...

    def estimated(self, tree: NodeArrays, table: CaseTable) -> float:
        """The errors that a tree is expected to make as it is, with cases that are there now."""
        ...

    def leaf_errors(self, tree: NodeArrays, counts: Floats) -> Floats:
        """The errors that each leaf of a tree is expected to make, given its class counts."""
        ...

    def pruned_by_counts(self, tree: NodeArrays) -> NodeArrays:
        """A tree, pruned without subtree raising."""
        ...

    def expected(self, pruned: NodeArrays) -> float:
        """The errors that a pruned tree is expected to make."""
        ...

    def expected_with(self, tree: NodeArrays, counts: Floats) -> float:
        """The same of a tree with other class counts."""
        ...

    def at_most(self, one: float, other: float) -> bool:
        """Whether a number does not exceed another."""
        ...

    def recounted(self, tree: NodeArrays, counts: Floats) -> NodeArrays:
        """A tree with the class counts of other cases, to be pruned with these."""
        ...

    def kept(self, entry: NodeArrays, leaf: NodeArrays, expected: float) -> NodeArrays:
        """The entry of a node that stays as it is, given what it would be as a leaf and the errors expected of it."""
        ...


def error_rules(n_classes: int, confidence: float, *, j48: bool) -> ErrorRules:
    """The rules of release 8, or of J48."""
    return J48Rules(n_classes, confidence) if j48 else Release8Rules(n_classes, confidence)


@dataclass(frozen=True)
class Release8Rules:
    """Those of release 8, in 64 bits: a pruned tree shows the errors that it is expected to make."""

    n_classes: int
    confidence: float
    small: ClassVar[float] = 0.0
    largest_by_cases: ClassVar[bool] = False

    def pruned(self, tree: NodeArrays, table: CaseTable, *, moved: bool = False) -> NodeArrays:
        """A tree, pruned with its cases, which are counted anew in any case."""
        return Pruner(table, confidence=self.confidence).prune(tree)

    def estimated(self, tree: NodeArrays, table: CaseTable) -> float:
        """The errors that a tree is expected to make with cases that are there now."""
        return float(Pruner(table, confidence=self.confidence).expected_errors(tree))

    def leaf_errors(self, tree: NodeArrays, counts: Floats) -> Floats:
        """The errors that each leaf is expected to make."""
        return np.asarray(counted.expected_errors(tree, counts, self.confidence)[0])

    def pruned_by_counts(self, tree: NodeArrays) -> NodeArrays:
        """A tree, pruned without subtree raising."""
        return counted.prune_by_counts(tree, self.n_classes, self.confidence)

    def expected(self, pruned: NodeArrays) -> float:
        """The errors that a pruned tree is expected to make."""
        return float(pruned.errors[0])

    def expected_with(self, tree: NodeArrays, counts: Floats) -> float:
        """The same of a tree with other class counts."""
        return float(counted.expected_errors(tree, counts, self.confidence)[1][0])

    def at_most(self, one: float, other: float) -> bool:
        """Whether a number does not exceed another."""
        return one <= other

    def recounted(self, tree: NodeArrays, counts: Floats) -> NodeArrays:
        """A tree with the class counts of other cases."""
        return tree.replace(counts=counts, cases=counts.sum(axis=1))

    def kept(self, entry: NodeArrays, leaf: NodeArrays, expected: float) -> NodeArrays:
        """The entry of a node that stays as it is."""
        return entry.replace(errors=[expected], best=leaf.best)


@dataclass(frozen=True)
class J48Rules:
    """Those of J48: numbers nearer than a millionth are equal, and the tree goes on showing its training errors."""

    n_classes: int
    confidence: float
    small: ClassVar[float] = SMALL
    largest_by_cases: ClassVar[bool] = True

    def pruned(self, tree: NodeArrays, table: CaseTable, *, moved: bool = False) -> NodeArrays:
        """A tree, pruned with its cases."""
        return J48Pruner(table, confidence=self.confidence).prune(tree, recount=moved)

    def estimated(self, tree: NodeArrays, table: CaseTable) -> float:
        """The errors that a tree is expected to make with cases that are there now."""
        return float(J48Pruner(table, confidence=self.confidence).expected_errors(tree))

    def leaf_errors(self, tree: NodeArrays, counts: Floats) -> Floats:
        """The errors that each leaf is expected to make."""
        return j48_counted.expected_errors(tree, counts, self.confidence)

    def pruned_by_counts(self, tree: NodeArrays) -> NodeArrays:
        """A tree, pruned without subtree raising."""
        return j48_counted.prune_by_counts(tree, self.n_classes, self.confidence)

    def expected(self, pruned: NodeArrays) -> float:
        """The errors that a pruned tree is expected to make."""
        return self.expected_with(pruned, pruned.counts)

    def expected_with(self, tree: NodeArrays, counts: Floats) -> float:
        """The same of a tree with other class counts."""
        return float(j48_counted.expected_errors(tree, counts, self.confidence)[0])

    def at_most(self, one: float, other: float) -> bool:
        """Whether a number does not exceed another by a millionth."""
        return one <= other or one - other < SMALL

    def recounted(self, tree: NodeArrays, counts: Floats) -> NodeArrays:
        """A tree with the class counts of other cases, and the classes that these choose."""
        return j48_counted.recounted(tree, counts)

    def kept(self, entry: NodeArrays, leaf: NodeArrays, expected: float) -> NodeArrays:
        """The entry of a node that stays as it is, with the class and the training errors of the leaf."""
        return entry.replace(errors=leaf.errors, best=leaf.best)
