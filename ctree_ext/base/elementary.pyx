"""Logarithms and exponentials of arrays, the same on every processor.

numpy computes these with whatever vector instructions the processor has, and the last bit depends on which. A model must
not: these ask the C library for each number, as the kernels do.
"""

import numpy as np

from libc.math cimport exp as c_exp, log as c_log, log2 as c_log2

ctypedef double (*Function)(double) noexcept nogil


cdef _of_each(Function function, values):
    result = np.array(values, dtype=np.float64, order="C")  # a copy, which is overwritten
    cdef double[::1] numbers = result.reshape(-1)
    cdef Py_ssize_t i
    with nogil:
        for i in range(numbers.shape[0]):
            numbers[i] = function(numbers[i])
    return result


def log(values):
    """The natural logarithm of each number: minus infinity of 0, NaN of what is less."""
    return _of_each(c_log, values)


def log2(values):
    """The logarithm of each number to base 2."""
    return _of_each(c_log2, values)


def exp(values):
    """e to the power of each number."""
    return _of_each(c_exp, values)


def xlog2y(x, y):
    """x log2 y for each pair of numbers, and 0 where x is 0: the terms of an entropy."""
    factors, result = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    result = _of_each(c_log2, np.where(factors == 0.0, 1.0, result))
    result *= factors
    return result
