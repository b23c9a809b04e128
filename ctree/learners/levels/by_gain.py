"""Growing from a source by gain ratio: when a node is a leaf, and how its test is looked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ctree.data.schema import Kind
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.levels.gain_search import GainSearch, Known
from ctree.learners.levels.j48_gains import J48Gains
from ctree.learners.levels.j48_search import J48Search
from ctree.learners.levels.number_gains import NumberGains
from ctree.learners.levels.pieces import Pieces
from ctree.learners.levels.search import weights_of
from ctree.scale.source import CaseSource, Numbers
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.gain_bracket import SMALL, GainBracket

NEAR = 1e-5
"""No threshold is put between values nearer than this."""


class ByGain:
    """Decide by gain ratio.

    Parameters
    ----------
    settings : GainSettings
    source : CaseSource
    tabled : int
        Up to so many cases, logarithms are in a table.
    """

    listed_thresholds = False

    def __init__(self, settings: GainSettings, source: CaseSource, tabled: int) -> None:
        self.settings = settings
        self.source = source
        schema = source.schema
        self.bracket = GainBracket(
            schema.n_classes,
            tabled=tabled,
            most_values=max((len(a.values) for a in schema), default=2),
            min_cases=settings.min_cases,
            gain_only=settings.gain_only,
            group_values=settings.group_values,
            binary_splits=settings.binary_splits,
            mdl_correction=settings.mdl_correction,
            j48=settings.j48,
        )
        # J48 asks how many cases have a number, whatever they weigh
        self.counts_cases = settings.j48 and source.weighted
        # up to this, weights and shares are nothing
        self.small = SMALL if settings.j48 else 0.0
        # Attributes with many values, measured by the size of the whole set, stay out of the average gain, unless there
        # are no others.
        used = [a.kind is not Kind.IGNORE for a in schema]
        self.few_valued = [settings.group_values or len(a.values) < 0.3 * settings.weight for a in schema]
        if not any(few and use for few, use in zip(self.few_valued, used, strict=True)):
            self.few_valued = [True] * len(schema)

    def is_leaf(self, counts: Floats, present_above: int, whole: bool) -> bool:
        """Whether a node is a leaf before any test is looked for."""
        return self.bracket.is_leaf(counts)

    def search(
        self,
        counts: Floats,
        tables: Sequence[Numbers | None],
        tested: Sequence[int],
        present_above: int,
        shifts: Mapping[int, int],
        whole: bool,
        n_known: Mapping[int, int],
    ) -> GainSearch:
        """The search for the test of a node, given the class counts of each attribute, unknown values first.

        `n_known` is how many cases have a number of an attribute, where `counts_cases` asked for it.
        """
        bracket, unit = self.bracket, 1.0 if whole else self.source.unit
        total = float(counts.sum())
        discrete: dict[int, Known] = {}
        numbers: dict[int, NumberGains] = {}
        for a, (table, bins) in enumerate(zip(tables, self.source.bins, strict=True)):
            if table is None:
                continue
            if bins is None:
                test = None if self._again(a, tested) else bracket.discrete(weights_of(table, unit), total)
                if test is not None:
                    discrete[a] = Known(test[0], test[1], table[1:], test[2])
                continue
            known = float(table[1:].sum()) * unit
            least = bracket.least_split(known, n_known.get(a, known))
            if least < 0:
                continue
            pieces = Pieces(
                bins,
                shifts.get(a, 0),
                table[1:],
                max(1, math.ceil(least / unit)),
                most_below=math.floor((known - least) / unit),
                most_cuts=None if whole else self.source.n_cases,
                near=NEAR,
            )
            numbers[a] = (J48Gains if self.settings.j48 else NumberGains)(bracket, pieces, unit, total)
        return (J48Search if self.settings.j48 else GainSearch)(
            bracket, self.few_valued, discrete, numbers, self.settings.limits
        )

    def _again(self, attribute: int, tested: Sequence[int]) -> bool:
        """Whether an attribute was tested with a branch for each value: all cases would take the same one again."""
        grouped = self.settings.group_values and len(self.source.schema[attribute].values) > 2
        return attribute in tested and not grouped and not self.settings.binary_splits and not self.settings.j48
