"""A source whose continuous attributes are in bins: as discrete ones, or as the numbers of their bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ctree.data.bins import bin_codes, binned, binned_schema
from ctree.data.dataset import Dataset
from ctree.scale.source import Bins, CaseSource, Counts, Distinct, Numbers, Opened, Opening
from ctree.scale.top_tree import Routing, root_routing
from ctree_ext.base.node_arrays import Floats, Test

_R = TypeVar("_R")

FINER = 64
"""So many bins of the source are counted for each bin asked for, if it has as many: those that hold a bound have to be
opened."""


def numbered(data: Dataset, cuts: Sequence[Floats | None]) -> Dataset:
    """The cases with each number of an attribute that has cuts replaced by the number of its bin, from 0."""
    columns = []
    for column, bounds in zip(data.columns, cuts, strict=True):
        if column is not None and bounds is not None:
            codes = bin_codes(np.asarray(column, dtype=np.float64), bounds)
            column = np.where(codes < 0, np.nan, codes)
        columns.append(column)
    return data.replaced(data.schema, columns)


@dataclass(frozen=True)
class _Binned(Generic[_R]):
    """Grows a subtree from cases in bins: picklable."""

    grow: Callable[[int, Dataset], _R]
    cuts: list[Floats | None]
    as_values: bool
    nodes: dict[int, int]

    def __call__(self, node: int, cases: Dataset) -> _R:
        return self.grow(self.nodes[node], (binned if self.as_values else numbered)(cases, self.cuts))


class BinnedSource:
    """The cases of another source, with numbers in bins.

    Parameters
    ----------
    source : CaseSource
    cuts : list of float64 array or None
        For each attribute that is to be in bins, their upper bounds but the last.
    as_values : bool
        Whether the bins are the values of a discrete attribute; else their numbers, from 0, are those of a continuous
        one.
    """

    def __init__(self, source: CaseSource, cuts: list[Floats | None], *, as_values: bool) -> None:
        self.source = source
        self.cuts = cuts
        self.as_values = as_values
        self.schema = binned_schema(source.schema, cuts) if as_values else source.schema
        self.n_cases = source.n_cases
        self.unit = source.unit
        self.complete = source.complete
        self.weighted = source.weighted
        self.memory = source.memory
        self.n_workers = source.n_workers
        self.bins: list[Bins | None] = []
        for bins, bounds in zip(source.bins, cuts, strict=True):
            if bounds is None:
                self.bins.append(bins)
            elif as_values:
                self.bins.append(None)
            else:
                places = np.arange(len(bounds) + 1, dtype=np.float64)
                self.bins.append(Bins(places[:-1], places, places))

    def count(
        self,
        routing: Routing,
        nodes: Sequence[int],
        attributes: Sequence[int] | None = None,
        shifts: Mapping[int, int] | None = None,
    ) -> Counts:
        """Class counts at nodes, by values and by bins; `shifts` are not for attributes that have cuts."""
        asked = range(len(self.schema)) if attributes is None else attributes
        below, places = self._routing(routing)
        finer = dict(shifts or {})
        for a in asked:
            bins, bounds = self.source.bins[a], self.cuts[a]
            if bins is not None and bounds is not None:
                finer[a] = 0
                while -(-len(bins) >> finer[a]) > 2 * FINER * (len(bounds) + 1):
                    finer[a] += 1
        inner = [int(places[node]) for node in nodes]
        counts = self.source.count(below, inner, attributes, finer)
        openings = [
            Opening(node, a, _divided(self.source.bins[a], bounds, finer[a]))
            for a, bounds in enumerate(self.cuts)
            if a in finer and bounds is not None and counts.attributes[a] is not None
            for node in inner
        ]
        openings = [opening for opening in openings if len(opening.bins)]
        opened = self.source.open(below, openings) if openings else []
        by_place = {(o.node, o.attribute): values for o, values in zip(openings, opened, strict=True)}
        tables = list(counts.attributes)
        for a, bounds in enumerate(self.cuts):
            table = tables[a]
            if table is not None and bounds is not None:
                fine = [self._in_bins(a, finer[a], table[k], by_place.get((node, a))) for k, node in enumerate(inner)]
                tables[a] = np.array(fine)
        return Counts(counts.classes, tables)

    def _in_bins(self, attribute: int, shift: int, table: Numbers, opened: Opened | None) -> Numbers:
        """The counts of one node by the bins asked for, from those by the source's and the numbers of some of these."""
        bins, bounds = self.source.bins[attribute], self.cuts[attribute]
        assert bins is not None
        assert bounds is not None
        coarse = bins.coarser(shift)
        result = np.zeros((2 + len(bounds), table.shape[1]), dtype=np.int64)
        result[0] = table[0]
        filled = coarse.least <= coarse.most
        first = np.searchsorted(bounds, coarse.least[filled], side="left")
        last = np.searchsorted(bounds, coarse.most[filled], side="left")
        whole = first == last
        np.add.at(result, 1 + first[whole], table[1:][filled][whole])
        if opened is not None:
            np.add.at(result, 1 + np.searchsorted(bounds, opened.values, side="left"), opened.counts)
        return result

    def open(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Opened]:
        """The numbers in some bins."""
        below, places = self._routing(routing)
        return self.source.open(below, [Opening(int(places[o.node]), o.attribute, o.bins) for o in wanted], near)

    def distinct(self, routing: Routing, wanted: Sequence[Opening], near: float = 0.0) -> list[Distinct]:
        """How many distinct numbers are in ranges of bins, of attributes without cuts."""
        below, places = self._routing(routing)
        inner = [Opening(int(places[o.node]), o.attribute, o.bins) for o in wanted]
        return self.source.distinct(below, inner, near)

    def sizes(self, routing: Routing, nodes: Sequence[int]) -> dict[int, int]:
        """How many cases nodes have, or parts of cases."""
        below, places = self._routing(routing)
        found = self.source.sizes(below, [int(places[node]) for node in nodes])
        return {node: found[int(places[node])] for node in nodes}

    def known(self, routing: Routing, wanted: Sequence[tuple[int, int]]) -> list[int]:
        """How many cases of a node, or parts of cases, have a number of an attribute."""
        below, places = self._routing(routing)
        return self.source.known(below, [(int(places[node]), a) for node, a in wanted])

    def finish(self, routing: Routing, nodes: Mapping[int, int], grow: Callable[[int, Dataset], _R]) -> dict[int, _R]:
        """The subtrees of nodes, given how many cases each has."""
        below, places = self._routing(routing)
        known = {int(places[node]): node for node in nodes}
        inner = {int(places[node]): n for node, n in nodes.items()}
        subtrees = self.source.finish(below, inner, _Binned(grow, self.cuts, self.as_values, known))
        return {known[node]: arrays for node, arrays in subtrees.items()}

    def last_up_to(self, limits: Mapping[int, Floats]) -> dict[int, Floats]:
        """For each of some numbers the greatest value up to it; not of attributes that have cuts."""
        if any(self.cuts[a] is not None for a in limits):
            raise ValueError("attributes in bins have no values of cases")
        return self.source.last_up_to(limits)

    def collect(self) -> Dataset:
        """All cases, in memory."""
        return (binned if self.as_values else numbered)(self.source.collect(), self.cuts)

    def _routing(self, routing: Routing) -> tuple[Routing, Numbers]:
        """The same tree as the source has to see it, and where each node is in it.

        A test with a branch for each bin is a chain of thresholds there.
        """
        test, attribute, threshold = [0], [-1], [0.0]
        first_branch, n_branches, group_start, shares = [-1], [0], [-1], [1.0]

        def add(count: int) -> int:
            for whole, empty in ((test, 0), (attribute, -1), (first_branch, -1), (n_branches, 0), (group_start, -1)):
                whole.extend([empty] * count)
            threshold.extend([0.0] * count)
            shares.extend([1.0] * count)
            return len(test) - count

        places = np.zeros(len(routing.test), dtype=np.int64)
        # of a chain, the shares of what comes to each of its tests
        parts: dict[int, float] = {}
        for node in range(len(routing.test)):
            here, a = int(places[node]), int(routing.attribute[node])
            shares[here] = parts.get(here, float(routing.shares[node]))
            if routing.test[node] == Test.LEAF:
                continue
            bounds, first, n = self.cuts[a], int(routing.first_branch[node]), int(routing.n_branches[node])
            if bounds is None or not self.as_values:
                test[here], attribute[here], n_branches[here] = int(routing.test[node]), a, n
                threshold[here] = float(routing.threshold[node])
                if bounds is not None:
                    threshold[here] = float(bounds[int(threshold[here])])
                group_start[here] = int(routing.group_start[node])
                first_branch[here] = add(n)
                places[first : first + n] = first_branch[here] + np.arange(n)
                continue
            rest = routing.shares[first : first + n]
            for k, bound in enumerate(bounds.tolist()):
                pair = add(2)
                left, right = float(rest[k]), float(rest[k + 1 :].sum())
                shares[pair + 1] = right / (left + right) if left + right > 0 else 0.0
                parts[pair] = left / (left + right) if left + right > 0 else 0.0
                test[here], attribute[here], threshold[here] = Test.THRESHOLD, a, bound
                first_branch[here], n_branches[here] = pair, 2
                places[first + k], here = pair, pair + 1
            places[first + n - 1] = here
            parts[here] = shares[here]
        return (
            Routing(
                np.array(test, dtype=np.int8),
                np.array(attribute, dtype=np.int32),
                np.array(threshold, dtype=np.float64),
                np.array(first_branch, dtype=np.int32),
                np.array(n_branches, dtype=np.int32),
                np.array(group_start, dtype=np.int64),
                routing.group,
                np.array(shares, dtype=np.float64),
            ),
            places,
        )


def _divided(bins: Bins | None, bounds: Floats, shift: int) -> Numbers:
    """The bins, the finest ones as ranges, whose numbers lie on two sides of a bound."""
    assert bins is not None
    coarse = bins.coarser(shift)
    first, last = (np.searchsorted(bounds, ends, side="left") for ends in (coarse.least, coarse.most))
    divided = np.flatnonzero((first != last) & (coarse.least <= coarse.most))
    return np.column_stack([divided << shift, np.minimum((divided + 1) << shift, len(bins))])


def class_weights(source: CaseSource) -> Floats:
    """What the cases of each class weigh."""
    counts = source.count(root_routing(source.schema.n_classes), [0], [])
    return np.asarray(counts.classes[0] * source.unit, dtype=np.float64)


def class_counts_of(source: CaseSource, cuts: list[Floats | None]) -> tuple[Floats, list[Floats | None]]:
    """The weights of all classes, and for each attribute those by its values, or by bins if it has cuts."""
    counts = BinnedSource(source, cuts, as_values=True).count(root_routing(source.schema.n_classes), [0])
    tables = [None if table is None else table[0, 1:].astype(np.float64) * source.unit for table in counts.attributes]
    return counts.classes[0].astype(np.float64) * source.unit, tables
