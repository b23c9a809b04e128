"""The miner against itemsets by their definitions."""

from itertools import pairwise

import numpy as np
import pytest
from naive import all_trees

from ctree_ext.lattice.itemsets import Miner

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


@pytest.mark.usefixtures("processor")
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


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("n_classes", [1, 3, 40])
def test_more_itemsets_than_there_is_room_for_at_first(n_classes):
    """2^17 - 1 itemsets have to be written again to larger arrays, 2^21 - 1 to be found again."""
    for n_items in (17, 21) if n_classes == 1 else (17,):
        # case i lacks item i, and a few have all
        rows = np.concatenate([1 - np.eye(n_items, dtype=np.uint8), np.ones((3, n_items), dtype=np.uint8)])
        classes = (np.arange(len(rows)) % n_classes).astype(np.int32)
        miner = Miner(np.ascontiguousarray(rows.T), classes, n_classes)
        start, items, support, counts = miner.mine("all", 1, 1, n_items, 1 << 22)
        sizes = np.diff(start)
        assert len(support) == 2**n_items - 1
        assert (support == len(rows) - sizes).all()
        assert (counts.sum(axis=1) == support).all()
        codes = np.bitwise_or.reduceat(1 << items.astype(np.int64), start[:-1])
        assert len(np.unique(codes)) == len(support)
        assert miner.mine("all", 1, 1, n_items, 2**n_items - 2) is None


def test_counting_stops_at_the_limit():
    columns = np.ones((30, 5), dtype=np.uint8)
    miner = Miner(columns, np.zeros(5, dtype=np.int32), 1)
    assert miner.count("all", 1, 1, 30, 1000)[0] > 1000
    assert miner.count("all", 1, 1, 2, 1000) == (30 + 435, 30 + 2 * 435)
    assert miner.count("all", 1, 0, 30, 1 << 40)[0] == 2**30
    assert miner.mine("all", 1, 1, 30, 1000) is None
    assert miner.count("closed", 1, 1, 30, 1000) == (1, 30)
