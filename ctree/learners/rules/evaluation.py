"""Trying a list of rules on cases, and dropping those that do more harm than good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.learners.rules.code_length import counted
from ctree.tree.rule_list import RuleList
from ctree.tree.rules import Rule
from ctree_ext.rules.covers import first_two

Ints = npt.NDArray[np.int32]
Covers = tuple[npt.NDArray[np.int64], Ints]


@dataclass(frozen=True)
class Use:
    """What a rule did.

    Parameters
    ----------
    rule : Rule
    used : int
        On how many cases it was the first to apply.
    wrong : int
        How many of these it got wrong.
    better, worse : int
        For how many it was better, or worse, than what would have been said without it.
    """

    rule: Rule
    used: int
    wrong: int
    better: int
    worse: int


@dataclass(frozen=True)
class Evaluation:
    """What rules did.

    Parameters
    ----------
    uses : tuple of Use
        One for each rule, in their order.
    applied : array
        For each case the place of the rule that applied to it in the whole list, -1 for none.
    predicted : array
        The class code that it was given.
    errors : int
    """

    uses: tuple[Use, ...]
    applied: Ints
    predicted: Ints
    errors: int

    @property
    def harmful(self) -> Rule | None:
        """The first rule without which more cases would have been right."""
        return next((use.rule for use in self.uses if use.worse > use.better), None)


def evaluate(rules: RuleList, data: Dataset) -> Evaluation:
    """Give each case the class of the first rule that applies; one with a weight counts as so many."""
    return _Trial(rules, data).evaluation()


def evaluate_and_drop(rules: RuleList, data: Dataset, covers: Covers | None = None) -> list[Evaluation]:
    """Drop harmful rules one at a time; the evaluation before each is dropped, and that of the rules which are left.

    `covers` are those of the rules, if they are known already.
    """
    trial = _Trial(rules, data, covers)
    evaluations = [trial.evaluation()]
    while (harmful := evaluations[-1].harmful) is not None:
        trial.drop(harmful)
        evaluations.append(trial.evaluation())
    return evaluations


class _Trial:
    def __init__(self, rules: RuleList, data: Dataset, covers: Covers | None = None) -> None:
        assert data.classes is not None
        self.rules = rules
        self.classes = data.classes
        self.weights = np.ones(len(data.classes)) if data.weights is None else data.weights
        self.covers = rules.covers(data) if covers is None else covers
        self.left = list(range(len(rules)))

    def drop(self, rule: Rule) -> None:
        self.left = [i for i in self.left if self.rules[i] is not rule]

    def evaluation(self) -> Evaluation:
        order = np.array(self.left, dtype=np.int32)
        first, second = first_two(*self.covers, order, len(self.classes))
        said, otherwise = self.rules.class_codes(first), self.rules.class_codes(second)
        right, right_otherwise = said == self.classes, otherwise == self.classes
        uses = []
        counts = [
            self._count(first, cases) for cases in (True, ~right, right & ~right_otherwise, ~right & right_otherwise)
        ]
        for i in self.left:
            used, wrong, better, worse = (count[i] for count in counts)
            uses.append(Use(self.rules[i], used, wrong, better, worse))
        return Evaluation(tuple(uses), first, said, int(self.weights[~right].sum()))

    def _count(self, first: Ints, cases: npt.NDArray[np.bool_] | bool) -> list[int]:
        """Of these cases the number of those where each rule is the first to apply."""
        among = (first >= 0) & cases
        return counted(first[among], self.weights[among], len(self.rules))
