"""LevelGrower: the tree of cases that no memory holds, level by level, to the bit the one that memory would give."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels.assembled import assembled
from ctree.learners.levels.by_gain import ByGain
from ctree.learners.levels.by_score import ByScore
from ctree.learners.levels.checkpoint import Checkpoint, top_from_plain, top_to_plain
from ctree.learners.levels.count_tables import CountTables
from ctree.learners.levels.distinct_cuts import DistinctCuts, Part
from ctree.learners.levels.even_shares import too_large
from ctree.learners.levels.finish import Finish, PruneAtOnce
from ctree.learners.levels.growing_info import GrowingInfo
from ctree.learners.levels.known_cases import known_cases
from ctree.learners.levels.search import Decision, Search, Wanted, weights_of
from ctree.progress import Progress, ProgressCallback
from ctree.scale.memory import give_back
from ctree.scale.source import CaseSource, Counts, Opening
from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import NodeArrays, Test

GATHER = 250_000
"""Nodes of no more cases are grown in memory, all cases at once."""

BUDGET = 256 << 20
"""Bytes that the counts of one pass may take, and the numbers that are looked at in one."""

TABLED = 1 << 20
"""Up to so many cases, what they add to a score is in a table."""


class LevelGrower:
    """Grow a tree by a score or by gain ratio from a source.

    Parameters
    ----------
    source : CaseSource
    settings : ScoreSettings or GainSettings
    gather : int
        Nodes of no more cases are grown in memory.
    budget : int
        Bytes that the counts of one pass may take.
    progress : callable, optional
        Called with a `Progress` before each pass.
    checkpoint : Checkpoint, optional
        Where the top of the tree is saved after each level, and taken from if it is there.
    prune : PruneAtOnce, optional
        What else becomes of subtrees where they are grown.
    n_workers : int
        Who grow subtrees in memory at the same time; where few nodes are left for them, large ones are divided first.

    Attributes
    ----------
    pruned : dict of int to NodeArrays
        The pruned subtrees of nodes of the top, when the tree has grown.
    """

    def __init__(
        self,
        source: CaseSource,
        settings: ScoreSettings | GainSettings,
        *,
        gather: int = GATHER,
        budget: int = BUDGET,
        progress: ProgressCallback | None = None,
        checkpoint: Checkpoint | None = None,
        prune: PruneAtOnce | None = None,
        n_workers: int = 1,
    ) -> None:
        self.source = source
        self.settings = settings
        self.gather = gather
        self.budget = budget
        self.progress = progress
        self.checkpoint = checkpoint
        self.prune = prune
        # Where cases count in fractions, sums may depend on where a subtree is grown: never on who grows it.
        self.n_workers = n_workers if source.complete and not source.weighted else 1
        self.pruned: dict[int, NodeArrays] = {}
        self.schema = source.schema
        tabled = min(TABLED, source.n_cases)
        self.by: ByScore | ByGain = (
            ByScore(settings, source, tabled)
            if isinstance(settings, ScoreSettings)
            else ByGain(settings, source, tabled)
        )
        self.tables = CountTables(source, budget, joins_bins=not self.by.listed_thresholds)
        self.info = GrowingInfo()
        self.top = TopTree(self.schema.n_classes)
        # of each node of the top: the attributes tested above it, and the number of classes of its parent
        self.above: dict[int, tuple[tuple[int, ...], int]] = {}
        self.small: dict[int, int] = {}
        # of each node that is divided, how many cases it has, or parts of cases
        self.sizes: dict[int, int] = {}
        self.start = 0.0
        # whether every case of a node counts one: until a test is met whose outcome is unknown of some
        self.whole = {0: not source.weighted}
        self.per_case = round(1 / source.unit)
        self.distinct = DistinctCuts(source)

    def grow(self) -> NodeArrays:
        """The arrays of the tree."""
        self.start = time.monotonic()
        saved = None if self.checkpoint is None else self.checkpoint.load()
        level = self._begin() if saved is None else self._resume(saved)
        while level or (level := self._too_large()):
            self._save(level)
            self.info.levels += 1
            below: list[int] = []
            largest = max(int(self.top.counts[node].sum() * self._cases_of_weight) for node in level)
            for group, shifts in self.tables.groups(level, largest):
                for node, decision in zip(group, self._decide(group, shifts), strict=True):
                    below += self._divide(node, decision)
            self._count_parts(below)
            level = self._to_divide(below)
        subtrees: dict[int, NodeArrays] = {}
        if self.small:
            if self.info.levels:
                self._save(level)
            self._report("finishing")
            above = {node: self.above[node] for node in self.small}
            fractions = self.source.weighted or not self.source.complete
            finish = Finish(self.settings, above, fractions, self.prune)
            for node, found in self.source.finish(self.top.routing(), self.small, finish).items():
                subtrees[node] = found.grown
                if found.pruned is not None:
                    self.pruned[node] = found.pruned
            self.info.finish_passes += 1
            give_back()
        self.info.top_nodes = len(self.top)
        self.info.subtrees = len(self.small)
        self.info.seconds += time.monotonic() - self.start
        self.info.finished_nodes = sum(map(len, subtrees.values()))
        tree = assembled(self.top, subtrees, self.by.small, None if self.prune is None else self.prune.collapsed)
        give_back()
        return tree

    def _begin(self) -> list[int]:
        """Make the root; the nodes to divide."""
        self.top.add_leaf(np.zeros(self.schema.n_classes))
        self.above[0] = (), 0
        if self.source.n_cases <= self.gather:
            self.small[0] = self.source.n_cases
            return []
        self._report()
        root = self.source.count(self.top.routing(), [0], [])
        self.info.count_passes += 1
        self.top.counts[0] = weights_of(root.classes[0], self.source.unit)
        return self._to_divide(range(1))

    def _save(self, level: Sequence[int]) -> None:
        """Save the top, and which nodes are to be divided next."""
        if self.checkpoint is None:
            return
        seconds = self.info.seconds + time.monotonic() - self.start
        self.checkpoint.save(
            {
                "top": top_to_plain(self.top),
                "level": [int(node) for node in level],
                "small": sorted(self.small),
                "above": [[list(tested), present] for tested, present in (self.above[n] for n in range(len(self.top)))],
                "whole": [bool(self.whole[node]) for node in range(len(self.top))],
                "info": {**self.info.as_dict(), "seconds": seconds},
            }
        )

    def _resume(self, saved: dict[str, Any]) -> list[int]:
        """Take up the top that was saved, if the cases are the same; the nodes to divide."""
        assert self.checkpoint is not None
        self.top = top_from_plain(saved["top"], self.schema.n_classes)
        self.above = {node: (tuple(tested), present) for node, (tested, present) in enumerate(saved["above"])}
        self.whole = dict(enumerate(saved["whole"]))
        self.info = GrowingInfo(**saved["info"])
        self.info.resumed_levels = self.info.levels
        leaves = [node for node in range(len(self.top)) if self.top.test[node] == Test.LEAF]
        self._report("resuming")
        counts = self.source.count(self.top.routing(), leaves, [])
        self.info.count_passes += 1
        for node, classes in zip(leaves, counts.classes, strict=True):
            if not np.array_equal(weights_of(classes, self.source.unit), self.top.counts[node]):
                raise self.checkpoint.other_cases()
        # how many cases a node may have to be grown in memory may have changed since
        return self._to_divide([*saved["level"], *saved["small"]])

    def _report(self, phase: str = "growing") -> None:
        if self.progress is not None:
            info = self.info
            passes = info.count_passes + info.open_passes + info.distinct_passes + info.size_passes + info.finish_passes
            seconds, seen = info.seconds + time.monotonic() - self.start, passes * self.source.n_cases
            figures = {"level": info.levels, "nodes": len(self.top), "passes": passes}
            self.progress(Progress(phase, seen, None, seen / seconds if seconds > 0 else 0.0, "cases", figures))

    def _to_divide(self, nodes: Sequence[int]) -> list[int]:
        """Of new nodes, those whose test is looked for here; small ones are put aside, leaves are left."""
        some = [
            node
            for node in nodes
            if self.top.counts[node].any()
            and not self.settings.limits.ends_at(len(self.above[node][0]))
            and not self.by.is_leaf(self.top.counts[node], self.above[node][1], self.whole[node])
        ]
        sizes = {node: int(self.top.counts[node].sum()) for node in some if self.whole[node]}
        in_parts = [node for node in some if not self.whole[node]]
        if in_parts:
            # whatever they weigh, so many cases have to be gathered
            sizes |= self.source.sizes(self.top.routing(), in_parts)
            self.info.size_passes += 1
        self.sizes |= sizes
        self.small |= {node: n for node, n in sizes.items() if n <= self.gather}
        return [node for node in some if sizes[node] > self.gather]

    def _too_large(self) -> list[int]:
        """Of nodes that were put aside, those to be divided after all, so that workers have an even share."""
        if 0 in self.small:
            return []  # all cases, which have not even been counted
        return [node for node in too_large(self.small, self.n_workers) if self.small.pop(node)]

    def _divide(self, node: int, decision: Decision) -> list[int]:
        """Give a node its test; its branches."""
        self.top.n_tests[node] = decision.n_tests
        if decision.attribute < 0:
            return []
        unit = 1.0 if self.whole[node] else self.source.unit
        counts = [weights_of(branch, unit) for branch in decision.branches]
        sizes = [float(branch.sum()) for branch in counts]
        shares = [size / sum(sizes) for size in sizes]
        branches = self.top.divide(
            node,
            decision.test,
            decision.attribute,
            counts,
            threshold=decision.threshold,
            group=decision.group,
            shares=[share if share > self.by.small else 0.0 for share in shares],
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

    @property
    def _cases_of_weight(self) -> float:
        """How many cases make up a weight of 1, on the average: 1 unless cases have weights."""
        return float(self.source.n_cases / self.top.counts[0].sum())

    def _decide(self, nodes: list[int], shifts: dict[int, int]) -> list[Decision]:
        """The tests of some nodes."""
        self._report()
        counts = self.source.count(self.top.routing(), nodes, None, shifts)
        self.info.count_passes += 1
        n_known: list[dict[int, int]] = [{} for _ in nodes]
        if self.by.counts_cases:
            n_known = known_cases(self.source, self.top.routing(), nodes, self.sizes, counts)
        decisions: dict[int, Decision] = {}
        searches: dict[int, Search] = {}
        wanted: list[tuple[int, Wanted]] = []
        for slot, node in enumerate(nodes):
            search = self._search(node, slot, counts, shifts, n_known[slot])
            step = search.step()
            if isinstance(step, Decision):
                decisions[node] = step
            else:
                searches[node] = search
                wanted += [(node, part) for part in step]
        del counts
        while searches:
            opening = [(node, part) for node, part in wanted if not part.distinct]
            opening += self._count_distinct(searches, [(node, part) for node, part in wanted if part.distinct])
            self._open(searches, opening)
            wanted = []
            for node, search in list(searches.items()):
                step = search.step()
                if isinstance(step, Decision):
                    decisions[node] = step
                    del searches[node]
                else:
                    wanted += [(node, part) for part in step]
        give_back()
        return [decisions[node] for node in nodes]

    def _search(self, node: int, slot: int, counts: Counts, shifts: dict[int, int], n_known: dict[int, int]) -> Search:
        whole = self.whole[node]
        tested, present_above = self.above[node]
        hidden, per_case = self.settings.limits.forbidden(tested), self.per_case if whole else 1
        found = enumerate(counts.attributes)
        tables = [None if table is None or a in hidden else table[slot] // per_case for a, table in found]
        return self.by.search(self.top.counts[node], tables, tested, present_above, shifts, whole, n_known)

    def _count_distinct(
        self, searches: dict[int, Search], wanted: list[tuple[int, Wanted]]
    ) -> list[tuple[int, Wanted]]:
        """Count cuts within pieces; those pieces that have to be opened for it, as only some cuts count."""
        if not wanted:
            return []
        self._report()
        passes = self.distinct.passes
        parts = [
            Part(node, part.attribute, searches[node].pieces[part.attribute], part.pieces, self.whole[node])
            for node, part in wanted
        ]
        left = self.distinct.count(self.top.routing(), parts)
        self.info.distinct_passes += self.distinct.passes - passes
        return [(part.node, Wanted(part.attribute, part.some, keep=False)) for part in left]

    def _open(self, searches: dict[int, Search], wanted: list[tuple[int, Wanted]]) -> None:
        """Look at the numbers that searches want, in as many passes as the budget needs."""
        room = max(1, self.budget // (16 + 8 * self.schema.n_classes))
        batch: list[tuple[int, Wanted]] = []
        size = 0
        for node, part in wanted:
            sizes = searches[node].pieces[part.attribute].sizes[part.pieces]
            if not self.whole[node]:
                sizes = np.ceil(sizes * self.source.unit * self._cases_of_weight).astype(np.int64)
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

    def _open_batch(self, searches: dict[int, Search], batch: list[tuple[int, Wanted]]) -> None:
        numbers = [searches[node].pieces[part.attribute] for node, part in batch]
        openings = [
            Opening(node, part.attribute, pieces.ranges(part.pieces, joined=not pieces.near))
            for (node, part), pieces in zip(batch, numbers, strict=True)
        ]
        self._report()
        opened = self.source.open(self.top.routing(), openings, numbers[0].near)
        self.info.open_passes += 1
        for (node, part), pieces, values in zip(batch, numbers, opened, strict=True):
            if self.whole[node]:
                values = replace(values, counts=values.counts // self.per_case)
            self.info.opened += len(values.values)
            pieces.open(part.pieces, values, keep=part.keep)


def _some(wanted: Wanted, start: int, end: int) -> Wanted:
    return Wanted(wanted.attribute, wanted.pieces[start:end], wanted.keep)
