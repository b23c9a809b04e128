"""The bounds of bins of about equal frequency, or of equal width, from a source of cases: the same as in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ctree.data.bins import equal_width_cuts, width_places
from ctree.scale.source import Bins, CaseSource, Numbers, Opening
from ctree.scale.top_tree import root_routing
from ctree_ext.base.node_arrays import Floats


def frequency_cuts(source: CaseSource, n_bins: int) -> list[Floats | None]:
    """What `equal_frequency_cuts` gives, for each continuous attribute."""

    def reached(sizes: Numbers) -> Numbers:
        """How many bounds are at or below each of these numbers, or below the next."""
        below = np.cumsum(sizes)
        if source.weighted:
            # sums of fractions may miss a rank by the last bit
            return np.asarray(np.floor(below / below[-1] * n_bins * (1 + 1e-12)), dtype=np.int64)
        if n_bins >= below[-1]:
            return below
        return np.searchsorted(_ranks(int(below[-1]), n_bins), below, side="right")

    def needed(bins: Bins, sizes: Numbers) -> Numbers:
        return np.flatnonzero(np.diff(reached(sizes), prepend=0))

    result: list[Floats | None] = []
    for values, sizes in numbers_of(source, needed):
        if values is None or sizes is None:
            result.append(None)
        elif len(values) == 0:
            result.append(values)
        else:
            result.append(values[:-1][np.diff(reached(sizes), prepend=0)[:-1] > 0])
    return result


def width_cuts(source: CaseSource, n_bins: int) -> list[Floats | None]:
    """What `equal_width_cuts` gives, for each continuous attribute."""

    def needed(bins: Bins, sizes: Numbers) -> Numbers:
        filled = np.flatnonzero(sizes)
        low, high = bins.least[filled[0]], bins.most[filled[-1]]
        first = width_places(bins.least[filled], low, high, n_bins)
        last = width_places(bins.most[filled], low, high, n_bins)
        return np.asarray(filled[first != last])

    found = numbers_of(source, needed)
    return [None if values is None else equal_width_cuts(values, n_bins) for values, _ in found]


def _ranks(n: int, n_bins: int) -> Numbers:
    """How many of n numbers are up to each bound, itself included."""
    return np.array([-(-k * n // n_bins) for k in range(1, n_bins)], dtype=np.int64)


def numbers_of(
    source: CaseSource, needed: Callable[[Bins, Numbers], Numbers]
) -> list[tuple[Floats, Numbers] | tuple[None, None]]:
    """For each continuous attribute numbers and how many cases, or units of weight, each stands for, ascending.

    Those of the bins that are needed are all there; another bin is there by its least and its greatest number.
    """
    routing = root_routing(source.schema.n_classes)
    per_case = 1 if source.weighted else round(1 / source.unit)
    continuous = [a for a, bins in enumerate(source.bins) if bins is not None]
    result: list[tuple[Floats, Numbers] | tuple[None, None]] = [(None, None)] * len(source.schema)
    counts = source.count(routing, [0], continuous) if continuous else None
    wanted, parts = [], {}
    for a in continuous:
        assert counts is not None
        table, bins = counts.attributes[a], source.bins[a]
        assert table is not None
        assert bins is not None
        sizes = table[0, 1:].sum(axis=1) // per_case
        if not sizes.any():
            result[a] = np.empty(0), np.empty(0, dtype=np.int64)
            continue
        opening = np.zeros(len(sizes), dtype=bool)
        opening[needed(bins, sizes)] = True
        opening &= (bins.least < bins.most) & (sizes > 0)
        parts[a] = bins, sizes, opening
        if opening.any():
            places = np.flatnonzero(opening)
            wanted.append(Opening(0, a, np.column_stack([places, places + 1])))
    opened = dict(zip((o.attribute for o in wanted), source.open(routing, wanted) if wanted else [], strict=True))
    for a, (bins, sizes, opening) in parts.items():
        rest = np.flatnonzero((sizes > 0) & ~opening)
        # the least number stands for all but one of its bin, the greatest for that one
        one = bins.least[rest] == bins.most[rest]
        values = [bins.least[rest], bins.most[rest[~one]]]
        numbers = [sizes[rest] - ~one, np.ones((~one).sum(), dtype=np.int64)]
        if a in opened:
            values.append(opened[a].values)
            numbers.append(opened[a].counts.sum(axis=1) // per_case)
        order = np.argsort(np.concatenate(values), kind="stable")
        result[a] = np.concatenate(values)[order] + 0.0, np.concatenate(numbers)[order]
    return result
