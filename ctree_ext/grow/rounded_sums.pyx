"""Sums that are rounded after every term, without adding every term.

A search that joins two of n terms has to know, for every pair, the sum of the others and of the joined one, to the last
bit, and that depends on the order of the additions: n^2 sums of n terms. But as long as a sum stays between two powers
of 2 (in one binade), all its values are multiples of one unit in the last place. Then a term adds a whole number of units,
which is the same whatever the sum, unless the term is half way between two of them: then rounding to even lets the last
bit of the sum decide. So what a row of terms adds is known from one bit of the sum. It is computed once for each row of
2, 4, 8, ... terms and each binade, and a sum leaps over as many terms as leave it in its binade; only the terms with
which it goes from one to the next are really added. A sum of n terms of one sign takes on the order of log(n)^2 steps.

Sums that are not positive are added term by term.
"""

import numpy as np

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport Memory, pool_raw
from ctree_ext.base.numeric cimport rounded

cdef enum:
    FEW = 8          # terms that are faster added than leapt over

cdef int64_t FAR = <int64_t> 1 << 56     # more units than there are in a binade
cdef int64_t NEVER = <int64_t> 1 << 60


cdef int sums_make_room(RoundedSums* sums, Memory memory, Py_ssize_t room, bint single) except -1 nogil:
    # For so many terms; a struct of zeros has none.
    cdef int slot
    sums.single = single
    if room <= sums.room:
        return 0
    memory.resize(<void**> &sums.terms, room, sizeof(double))
    memory.resize(<void**> &sums.before, room + 1, sizeof(double))
    if sums.slots == NULL:
        sums.slots = <Leaps*> memory.zeroed(N_SLOTS, sizeof(Leaps))
    for slot in range(N_SLOTS):
        memory.release(sums.slots[slot].all_)
        sums.slots[slot].all_ = NULL
        sums.slots[slot].exponent = 0
    sums.room = room
    return 0


cdef void sums_start(RoundedSums* sums, Py_ssize_t n, double first) noexcept nogil:
    # The terms are there, or have changed; their sum begins with `first`.
    cdef Py_ssize_t i
    cdef int slot
    sums.n = n
    sums.before[0] = first
    for i in range(n):
        sums.before[i + 1] = rounded(sums.before[i] + sums.terms[i], sums.single)
    for slot in range(N_SLOTS):
        sums.slots[slot].exponent = 0


cdef inline int _exponent(double x) noexcept nogil:
    # As it is stored: 0 for zero and denormal numbers, and not below 2048 for what is negative.
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(double))
    return <int> (bits >> 52)


cdef inline double _power(int exponent) noexcept nogil:
    # The power of 2 that is stored with this exponent.
    cdef uint64_t bits = <uint64_t> exponent << 52
    cdef double x
    memcpy(&x, &bits, sizeof(double))
    return x


cdef inline int64_t _units(const RoundedSums* sums) noexcept nogil:
    # How many there are in a binade.
    return <int64_t> 1 << (23 if sums.single else 52)


cdef inline bint _has_units(double x, bint single) noexcept nogil:
    # Whether a number is positive, normal and finite, and its unit normal, too.
    return (897 <= _exponent(x) < 1150) if single else (64 < _exponent(x) < 2046)


cdef void _leap_over_one(Leap* leap, double term, double low, double unit, bint single) noexcept nogil:
    # By trial: from the lower end of the binade upwards, from its upper end downwards.
    cdef int odd
    cdef double start, end
    for odd in range(2):
        start = (low if term >= 0 else 2 * low - 2 * unit) + odd * unit
        end = rounded(start + term, single)
        if not low <= end <= 2 * low:
            leap.sum[odd] = FAR
            leap.least[odd] = -NEVER
            leap.most[odd] = NEVER
            continue
        leap.sum[odd] = <int64_t> ((end - start) / unit)
        # Downwards it must not come to the end: below, the units are smaller.
        leap.least[odd] = leap.sum[odd] - 1 if term < 0 else NEVER
        leap.most[odd] = leap.sum[odd]


cdef void _leap_over_two(Leap* leap, const Leap* first, const Leap* second) noexcept nogil:
    cdef int odd, next_
    cdef int64_t sum_
    for odd in range(2):
        sum_ = first.sum[odd]
        next_ = <int> ((odd + sum_) & 1)
        if sum_ < FAR:
            sum_ += second.sum[next_]
        if not -FAR < sum_ < FAR or first.most[odd] >= FAR or second.most[next_] >= FAR:
            leap.sum[odd] = FAR
            leap.least[odd] = -NEVER
            leap.most[odd] = NEVER
            continue
        leap.sum[odd] = sum_
        leap.least[odd] = min(first.least[odd], second.least[next_] + first.sum[odd])
        leap.most[odd] = max(first.most[odd], second.most[next_] + first.sum[odd])


