"""What is taken for unknown values, from a source of cases: the most frequent value or the mean, as in memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ctree.data.impute import Filler, as_value, exact_products
from ctree.scale.coded_part import CodedPart
from ctree.scale.coded_source import CodedSource
from ctree.scale.exact_sum import as_float, exact_sum
from ctree.scale.gathering import least_of_codes
from ctree.scale.source import Bins
from ctree.scale.top_tree import root_routing
from ctree_ext.base.node_arrays import Floats


@dataclass(frozen=True)
class _SumTask:
    """Adds up the numbers of attributes by weight, exactly, and their weights in units."""

    numbers: tuple[Floats | None, ...]
    """Of each continuous attribute the number of each code, needed where numbers are not kept."""
    exponents: tuple[int, ...]
    """Of each attribute, such that no number is 2 to that power or more."""
    unit: float

    def __call__(self, parts: Iterable[CodedPart]) -> list[tuple[int, int]]:
        sums = [(0, 0)] * len(self.numbers)
        for part in parts:
            for a, table in enumerate(self.numbers):
                codes, numbers = part.codes[a], part.numbers[a]
                if table is None or codes is None:
                    continue
                known = codes > 0
                values = np.ldexp((table[codes] if numbers is None else numbers)[known], -self.exponents[a])
                if part.weights is None:
                    total, weight = exact_sum(values), len(values)
                else:
                    units = part.weights[known]
                    products = exact_products(values, np.asarray(units * self.unit, dtype=np.float64))
                    total = sum(exact_sum(product) for product in products)
                    weight = int(units.sum())
                sums[a] = sums[a][0] + total, sums[a][1] + weight
        return sums


def _added(some: Sequence[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    return [(sum(total for total, _ in sums), sum(n for _, n in sums)) for sums in zip(*some, strict=True)]


def modes_and_means(source: CodedSource) -> list[Filler]:
    """What `mode_or_mean` gives for each attribute, by a pass for values and one for numbers.

    Sums of numbers are exact, and so are their means but for one rounding; with weights that are no multiples of the
    unit, that of the weights comes on top.
    """
    discrete = [a for a, attribute in enumerate(source.schema) if attribute.is_discrete or attribute.is_ordered]
    counts = source.count(root_routing(source.schema.n_classes), [0], discrete).attributes if discrete else []
    fillers: list[Filler] = [None] * len(source.schema)
    for a in discrete:
        table = counts[a]
        assert table is not None
        by_value = table[0, 1:].sum(axis=1)
        if by_value.any():
            bins, most = source.bins[a], int(by_value.argmax())
            fillers[a] = most if bins is None else float(bins.least[most])  # a bin of an ordered value has no other
    if all(bins is None for bins in source.bins):
        return fillers
    exponents = tuple(0 if bins is None else _exponent(bins) for bins in source.bins)
    numbers = tuple(least_of_codes(bins) for bins in source.bins)
    sums: list[tuple[int, int]] = source.each("sum", _SumTask(numbers, exponents, source.unit), _added)
    for a, (total, weight) in enumerate(sums):
        if weight and not source.schema[a].is_ordered:
            weight_of_all = weight / round(1 / source.unit) if source.weighted else weight
            mean = math.ldexp(as_float(total) / weight_of_all, exponents[a])
            fillers[a] = as_value(source.schema[a], mean)
    return fillers


def _exponent(bins: Bins) -> int:
    filled = bins.least <= bins.most
    most = np.abs(np.concatenate([bins.least[filled], bins.most[filled]])).max(initial=0.0)
    return int(np.frexp(most)[1])
