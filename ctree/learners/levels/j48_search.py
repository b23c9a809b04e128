"""The search for the test of a node by the rules of J48, from counts.

J48 goes through the attributes in their order, and takes a test only if its ratio is greater than that of the last that
it took by a millionth. So attributes are followed in their order, with all that may have been taken so far.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctree.learners.levels.gain_search import GainSearch
from ctree.learners.levels.j48_gains import Taken, gain_ratio
from ctree.learners.levels.search import Decision, Wanted
from ctree_ext.scale.gain_bracket import SMALL

REACH = 1e-5
"""So far below the best ratio, attributes are looked at first."""


class J48Search(GainSearch):
    """What is known of the tests of a node, by the rules of J48.

    Parameters are those of `GainSearch`, the numbers being `J48Gains`.
    """

    def step(self) -> list[Wanted] | Decision:
        """The test of the node, or what has to be known first."""
        for a in self.stale:
            self.numbers[a].look()
        self.stale = set()
        possible = sorted([*self.discrete, *(a for a, gains in self.numbers.items() if gains.possible)])
        passing = self._passing(possible)
        taken = {one.place for one in self._follow([a for a in possible if passing[a] is not False], passing)}
        if taken == {-1}:
            return Decision(0)
        if len(taken) == 1:
            chosen = taken.pop()
            if chosen in self.numbers and self.numbers[chosen].place < 0:
                return self._wanted([chosen])
            return self._decision(chosen)
        # what the choice hangs on: near the best, then what the average hangs on, then all
        goal = max((self._merits(a)[0] for a in possible if passing[a]), default=0.0)
        rivals = [a for a in possible if passing[a] is not False and self._merits(a)[1] >= goal - REACH]
        counted = [a for a in possible if self.few_valued[a]]
        return self._wanted(rivals) or self._wanted(counted) or self._wanted(possible)

    def _follow(self, attributes: Sequence[int], passing: dict[int, bool | None]) -> list[Taken]:
        """What may be the test that is taken, -1 for none, and the two ends of its ratio."""
        taken = [Taken(-1, 0.0, 0.0)]
        for a in attributes:
            least, most = self._merits(a)
            kept = [one for one in taken if not (passing[a] and least - one.most > SMALL)]
            if any(most - one.least > SMALL for one in taken):
                kept.append(Taken(a, least, most))
            taken = kept
        return taken

    def _merits(self, attribute: int) -> tuple[float, float]:
        """The two ends of the gain ratio."""
        if attribute in self.discrete:
            ratio = gain_ratio(self.discrete[attribute].gain, self.discrete[attribute].info)
            return ratio, ratio
        return self.numbers[attribute].ratios

    def _enough(self, attribute: int) -> bool | None:
        """Whether an attribute has a test; None where that is not known."""
        return True if attribute in self.discrete or self.numbers[attribute].certain else None
