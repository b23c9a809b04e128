"""The generator behind glibc's `random()`: many numbers at once."""

import numpy as np

from libc.stdint cimport uint32_t

cdef enum:
    LAG = 31        # each number is the sum of that so many before, and of that SHORT_LAG before
    SHORT_LAG = 3


def units(const uint32_t[::1] state, Py_ssize_t n):
    """The next n numbers in [0, 1), and the state after them.

    Parameters
    ----------
    state : uint32 array
        The last 31 numbers, with their lowest bits.
    n : int
    """
    cdef Py_ssize_t i
    cdef uint32_t[::1] numbers = np.empty(LAG + n, dtype=np.uint32)
    cdef double[::1] result = np.empty(n)
    if state.shape[0] != LAG:
        raise ValueError("the state has 31 numbers")
    numbers[:LAG] = state
    with nogil:
        for i in range(n):
            numbers[LAG + i] = numbers[i] + numbers[LAG + i - SHORT_LAG]
            result[i] = (numbers[LAG + i] >> 1) / 2147483648.0
    return np.asarray(result), np.array(numbers[n:])
