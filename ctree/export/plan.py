"""What every export starts from: a tree as questions about the attributes that a person has, in plain numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ctree.data.schema import Schema
from ctree.errors import ParameterError
from ctree.export.decision import Worth, votes_of
from ctree.export.order_words import branches_of_places, code_fillers, without_orders
from ctree.learners.base.one_model import one_model
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.tree.interface import TreeInterface
from ctree.tree.tree import Test, Tree


@dataclass(frozen=True)
class Question:
    """What a node asks.

    Parameters
    ----------
    attribute : int
    first : int
        The node of the first branch; the others follow it.
    cuts : tuple of float
        Of a continuous attribute: the branch of a number is how many of these are less than it.
    branch_of : tuple of int
        Of a discrete attribute: the branch of each value; -1 for none, so that it is as if unknown.
    """

    attribute: int
    first: int
    cuts: tuple[float, ...] = ()
    branch_of: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A tree for export, or several whose probabilities are averaged.

    Parameters
    ----------
    schema : Schema
        That of the cases as a person gives them.
    questions : tuple of Question or None
        Of each node, None for a leaf.
    n_branches : tuple of int
    cases : tuple of float
        The weight of the training cases at each node. A case of unknown value goes down each branch that has some, by
        the share of the branch in the cases of its node.
    probabilities : tuple of tuples of float
        Of each node.
    fillers : tuple
        Per attribute what is taken for an unknown value, a code or a number; None for nothing.
    worth : tuple of tuples of float, or None
        What predictions go by if they go by costs; see `ctree.export.decision`.
    tie_tolerance : float or None
        The prediction is the first class that no other exceeds by more than this; None where the class that the
        learner gives does not follow from the probabilities.
    roots : tuple of int
        The first node of each tree. The probabilities of a case are the mean of what the trees say of it.
    """

    schema: Schema
    questions: tuple[Question | None, ...]
    n_branches: tuple[int, ...]
    cases: tuple[float, ...]
    probabilities: tuple[tuple[float, ...], ...]
    fillers: tuple[float | int | None, ...]
    tie_tolerance: float | None
    worth: Worth | None = None
    roots: tuple[int, ...] = (0,)

    @property
    def size(self) -> str:
        """What it is, in words."""
        n = len(self.questions)
        if len(self.roots) == 1:
            return f"A classification tree with {n} nodes"
        return f"A committee of {len(self.roots)} classification trees with {n} nodes"

    def check_single(self, form: str) -> None:
        """Refuse more than one tree in a form that has no words for their mean."""
        if len(self.roots) > 1:
            raise ParameterError(
                f"a committee cannot be written as {form}: write it as Python, C or SQL (form='walk'), or export one "
                "of `members_` (`ctree export --member 0` exports the first)"
            )

    def branches(self, node: int) -> range:
        question = self.questions[node]
        return range(0) if question is None else range(question.first, question.first + self.n_branches[node])

    def filled_branches(self, node: int) -> list[int]:
        """The branches that a case of unknown value goes down."""
        return [branch for branch in self.branches(node) if self.cases[branch] > 0]

    @property
    def attributes(self) -> list[int]:
        """The attributes that the tree asks for, in the order of the schema."""
        return sorted({question.attribute for question in self.questions if question is not None})

    @property
    def leaves(self) -> list[int]:
        return [node for node, question in enumerate(self.questions) if question is None]

    @property
    def depth(self) -> int:
        """How many questions a case is asked at the most."""
        depths = [0] * len(self.questions)
        for node in range(len(self.questions)):
            for branch in self.branches(node):  # which come after it
                depths[branch] = depths[node] + 1
        return max(depths)

    def best(self, node: int) -> int | None:
        """The place of the class that a node predicts; None where that does not follow from the probabilities."""
        if self.tie_tolerance is None:
            return None
        best, p = 0, votes_of(self.probabilities[node], self.worth)
        for c in range(1, len(p)):
            if p[c] - p[best] > self.tie_tolerance:
                best = c
        return best


def plan_of(model: Tree | TreeClassifier) -> Plan:
    """The plan of a fitted learner of one tree, or of a `Tree`."""
    if isinstance(model, Tree):
        tree, interface = model, TreeInterface(model.schema)
    else:
        model = one_model(model)
        interface = model._interface()
        tree = model.tree_
    questions = tuple(_question(tree, node, interface) for node in range(tree.n_nodes))
    return Plan(
        without_orders(interface.schema),
        questions,
        tuple(tree.arrays.n_branches.tolist()),
        tuple(tree.cases.tolist()),
        tuple(map(tuple, tree.probabilities.tolist())),
        code_fillers(interface.schema, interface.fillers()),
        interface.tie_tolerance if interface.votes is None or interface.worth is not None else None,
        None if interface.worth is None else tuple(map(tuple, interface.worth.tolist())),
    )


def _question(tree: Tree, node: int, interface: TreeInterface) -> Question | None:
    test = tree.test[node]
    if test == Test.LEAF:
        return None
    attribute, branches = int(tree.attribute[node]), tree.branches(node)
    given, bounds = interface.schema[attribute], interface.bin_cuts()[attribute]
    if given.is_ordered:
        cuts = [float(tree.threshold[node])] if bounds is None else bounds.tolist()
        return Question(attribute, branches.start, branch_of=branches_of_places(given, cuts))
    if test == Test.THRESHOLD:
        cut = float(tree.threshold[node])
        if given.is_moment:  # which are whole numbers
            return Question(attribute, branches.start, (float(math.floor(cut)),))
        return Question(attribute, branches.start, (double_threshold(cut) if tree.float32 else cut,))
    n_values = len(tree.schema[attribute].values)
    if bounds is not None:
        return Question(attribute, branches.start, tuple(bounds.tolist()))
    branch_of = [-1] * n_values
    for branch, group in enumerate(tree.groups(node)):
        for code in group:
            branch_of[code] = branch
    return Question(attribute, branches.start, branch_of=tuple(branch_of))


def double_threshold(threshold: float) -> float:
    """The largest double that is at most the threshold once it is rounded to 32 bits.

    So doubles compared with it take the branches that they would take if they were rounded first.

    Examples
    --------
    >>> cut = double_threshold(0.5)
    >>> cut, float(np.float32(cut)), float(np.float32(np.nextafter(cut, 1))) > 0.5
    (0.5000000298023224, 0.5, True)
    """
    with np.errstate(over="ignore"):
        low = np.float32(threshold)
        if float(low) > threshold:
            low = np.nextafter(low, np.float32(-np.inf))
        high = np.nextafter(low, np.float32(np.inf))
        above = float(high) if np.isfinite(high) else 2.0**128
        below = float(low) if np.isfinite(low) else -(2.0**128)
        middle = below / 2 + above / 2  # which rounds to the even one of the two
        return middle if float(np.float32(middle)) <= threshold else float(np.nextafter(middle, -np.inf))
