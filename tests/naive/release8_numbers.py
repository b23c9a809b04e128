"""The arithmetic of C4.5 release 8: 32-bit floats, with a few expressions evaluated in double before rounding.

A number is a Python float that holds a float32 value; `f` rounds to one. Everything else here follows from where
release 8 rounds, which decides ties and therefore trees.
"""

import math
import struct
from collections.abc import Iterable, Sequence

EPSILON = 0.001
LN2 = math.log(2.0)
FLOAT32 = struct.Struct("f")

# The deviations of the normal distribution between which the confidence level is interpolated.
LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def f(x: float) -> float:
    """Round to the nearest float32.

    >>> f(0.1), f(-1e39)
    (0.10000000149011612, -inf)
    """
    try:
        return FLOAT32.unpack(FLOAT32.pack(x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def middle(low: float, high: float) -> float:
    """Halfway between two float32 numbers, also where their sum is beyond all of them.

    >>> middle(1.0, 4.0), middle(-3.0e38, -2.0e38) == f(-2.5e38)
    (2.5, True)
    """
    both = f(low + high)
    return f(both / 2) if math.isfinite(both) else f((low + high) / 2)


# Slightly below -0.001, so that `gain > -EPSILON` is false for it.
NO_GAIN = f(-0.001)


def L(x: float) -> float:  # noqa: N802
    """Logarithm to base 2 of a float32, in double; 0 where there is nothing to count.

    >>> L(8.0), L(0.0)
    (3.0, 0.0)
    """
    return 0.0 if x <= 0 else math.log(x) / LN2


def float_sum(values: Iterable[float]) -> float:
    """Sum of floats, rounded after each addition."""
    total = 0.0
    for value in values:
        total = f(total + value)
    return total


def total_info(values: Iterable[float]) -> float:
    """Entropy of the values times their sum, in bits.

    >>> total_info([4.0, 4.0])
    8.0
    """
    S = T = 0.0
    for value in values:
        if value != 0:
            S = f(S + value * L(value))
            T = f(T + value)
    return f(T * L(T) - S)


def discrete_base_info(class_sums: Sequence[float], known: float) -> float:
    """Entropy of the classes among the cases whose value of a discrete attribute is known."""
    total = 0.0
    for n in class_sums:
        total += n * L(n)
    return f((known * L(known) - total) / known)


def continuous_base_info(class_sums: Sequence[float], known: float) -> float:
    """Entropy of the classes among the cases whose value of a continuous attribute is known."""
    return f(total_info(class_sums) / known)


def has_two_branches(sizes: Sequence[float], min_cases: float) -> bool:
    """Are there at least two branches with `min_cases` or more?"""
    return sum(size >= min_cases for size in sizes) >= 2


def gain(
    base: float,
    unknown_rate: float,
    infos: Sequence[float],
    sizes: Sequence[float],
    known: float,
    min_cases: float,
) -> float:
    """Information gained by a test, from the total info of the classes in each branch, and the sizes of the branches.

    The marker `NO_GAIN` if the test is not a sensible one.
    """
    if known <= 0 or not has_two_branches(sizes, min_cases):
        return NO_GAIN
    return f(f(1 - unknown_rate) * f(base - f(float_sum(infos) / known)))


def split_info(unknown: float, sizes: Sequence[float], total: float) -> float:
    """Entropy of the outcomes of a test; 'unknown' is one of them."""
    return f(total_info([unknown, *sizes]) / total)


def deviation_squared(CF: float) -> float:
    """Square of the one-sided normal deviation of a confidence level, interpolated in a short table.

    >>> round(deviation_squared(0.25), 6)
    0.479556
    """
    i = next(i for i, level in enumerate(LEVELS) if level >= CF)
    if i == 0:
        return f(DEVIATIONS[0] * DEVIATIONS[0])
    share = (CF - LEVELS[i - 1]) / (LEVELS[i] - LEVELS[i - 1])
    z = f(DEVIATIONS[i - 1] + (DEVIATIONS[i] - DEVIATIONS[i - 1]) * share)
    return f(z * z)


def add_errs(N: float, e: float, CF: float) -> float:
    """Errors to add to the `e` seen among `N` cases, so that they are exceeded with probability `CF` only.

    >>> [round(e + add_errs(N, e, 0.25), 4) for N, e in [(6.0, 0.0), (16.0, 1.0), (14.0, 5.0), (4.0, 0.5)]]
    [1.2378, 2.5069, 6.795, 1.6805]
    """
    CF = f(CF)
    if e < 1e-6:
        return f(N * (1 - math.exp(math.log(CF) / N)))
    if e < 0.9999:
        none = f(N * (1 - math.exp(math.log(CF) / N)))
        return f(none + f(e * f(add_errs(N, 1.0, CF) - none)))
    if e + 0.5 >= N:
        return f(0.67 * f(N - e))
    k = deviation_squared(CF)
    root = math.sqrt(k * ((e + 0.5) * (1 - (e + 0.5) / N) + f(k / 4)))
    P = f((e + 0.5 + f(k / 2) + root) / f(N + k))
    return f(f(N * P) - e)
