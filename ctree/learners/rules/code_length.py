"""Code lengths, in bits: what it takes to tell a condition, and a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree_ext.rules.code_length import log_factorials

LN2 = math.log(2.0)

Weights = npt.NDArray[np.float64] | None
"""Whole numbers, which say how many cases each stands for; None: each for itself."""


def counted(codes: npt.NDArray[Any], weights: Weights, n: int) -> list[int]:
    """How many cases have each of n codes.

    >>> counted(np.array([0, 2, 2]), None, 3), counted(np.array([0, 2, 2]), np.array([5.0, 1.0, 1.0]), 3)
    ([1, 0, 2], [5, 0, 2])
    """
    return [int(count) for count in np.bincount(codes, weights, n).tolist()]


def f(x: float) -> float:
    """Rounded to 32 bits, as release 8 keeps its figures."""
    return float(np.float32(x))


def log2(x: float) -> float:
    return math.log(x) / LN2 if x > 0 else 0.0


def attribute_bits(column: Column | None, n_values: int, single: bool, weights: Weights = None) -> float:
    """Bits it takes to tell a value of an attribute, or a cut and its side."""
    if column is None:
        return 0.0
    n = len(column) if weights is None else int(weights.sum())
    if column.dtype.kind == "f":
        # The unknown value counts as one more.
        with np.errstate(over="ignore"):  # beyond its range, a number is infinite in 32 bits
            ordered = np.sort(column.astype(np.float32) if single else column)
        # np.unique would load numpy.ma for this
        distinct = 1 + int(np.count_nonzero((ordered[1:] != ordered[:-1]) & ~np.isnan(ordered[:-1])))
        return f(1.0 + log2(float(distinct)) / 2) if distinct > 1 else 0.0
    bits = 0.0
    known = column >= 0
    for with_value in counted(column[known], None if weights is None else weights[known], n_values):
        if with_value:
            bits = f(bits + f(with_value / n) * log2(f(n / with_value)))
    return bits


def choice_bits(bits: Sequence[float]) -> float:
    """Bits it takes to tell which attribute is meant: the entropy of a choice in proportion to their own bits.

    >>> round(choice_bits([1.577406, 2.792481, 2.584963, 0.985228]), 5)
    1.89407
    """
    total = 0.0
    for b in bits:
        total = f(total + b)
    entropy = 0.0
    for b in bits:
        if b > 0:
            entropy = f(entropy - f(b / total) * log2(f(b / total)))
    return entropy


class RuleBits:
    """What it takes to tell rules about these cases.

    Parameters
    ----------
    data : Dataset
    redundancy : float
        By how much the attributes say the same: the more, the less it takes to tell which one is meant.
    single : bool
        Numbers are seen rounded to 32 bits.
    """

    def __init__(self, data: Dataset, redundancy: float, single: bool) -> None:
        n_values = [len(a.values) for a in data.schema]
        own = [attribute_bits(c, v, single, data.weights) for c, v in zip(data.columns, n_values, strict=True)]
        choice = f(choice_bits(own) / f(redundancy))
        # for a condition on one value or a threshold, and for one on a group of values
        self.single = [f(choice + bits) for bits in own]
        self.group = [f(choice + f(bits + v)) for bits, v in zip(own, n_values, strict=True)]

    def of_rules(
        self, start: npt.NDArray[np.int64], attributes: npt.NDArray[np.int32], grouped: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """For each rule, whose conditions are those from ``start[i]`` to ``start[i + 1]``.

        Conditions have the attribute that they are on, and whether it is a group of its values.
        """
        size = np.diff(start)
        of_condition = np.where(grouped, np.array(self.group)[attributes], np.array(self.single)[attributes])
        total = np.zeros(len(size))
        for place in range(int(size.max(initial=0))):  # one condition after the other, rounded after each
            longer = size > place
            total[longer] = _rounded(total[longer] + of_condition[start[:-1][longer] + place])
        # The order of the conditions does not matter.
        choices = np.array([f(log2(float(k))) for k in range(int(size.max(initial=0)) + 1)])
        return _rounded(_rounded(total + choices[size]) - log_factorials(len(choices))[size])


def _rounded(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return x.astype(np.float32).astype(np.float64)
