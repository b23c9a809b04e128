"""The greatest number up to each limit, against a look at all numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ctree.scale.last_values import planned
from ctree.scale.source import Bins
from ctree_ext.scale.faults import PartError
from ctree_ext.scale.last_values import note_last


def binned(numbers, cuts):
    """Codes, 0 for unknown, and the bins."""
    codes = np.where(np.isnan(numbers), 0, 1 + np.searchsorted(cuts, numbers, side="left"))
    least = [numbers[codes == 1 + b].min(initial=np.inf) for b in range(len(cuts) + 1)]
    most = [numbers[codes == 1 + b].max(initial=-np.inf) for b in range(len(cuts) + 1)]
    return codes, Bins(cuts, np.array(least), np.array(most))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("seed", range(20))
def test_the_greatest_number_in_each_stretch_between_limits(seed, dtype):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=200).round(1)
    numbers[rng.random(200) < 0.1] = np.nan
    numbers[rng.random(200) < 0.1] = -0.0
    cuts = np.unique(rng.normal(size=12).round(1))
    codes, bins = binned(numbers, cuts)
    # some limits on cuts, some on numbers, some beside both
    wanted = np.unique(np.concatenate([rng.choice(cuts, 3), rng.normal(size=8).round(1), rng.normal(size=8)]))
    _, task = planned([bins], {0: wanted})
    if not task.limits:
        return
    limits = task.limits[0]
    last = np.full(len(limits) + 1, -np.inf)
    note_last(codes.astype(dtype), numbers, limits, task.near[0], last, 0)
    below = np.concatenate([[-np.inf], limits])
    for k, limit in enumerate(limits):
        holds_limit = {int(np.searchsorted(cuts, one, side="left")) for one in limits}
        there = [
            x for x in numbers if below[k] < x <= limit and int(np.searchsorted(cuts, x, side="left")) in holds_limit
        ]
        assert last[k] == max(there, default=-np.inf)
        assert not (last[k] == 0 and np.signbit(last[k]))


def test_wrong_arrays_are_found():
    numbers, limits, near = np.zeros(2), np.array([1.0]), np.array([[0, 0], [0, 1]], dtype=np.int32)
    with pytest.raises(PartError) as found:
        note_last(np.array([1, 2], dtype=np.uint8), numbers, limits, near, np.zeros(2), 7)
    assert (found.value.what, found.value.attribute) == ("code", 7)
    codes = np.zeros(2, dtype=np.uint16)
    for arguments in (
        (codes, numbers[:1], limits, near, np.zeros(2)),
        (codes, numbers, limits, near, np.zeros(1)),
        (codes, numbers, limits, near + np.int32(1), np.zeros(2)),
        (codes, numbers, limits, near - np.int32(1), np.zeros(2)),
    ):
        with pytest.raises(ValueError, match=r"lengths|limits"):
            note_last(*arguments, 0)
