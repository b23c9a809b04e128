"""Code lengths, in bits: what it takes to tell a rule, and the exceptions to a set of rules."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from naive.release8_numbers import L, f, float_sum

LARGE = f(1e6)


class LogTables:
    """Logarithms to base 2 of whole numbers and of their factorials."""

    def __init__(self, largest: int):
        self.log_factorials = log_factorials(largest)

    def log(self, i: int) -> float:
        return f(L(float(i)))

    def log_factorial(self, i: int) -> float:
        return self.log_factorials[i]


@lru_cache(maxsize=2)
def log_factorials(largest: int) -> list[float]:
    """Sums, in double, of logarithms rounded to float32."""
    sums = [0.0, 0.0]
    for i in range(2, largest + 101):
        sums.append(sums[-1] + f(L(float(i))))
    return sums


def attribute_bits(column: np.ndarray, n_values: int) -> float:
    """Bits it takes to tell a value of an attribute, or a cut and its side."""
    n = len(column)
    if n_values:
        bits = 0.0
        for value in range(n_values):
            with_value = float(np.sum(column == value))
            if with_value:
                bits = f(bits + f(with_value / n) * L(f(n / with_value)))
        return bits
    distinct = len(np.unique(column))  # counts NaN, the unknown value, once
    return f(1.0 + L(float(distinct)) / 2) if distinct > 1 else 0.0


def choice_bits(bits: Sequence[float]) -> float:
    """Bits it takes to tell which attribute is meant: the entropy of a choice in proportion to their own bits.

    >>> round(choice_bits([1.577406, 2.792481, 2.584963, 0.985228]), 5)
    1.89407
    """
    total = float_sum(bits)
    entropy = 0.0
    for b in bits:
        if b > 0:
            entropy = f(entropy - f(b / total) * L(f(b / total)))
    return entropy


def biased_bits(N: int, E: int, X: float) -> float:
    """Bits it takes to tell which E of N cases are errors, if X of them are expected."""
    if X <= 1e-6:
        return 0.0 if E == 0 else LARGE
    if X >= N - 1e-6:
        return 0.0 if E == N else LARGE
    rate = f(X / N)
    return f(-E * L(rate) - (N - E) * L(f(1 - rate)))


def exception_bits(n: int, covered: int, wrong: int, missed: int, log_tables: LogTables) -> float:
    """Bits it takes to tell the errors of a class's rules: `wrong` among the covered cases, `missed` among the rest.

    In the larger part half of all errors are expected, in the smaller one as many as there are.

    >>> round(exception_bits(14, 4, 0, 5, LogTables(14)), 4), round(exception_bits(14, 7, 0, 2, LogTables(14)), 4)
    (15.8825, 10.534)
    """
    half = f((wrong + missed) / 2)
    if covered > n / 2:
        expected_wrong, expected_missed = half, float(missed)
    else:
        expected_wrong, expected_missed = float(wrong), half
    wrong_bits = biased_bits(covered, wrong, expected_wrong)
    missed_bits = biased_bits(n - covered, missed, expected_missed)
    return f(f(log_tables.log(n) + wrong_bits) + missed_bits)
