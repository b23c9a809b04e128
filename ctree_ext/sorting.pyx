"""Sort a continuous column once: its cases by value, and its distinct values."""

import numpy as np

from libc.float cimport FLT_MAX
from libc.math cimport isnan
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    DIGIT = 11
    BUCKETS = 2048  # 2 ** DIGIT
    FEW_TIES = 32


ctypedef struct Keyed:
    uint64_t key
    int32_t row


ctypedef fused keyed_t:
    uint64_t  # of a float: its rank, and below it its row
    Keyed     # of a double


cdef inline uint64_t _double_key(double value) noexcept nogil:
    # An unsigned integer in the order of the numbers, as `float_rank` for floats.
    cdef uint64_t bits
    value += 0.0  # -0.0 and 0.0 are one value
    memcpy(&bits, &value, 8)
    return bits ^ (0xFFFFFFFFFFFFFFFFULL if bits >> 63 else 0x8000000000000000ULL)


cdef inline uint64_t _key_of(keyed_t keyed) noexcept nogil:
    if keyed_t is Keyed:
        return keyed.key
    else:
        return keyed >> 32


cdef double held(double value, bint single) noexcept nogil:
    # The number as the learner holds it; what a float cannot hold becomes the greatest float.
    if not single:
        return value
    if value > FLT_MAX:
        return FLT_MAX
    if value < -FLT_MAX:
        return -FLT_MAX
    return <double> <float> value


cdef void _radix_sort(keyed_t* keyed, keyed_t* other, Py_ssize_t n) noexcept nogil:
    # Stable; the result is in `keyed` whatever the number of passes.
    cdef Py_ssize_t[BUCKETS] start
    cdef Py_ssize_t i, total, here
    cdef int shift = 0, d, bits = 32
    cdef keyed_t* swap
    cdef keyed_t* source = keyed
    cdef keyed_t* target = other
    if keyed_t is Keyed:
        bits = 64
    while shift < bits:
        memset(start, 0, sizeof(start))
        for i in range(n):
            start[(_key_of(source[i]) >> shift) & (BUCKETS - 1)] += 1
        if start[(_key_of(source[0]) >> shift) & (BUCKETS - 1)] != n:
            total = 0
            for d in range(BUCKETS):
                here = start[d]
                start[d] = total
                total += here
            for i in range(n):
                d = (_key_of(source[i]) >> shift) & (BUCKETS - 1)
                target[start[d]] = source[i]
                start[d] += 1
            swap = source
            source = target
            target = swap
        shift += DIGIT
    if source != keyed:
        memcpy(keyed, source, n * sizeof(keyed_t))


cdef int _sort_floats(const double* values, Py_ssize_t n, Entry* order) noexcept nogil:
    cdef Py_ssize_t i, known = 0
    cdef uint64_t* keyed = <uint64_t*> malloc(2 * max(n, 1) * sizeof(uint64_t))
    if keyed == NULL:
        return -1
    for i in range(n):
        if not isnan(values[i]):
            keyed[known] = <uint64_t> float_rank(<float> held(values[i], True)) << 32 | <uint64_t> i
            known += 1
    if known > 1:
        _radix_sort(keyed, keyed + max(n, 1), known)
    for i in range(known):
        order[i].rank = <uint32_t> (keyed[i] >> 32)
        order[i].row = <int32_t> <uint32_t> keyed[i]
    free(keyed)
    return 0


cdef void _sort_ties(const double* values, uint64_t* keyed, Keyed* spare, Py_ssize_t n) noexcept nogil:
    # Cases that agree in the upper half of their keys.
    cdef Py_ssize_t i, j
    cdef Keyed here
    for i in range(n):
        spare[i].row = <int32_t> <uint32_t> keyed[i]
        spare[i].key = _double_key(values[spare[i].row])
    if n > FEW_TIES:
        _radix_sort(spare, spare + n, n)
    else:
        for i in range(1, n):
            here = spare[i]
            j = i
            while j > 0 and spare[j - 1].key > here.key:
                spare[j] = spare[j - 1]
                j -= 1
            spare[j] = here
    for i in range(n):
        keyed[i] = (keyed[i] >> 32) << 32 | <uint64_t> spare[i].row


