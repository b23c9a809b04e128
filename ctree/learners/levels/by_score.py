"""Growing from a source by a score: when a node is a leaf, and how its test is looked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels.node_search import NodeSearch
from ctree.learners.levels.pieces import Pieces
from ctree.scale.source import CaseSource, Numbers
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.bracket import ScoreBracket


class ByScore:
    """Decide by a score.

    Parameters
    ----------
    settings : ScoreSettings
    source : CaseSource
    tabled : int
        Up to so many cases, what they add to a score is in a table.
    """

    small = 0.0
    counts_cases = False

    def __init__(self, settings: ScoreSettings, source: CaseSource, tabled: int) -> None:
        self.settings = settings
        self.source = source
        self.listed_thresholds = settings.listed_thresholds
        self.bracket = ScoreBracket(
            settings.score(tabled=tabled),
            settings.rule(),
            most_values=max((len(a.values) for a in source.schema), default=2),
            min_cases=settings.min_cases,
            binary_splits=settings.binary_splits,
        )

    def is_leaf(self, counts: Floats, present_above: int, whole: bool) -> bool:
        """Whether a node is a leaf before any test is looked for."""
        return self.bracket.node(counts, present_above, whole).is_leaf()

    def search(
        self,
        counts: Floats,
        tables: Sequence[Numbers | None],
        tested: Sequence[int],
        present_above: int,
        shifts: Mapping[int, int],
        whole: bool,
        n_known: Mapping[int, int],
    ) -> NodeSearch:
        """The search for the test of a node, given the class counts of each attribute, unknown values first."""
        scores = self.bracket.node(counts, present_above, whole)
        unit = 1.0 if whole else self.source.unit
        least = max(1, math.ceil(scores.least_weight / unit))
        most_cuts = None if whole else self.source.n_cases
        matrices: list[Numbers | None] = []
        pieces: list[Pieces | None] = []
        for a, (table, bins) in enumerate(zip(tables, self.source.bins, strict=True)):
            known = None if table is None else table[1:]
            # a second time all cases would take the same branch
            again = not self.settings.binary_splits and a in tested
            matrices.append(None if known is None or bins is not None or again else known)
            if known is None or bins is None:
                pieces.append(None)
            else:
                listed, shift = self.listed_thresholds, shifts.get(a, 0)
                pieces.append(Pieces(bins, shift, known, least, most_cuts=most_cuts, listed=listed))
        return NodeSearch(self.bracket, scores, unit, matrices, pieces, self._is_enough(float(counts.sum())))

    def _is_enough(self, cases: float) -> Callable[[float], bool]:
        """Whether a test with a score gains enough, at a node of so many cases."""
        per_bit = math.log(2) if self.settings.measure == "bayes" else 1.0
        return lambda score: not self.settings.limits.too_little(score / per_bit / cases)
