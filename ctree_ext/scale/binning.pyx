"""Numbers to bins: a table says about where to look among the cuts, a few comparisons say where exactly."""

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory

import numpy as np

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define prefetch(address) __builtin_prefetch(address)
    #else
    #define prefetch(address) ((void)0)
    #endif
    """
    void prefetch(const void* address) noexcept nogil

MOST_BINS = 65_535
"""A code of two bytes has one more value, which is for unknown."""

cdef enum:
    MOST = 65_535
    MOST_BUCKETS = 1 << 17  # 256 KB, beside 512 KB of cuts
    PADDING = 4  # cuts that are looked at without asking whether there are any
    MOST_WORK = 6  # of a table: so many cuts have those that share a bucket with some cut, on average
    AT_ONCE = 64  # numbers that are looked up together

ctypedef fused Code:
    uint8_t
    uint16_t

ctypedef struct Places:
    # Where in the table a number is looked up: by its distance from the least cut, or, where the cuts are spread over
    # many magnitudes, by its leading bits. Both grow with the number, and no more is asked of them.
    bint by_bits
    Py_ssize_t n_buckets
    double low, scale
    uint64_t low_bits
    int shift


cdef inline uint64_t ordered_bits(double x) noexcept nogil:
    # As a whole number that grows with x.
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(bits))
    return ~bits if bits >> 63 else bits | (<uint64_t>1 << 63)


cdef inline Py_ssize_t bucket_of(const Places* places, double x) noexcept nogil:
    cdef double distance
    cdef uint64_t bits
    cdef Py_ssize_t bucket
    if not places.by_bits:
        distance = (x - places.low) * places.scale
        if not distance > 0:
            return 0
        return <Py_ssize_t>distance if distance < places.n_buckets else places.n_buckets - 1
    bits = ordered_bits(x)
    if bits <= places.low_bits:
        return 0
    bucket = <Py_ssize_t>((bits - places.low_bits) >> places.shift)
    return bucket if bucket < places.n_buckets else places.n_buckets - 1


cdef class Binner:
    """The bins between cuts, for one column.

    Parameters
    ----------
    cuts : array of float64
        Ascending and finite, at most 65,534. Bin b holds the numbers above ``cuts[b - 1]`` up to ``cuts[b]``.
    """

    cdef Memory memory
    cdef Py_ssize_t n_cuts
    cdef Py_ssize_t n_halves  # the greatest power of two that is not above the number of bins
    cdef double* cuts  # and after them infinity
    cdef bint by_halves  # no table serves: cuts are found by bisection, many numbers abreast
    cdef uint16_t* table  # of each bucket, how many cuts are in those before it; and of all of them
    cdef Places places

    def __cinit__(self, const double[::1] cuts not None):
        cdef Py_ssize_t i
        cdef Places linear, by_bits
        cdef double work
        self.n_cuts = cuts.shape[0]
        if self.n_cuts >= MOST:
            raise ValueError("too many cuts")
        for i in range(self.n_cuts):
            if not isfinite(cuts[i]) or (i and not cuts[i - 1] < cuts[i]):
                raise ValueError("the cuts are not ascending and finite")
        self.memory = Memory()
        self.n_halves = 1
        while 2 * self.n_halves <= self.n_cuts + 1:
            self.n_halves *= 2
        self.cuts = <double*>self.memory.raw(2 * self.n_halves + PADDING, sizeof(double))
        for i in range(2 * self.n_halves + PADDING):
            self.cuts[i] = cuts[i] + 0.0 if i < self.n_cuts else INFINITY
        linear.n_buckets = 1
        while linear.n_buckets < min(4 * self.n_cuts, MOST_BUCKETS):
            linear.n_buckets *= 2
        self.table = <uint16_t*>self.memory.raw(linear.n_buckets + 1, sizeof(uint16_t))
        linear.by_bits, by_bits = False, linear
        self._place(&linear, &by_bits)
        if not isfinite(linear.scale) or not linear.scale > 0:
            linear.scale = 0  # then all are in the first bucket, unless the bits are better
        work = self._work(&linear)
        self.places = linear
        if self._work(&by_bits) < work:
            work = self._work(&by_bits)
            self.places = by_bits
        self._fill(&self.places)
        self.by_halves = work > MOST_WORK * self.n_cuts

    cdef void _place(self, Places* linear, Places* by_bits) noexcept:
        # Both ways, so that the buckets reach from the least cut to the greatest.
        cdef uint64_t width
        by_bits.by_bits = True
        by_bits.shift, by_bits.low_bits = 0, 0
        linear.low, linear.scale = 0, 0
        if not self.n_cuts:
            return
        linear.low = self.cuts[0]
        linear.scale = linear.n_buckets / (self.cuts[self.n_cuts - 1] - self.cuts[0])
        by_bits.low_bits = ordered_bits(self.cuts[0])
        width = ordered_bits(self.cuts[self.n_cuts - 1]) - by_bits.low_bits
        while width >> by_bits.shift >= <uint64_t>by_bits.n_buckets:
            by_bits.shift += 1

    cdef void _fill(self, const Places* places) noexcept:
        cdef Py_ssize_t i = 0, bucket
        for bucket in range(places.n_buckets + 1):
            while i < self.n_cuts and bucket_of(places, self.cuts[i]) < bucket:
                i += 1
            self.table[bucket] = <uint16_t>i

    cdef double _work(self, const Places* places) noexcept:
        # Comparisons for numbers that lie as the cuts do.
        cdef Py_ssize_t bucket
        cdef double n, work = 0
        self._fill(places)
        for bucket in range(places.n_buckets):
            n = self.table[bucket + 1] - self.table[bucket]
            work += n * n
        return work

    @property
    def n_bins(self):
        return self.n_cuts + 1

    cdef inline Py_ssize_t bin_of(self, double x, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        # How many cuts are below x, of which those up to `low` are, and those from `high` on are not. Mostly these are
        # near each other, and comparisons cost less than a jump that cannot be foreseen.
        cdef Py_ssize_t middle
        while high - low > PADDING:
            middle = (low + high) >> 1
            if self.cuts[middle] < x:
                low = middle + 1
            else:
                high = middle
        return (
            low + (self.cuts[low] < x) + (self.cuts[low + 1] < x) + (self.cuts[low + 2] < x) + (self.cuts[low + 3] < x)
        )

    cdef Py_ssize_t code_some(
        self, const double* numbers, Code* codes, Py_ssize_t n, double* ends, Py_ssize_t* n_unknown, bint* negative
    ) noexcept nogil:
        # The codes of some numbers, in steps that each fetch what the next needs; the place of an infinite one, or -1.
        cdef Py_ssize_t i, bucket
        cdef double x
        cdef double* end
        cdef uint32_t[AT_ONCE] where
        cdef Py_ssize_t half
        for i in range(n):
            if not numbers[i] - numbers[i] == 0 and numbers[i] == numbers[i]:
                return i
        if self.by_halves:
            for i in range(n):
                where[i] = 0
            half = self.n_halves
            while half:
                for i in range(n):
                    where[i] += <uint32_t>half * (self.cuts[where[i] + half - 1] < numbers[i])
                half >>= 1
        else:
            for i in range(n):
                where[i] = <uint32_t>bucket_of(&self.places, numbers[i])
                prefetch(self.table + where[i])
            for i in range(n):
                prefetch(self.cuts + self.table[where[i]])
            for i in range(n):
                bucket = where[i]
                where[i] = <uint32_t>self.bin_of(numbers[i], self.table[bucket], self.table[bucket + 1])
                prefetch(ends + 2 * where[i])
        for i in range(n):
            x = numbers[i]
            if x != x:
                codes[i] = 0
                n_unknown[0] += 1
                continue
            if x == 0:
                negative[0] |= ordered_bits(x) >> 63 == 0
                x = 0
            codes[i] = <Code>(where[i] + 1)
            end = ends + 2 * where[i]
            if x < end[0]:
                end[0] = x
            if x > end[1]:
                end[1] = x
        return -1

    def code(self, const double[::1] numbers not None, Code[::1] codes not None, double[:, ::1] ends not None):
        """The code of each number: 0 if it is unknown (NaN), else its bin + 1.

        Parameters
        ----------
        numbers : array of float64
        codes : array of uint8 or uint16
            Is filled.
        ends : array (bins, 2)
            The least and the greatest number of each bin so far, which are brought up to date.

        Returns
        -------
        n_unknown : int
        infinite : int
            The place of the first infinite number, where the codes end; -1 if there is none.
        negative_zeros : bool
            Whether some number is -0.0, which was taken for 0.0.
        """
        cdef Py_ssize_t n = numbers.shape[0], start = 0, n_unknown = 0, infinite = -1
        cdef bint negative = False
        cdef Watch watch
        if codes.shape[0] != n or ends.shape[0] != self.n_cuts + 1 or ends.shape[1] != 2:
            raise ValueError("the arrays differ in length")
        if self.n_cuts + 1 > <Code>-1:
            raise ValueError("there are more bins than codes")
        watch.work, watch.stop, watch.deadline = 0, NULL, 0
        with nogil:
            while start < n and infinite < 0:
                infinite = self.code_some(
                    &numbers[start], &codes[start], min(n - start, <Py_ssize_t>AT_ONCE), &ends[0, 0], &n_unknown, &negative
                )
                if infinite >= 0:
                    infinite += start
                start += AT_ONCE
                check_after(&watch, 8 * AT_ONCE)
        return n_unknown, infinite, bool(negative)


def empty_ends(Py_ssize_t n_bins):
    """The least and the greatest number of bins that are empty."""
    ends = np.empty((n_bins, 2))
    ends[:, 0], ends[:, 1] = np.inf, -np.inf
    return ends