cdef int _sort_doubles(const double* values, Py_ssize_t n, Entry* order) noexcept nogil:
    # By the upper half of the keys, which mostly decides, then by the rest where it does not.
    cdef Py_ssize_t i, known = 0, last = -1, first = 0
    cdef uint64_t* keyed = <uint64_t*> malloc(2 * max(n, 1) * sizeof(uint64_t))
    cdef Keyed* spare = NULL
    if keyed == NULL:
        return -1
    for i in range(n):
        if not isnan(values[i]):
            keyed[known] = (_double_key(values[i]) >> 32) << 32 | <uint64_t> i
            known += 1
    if known > 1:
        _radix_sort(keyed, keyed + max(n, 1), known)
    for i in range(1, known + 1):
        if i < known and keyed[i] >> 32 == keyed[first] >> 32:
            continue
        if i - first > 1:
            if spare == NULL:
                spare = <Keyed*> malloc(2 * known * sizeof(Keyed))
            if spare == NULL:
                free(keyed)
                return -1
            _sort_ties(values, keyed + first, spare, i - first)
        first = i
    for i in range(known):
        order[i].row = <int32_t> <uint32_t> keyed[i]
        if i == 0 or keyed[i] >> 32 != keyed[i - 1] >> 32:
            last += 1
        else:
            last += _double_key(values[order[i].row]) != _double_key(values[order[i - 1].row])
        order[i].rank = <uint32_t> last
    free(keyed)
    free(spare)
    return 0


cdef uint32_t _most_near(const double* distinct, Py_ssize_t n) noexcept nogil:
    # The greatest distance of two ranks whose values are too near to each other for a threshold.
    cdef Py_ssize_t low = 0, high, most = 0
    for high in range(n):
        while distinct[low] + NEAR < distinct[high]:
            low += 1
        most = max(most, high - low)
    return <uint32_t> most


cdef int sort_column(const double* values, Py_ssize_t n, bint single, Sorted* column) noexcept nogil:
    # Fill `column`; rows ascend among equal values, unknown ones stand last. -1 without memory.
    cdef Py_ssize_t i, known = 0, unknown, last = -1
    cdef double value
    column.n_distinct = 0
    column.distinct32 = NULL
    column.distinct64 = NULL
    column.order = <Entry*> malloc(max(n, 1) * sizeof(Entry))
    if column.order == NULL:
        return -1
    if (_sort_floats(values, n, column.order) if single else _sort_doubles(values, n, column.order)) < 0:
        return -1
    for i in range(n):
        known += not isnan(values[i])
    unknown = known
    for i in range(n):
        if isnan(values[i]):
            column.order[unknown].rank = UNKNOWN_RANK
            column.order[unknown].row = <int32_t> i
            unknown += 1
    for i in range(known):
        column.n_distinct += i == 0 or column.order[i].rank != column.order[i - 1].rank
    if single:
        column.distinct32 = <float*> malloc(max(column.n_distinct, 1) * sizeof(float))
    else:
        column.distinct64 = <double*> malloc(max(column.n_distinct, 1) * sizeof(double))
    if column.distinct32 == NULL and column.distinct64 == NULL:
        return -1
    # Of 0.0 and -0.0, which are one value, the first in the file gives the sign.
    for i in range(known):
        if i == 0 or column.order[i].rank != column.order[i - 1].rank:
            last += 1
            value = held(values[column.order[i].row], single)
            if single:
                column.distinct32[last] = <float> value
            else:
                column.distinct64[last] = value
    if not single:
        column.most_near = _most_near(column.distinct64, column.n_distinct)
    return 0


cdef void sorted_free(Sorted* column) noexcept nogil:
    free(column.order)
    free(column.distinct32)
    free(column.distinct64)
    memset(column, 0, sizeof(Sorted))


def sorted_column(const double[::1] values, bint single=True):
    """Rows by value (unknown last), the value of each as the learner holds it, and the distinct values."""
    cdef Py_ssize_t n = values.shape[0], i
    cdef Sorted column
    rows_array = np.empty(n, dtype=np.int32)
    held_array = np.full(n, np.nan)
    cdef int32_t[::1] rows = rows_array
    cdef double[::1] held_values = held_array
    if n == 0:
        return rows_array, held_array, np.empty(0)
    if sort_column(&values[0], n, single, &column) < 0:
        sorted_free(&column)
        raise MemoryError
    for i in range(n):
        rows[i] = column.order[i].row
        if column.order[i].rank != UNKNOWN_RANK:
            held_values[i] = value_of_rank(&column, column.order[i].rank)
    distinct = np.array([distinct_value(&column, i) for i in range(column.n_distinct)])
    sorted_free(&column)
    return rows_array, held_array, distinct
