"""The order of numbers in openings: that of numpy's lexsort, which is slow."""

import numpy as np
import pytest

from ctree.scale.number_runs import _order


@pytest.mark.parametrize("seed", range(200))
def test_numbers_are_in_the_order_of_opening_number_and_class(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 60))
    # openings and classes beyond 16 bits or up to their end, and numbers of which many are the same
    which = (rng.integers(0, rng.integers(1, 6), n) + rng.choice([0, 70_000])).astype(np.int32)
    least = rng.integers(-3, rng.integers(1, 40), n) / 4.0
    classes = rng.choice([0, 1, 2, 65_535], n).astype(np.uint16)
    order, expected = _order(which, least, classes), np.lexsort((classes, least, which))
    assert sorted(order.tolist()) == list(range(n))
    for column in (which, least, classes):
        np.testing.assert_array_equal(column[order], column[expected])
