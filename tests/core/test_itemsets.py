"""The miner against itemsets by their definitions."""

from itertools import pairwise

import numpy as np
import pytest
from naive import all_trees

from ctree_ext.itemsets import Miner

SLOW = {
    "all": all_trees.frequent_itemsets,
    "closed": all_trees.closed_itemsets,
    "maximal": all_trees.maximal_itemsets,
}


def mined(rows, classes, n_classes, kind, least, min_size=1, max_size=None):
    columns = np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)
    miner = Miner(columns, np.array(classes, dtype=np.int32), n_classes)
    most = columns.shape[0] if max_size is None else max_size
    sizes = miner.count(kind, least, min_size, most, 1 << 40)
    start, items, support, counts = miner.mine(kind, least, min_size, most, 1 << 40)
    assert (len(support), len(items)) == sizes
    sets = [tuple(items[a:b].tolist()) for a, b in pairwise(start.tolist())]
    assert all(list(s) == sorted(s) for s in sets)
    assert len(set(sets)) == len(sets)
    return {s: (int(n), tuple(c)) for s, n, c in zip(sets, support, counts.tolist(), strict=True)}


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize("seed", range(30))
def test_itemsets_are_those_of_the_definition(kind, seed):
    rng = np.random.default_rng(seed)
    n, m, n_classes = int(rng.integers(1, 150)), int(rng.integers(1, 8)), int(rng.integers(1, 4))
    rows = (rng.random((n, m)) < rng.choice([0.3, 0.6, 0.9])).astype(int)
    if seed % 3 == 0:
        rows[:, 0] = 1  # an item of every case is kept
    if seed % 4 == 0:
        rows[:, -1] = rows[:, 0]
    classes = rng.integers(n_classes, size=n)
    least, min_size = int(rng.integers(1, max(n // 3, 2))), int(rng.integers(0, 3))
    max_size = None if seed % 2 else int(rng.integers(min_size, m + 1))
    slow = SLOW[kind](rows.tolist(), classes.tolist(), n_classes, least, min_size=min_size, max_size=max_size)
    expected = {tuple(sorted(i for i, _ in s)): (c.support, tuple(c.counts)) for s, c in slow.items()}
    assert mined(rows, classes, n_classes, kind, least, min_size, max_size) == expected


def test_counting_stops_at_the_limit():
    columns = np.ones((30, 5), dtype=np.uint8)
    miner = Miner(columns, np.zeros(5, dtype=np.int32), 1)
    assert miner.count("all", 1, 1, 30, 1000)[0] > 1000
    assert miner.count("all", 1, 1, 2, 1000) == (30 + 435, 30 + 2 * 435)
    assert miner.count("all", 1, 0, 30, 1 << 40)[0] == 2**30
    assert miner.mine("all", 1, 1, 30, 1000) is None
    assert miner.count("closed", 1, 1, 30, 1000) == (1, 30)
