"""LevelGrower: the tree of cases that no memory holds, level by level, to the bit the one that memory would give."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ctree.data.dataset import Dataset
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels.assembled import assembled
from ctree.learners.levels.node_search import Decision, NodeSearch, Wanted, weights_of
from ctree.learners.levels.pieces import Pieces
from ctree.progress import Progress, ProgressCallback
from ctree.scale.source import CaseSource, Counts, Numbers, Opened, Opening
from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.scale.bracket import NodeScores, ScoreBracket

GATHER = 250_000
"""Nodes of no more cases are grown in memory, all cases at once."""

BUDGET = 256 << 20
"""Bytes that the counts of one pass may take, and the numbers that are looked at in one."""

TABLED = 1 << 20
"""Up to so many cases, what they add to a score is in a table."""


@dataclass
class GrowingInfo:
    """How a tree was grown level by level.

    Parameters
    ----------
    levels : int
        Of the top of the tree, the part that was not grown in memory.
    top_nodes, subtrees : int
        The nodes of the top, and how many subtrees were grown in memory.
    count_passes, open_passes, finish_passes : int
        Passes over the cases: to count them, to look at numbers, and to grow subtrees.
    opened : int
        How many numbers were looked at, equal ones of a node as one.
    seconds : float
    """

    levels: int = 0
    top_nodes: int = 0
    subtrees: int = 0
    count_passes: int = 0
    open_passes: int = 0
    finish_passes: int = 0
    opened: int = 0
    seconds: float = 0.0

    @property
    def passes(self) -> int:
        """All of them."""
        return self.count_passes + self.open_passes + self.finish_passes

    def as_dict(self) -> dict[str, float]:
        """All of it by name."""
        return asdict(self)


@dataclass(frozen=True)
class Finish:
    """Grows the subtree of a node from its cases, wherever they are: picklable."""

    settings: ScoreSettings
    above: dict[int, tuple[tuple[int, ...], int]]
    """For each node the attributes that are tested above it, and how many classes its parent has."""
    sort: bool
    """Whether sums depend on the order of the cases, because some count in fractions."""

    def __call__(self, node: int, cases: Dataset) -> NodeArrays:
        """The subtree of a node."""
        tested, present_above = self.above[node]
        if self.sort:
            # in an order of their own, whatever part each comes from
            keys = [column for column in (*cases.columns, cases.classes, cases.weights) if column is not None]
            cases = cases.take(np.lexsort(keys))
        return self.settings.grow(cases, tested=tested, present_above=present_above)


class LevelGrower:
    """Grow a tree by a score from a source.

    Parameters
    ----------
    source : CaseSource
    settings : ScoreSettings
    gather : int
        Nodes of no more cases are grown in memory.
    budget : int
        Bytes that the counts of one pass may take.
    progress : callable, optional
        Called with a `Progress` after each pass.
    """

    def __init__(
        self,
        source: CaseSource,
        settings: ScoreSettings,
        *,
        gather: int = GATHER,
        budget: int = BUDGET,
        progress: ProgressCallback | None = None,
    ) -> None:
        self.source = source
        self.settings = settings
        self.gather = gather
        self.budget = budget
        self.progress = progress
        self.schema = source.schema
        most_values = max((len(a.values) for a in self.schema), default=2)
        self.bracket = ScoreBracket(
            settings.score(tabled=min(TABLED, source.n_cases)),
            settings.rule(),
            most_values=most_values,
            min_cases=settings.min_cases,
            binary_splits=settings.binary_splits,
        )
        self.info = GrowingInfo()
        self.top = TopTree(self.schema.n_classes)
        # of each node of the top: the attributes tested above it, and the number of classes of its parent
        self.above: dict[int, tuple[tuple[int, ...], int]] = {}
        self.small: dict[int, int] = {}
        # whether every case of a node counts one: until a test is met whose outcome is unknown of some
        self.whole = {0: not source.weighted}
        self.per_case = round(1 / source.unit)

    def grow(self) -> NodeArrays:
        """The arrays of the tree."""
        start = time.monotonic()
        self.top.add_leaf(np.zeros(self.schema.n_classes))
        self.above[0] = (), 0
        level: list[int] = []
        if self.source.n_cases <= self.gather:
            self.small[0] = self.source.n_cases
        else:
            root = self.source.count(self.top.routing(), [0], [])
            self.info.count_passes += 1
            self.top.counts[0] = weights_of(root.classes[0], self.source.unit)
            level = self._to_divide(range(1))
        while level:
            self.info.levels += 1
            self._report(start)
            below: list[int] = []
            for group, shifts in self._groups(level):
                for node, decision in zip(group, self._decide(group, shifts), strict=True):
                    below += self._divide(node, decision)
            self._count_parts(below)
            level = self._to_divide(below)
        subtrees = {}
        if self.small:
            self._report(start)
            above = {node: self.above[node] for node in self.small}
            fractions = self.source.weighted or not self.source.complete
            subtrees = self.source.finish(self.top.routing(), self.small, Finish(self.settings, above, fractions))
            self.info.finish_passes += 1
        self.info.top_nodes = len(self.top)
        self.info.subtrees = len(self.small)
        self.info.seconds = time.monotonic() - start
        return assembled(self.top, subtrees)

    def _report(self, start: float) -> None:
        if self.progress is not None:
            info = self.info
            seconds, seen = time.monotonic() - start, info.passes * self.source.n_cases
            figures = {"level": info.levels, "nodes": len(self.top), "passes": info.passes}
            self.progress(Progress("growing", seen, None, seen / seconds if seconds > 0 else 0.0, "cases", figures))

    def _scores(self, node: int) -> NodeScores:
        return self.bracket.node(self.top.counts[node], self.above[node][1], self.whole[node])

    def _to_divide(self, nodes: Sequence[int]) -> list[int]:
        """Of new nodes, those whose test is looked for here; small ones are put aside, leaves are left."""
        large = []
        for node in nodes:
            n = int(np.ceil(self.top.counts[node].sum()))
            if n == 0 or self._scores(node).is_leaf():
                continue
            if n <= self.gather:
                self.small[node] = n
            else:
                large.append(node)
        return large

    def _divide(self, node: int, decision: Decision) -> list[int]:
        """Give a node its test; its branches."""
        self.top.n_tests[node] = decision.n_tests
        if decision.attribute < 0:
            return []
        unit = 1.0 if self.whole[node] else self.source.unit
        counts = [weights_of(branch, unit) for branch in decision.branches]
        sizes = [float(branch.sum()) for branch in counts]
        branches = self.top.divide(
            node,
            decision.test,
            decision.attribute,
            counts,
            threshold=decision.threshold,
            group=decision.group,
            shares=[size / sum(sizes) for size in sizes],
        )
        whole = self.whole[node] and sum(sizes) == self.top.counts[node].sum()
        tested, present = self.above[node][0], int((self.top.counts[node] > 0).sum())
        for branch in branches:
            self.above[branch] = (*tested, decision.attribute), present
            self.whole[branch] = whole
        return list(branches)

    def _count_parts(self, nodes: Sequence[int]) -> None:
        """The class counts of new nodes that get parts of cases, whose outcome of the test above is unknown."""
        if self.source.complete:
            return
        parts = [node for node in nodes if not self.whole[node] and self.top.counts[node].any()]
        if parts:
            counts = self.source.count(self.top.routing(), parts, [])
            self.info.count_passes += 1
            for node, classes in zip(parts, counts.classes, strict=True):
                self.top.counts[node] = weights_of(classes, self.source.unit)

    def _groups(self, level: Sequence[int]) -> Iterator[tuple[list[int], dict[int, int]]]:
        """Nodes whose counts fit the budget together, and how coarse the bins are.

        Where all nodes of the level do not fit, bins are joined, though never so many that a node has fewer than twice
        the square root of its cases: there most numbers would have to be looked at.
        """
        largest = max(int(self.top.counts[node].sum()) for node in level)
        enough = 2 * int(np.sqrt(largest))
        most = max((len(bins) for bins in self.source.bins if bins is not None), default=1)
        while self._bytes(most) * len(level) > self.budget and most > enough:
            most = (most + 1) // 2
        size = max(1, self.budget // self._bytes(most))
        shifts = self._shifts(most)
        for start in range(0, len(level), size):
            yield list(level[start : start + size]), shifts

    def _shifts(self, most: int) -> dict[int, int]:
        """By which each attribute has no more than so many bins."""
        shifts = {}
        for a, bins in enumerate(self.source.bins):
            shift = 0
            while bins is not None and not self.settings.listed_thresholds and -(-len(bins) >> shift) > most:
                shift += 1
            if shift:
                shifts[a] = shift
        return shifts

    def _bytes(self, most: int) -> int:
        """What the counts of a node take if no attribute has more bins."""
        rows = 1
        for attribute, bins in zip(self.schema, self.source.bins, strict=True):
            rows += 1 + (len(attribute.values) if bins is None else min(len(bins), most))
        return 8 * rows * self.schema.n_classes

    def _decide(self, nodes: list[int], shifts: dict[int, int]) -> list[Decision]:
        """The tests of some nodes."""
        counts = self.source.count(self.top.routing(), nodes, None, shifts)
        self.info.count_passes += 1
        searches = {node: self._search(node, slot, counts, shifts) for slot, node in enumerate(nodes)}
        decisions: dict[int, Decision] = {}
        while searches:
            wanted: list[tuple[int, Wanted]] = []
            for node, search in list(searches.items()):
                step = search.step()
                if isinstance(step, Decision):
                    decisions[node] = step
                    del searches[node]
                else:
                    wanted += [(node, part) for part in step]
            self._open(searches, wanted)
        return [decisions[node] for node in nodes]

    def _search(self, node: int, slot: int, counts: Counts, shifts: dict[int, int]) -> NodeSearch:
        scores = self._scores(node)
        tested = self.above[node][0]
        unit = 1.0 if scores.whole else self.source.unit
        least = max(1, math.ceil(scores.least_weight / unit))
        most_cuts = None if scores.whole else self.source.n_cases
        matrices: list[Numbers | None] = []
        pieces: list[Pieces | None] = []
        for a, (table, bins) in enumerate(zip(counts.attributes, self.source.bins, strict=True)):
            known = None if table is None else table[slot, 1:] // (self.per_case if scores.whole else 1)
            # a second time all cases would take the same branch
            again = not self.settings.binary_splits and a in tested
            matrices.append(None if known is None or bins is not None or again else known)
            if known is None or bins is None:
                pieces.append(None)
            else:
                listed, shift = self.settings.listed_thresholds, shifts.get(a, 0)
                pieces.append(Pieces(bins, shift, known, least, most_cuts=most_cuts, listed=listed))
        return NodeSearch(self.bracket, scores, unit, matrices, pieces)

    def _open(self, searches: dict[int, NodeSearch], wanted: list[tuple[int, Wanted]]) -> None:
        """Look at the numbers that searches want, in as many passes as the budget needs."""
        room = max(1, self.budget // (16 + 8 * self.schema.n_classes))
        batch: list[tuple[int, Wanted]] = []
        size = 0
        for node, part in wanted:
            sizes = searches[node].pieces[part.attribute].sizes[part.pieces]
            if not self.whole[node]:
                sizes = np.ceil(sizes * self.source.unit).astype(np.int64)
            start = 0
            for place, n in enumerate(sizes.tolist()):
                if size + n > room and size:
                    if place > start:
                        batch.append((node, _some(part, start, place)))
                    self._open_batch(searches, batch)
                    # pieces have moved where some were kept: the rest is asked for again
                    return
                size += n
            batch.append((node, part))
        if batch:
            self._open_batch(searches, batch)

    def _open_batch(self, searches: dict[int, NodeSearch], batch: list[tuple[int, Wanted]]) -> None:
        openings = [
            Opening(node, part.attribute, searches[node].pieces[part.attribute].ranges(part.pieces))
            for node, part in batch
        ]
        opened = self.source.open(self.top.routing(), openings)
        self.info.open_passes += 1
        for (node, part), values in zip(batch, opened, strict=True):
            pieces = searches[node].pieces[part.attribute]
            if self.whole[node]:
                values = Opened(values.values, values.counts // self.per_case)
            self.info.opened += len(values.values)
            pieces.open(part.pieces, part.keep, values)


def _some(wanted: Wanted, start: int, end: int) -> Wanted:
    return Wanted(wanted.attribute, wanted.pieces[start:end], wanted.keep[start:end])
