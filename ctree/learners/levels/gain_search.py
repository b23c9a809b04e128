"""The search for the test of a node, by gain ratio, from counts: what it has to know, and what it decides.

A gain is known between two ends. Numbers are looked at only while the choice hangs on them: of attributes whose ratio
may be the greatest, and where it matters which tests gain the average, of those that the average hangs on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.learners.base.limits import NO_LIMITS, Limits
from ctree.learners.levels.average_gain import AverageGain, Gain
from ctree.learners.levels.number_gains import HAIR, NumberGains
from ctree.learners.levels.pieces import Pieces
from ctree.learners.levels.search import Decision, Wanted
from ctree.scale.source import Numbers
from ctree_ext.base.node_arrays import Test
from ctree_ext.scale.gain_bracket import MARGIN, GainBracket


class Known(NamedTuple):
    """The best test of a discrete attribute: its gain, the information in its outcome, and how it divides the cases."""

    gain: float
    info: float
    counts: Numbers
    """The class counts of each value."""
    group: npt.NDArray[np.int32] | None
    """The branch of each value; None if each has its own."""


class GainSearch:
    """What is known of the tests of a node, by the rules of release 8.

    Parameters
    ----------
    bracket : GainBracket
    few_valued : sequence of bool
        Of each attribute, whether its gain counts in the average.
    discrete : dict of int to Known
        The best test of each discrete attribute that has one.
    numbers : dict of int to NumberGains
        For each continuous attribute that may have a test.
    limits : Limits
        With the least gain of a test.
    """

    def __init__(
        self,
        bracket: GainBracket,
        few_valued: Sequence[bool],
        discrete: dict[int, Known],
        numbers: dict[int, NumberGains],
        limits: Limits = NO_LIMITS,
    ) -> None:
        self.bracket = bracket
        self.few_valued = few_valued
        self.discrete = discrete
        self.numbers = numbers
        self.limits = limits
        self.pieces: dict[int, Pieces] = {a: gains.pieces for a, gains in numbers.items()}
        self.stale: set[int] = set()

    def step(self) -> list[Wanted] | Decision:
        """The test of the node, or what has to be known first."""
        for a in self.stale:
            self.numbers[a].look()
        self.stale = set()
        possible = sorted([*self.discrete, *(a for a, gains in self.numbers.items() if gains.possible)])
        passing = self._passing(possible)
        goal = max((self._merits(a)[0] for a in possible if passing[a]), default=-math.inf)
        rivals = [a for a in possible if passing[a] is not False and self._merits(a)[1] >= goal - HAIR * abs(goal)]
        if not rivals:
            return Decision(0)
        wanted = self._to_compare(rivals)
        if not wanted and not all(passing[a] for a in rivals):
            # only what is known for sure to gain the average can be taken
            wanted = self._wanted(a for a in possible if self.few_valued[a])
        if wanted:
            return wanted
        return self._decision(max(rivals, key=lambda a: self._merits(a)[0]))

    def _exact(self, attribute: int) -> bool:
        return attribute in self.discrete or self.numbers[attribute].exact

    def _ends(self, attribute: int) -> tuple[float, float]:
        """The two ends of a gain."""
        if attribute in self.discrete:
            return self.discrete[attribute].gain, self.discrete[attribute].gain
        return self.numbers[attribute].least, self.numbers[attribute].most

    def _merits(self, attribute: int) -> tuple[float, float]:
        """The two ends of what the best test of an attribute is compared by."""
        if self.bracket.gain_only:
            return self._ends(attribute)
        if attribute in self.discrete:
            test = self.discrete[attribute]
            ratio = test.gain / test.info if test.info > 0 else -math.inf
            return ratio, ratio
        return self.numbers[attribute].ratios

    def _average(self, possible: Sequence[int]) -> float | None:
        """The average gain, where it is known to the bit."""
        counted = [a for a in possible if self.few_valued[a]]
        if not all(self._exact(a) for a in counted):
            return None
        total = 0.0
        for a in counted:
            total += self._ends(a)[0]
        return total / len(counted) if counted else 1e6

    def _passing(self, possible: Sequence[int]) -> dict[int, bool | None]:
        """Of each attribute, whether its best test may be taken; None where that is not known."""
        average = self._average(possible)
        gains = {a: Gain(*self._ends(a), self._is_certain(a)) for a in possible if self.few_valued[a]}
        averages = AverageGain(gains)
        return {a: self._passes(a, averages, average) for a in possible}

    def _is_certain(self, attribute: int) -> bool:
        return attribute in self.discrete or self.numbers[attribute].certain

    def _passes(self, attribute: int, averages: AverageGain, average: float | None) -> bool | None:
        enough = self._enough(attribute)
        if self.bracket.gain_only or enough is False:
            return enough
        least, most = self._ends(attribute)
        if average is not None and self._exact(attribute):
            return enough if least >= average - MARGIN else False
        if not averages.n_others(attribute):
            # it makes the average alone, if it makes any
            return enough if self.few_valued[attribute] else None
        # A test that gains the average of the others, less a margin, gains that of all; and one that gains less than
        # that by two margins does not, for the average of all is at least halfway between the two.
        low, high = averages.of_others(attribute)
        if most < low - 2 * MARGIN - HAIR:
            return False
        if not self.few_valued[attribute] and not averages.counts_others(attribute):
            return None
        return enough if least > high - MARGIN + HAIR else None

    def _enough(self, attribute: int) -> bool | None:
        """Whether an attribute has a test whose outcome is open enough; None where that is not known."""
        gain_only = self.bracket.gain_only
        if attribute in self.discrete:
            info = self.discrete[attribute].info
            return info > 0 if gain_only else info > MARGIN
        gains = self.numbers[attribute]
        enough = gains.is_enough_info(gain_only)
        return None if enough and not gains.certain else enough

    def _to_compare(self, rivals: Sequence[int]) -> list[Wanted]:
        """What has to be known of attributes whose test may be the best, for one of them to be."""
        gains = self.numbers.get(rivals[0])
        if len(rivals) > 1 or (gains is not None and gains.place < 0):
            return self._wanted(rivals)
        return []

    def _wanted(self, attributes: Iterable[int]) -> list[Wanted]:
        """What has to be known of attributes: first which cut is the best, of how many last."""
        numbers = {a: self.numbers[a] for a in attributes if a in self.numbers and not self.numbers[a].exact}
        if any(gains.may_be_best for gains in numbers.values()):
            numbers = {a: gains for a, gains in numbers.items() if gains.may_be_best}
        self.stale |= numbers.keys()
        found = [gains.wanted(a) for a, gains in numbers.items()]
        return [wanted for wanted in found if wanted is not None]

    def _decision(self, attribute: int) -> list[Wanted] | Decision:
        least, most = map(self.limits.too_little, self._ends(attribute))
        if most:
            return Decision(0)
        if least and (wanted := self._wanted([attribute])):
            return wanted
        if attribute in self.discrete:
            return self._discrete_decision(attribute, self.discrete[attribute])
        gains = self.numbers[attribute]
        beside = gains.beside()
        if len(beside):
            self.stale.add(attribute)
            return [Wanted(attribute, beside)]
        return Decision(0, Test.THRESHOLD, attribute, threshold=gains.threshold(), branches=gains.branches())

    @staticmethod
    def _discrete_decision(attribute: int, test: Known) -> Decision:
        if test.group is None:
            return Decision(0, Test.VALUES, attribute, branches=tuple(test.counts))
        n_groups = int(test.group.max()) + 1
        branches = np.zeros((n_groups, test.counts.shape[1]), dtype=np.int64)
        np.add.at(branches, test.group, test.counts)
        return Decision(0, Test.GROUPS, attribute, group=test.group, branches=tuple(branches))
