"""Sort a continuous column once: its cases by value, and its distinct values."""

import numpy as np

from libc.float cimport FLT_MAX
from libc.math cimport isnan
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport Memory

cdef enum:
    DIGIT = 11
    BUCKETS = 2048  # 2 ** DIGIT
    PASSES = 3      # for 32 bits
    FEW_TIES = 32


ctypedef fused number_t:
    double
    float


ctypedef struct Keyed:
    uint64_t key
    int32_t row


cdef inline uint64_t _double_key(double value) noexcept nogil:
    # An unsigned integer in the order of the numbers, as `float_rank` for floats.
    cdef uint64_t bits
    value += 0.0  # -0.0 and 0.0 are one value
    memcpy(&bits, &value, 8)
    return bits ^ (0xFFFFFFFFFFFFFFFFULL if bits >> 63 else 0x8000000000000000ULL)


cdef double _held(double value, bint single) noexcept nogil:
    # The number as the learner stores it; beyond the range of a float it becomes the largest float.
    if not single:
        return value
    if value > FLT_MAX:
        return FLT_MAX
    if value < -FLT_MAX:
        return -FLT_MAX
    return <double> <float> value


cdef inline void _begin_at(uint32_t* start) noexcept nogil:
    # Turn the count of each digit into the place of its first element.
    cdef uint32_t total = 0, here
    cdef int d
    for d in range(BUCKETS):
        here = start[d]
        start[d] = total
        total += here


cdef Py_ssize_t _keys_of(const number_t* values, Py_ssize_t n, bint single, uint64_t* keyed,
                         uint32_t* starts) noexcept nogil:
    # The keys of the known cases, all 32 bits of a float or the upper half of a double, each above its row; and the
    # counts of each digit, for all passes at once.
    cdef Py_ssize_t i, known = 0
    cdef uint64_t key
    memset(starts, 0, PASSES * BUCKETS * sizeof(uint32_t))
    for i in range(n):
        if isnan(values[i]):
            continue
        key = float_rank(<float> _held(values[i], True)) if single else _double_key(values[i]) >> 32
        keyed[known] = key << 32 | <uint64_t> i
        known += 1
        starts[key & (BUCKETS - 1)] += 1
        starts[BUCKETS + ((key >> DIGIT) & (BUCKETS - 1))] += 1
        starts[2 * BUCKETS + (key >> (2 * DIGIT))] += 1
    return known


cdef uint64_t* _radix_sort(uint64_t* keyed, uint64_t* other, Py_ssize_t n, uint32_t* starts) noexcept nogil:
    # Stable, by the upper half. The result is in one of the two.
    cdef Py_ssize_t i
    cdef int p, shift = 32
    cdef uint32_t* start
    cdef uint64_t* swap
    for p in range(PASSES):
        start = starts + p * BUCKETS
        if start[(keyed[0] >> shift) & (BUCKETS - 1)] != <uint32_t> n:
            _begin_at(start)
            for i in range(n):
                other[start[(keyed[i] >> shift) & (BUCKETS - 1)]] = keyed[i]
                start[(keyed[i] >> shift) & (BUCKETS - 1)] += 1
            swap = keyed
            keyed = other
            other = swap
        shift += DIGIT
    return keyed


cdef void _sort_all_bits(Keyed* keyed, Keyed* other, Py_ssize_t n) noexcept nogil:
    # Stable, by 64 bits; the result is in `keyed`.
    cdef uint32_t[BUCKETS] start
    cdef Py_ssize_t i
    cdef int shift = 0
    cdef Keyed* swap
    cdef Keyed* source = keyed
    while shift < 64:
        memset(start, 0, sizeof(start))
        for i in range(n):
            start[(source[i].key >> shift) & (BUCKETS - 1)] += 1
        if start[(source[0].key >> shift) & (BUCKETS - 1)] != <uint32_t> n:
            _begin_at(start)
            for i in range(n):
                other[start[(source[i].key >> shift) & (BUCKETS - 1)]] = source[i]
                start[(source[i].key >> shift) & (BUCKETS - 1)] += 1
            swap = source
            source = other
            other = swap
        shift += DIGIT
    if source != keyed:
        memcpy(keyed, source, n * sizeof(Keyed))