cdef Leaps* _leaps(RoundedSums* sums, int exponent, Memory memory) noexcept nogil:
    # Those of a binade; NULL if there is no memory for them.
    cdef Leaps* leaps = &sums.slots[exponent % N_SLOTS]
    cdef double low = _power(exponent), unit = low / <double> _units(sums)
    cdef Py_ssize_t i, n = sums.n
    cdef int level = 0
    cdef Leap* below
    if leaps.exponent == exponent:
        return leaps
    if leaps.all_ == NULL:
        leaps.all_ = <Leap*> pool_raw(&memory.pool, 2 * sums.room, sizeof(Leap))
        if leaps.all_ == NULL:
            return NULL
    leaps.exponent = exponent
    leaps.levels[0] = leaps.all_
    for i in range(n):
        _leap_over_one(&leaps.all_[i], sums.terms[i], low, unit, sums.single)
    while n > 1:
        below = leaps.levels[level]
        level += 1
        leaps.levels[level] = below + n
        n //= 2
        for i in range(n):
            _leap_over_two(&leaps.levels[level][i], &below[2 * i], &below[2 * i + 1])
    return leaps


cdef Py_ssize_t _leap(const Leaps* leaps, int64_t* place, int64_t first, Py_ssize_t start,
                      Py_ssize_t end) noexcept nogil:
    # Leap within the binade, in which the sum stands at `place`, as far as possible; the term that is next.
    cdef Py_ssize_t length = 1
    cdef int level = 0
    cdef int64_t last = 2 * first - 1
    cdef const Leap* leap
    while start < end:
        # the longest leap that begins here, or else a shorter one
        while start & length == 0 and start + 2 * length <= end:
            length *= 2
            level += 1
        while length:
            if start + length <= end:
                leap = &leaps.levels[level][start >> level]
                if place[0] + leap.most[place[0] & 1] <= last and place[0] + leap.least[place[0] & 1] >= first:
                    break
            length //= 2
            level -= 1
        if length == 0:
            break
        place[0] += leap.sum[place[0] & 1]
        start += length
    return start


cdef double sum_over(RoundedSums* sums, double total, Py_ssize_t start, Py_ssize_t end, Memory memory) noexcept nogil:
    # `total` and the terms from `start` to `end`, rounded after each.
    cdef Leaps* leaps
    cdef double unit
    cdef int64_t place
    while start < end:
        if end - start > FEW and _has_units(total, sums.single):
            leaps = _leaps(sums, _exponent(total), memory)
            if leaps != NULL:
                unit = _power(leaps.exponent) / <double> _units(sums)
                place = <int64_t> (total / unit)
                start = _leap(leaps, &place, _units(sums), start, end)
                total = <double> place * unit
                if start == end:
                    break
        total = rounded(total + sums.terms[start], sums.single)
        start += 1
    return total


cdef double sum_with_joined(RoundedSums* sums, Py_ssize_t i, Py_ssize_t j, double joined,
                            Memory memory) noexcept nogil:
    # The sum of all terms once `joined` has taken the place of term i, and the last term that of term j.
    cdef Py_ssize_t last = sums.n - 1
    cdef double total = rounded(sums.before[i] + joined, sums.single)
    total = sum_over(sums, total, i + 1, j, memory)
    if j < last:
        total = rounded(total + sums.terms[last], sums.single)
        total = sum_over(sums, total, j + 1, last, memory)
    return total


def sums_with_joined(const double[::1] terms, double first, const double[:, ::1] joined, bint single):
    """For every pair i < j the sum of `first` and the terms, with ``joined[i, j]`` and the last term in their places."""
    cdef RoundedSums sums
    cdef Memory memory = Memory()
    cdef Py_ssize_t n = terms.shape[0], i, j
    memset(&sums, 0, sizeof(RoundedSums))
    if joined.shape[0] != n or joined.shape[1] != n:
        raise ValueError("one joined term a pair")
    result = np.full((n, n), np.nan)
    cdef double[:, ::1] found = result
    sums_make_room(&sums, memory, n, single)
    for i in range(n):
        sums.terms[i] = terms[i]
    sums_start(&sums, n, first)
    with nogil:
        for i in range(n - 1):
            for j in range(i + 1, n):
                found[i, j] = sum_with_joined(&sums, i, j, joined[i, j], memory)
    return result
