"""A CaseSource over a Dataset in memory, by plain numpy: slow and obvious."""

from __future__ import annotations

import pickle

import numpy as np

from ctree.scale.source import Bins, Counts, Opened
from ctree_ext.base.node_arrays import Test


class MemorySource:
    """Cases of a data set in parts; complete ones, each of which counts one.

    Parameters
    ----------
    data : Dataset
    bins : int, or list of array or None
        The greatest number of bins of a continuous attribute, or the cuts of each.
    parts : int, or list of int arrays
        How many parts there are, or the rows of each.
    """

    unit = 1.0
    memory = 1 << 26

    def __init__(self, data, bins=65_535, parts=1):
        self.schema, self.n_cases = data.schema, data.n_cases
        self.data = data
        self.complete = not any(
            (np.isnan(column) if attribute.is_continuous else column < 0).any()
            for attribute, column in zip(data.schema, data.columns, strict=True)
            if column is not None
        )
        assert self.complete
        assert data.weights is None
        self.columns = [None if c is None else np.asarray(c) + 0 for c in data.columns]
        self.bins, self.codes = [], []
        for a, (attribute, column) in enumerate(zip(data.schema, self.columns, strict=True)):
            self.bins.append(None)
            self.codes.append(None if column is None else np.asarray(column))
            if attribute.is_continuous:
                cuts = self._cuts(column, bins) if isinstance(bins, int) else np.asarray(bins[a], dtype=np.float64)
                self.codes[a] = (
                    np.array([int((cuts < x).sum()) for x in column])
                    if len(cuts) < 50
                    else (np.searchsorted(cuts, column, side="left"))
                )
                least, most = np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf)
                for code, x in zip(self.codes[a], column, strict=True):
                    least[code], most[code] = min(least[code], x), max(most[code], x)
                self.bins[a] = Bins(cuts, least, most)
        everything = np.arange(data.n_cases)
        self.parts = np.array_split(everything, parts) if isinstance(parts, int) else parts
        assert sorted(np.concatenate(self.parts).tolist()) == everything.tolist()
        self.asked = {"count": 0, "open": 0, "finish": 0}

    @staticmethod
    def _cuts(column, bins):
        values = np.unique(column)
        if len(values) <= bins:
            return values[:-1]
        places = np.unique(np.linspace(0, len(values) - 1, bins + 1).astype(int))[1:-1]
        return values[places]

    def node_of(self, routing, row):
        """Where a case is."""
        node = 0
        while routing.test[node] != Test.LEAF:
            value = self.columns[routing.attribute[node]][row]
            if routing.test[node] == Test.THRESHOLD:
                branch = int(value > routing.threshold[node])
            elif routing.test[node] == Test.VALUES:
                branch = int(value)
            else:
                branch = int(routing.group[routing.group_start[node] + value])
            node = int(routing.first_branch[node]) + branch
        return node

    def nodes_of(self, routing, part):
        return np.array([self.node_of(routing, row) for row in part], dtype=np.int64)

    def count(self, routing, nodes, attributes=None, shifts=None):
        """Class counts at nodes, by values and by bins."""
        self.asked["count"] += 1
        shifts = shifts or {}
        wanted = range(len(self.schema)) if attributes is None else attributes
        n_classes = self.schema.n_classes
        classes = np.zeros((len(nodes), n_classes), dtype=np.int64)
        tables = [None] * len(self.schema)
        for a in wanted:
            if self.codes[a] is not None:
                size = (
                    len(self.schema[a].values) if self.bins[a] is None else len(self.bins[a].coarser(shifts.get(a, 0)))
                )
                tables[a] = np.zeros((len(nodes), 1 + size, n_classes), dtype=np.int64)
        slots = {node: slot for slot, node in enumerate(nodes)}
        for part in self.parts:
            for row, node in zip(part, self.nodes_of(routing, part), strict=True):
                slot = slots.get(int(node))
                if slot is None:
                    continue
                classes[slot, self.data.classes[row]] += 1
                for a, table in enumerate(tables):
                    if table is not None:
                        table[slot, 1 + (self.codes[a][row] >> shifts.get(a, 0)), self.data.classes[row]] += 1
        return Counts(classes, tables)

    def open(self, routing, wanted):
        """The numbers in some bins."""
        self.asked["open"] += 1
        at = np.full(self.n_cases, -1)
        for part in self.parts:
            at[part] = self.nodes_of(routing, part)
        result = []
        for opening in wanted:
            codes = self.codes[opening.attribute]
            inside = np.zeros(self.n_cases, dtype=bool)
            for first, end in opening.bins:
                inside |= (codes >= first) & (codes < end)
            rows = np.flatnonzero(inside & (at == opening.node))
            values, places = np.unique(self.columns[opening.attribute][rows], return_inverse=True)
            counts = np.zeros((len(values), self.schema.n_classes), dtype=np.int64)
            np.add.at(counts, (places, self.data.classes[rows]), 1)
            result.append(Opened(values, counts))
        return result

    def finish(self, routing, nodes, grow):
        """The subtrees of nodes."""
        self.asked["finish"] += 1
        at = [self.nodes_of(routing, part) for part in self.parts]
        result = {}
        for node, n in nodes.items():
            rows = np.concatenate([part[where == node] for part, where in zip(self.parts, at, strict=True)])
            assert len(rows) == n
            result[node] = pickle.loads(pickle.dumps(grow))(node, self.data.take(rows))
        return result

    def collect(self):
        """All cases."""
        return self.data
