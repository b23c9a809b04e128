"""What tests gain at a node of which only counts are known, to the bit as a grower that has the cases would find it.

The numbers of a continuous attribute are in pieces, as in `bracket`. A cut between two pieces has an exact gain, in the
arithmetic of `GainRatioGrower` in 64 bits; for the cuts within a closed piece there is a bound.
"""

import numpy as np

from libc.math cimport log
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport LN2, NO_GAIN, at_most, same, x_log_x
from ctree_ext.base.numeric cimport SMALL as J48_SMALL
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.criteria cimport EPSILON, LogTables, gain, split_info, threshold_base_info
from ctree_ext.grow.groups cimport test_of_groups
from ctree_ext.grow.scratch cimport Scratch, scratch_init
from ctree_ext.grow.value_tests cimport test_of_single_value, test_of_values

MARGIN = EPSILON
"""Gains are compared no finer than this."""

SMALL = J48_SMALL
"""In J48, numbers nearer than this are equal."""


cdef class GainBracket:
    """Weigh the tests of nodes by their counts, in 64 bits and by the rules of release 8 or of J48.

    Parameters
    ----------
    n_classes : int
    tabled : int
        Up to so many cases, logarithms are in a table.
    most_values : int
        Of any discrete attribute.
    min_cases : float
        Two branches of every test must have so many cases.
    gain_only : bool
        Judge tests by gain instead of gain ratio.
    group_values, binary_splits : bool
        Test groups of values of a discrete attribute, or one value against the others.
    mdl_correction : bool
        Whether a threshold pays for being chosen among many.
    j48 : bool
        Whether the rules are those of J48.
    """

    cdef LogTables tables
    cdef Memory memory
    cdef Scratch scratch
    cdef Watch watch
    cdef int32_t* group
    cdef double* known
    cdef int C, most_values
    cdef readonly double min_cases
    cdef readonly bint gain_only
    cdef bint group_values, binary_splits, mdl_correction
    cdef double small  # 0 in release 8

    def __cinit__(self, int n_classes, *, Py_ssize_t tabled=0, int most_values=2, double min_cases=2.0,
                  bint gain_only=False, bint group_values=False, bint binary_splits=False, bint mdl_correction=True,
                  bint j48=False):
        self.small = J48_SMALL if j48 else 0.0
        self.tables = LogTables(tabled, False, self.small)
        self.C = n_classes
        self.most_values = max(most_values, 2)
        self.min_cases = min_cases
        self.gain_only = gain_only
        self.group_values = group_values
        self.binary_splits = binary_splits
        self.mdl_correction = mdl_correction
        self.memory = Memory()
        scratch_init(&self.scratch, self.memory, self.most_values, n_classes, 1)
        self.group = <int32_t*> self.memory.raw(self.most_values, sizeof(int32_t))
        self.known = <double*> self.memory.raw(n_classes, sizeof(double))

    def is_leaf(self, const double[::1] counts):
        """Whether a node with these class counts is a leaf before any test is looked for."""
        cdef double cases = 0.0, most = 0.0
        cdef Py_ssize_t c
        for c in range(counts.shape[0]):
            cases += counts[c]
            most = max(most, counts[c])
        return (most >= cases or same(most, cases, self.small)
                or 2 * self.min_cases - cases > self.small)

    def discrete(self, const double[:, ::1] counts, double total):
        """The best test of a discrete attribute, whose values, the unknown one first, have these class counts.

        Returns
        -------
        (gain, info, group), or None
            What it gains, the information in its outcome, and the branch of each value, None if each has its own.
        """
        cdef GainCandidate best
        cdef int n_values = <int> counts.shape[0] - 1
        cdef double min_cases = self.min_cases
        cdef bint grouped = self.group_values and n_values > 2
        if counts.shape[1] != self.C or not 0 <= n_values <= self.most_values:
            raise ValueError("the count matrix does not fit the bracket")
        memcpy(self.scratch.counts, &counts[0, 0], counts.shape[0] * counts.shape[1] * sizeof(double))
        with nogil:
            if grouped:
                test_of_groups(&best, n_values, self.C, total, &min_cases, self.gain_only, &self.tables.logs,
                               &self.scratch, self.group, self.memory, &self.watch)
            elif self.binary_splits:
                best = test_of_single_value(n_values, self.C, total, min_cases, &self.tables.logs, &self.scratch,
                                            self.group)
            else:
                best = test_of_values(n_values, self.C, total, min_cases, &self.tables.logs, &self.scratch)
        if not best.gain > -EPSILON:
            return None
        if best.n_groups == 0:
            return best.gain, best.split_info, None
        return best.gain, best.split_info, np.array([self.group[v] for v in range(n_values)], dtype=np.int32)

    def least_split(self, double known, double n_known):
        """The weight that the known cases on either side of a cut must have; -1 if there can be no cut.

        `known` is what they weigh, and `n_known` how many there are.
        """
        cdef double least = 0.10 * known / self.C
        if at_most(least, self.min_cases, self.small):
            least = self.min_cases
        elif least - 25 > self.small:
            least = 25
        if self.small > 0:
            # J48 asks for as many cases, whatever they weigh, as two such sides weigh
            return least - self.small if n_known >= 2 * least - self.small and known > 0 else -1.0
        return least if known >= 2 * self.min_cases and known > 0 else -1.0

    def cost(self, Py_ssize_t n_cuts, double total):
        """What choosing one of so many cuts costs, at a node of this weight."""
        return log(<double> n_cuts) / LN2 / total if self.mdl_correction and n_cuts > 1 else 0.0

    cdef double sum_classes(self, const double* counts, Py_ssize_t n_pieces) noexcept nogil:
        cdef double known = 0.0
        cdef Py_ssize_t p
        cdef int c
        for c in range(self.C):
            self.known[c] = 0.0
            for p in range(n_pieces):
                self.known[c] += counts[p * self.C + c]
            known += self.known[c]
        return known

    def gains(self, const double[:, ::1] counts, const uint8_t[::1] cuts, double total):
        """What each of these cuts gains, behind pieces with these class counts; -inf elsewhere."""
        cdef Py_ssize_t p, n_pieces = counts.shape[0]
        cdef int c, C = self.C
        cdef double known, unknown_rate, base, min_cases = 0.0 if self.small > 0 else self.min_cases
        cdef double[2] branch
        cdef double* low = self.scratch.sides
        cdef double[::1] result
        if counts.shape[1] != C or cuts.shape[0] != max(n_pieces - 1, 0):
            raise ValueError("the counts do not fit the bracket")
        array = np.full(max(n_pieces - 1, 0), -np.inf)
        result = array
        if n_pieces < 2:
            return array
        with nogil:
            known = self.sum_classes(&counts[0, 0], n_pieces)
            unknown_rate = 1.0 - known / total
            base = threshold_base_info(self.known, C, known, &self.tables.logs)
            for c in range(C):
                low[c] = 0.0
            branch[0] = 0.0
            for p in range(n_pieces - 1):
                for c in range(C):
                    low[c] += counts[p, c]
                    branch[0] += counts[p, c]
                if cuts[p]:
                    branch[1] = known - branch[0]
                    for c in range(C):
                        low[C + c] = self.known[c] - low[c]
                    result[p] = gain(low, branch, 2, C, known, unknown_rate, base, min_cases, &self.tables.logs)
        return array

    def bounds(self, const double[:, ::1] counts, const uint8_t[::1] closed, double total):
        """What a cut within each of these pieces gains at most; -inf for the others."""
        cdef Py_ssize_t p, n_pieces = counts.shape[0]
        cdef int c, C = self.C
        cdef double known, base, T, start = 0.0, size, slope, bound, left, right, l
        cdef double* low = self.scratch.sides
        cdef double[::1] result
        if counts.shape[1] != C or closed.shape[0] != n_pieces:
            raise ValueError("the counts do not fit the bracket")
        array = np.full(n_pieces, -np.inf)
        result = array
        if n_pieces == 0:
            return array
        with nogil:
            known = self.sum_classes(&counts[0, 0], n_pieces)
            base = x_log_x(known, &self.tables.logs)
            for c in range(C):
                base -= x_log_x(self.known[c], &self.tables.logs)
                low[c] = 0.0
            for p in range(n_pieces):
                size = 0.0
                for c in range(C):
                    size += counts[p, c]
                if closed[p] and size > 0:
                    # With T cases below a cut, l of a class, N times its gain is a sum of h(l) less G(T), both convex.
                    # G lies above its tangent in the middle, of slope s; h(l) - s l is greatest at one of the two ends.
                    T = start + size / 2
                    slope = (log(T) - log(known - T)) / LN2
                    bound = base + slope * T - x_log_x(T, &self.tables.logs) - x_log_x(known - T, &self.tables.logs)
                    for c in range(C):
                        l = low[c]
                        left = self.both(l, c) - slope * l
                        if counts[p, c] > 0:
                            l += counts[p, c]
                            right = self.both(l, c) - slope * l
                            left = max(left, right)
                        bound += left
                    result[p] = bound / total
                start += size
                for c in range(C):
                    low[c] += counts[p, c]
        return array

    cdef inline double both(self, double low, int c) noexcept nogil:
        return x_log_x(low, &self.tables.logs) + x_log_x(max(self.known[c] - low, 0.0), &self.tables.logs)

    def best(self, const double[::1] gains, double cost):
        """The cut of greatest gain, as a grower finds it, and that gain less the cost; -1 where none gains more."""
        cdef Py_ssize_t p, place = -1
        cdef double most = cost
        for p in range(gains.shape[0]):
            # two that differ in the last bit may be the same after the cost
            if gains[p] > most and gains[p] - cost > most - cost:
                most = gains[p]
                place = p
        if place < 0 or most - cost <= 0:
            return -1, NO_GAIN
        return place, most - cost

    def split_info(self, double low, double known, double total):
        """The information in the outcome of a cut with this weight below it, of so much that is known."""
        cdef double[2] branch
        branch[0] = low
        branch[1] = known - low
        return split_info(branch, 2, total - known, total, &self.tables.logs)