cdef void _sort_group(const double* values, uint64_t* keyed, Keyed* spare, Py_ssize_t n) noexcept nogil:
    # Cases that agree in the upper half of their keys.
    cdef Py_ssize_t i, j
    cdef Keyed here
    for i in range(n):
        spare[i].row = <int32_t> <uint32_t> keyed[i]
        spare[i].key = _double_key(values[spare[i].row])
    if n > FEW_TIES:
        _sort_all_bits(spare, spare + n, n)
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


cdef void _sort_ties(const double* values, uint64_t* keyed, Py_ssize_t n, uint64_t* scratch) noexcept nogil:
    # Sort what the upper half of the keys leaves undecided.
    cdef Py_ssize_t i, first = 0
    for i in range(1, n + 1):
        if i < n and keyed[i] >> 32 == keyed[first] >> 32:
            continue
        if i - first > 1:
            _sort_group(values, keyed + first, <Keyed*> scratch, i - first)
        first = i


cdef Py_ssize_t _fill_floats(const number_t* values, const uint64_t* keyed, Py_ssize_t n, Entry* order,
                             float* distinct) noexcept nogil:
    # Fill the entries and the distinct values; returns how many. -0.0 is 0.0.
    cdef Py_ssize_t i, n_distinct = 0
    for i in range(n):
        order[i].rank = <uint32_t> (keyed[i] >> 32)
        order[i].row = <int32_t> <uint32_t> keyed[i]
        if i == 0 or order[i].rank != order[i - 1].rank:
            distinct[n_distinct] = <float> _held(values[order[i].row], True) + <float> 0.0
            n_distinct += 1
    return n_distinct


cdef Py_ssize_t _fill_doubles(const double* values, const uint64_t* keyed, Py_ssize_t n, Entry* order,
                              double* distinct) noexcept nogil:
    # The same for doubles.
    cdef Py_ssize_t i, n_distinct = 0
    cdef double value
    for i in range(n):
        order[i].row = <int32_t> <uint32_t> keyed[i]
        value = values[order[i].row] + 0.0
        if i == 0 or keyed[i] >> 32 != keyed[i - 1] >> 32 or value != distinct[n_distinct - 1]:
            distinct[n_distinct] = value
            n_distinct += 1
        order[i].rank = <uint32_t> (n_distinct - 1)
    return n_distinct


cdef Py_ssize_t _fill_ranks(const double* values, const uint64_t* keyed, Py_ssize_t n, const uint16_t* classes,
                            int bits, Entry* order) noexcept nogil:
    # Fill the entries, with their classes; returns how many distinct values there are.
    cdef Py_ssize_t i, n_distinct = 0
    cdef int32_t row
    for i in range(n):
        row = <int32_t> <uint32_t> keyed[i]
        n_distinct += i == 0 or keyed[i] >> 32 != keyed[i - 1] >> 32 or values[row] != values[order[i - 1].row]
        order[i].row = row
        order[i].rank = <uint32_t> (n_distinct - 1) << bits
        if bits:
            order[i].rank |= classes[row]
    return n_distinct


cdef void _list_unknown(const number_t* values, Py_ssize_t n, Py_ssize_t known, Entry* order) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if isnan(values[i]):
            order[known].rank = UNKNOWN_RANK
            order[known].row = <int32_t> i
            known += 1


cdef uint32_t most_near(const double* distinct, Py_ssize_t n) noexcept nogil:
    # The greatest distance of two ranks whose values are too near to each other for a threshold.
    cdef Py_ssize_t low = 0, high, most = 0
    for high in range(n):
        while distinct[low] + NEAR < distinct[high]:
            low += 1
        most = max(most, high - low)
    return <uint32_t> most


cdef bint is_spaced(const float* distinct, Py_ssize_t n) noexcept nogil:
    # Whether no two values are too near to each other for a threshold.
    cdef Py_ssize_t i
    for i in range(n - 1):
        if not <double> distinct[i] < <double> distinct[i + 1] - NEAR:
            return False
    return True


cdef int allocate_column(Sorted* column, Py_ssize_t n, bint single, bint with_values, Memory memory) except -1:
    # Memory for a column of n cases, and for its distinct values if they are wanted.
    memset(column, 0, sizeof(Sorted))
    column.order = <Entry*> memory.raw(n, sizeof(Entry))
    if with_values and single:
        column.distinct32 = <float*> memory.raw(n, sizeof(float))
    elif with_values:
        column.distinct64 = <double*> memory.raw(n, sizeof(double))
    return 0


