"""A CaseSource over a Dataset in memory, by plain numpy: slow and obvious."""

from __future__ import annotations

import math
import pickle

import numpy as np

from ctree.scale.source import Bins, Counts, Distinct, Opened
from ctree_ext.base.node_arrays import Test


class MemorySource:
    """Cases of a data set in parts.

    Parameters
    ----------
    data : Dataset
    bins : int, or list of array or None
        The greatest number of bins of a continuous attribute, or the cuts of each.
    parts : int, or list of int arrays
        How many parts there are, or the rows of each.
    """

    memory = 1 << 26
    n_workers = 1

    def __init__(self, data, bins=65_535, parts=1):
        self.schema, self.n_cases = data.schema, data.n_cases
        self.data = data
        self.complete = not any(
            (np.isnan(column) if attribute.is_continuous else column < 0).any()
            for attribute, column in zip(data.schema, data.columns, strict=True)
            if column is not None
        )
        self.weighted = data.weights is not None
        weights = np.ones(data.n_cases) if data.weights is None else data.weights
        # a power of two: 2^-40, less by as much as the least weight is below 1, so that all are no more than 2^51 units
        finest = 40
        while weights.min(initial=1.0) < 2.0 ** (40 - finest):
            finest += 1
        while weights.sum() > 2.0 ** (51 - finest):
            finest -= 1
        self.unit = 2.0**-finest if self.weighted or not self.complete else 1.0
        self.weights = [max(1, round(w / self.unit)) for w in weights.tolist()]
        self.columns = [None if c is None else np.asarray(c) + 0 for c in data.columns]
        self.bins, self.codes = [], []
        for a, (attribute, column) in enumerate(zip(data.schema, self.columns, strict=True)):
            self.bins.append(None)
            self.codes.append(None if column is None else np.asarray(column))
            if attribute.is_continuous:
                known = column[~np.isnan(column)]
                cuts = self._cuts(known, bins) if isinstance(bins, int) else np.asarray(bins[a], dtype=np.float64)
                self.codes[a] = np.array([-1 if np.isnan(x) else int((cuts < x).sum()) for x in column])
                least, most = np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf)
                for code, x in zip(self.codes[a], column, strict=True):
                    if code >= 0:
                        least[code], most[code] = min(least[code], x), max(most[code], x)
                self.bins[a] = Bins(cuts, least, most)
        everything = np.arange(data.n_cases)
        self.parts = np.array_split(everything, parts) if isinstance(parts, int) else parts
        assert sorted(np.concatenate(self.parts).tolist()) == everything.tolist()
        self.last = None, []
        self.asked = {"count": 0, "open": 0, "distinct": 0, "finish": 0}

    @staticmethod
    def _cuts(column, bins):
        values = np.unique(column)
        if len(values) <= bins:
            return values[:-1]
        places = np.unique(np.linspace(0, len(values) - 1, bins + 1).astype(int))[1:-1]
        return values[places]

    def entries_of(self, routing, row):
        """Where a case is, in parts if outcomes of tests are unknown, and how many units are there."""
        waiting, found = [(0, self.weights[row])], []
        while waiting:
            node, units = waiting.pop()
            if routing.test[node] == Test.LEAF:
                found.append((node, units))
                continue
            value, first = self.columns[routing.attribute[node]][row], int(routing.first_branch[node])
            if np.isnan(value) or self.codes[routing.attribute[node]][row] < 0:
                for branch in range(first, first + int(routing.n_branches[node])):
                    if routing.shares[branch] > 0:
                        waiting.append((branch, max(1, math.floor(units * routing.shares[branch] + 0.5))))
                continue
            if routing.test[node] == Test.THRESHOLD:
                branch = int(value > routing.threshold[node])
            elif routing.test[node] == Test.VALUES:
                branch = int(value)
            else:
                branch = int(routing.group[routing.group_start[node] + value])
            waiting.append((first + branch, units))
        return found

    def entries(self, routing):
        """Rows, nodes and units of all cases, part by part."""
        tree = pickle.dumps(routing)
        if self.last[0] != tree:
            rows = [int(row) for part in self.parts for row in part]
            self.last = tree, [(row, node, units) for row in rows for node, units in self.entries_of(routing, row)]
        return self.last[1]

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
                bins, n_values = self.bins[a], len(self.schema[a].values)
                size = n_values if bins is None else len(bins.coarser(shifts.get(a, 0)))
                tables[a] = np.zeros((len(nodes), 1 + size, n_classes), dtype=np.int64)
        slots = {node: slot for slot, node in enumerate(nodes)}
        for row, node, units in self.entries(routing):
            if node not in slots:
                continue
            classes[slots[node], self.data.classes[row]] += units
            for a, table in enumerate(tables):
                if table is not None:
                    code = self.codes[a][row]
                    place = 0 if code < 0 else 1 + (code >> shifts.get(a, 0))
                    table[slots[node], place, self.data.classes[row]] += units
        return Counts(classes, tables)

    def open(self, routing, wanted, near=0.0):
        """The numbers in some bins, those of a range that are near to the one before together with it."""
        self.asked["open"] += 1
        entries = self.entries(routing)
        result = []
        for opening in wanted:
            codes = self.codes[opening.attribute]
            at_node = [(row, units) for row, node, units in entries if node == opening.node]
            inside = np.array([any(first <= codes[row] < end for first, end in opening.bins) for row, _ in at_node])
            rows = np.array([row for row, _ in at_node], dtype=int)[inside]
            units = np.array([units for _, units in at_node], dtype=np.int64)[inside]
            values, places = np.unique(self.columns[opening.attribute][rows], return_inverse=True)
            counts = np.zeros((len(values), self.schema.n_classes), dtype=np.int64)
            np.add.at(counts, (places, self.data.classes[rows]), units)
            places = [
                next(k for k, (first, end) in enumerate(opening.bins) if first <= code < end) for code in codes[rows]
            ]
            place = dict(zip(self.columns[opening.attribute][rows].tolist(), places, strict=True))
            together: list[list[int]] = []
            for k, value in enumerate(values.tolist()):
                before = values[k - 1] if k else -np.inf
                if together and place[before] == place[value] and not before + near < value:
                    together[-1].append(k)
                else:
                    together.append([k])
            result.append(
                Opened(
                    np.array([values[some[0]] for some in together]),
                    np.array([values[some[-1]] for some in together]),
                    np.array([counts[some].sum(axis=0) for some in together]).reshape(-1, self.schema.n_classes),
                )
            )
        return result

    def distinct(self, routing, wanted, near=0.0):
        """How many numbers are in ranges of bins."""
        self.asked["distinct"] += 1
        entries = self.entries(routing)
        result = []
        for opening in wanted:
            codes, column = self.codes[opening.attribute], self.columns[opening.attribute]
            inside = [
                [column[row] for row, node, _ in entries if node == opening.node and first <= codes[row] < end]
                for first, end in opening.bins
            ]
            inside = [sorted(x) for x in inside]
            values = [sum(i == 0 or x[i - 1] + near < x[i] for i in range(len(x))) for x in inside]
            ends = np.array([(x[0], x[-1]) if x else (np.inf, -np.inf) for x in inside]).reshape(-1, 2)
            result.append(Distinct(np.array([len(x) for x in inside]), np.array(values), ends[:, 0], ends[:, 1]))
        return result

    def sizes(self, routing, nodes):
        """How many cases nodes have, or parts of cases."""
        entries = self.entries(routing)
        return {wanted: sum(node == wanted for _, node, _ in entries) for wanted in nodes}

    def known(self, routing, wanted):
        """How many cases of nodes have a number of an attribute."""
        entries = self.entries(routing)
        return [sum(at == node and not np.isnan(self.columns[a][row]) for row, at, _ in entries) for node, a in wanted]

    def finish(self, routing, nodes, grow):
        """The subtrees of nodes."""
        self.asked["finish"] += 1
        entries = self.entries(routing)
        result = {}
        for wanted, n in nodes.items():
            rows = np.array([row for row, node, _ in entries if node == wanted], dtype=int)
            weights = np.array([units for _, node, units in entries if node == wanted]) * self.unit
            assert len(rows) == n
            cases = self.data.take(rows).with_weights(None if (weights == 1).all() else weights)
            result[wanted] = pickle.loads(pickle.dumps(grow))(wanted, cases)
        return result

    def last_up_to(self, limits):
        """For each of some numbers the greatest value up to it."""
        self.asked["last"] = self.asked.get("last", 0) + 1
        result = {}
        for a, numbers in limits.items():
            column = self.columns[a].tolist()
            result[a] = np.array([max((x for x in column if x <= limit), default=-np.inf) for limit in numbers])
        return result

    def collect(self):
        """All cases."""
        return self.data
