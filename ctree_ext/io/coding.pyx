"""Columns of tables to codes: numbers by direct address or by bisection, objects by a dictionary."""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint8_t

from ctree_ext.base.interrupts cimport check_signals
from ctree_ext.base.memory cimport Memory

import numpy as np

cdef enum:
    BLOCK = 64        # rows of a table that are processed at a time, so that they stay in the cache
    CHUNK = 1 << 18   # objects after which signals are heard

cdef double EXACT = 9007199254740992.0  # 2**53: beyond this all doubles are integers, though not meant as such


def split_columns(const double[:, :] table not None):
    """The columns of a table as separate arrays.

    Row by row in blocks: column by column, a wide table would go through the memory once for each column.
    """
    cdef Py_ssize_t n = table.shape[0], m = table.shape[1], block, start, stop, i, j
    cdef Memory memory = Memory()
    cdef double **columns = <double **>memory.raw(m, sizeof(double *))
    cdef double[::1] column
    result = [np.empty(n, dtype=np.float64) for _ in range(m)]
    for j in range(m if n else 0):
        column = result[j]
        columns[j] = &column[0]
    with nogil:
        for block in range((n + BLOCK - 1) // BLOCK):
            start = block * BLOCK
            stop = min(start + BLOCK, n)
            for j in range(m):
                for i in range(start, stop):
                    columns[j][i] = table[i, j]
    return result


def integer_range(const double[::1] column not None):
    """The range of the numbers of a column, and whether they are integers.

    Returns
    -------
    low, high : float
        The least and greatest number; low > high if all are unknown (NaN).
    integral : bool
        Whether all known numbers are integers below 2**53.
    """
    cdef double low = float("inf"), high = -float("inf"), x
    cdef bint integral = True
    cdef Py_ssize_t i
    with nogil:
        for i in range(column.shape[0]):
            x = column[i]
            # A comparison with NaN is false: unknown values fall through.
            if x < low:
                low = x
            if x > high:
                high = x
            if x == x and (not -EXACT < x < EXACT or <double><int64_t>x != x):
                integral = False
    return low, high, integral


def integers_present(const double[::1] column not None, double low, Py_ssize_t size):
    """Which of the integers low, low + 1, ..., low + size - 1 a column of such numbers has."""
    cdef uint8_t[::1] present
    cdef Py_ssize_t i
    result = np.zeros(size, dtype=np.uint8)
    present = result
    with nogil:
        for i in range(column.shape[0]):
            if not isnan(column[i]):
                present[<Py_ssize_t>(column[i] - low)] = 1
    return result.view(np.bool_)


def code_integers(const double[::1] column not None, double low, const int32_t[::1] codes not None):
    """The code of each number x by direct address, `codes[x - low]`; -1 if x is outside, not an integer or unknown."""
    cdef Py_ssize_t i
    cdef double x, size = <double>codes.shape[0]
    cdef int32_t[::1] coded
    result = np.empty(column.shape[0], dtype=np.int32)
    coded = result
    with nogil:
        for i in range(column.shape[0]):
            x = column[i] - low
            coded[i] = codes[<Py_ssize_t>x] if 0 <= x < size and <double><int64_t>x == x else -1
    return result


def code_numbers(const double[::1] column not None, const double[::1] levels not None, const int32_t[::1] codes not None):
    """The code of each number among the sorted levels; -1 if it is none of them or unknown."""
    cdef Py_ssize_t i, low, high, middle, n = levels.shape[0]
    cdef double x
    cdef int32_t[::1] coded
    result = np.empty(column.shape[0], dtype=np.int32)
    coded = result
    with nogil:
        for i in range(column.shape[0]):
            x = column[i]
            low = 0
            high = n
            while low < high:
                middle = (low + high) >> 1
                if levels[middle] < x:
                    low = middle + 1
                else:
                    high = middle
            coded[i] = codes[low] if low < n and levels[low] == x else -1
    return result


cdef bint is_unknown(object value) except -1:
    """None, NaN, and whatever else does not equal itself or cannot be compared."""
    if value is None:
        return True
    if isinstance(value, str):
        return False
    try:
        return bool(value != value)
    except TypeError:  # the NA of pandas
        return True


def collect_objects(list values not None):
    """Number the distinct known values in order of appearance.

    Returns
    -------
    codes : array of int32
        The number of each value, -1 where it is unknown.
    table : dict
        The number of each distinct value.
    """
    cdef Py_ssize_t i
    cdef int32_t[::1] coded
    cdef dict table = {}
    result = np.empty(len(values), dtype=np.int32)
    coded = result
    for i in range(len(values)):
        if i % CHUNK == 0:
            check_signals()
        value = values[i]
        code = table.get(value)
        if code is None:
            code = -1 if is_unknown(value) else len(table)
            if code >= 0:
                table[value] = code
        coded[i] = code
    return result, table


def code_objects(list values not None, dict table not None):
    """The code of each value; -1 if the table does not have it or it is unknown."""
    cdef Py_ssize_t i
    cdef int32_t[::1] coded
    result = np.empty(len(values), dtype=np.int32)
    coded = result
    for i in range(len(values)):
        if i % CHUNK == 0:
            check_signals()
        code = table.get(values[i])
        coded[i] = -1 if code is None else code
    return result