cdef void sort_column(const double* values, const float* short_values, Py_ssize_t n, bint single, Sorted* column,
                      uint64_t* scratch) noexcept nogil:
    # Fill an allocated column; rows ascend among equal values, unknown ones stand last. One of the two has the values.
    # `scratch` is as large as `sorting_scratch_size` says.
    if short_values != NULL:
        _sort_single(short_values, n, column, scratch)
    elif single:
        _sort_single(values, n, column, scratch)
    else:
        _sort_double(values, n, column, scratch)


cdef void _sort_single(const number_t* values, Py_ssize_t n, Sorted* column, uint64_t* scratch) noexcept nogil:
    cdef uint32_t[PASSES * BUCKETS] starts
    cdef Py_ssize_t known = _keys_of(values, n, True, scratch, starts)
    cdef uint64_t* keyed = scratch
    if known > 1:
        keyed = _radix_sort(scratch, scratch + n, known, starts)
    column.n_distinct = _fill_floats(values, keyed, known, column.order, column.distinct32)
    column.spaced = is_spaced(column.distinct32, column.n_distinct)
    if known < n:
        _list_unknown(values, n, known, column.order)


cdef void _sort_double(const double* values, Py_ssize_t n, Sorted* column, uint64_t* scratch) noexcept nogil:
    cdef uint32_t[PASSES * BUCKETS] starts
    cdef Py_ssize_t known = _keys_of(values, n, False, scratch, starts)
    cdef uint64_t* keyed = scratch
    if known > 1:
        keyed = _radix_sort(scratch, scratch + n, known, starts)
    _sort_ties(values, keyed, known, scratch + 2 * n)
    column.n_distinct = _fill_doubles(values, keyed, known, column.order, column.distinct64)
    column.most_near = most_near(column.distinct64, column.n_distinct)
    column.spaced = column.most_near == 0
    if known < n:
        _list_unknown(values, n, known, column.order)


cdef int class_bits_of(Py_ssize_t n, int n_classes) noexcept nogil:
    # How many bits of a rank hold a class; 0 where there is no room for both.
    cdef int bits = 0
    while n_classes > 1 << bits:
        bits += 1
    return 0 if <uint64_t> (n + 1) << bits >= UNKNOWN_RANK else bits


cdef void sort_with_classes(const double* values, Py_ssize_t n, const uint16_t* classes, int n_classes, Sorted* column,
                            uint64_t* scratch) noexcept nogil:
    # The same for doubles, with the classes in the ranks if there are bits for both, and without the distinct values.
    cdef uint32_t[PASSES * BUCKETS] starts
    cdef Py_ssize_t known
    cdef uint64_t* keyed = scratch
    column.class_bits = class_bits_of(n, n_classes)
    known = _keys_of(values, n, False, scratch, starts)
    if known > 1:
        keyed = _radix_sort(scratch, scratch + n, known, starts)
    _sort_ties(values, keyed, known, scratch + 2 * n)
    column.n_distinct = _fill_ranks(values, keyed, known, classes, column.class_bits, column.order)
    column.apart = column.n_distinct == known
    if known < n:
        _list_unknown(values, n, known, column.order)


def sorted_column(const double[::1] values, bint single=True):
    """Rows by value (unknown last), the value of each as the learner stores it, and the distinct values."""
    cdef Py_ssize_t n = values.shape[0], i
    cdef Sorted column
    cdef Memory memory = Memory()
    cdef uint64_t[::1] scratch
    rows_array = np.empty(n, dtype=np.int32)
    held_array = np.full(n, np.nan)
    cdef int32_t[::1] rows = rows_array
    cdef double[::1] held_values = held_array
    if n == 0:
        return rows_array, held_array, np.empty(0)
    scratch = np.empty(sorting_scratch_size(n), dtype=np.uint64)
    allocate_column(&column, n, single, True, memory)
    sort_column(&values[0], NULL, n, single, &column, &scratch[0])
    for i in range(n):
        rows[i] = column.order[i].row
        if column.order[i].rank != UNKNOWN_RANK:
            held_values[i] = value_of_rank(&column, column.order[i].rank)
    distinct = np.array([distinct_value(&column, i) for i in range(column.n_distinct)])
    return rows_array, held_array, distinct
