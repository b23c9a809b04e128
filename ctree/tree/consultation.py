"""Classifying a case by question and answer, with certainty factors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Attribute, Label, Schema
from ctree.errors import DataError
from ctree.tree.answers import Answer, Range, Shares, parse_answer
from ctree.tree.tree import Test, Tree
from ctree.wording import abbreviated, plural

EPSILON = 0.001
"""Added to the width of a soft threshold, so that it is never 0."""

NEGLIGIBLE = 0.01
"""A branch of a threshold that is less probable than this is left out."""


@dataclass(frozen=True)
class Certainty:
    """How certain a tree is of one class.

    Parameters
    ----------
    label : str or number
        The class.
    cf : float
        The certainty factor: the probability of the class, by the leaves that the case reaches.
    low, high : float
        Its range. `low` counts what these leaves are certain of if they err as often as they expect to; what none of
        the classes is certain of might go to this one, and makes up the rest to `high`.
    """

    label: Label
    cf: float
    low: float
    high: float


class Consultation:
    """The classification of one case by question and answer.

    Parameters
    ----------
    tree : Tree
    errors : array, optional
        The errors to be expected of each node among as many new cases as it has; by default those that the tree shows,
        which after release 8's pruning are just these.
    schema : Schema, optional
        The attributes as a person knows them, where the tree has others in their places (bins of numbers).
    translate : callable, optional
        With `schema`: the answer in the tree's terms, given the number of the attribute and an answer by `schema`.
    decide : callable, optional
        From the probabilities of a case to the place of its class, if that is not the most probable one.

    Notes
    -----
    As in the program `consult` of C4.5, a case may be in several branches at once, with a weight in each: by the
    probabilities of an answer, by the training cases there where the answer is ``?``, and near a soft threshold.

    Examples
    --------
    >>> import ctree
    >>> case = Consultation(ctree.C45Classifier().fit(ctree.load_golf()).tree_)
    >>> case.question.name
    'outlook'
    >>> case.answer("sunny")
    >>> case.question.name
    'humidity'
    >>> case.answer("?")
    >>> print(case.question)
    None
    >>> best = case.certainties()[0]
    >>> best.label, round(best.cf, 2), round(best.low, 2), round(best.high, 2)
    ("Don't Play", 0.6, 0.38, 0.8)
    """

    def __init__(
        self,
        tree: Tree,
        errors: npt.NDArray[np.float64] | None = None,
        *,
        schema: Schema | None = None,
        translate: Callable[[int, Answer], Answer] | None = None,
        decide: Callable[[npt.NDArray[np.float64]], int] | None = None,
    ) -> None:
        self.tree = tree
        self.schema = tree.schema if schema is None else schema
        self.translate = translate
        self.decide = decide
        self.errors = tree.errors if errors is None else errors
        self.answers: dict[int, Answer] = {}
        self._next: int | None
        self._leaves: list[tuple[int, float]]
        self._walk()

    def __repr__(self) -> str:
        asked = self.question
        return "<Consultation: all is said>" if asked is None else f"<Consultation: asks for {abbreviated(asked.name)}>"

    @property
    def question(self) -> Attribute | None:
        """The attribute to ask about next; None if no other is needed."""
        return None if self._next is None else self.schema[self._next]

    def answer(self, text: str) -> None:
        """Answer the question; a text that is no answer to it is a `DataError`. See `ctree.tree.answers`."""
        if self._next is None or self.question is None:
            raise DataError("there are no more questions")
        answer = parse_answer(self.question, text)
        self.answers[self._next] = answer if self.translate is None else self.translate(self._next, answer)
        self._walk()

    @property
    def leaves(self) -> list[tuple[int, float]]:
        """The leaves that the case reaches and its weight in each, from left to right, as far as it has been told."""
        return list(self._leaves)

    def certainties(self) -> list[Certainty]:
        """All classes, the most certain first; before them, with costs, that of the prediction."""
        tree = self.tree
        central = np.zeros(tree.schema.n_classes)
        low = np.zeros(tree.schema.n_classes)
        for leaf, weight in self._leaves:
            central += weight * tree.probabilities[leaf]
            low[tree.best[leaf]] += weight * self._least(leaf)
        uncertain = max(0.0, 1.0 - float(low.sum()))
        order = np.argsort(-central, kind="stable").tolist()
        if self.decide is not None and self._leaves:
            first = self.decide(central)
            order.sort(key=lambda c: c != first)
        return [
            Certainty(tree.schema.classes[c], float(central[c]), float(low[c]), min(1.0, float(low[c]) + uncertain))
            for c in order
        ]

    @property
    def reason(self) -> str:
        """What led to the class, if it was one way; empty otherwise."""
        if len(self._leaves) != 1:
            return ""
        node = self.tree[self._leaves[0][0]]
        why = " and ".join(step.condition for step in node.path[1:])
        whole = node.cases == round(node.cases)
        cases = plural(round(node.cases), "training case") if whole else f"{node.cases:.1f} training cases"
        return f"{f'because {why}' if why else 'whatever the case'} ({cases})"

    def _least(self, leaf: int) -> float:
        """What a leaf is certain of: nothing without cases, and of its class no more than it gives as probability."""
        cases = float(self.tree.cases[leaf])
        if cases <= 0:
            return 0.0
        right = 1.0 - float(self.errors[leaf]) / cases
        # Fractions of cases, added up by class and in all, may differ a little; frequencies are not to suffer by it.
        drift = max(1.0, float(self.tree.class_counts[leaf].sum()) / cases)
        return max(0.0, min(right, drift * float(self.tree.probabilities[leaf, self.tree.best[leaf]])))

    def _walk(self) -> None:
        """Down all branches that the case is in, the first first, up to a test whose attribute has no answer yet."""
        self._next, self._leaves = None, []
        waiting = [(0, 1.0)]
        while waiting:
            node, weight = waiting.pop()
            if self.tree.test[node] == Test.LEAF:
                self._leaves.append((node, weight))
                continue
            attribute = int(self.tree.attribute[node])
            if attribute not in self.answers:
                self._next = attribute
                return
            shares = self._shares(node, self.answers[attribute])
            parts = [(b, weight * s) for b, s in zip(self.tree.branches(node), shares, strict=True) if s > 0]
            waiting.extend(reversed(parts))

    def _shares(self, node: int, answer: Answer) -> list[float]:
        """The share of the case that each branch gets."""
        if isinstance(answer, Range):
            first = self._below(node, answer)
            return [first, 1.0 - first]
        cases = self.tree.cases
        by_cases = [float(cases[b] / cases[node]) for b in self.tree.branches(node)]
        if isinstance(answer, Shares) and self.tree.test[node] == Test.THRESHOLD:  # of ordered values
            first = math.fsum(
                p * self._below(node, Range(place, place)) for place, p in enumerate(answer.probabilities) if p > 0
            )
            return [first, 1.0 - first]
        if isinstance(answer, Shares):
            shares = [math.fsum(answer.probabilities[v] for v in group) for group in self.tree.groups(node)]
            elsewhere = 1.0 - math.fsum(answer.probabilities[v] for group in self.tree.groups(node) for v in group)
            if elsewhere > 1e-9:  # values in no group, which are as good as unknown
                shares = [s + elsewhere * by for s, by in zip(shares, by_cases, strict=True)]
            return shares
        return by_cases

    def _below(self, node: int, answer: Range) -> float:
        """The share of the branch up to the threshold."""
        tree = self.tree
        cut = float(tree.threshold[node])
        lower = cut if tree.lower is None else float(tree.lower[node])
        upper = cut if tree.upper is None else float(tree.upper[node])
        low, high = (_single(x) if tree.float32 else x for x in (answer.low, answer.high))
        share = mean_share_below(low, high, lower, cut, upper)
        return 0.0 if share <= NEGLIGIBLE else 1.0 if share >= 1 - NEGLIGIBLE else share


def share_below(x: float, lower: float, cut: float, upper: float) -> float:
    """The share of the first branch of a soft threshold for one number: 1 up to `lower`, 0.5 at `cut`, then to 0.

    >>> [round(share_below(x, 70.0, 75.0, 85.0), 2) for x in (70, 72.5, 75, 80, 86)]
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """
    if x <= lower:
        return 1.0
    if x <= cut:
        return 1.0 - _half_of_way(x, lower, cut)
    if x <= upper:
        return 0.5 - _half_of_way(x, cut, upper)
    return 0.0


def _half_of_way(x: float, start: float, end: float) -> float:
    """Half of the way from one number to another that is made at `x`, as a share of it."""
    if end - start == math.inf:  # beyond all numbers, though its half is not
        return 0.5 * (x / 2 - start / 2) / (end / 2 - start / 2)
    return 0.5 * (x - start) / (end - start + EPSILON)


def mean_share_below(low: float, high: float, lower: float, cut: float, upper: float) -> float:
    """The mean of `share_below` from `low` to `high`, every number between them being as likely.

    >>> mean_share_below(70.0, 80.0, 75.0, 75.0, 75.0)
    0.5
    """
    if not low < high:
        return share_below(low, lower, cut, upper)
    if high - low == math.inf:  # beyond all numbers, though its half is not
        return mean_share_below(low / 2, high / 2, lower / 2, cut / 2, upper / 2)
    area = 0.0
    # The share falls along a straight line in each piece, so its mean there is that in the middle.
    bounds = (low, *(min(max(x, low), high) for x in (lower, cut, upper)), high)
    for i in range(4):
        width = bounds[i + 1] - bounds[i]
        if width > 0:
            area += width * share_below(bounds[i] + width / 2, lower, cut, upper)
    return area / (high - low)


def _single(x: float) -> float:
    """The nearest 32-bit number, as the values were rounded that the threshold was made of."""
    with np.errstate(over="ignore"):
        single = float(np.float32(x))
    return single if np.isfinite(single) else x
