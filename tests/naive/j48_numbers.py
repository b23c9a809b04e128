"""The formulas of Weka's J48: comparisons with a tolerance, gain, split info and the estimate of errors."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

SMALL = 1e-6


def eq(a: float, b: float) -> bool:
    """Equal, all but for the tolerance."""
    return abs(a - b) < SMALL


def gr(a: float, b: float) -> bool:
    """Greater by more than the tolerance."""
    return a - b > SMALL


def sm(a: float, b: float) -> bool:
    """Smaller by more than the tolerance."""
    return b - a > SMALL


def gr_or_eq(a: float, b: float) -> bool:
    """Greater, equal, or smaller by less than the tolerance."""
    return b - a < SMALL or a >= b


def sm_or_eq(a: float, b: float) -> bool:
    """Smaller, equal, or greater by less than the tolerance."""
    return a - b < SMALL or a <= b


def first_greatest(figures: Sequence[float]) -> int:
    """Number of the greatest figure, the first of those that are all but equal.

    >>> first_greatest([1.0, 3.0, 3.0 + 1e-9])
    1
    """
    best = 0
    for number, figure in enumerate(figures):
        if gr(figure, figures[best]):
            best = number
    return best


def in_order(figures: Sequence[float]) -> float:
    """The sum, from the first to the last: numpy's own goes another way, and Python's carries on what it rounds from
    3.12 on."""
    return float(np.cumsum(figures)[-1]) if len(figures) else 0.0


def x_log_x(x: np.ndarray) -> np.ndarray:
    """x log2 x, taken as 0 for next to nothing."""
    return np.where(x < SMALL, 0.0, x * np.log2(np.maximum(x, SMALL)))


def total_info(figures: np.ndarray) -> np.ndarray:
    """Weight times entropy of a division into the figures along the last axis."""
    return x_log_x(figures.sum(axis=-1)) - x_log_x(figures).sum(axis=-1)


def gain_of(table: np.ndarray, unknown: float) -> np.ndarray:
    """Information gained by a test, from the class weights of its branches (last axes: branch, class).

    `unknown` is the weight of the cases whose branch is not known, of which nothing is learned.
    """
    known = table.sum(axis=(-2, -1))
    before = total_info(table.sum(axis=-2))
    after = total_info(table).sum(axis=-1)
    gained = known / (known + unknown) * (before - after)
    return np.where(np.abs(gained) < SMALL, 0.0, gained / known)


def split_info_of(table: np.ndarray, unknown: float) -> float:
    """Entropy of the branches of a test, where not to know the branch is one more."""
    sizes = np.append(table.sum(axis=-1), unknown)
    return float(total_info(sizes) / sizes.sum())


def ratio_of(gain: float, split_info: float) -> float:
    """The gain ratio; 0 where the outcome of the test is all but sure."""
    return 0.0 if eq(split_info, 0) else gain / split_info


def extra_errors(n: float, errors: float, confidence: float) -> float:
    """How many more errors than those seen a leaf of `n` cases may make.

    >>> [round(e + extra_errors(n, e, 0.25), 4) for n, e in ((6, 0), (16, 1), (5, 2), (14, 5), (4, 0.5), (3, 2.6))]
    [1.2378, 2.4757, 3.222, 6.7611, 1.6718, 3.0]
    """
    confidence = float(np.float32(confidence))
    if confidence > 0.5:
        return 0.0
    if errors < 1:
        base = n * (1 - confidence ** (1 / n))
        if errors == 0:
            return base
        return base + errors * (extra_errors(n, 1, confidence) - base)
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    z = NormalDist().inv_cdf(float(np.float32(1) - np.float32(confidence)))
    f = (errors + 0.5) / n
    root = math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    rate = (f + z * z / (2 * n) + z * root) / (1 + z * z / n)
    return rate * n - errors
