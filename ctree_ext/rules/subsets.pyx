"""Which of the rules of a class to keep: the subset of least description length, exceptions included."""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.rules.code_length import log_factorials
from ctree_ext.rules.covers import check_covers
from ctree_ext.rules.code_length cimport as_float, exceptions, log2_of

cdef enum:
    MAX_RULES_FOR_ALL_SETS = 16
    FEW = 16          # cases
    CACHED = 1024     # 4 * FEW * FEW

MAX_TOTAL = 2**31 - 1     # cases, for their numbers are kept in 32 bits

cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself


cdef inline uint32_t _bits_of(float x) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &x, sizeof(bits))
    return bits


cdef inline int32_t _binade(float x) noexcept nogil:
    # Sign and exponent: between two powers of two, floats are multiples of one unit.
    return <int32_t> (_bits_of(x) >> 23)


cdef inline double _end_of_binade(int32_t binade) noexcept nogil:
    cdef uint32_t bits = <uint32_t> (binade + 1) << 23
    cdef float end
    memcpy(&end, &bits, sizeof(end))
    return end


cdef inline bint _is_shifted(float total, float bits, float next_) noexcept nogil:
    # Whether total + bits, rounded to `next_` in the same binade, is farther from `total` by as much as it would be
    # from any other sum in that binade: unless it is halfway between two floats, where the even one is taken.
    cdef double exact = <double> total + <double> bits, off = fabs(exact - next_)
    cdef double unit = _end_of_binade(_binade(next_)) * ULP
    return bits > 0 and _binade(total) == _binade(next_) and exact - total == bits and 2 * off != unit


def _are_positive(weights):
    # And small enough to be added up.
    return len(weights) == 0 or 0 < np.min(weights) <= np.max(weights) <= MAX_TOTAL


cdef class SubsetSearch:
    """A search for the best subset of the rules of one class.

    For every rule it keeps up to date how many of its cases no chosen rule covers, and how many exactly one covers. So
    the description length with one rule more or less is known without looking at the cases; these are only visited
    when the rule is actually added or dropped.

    Parameters
    ----------
    start, rows : arrays
        The cases that each rule covers, as `ctree_ext.rules.covers.RuleSet.covers` gives them.
    own : uint8 array
        1 for each case of the class.
    bits : float64 array
        The code length of each rule.
    weights : int64 array, optional
        How many cases each stands for.
    """

    cdef const int64_t[::1] start
    cdef const int32_t[::1] rows
    cdef const uint8_t[::1] own
    cdef const int64_t[::1] weights
    cdef bint weighted
    cdef const double[::1] bits, log_f
    cdef double log_n
    cdef Watch watch
    cdef Py_ssize_t n, n_rules
    cdef Py_ssize_t total, n_own      # cases, each as often as its weight says
    cdef int64_t[::1] rules_start     # the rules that cover each case: `start` and `rows` inverted
    cdef int32_t[::1] rules
    cdef uint8_t[::1] chosen
    cdef int32_t[::1] times           # how many of the chosen rules cover each case
    cdef int32_t[:, ::1] free         # how many cases of each rule none covers: of other classes, and of its own
    cdef int32_t[:, ::1] once         # the same, one covers
    cdef Py_ssize_t n_chosen
    cdef Py_ssize_t[2] covered        # cases of other classes and of its own
    cdef int32_t[::1] place           # how many chosen rules come before each rule
    cdef double[::1] sums             # of their bits, so far; the last is that of all
    cdef float[::1] chosen_bits
    cdef int32_t[::1] run_end         # up to where these sums grow by the same amounts wherever in the binade they begin
    cdef double[::1] rough            # what adding or dropping each rule would save, within the tolerance
    cdef double tolerance
    cdef double[CACHED] cached         # bits for exceptions, and the step for which they hold
    cdef Py_ssize_t[CACHED] cached_at
    cdef Py_ssize_t stamp

    def __cinit__(self, const int64_t[::1] start, const int32_t[::1] rows, const uint8_t[::1] own,
                  const double[::1] bits, weights=None):
        self.start, self.rows, self.own, self.bits = start, rows, own, bits
        self.n = own.shape[0]
        self.n_rules = bits.shape[0]
        if start.shape[0] != self.n_rules + 1:
            raise ValueError("rules and covers differ in number")
        check_covers(start, rows, self.n)
        self.weighted = weights is not None
        if self.weighted:
            self.weights = weights
            if len(weights) != self.n or not _are_positive(weights) or np.sum(weights) > MAX_TOTAL:
                raise ValueError("one positive weight a case, fewer than 2^31 in all")
        self.total = self.n if weights is None else np.sum(weights)
        self.n_own = self.count_of(own)
        self.log_n = as_float(log2_of(self.total))
        self.log_f = log_factorials(self.n_rules + 1)

    cdef Py_ssize_t count_of(self, cases) except -1:
        # How many there are, each as often as its weight says.
        chosen = np.asarray(cases) != 0
        return np.sum(np.asarray(self.weights)[chosen]) if self.weighted else np.count_nonzero(chosen)

    cdef inline int32_t weight_of(self, Py_ssize_t row) noexcept nogil:
        return <int32_t> self.weights[row] if self.weighted else 1

    cdef double value_of(self, Py_ssize_t n_chosen, double bits, double exceptions_) noexcept nogil:
        # The description length of so many rules and their exceptions.
        return 0.5 * (bits - self.log_f[n_chosen]) + exceptions_

    cdef double exceptions_to(self, Py_ssize_t others, Py_ssize_t own) noexcept nogil:
        return exceptions(self.total, self.log_n, others + own, others, self.n_own - own)

    cdef double bits_of(self, const uint8_t* chosen) noexcept nogil:
        # The sum is rounded after each rule.
        cdef float total = 0.0
        cdef Py_ssize_t i
        for i in range(self.n_rules):
            if chosen[i]:
                total = total + <float> self.bits[i]
        return total

    def value(self, const uint8_t[::1] chosen):
        """The description length, in bits, of the chosen rules and their exceptions."""
        cdef Py_ssize_t i, k
        if chosen.shape[0] != self.n_rules:
            raise ValueError("one entry a rule")
        if self.n_rules == 0:
            return as_float(self.value_of(0, 0.0, self.exceptions_to(0, 0)))
        covered = np.zeros(self.n, dtype=bool)
        for i in range(self.n_rules):
            if chosen[i]:
                covered[np.asarray(self.rows[self.start[i]:self.start[i + 1]])] = True
        own = self.count_of(covered & np.asarray(self.own, dtype=bool))
        k = np.count_nonzero(chosen)
        exceptions_ = self.exceptions_to(self.count_of(covered) - own, own)
        return as_float(self.value_of(k, self.bits_of(&chosen[0]), exceptions_))

    def exhaustive(self):
        """The best of all subsets; among equals the first, those without the last rule coming first."""
        cdef Py_ssize_t R = self.n_rules, i, k, mask, size, best = 0, n_chosen
        cdef double value, least = INFINITY
        if R > MAX_RULES_FOR_ALL_SETS:
            raise ValueError(f"there are too many sets of {R} rules")
        size = 1 << R
        result = np.zeros(R, dtype=np.uint8)
        if R == 0:
            return result
        # The rules that cover a case as a mask; then how many cases have each mask, and then any mask contained in it.
        cdef uint16_t[::1] masks = np.zeros(self.n, dtype=np.uint16)
        cdef int64_t[:, ::1] within = np.zeros((size, 2), dtype=np.int64)
        cdef uint8_t[::1] chosen = result
        with nogil:
            for i in range(R):
                for k in range(self.start[i], self.start[i + 1]):
                    masks[self.rows[k]] |= <uint16_t> (1 << i)
            for k in range(self.n):
                within[masks[k], self.own[k] != 0] += self.weight_of(k)
            for i in range(R):
                for mask in range(size):
                    if mask >> i & 1:
                        within[mask, 0] += within[mask ^ (1 << i), 0]
                        within[mask, 1] += within[mask ^ (1 << i), 1]
            for mask in range(size):
                n_chosen = 0
                for i in range(R):
                    chosen[i] = mask >> i & 1
                    n_chosen += chosen[i]
                # Not covered are the cases whose rules are all among those left out.
                k = size - 1 - mask
                value = as_float(self.value_of(n_chosen, self.bits_of(&chosen[0]), self.exceptions_to(
                    within[size - 1, 0] - within[k, 0], within[size - 1, 1] - within[k, 1])))
                if value < least:
                    least = value
                    best = mask
            for i in range(R):
                chosen[i] = best >> i & 1
        return result

    def hill_climb(self, const uint8_t[:, ::1] starting_points):
        """The best subset found by adding or dropping one rule at a time, from several starting points (one a row)."""
        cdef Py_ssize_t climb
        cdef double least = INFINITY
        if starting_points.shape[1] != self.n_rules:
            raise ValueError("one entry a rule in every starting point")
        result = np.zeros(self.n_rules, dtype=np.uint8)
        if self.n_rules == 0:
            return result
        self.prepare()
        cdef uint8_t[::1] best = result
        for climb in range(starting_points.shape[0]):
            with nogil:
                self.begin(&starting_points[climb, 0])
                least = self.climb(least, &best[0])
        return result

    def changed_values(self, const uint8_t[::1] chosen):
        """The description lengths once each rule is added to the chosen ones, or dropped from them."""
        cdef Py_ssize_t i
        if chosen.shape[0] != self.n_rules:
            raise ValueError("one entry a rule")
        result = np.empty(self.n_rules)
        if self.n_rules:
            self.prepare()
            self.begin(&chosen[0])
            self.sum_bits()
            self.stamp += 1
            for i in range(self.n_rules):
                result[i] = self.value_with(i)
        return result

    cdef int prepare(self) except -1:
        self.invert_covers()
        self.free = np.empty((self.n_rules, 2), dtype=np.int32)
        self.once = np.empty((self.n_rules, 2), dtype=np.int32)
        self.times = np.empty(self.n, dtype=np.int32)
        self.chosen = np.empty(self.n_rules, dtype=np.uint8)
        self.place = np.empty(self.n_rules, dtype=np.int32)
        self.sums = np.empty(self.n_rules + 1)
        self.chosen_bits = np.empty(self.n_rules, dtype=np.float32)
        self.run_end = np.empty(self.n_rules + 1, dtype=np.int32)
        self.rough = np.empty(self.n_rules)
        return 0

    cdef void begin(self, const uint8_t* chosen) noexcept nogil:
        cdef Py_ssize_t i
        self.clear()
        for i in range(self.n_rules):
            if chosen[i]:
                self.add_or_drop(i)

    cdef int invert_covers(self) except -1:
        cdef Py_ssize_t i, k
        self.rules_start = np.zeros(self.n + 2, dtype=np.int64)
        self.rules = np.empty(max(self.rows.shape[0], 1), dtype=np.int32)
        for k in range(self.rows.shape[0]):
            self.rules_start[self.rows[k] + 2] += 1
        for i in range(2, self.n + 2):
            self.rules_start[i] += self.rules_start[i - 1]
        for i in range(self.n_rules):
            for k in range(self.start[i], self.start[i + 1]):
                self.rules[self.rules_start[self.rows[k] + 1]] = <int32_t> i
                self.rules_start[self.rows[k] + 1] += 1
        return 0

    cdef void clear(self) noexcept nogil:
        # No rule is chosen.
        cdef Py_ssize_t i, k
        self.n_chosen = self.covered[0] = self.covered[1] = 0
        self.chosen[:] = 0
        self.times[:] = 0
        self.free[:, :] = 0
        self.once[:, :] = 0
        for i in range(self.n_rules):
            for k in range(self.start[i], self.start[i + 1]):
                self.free[i, self.own[self.rows[k]] != 0] += self.weight_of(self.rows[k])
        self.watch.work += self.n + self.rows.shape[0]

    cdef void add_or_drop(self, Py_ssize_t rule) noexcept nogil:
        cdef Py_ssize_t k, j, own
        cdef int32_t row, before, after, step = -1 if self.chosen[rule] else 1, to_free, to_once, weight
        for k in range(self.start[rule], self.start[rule + 1]):
            row = self.rows[k]
            before = self.times[row]
            after = before + step
            self.times[row] = after
            if before + after > 3:
                continue
            own = self.own[row] != 0
            weight = self.weight_of(row)
            to_free = ((after == 0) - (before == 0)) * weight
            to_once = ((after == 1) - (before == 1)) * weight
            self.covered[own] -= to_free
            for j in range(self.rules_start[row], self.rules_start[row + 1]):
                self.free[self.rules[j], own] += to_free
                self.once[self.rules[j], own] += to_once
            self.watch.work += self.rules_start[row + 1] - self.rules_start[row]
        self.chosen[rule] = not self.chosen[rule]
        self.n_chosen += step
        self.watch.work += self.start[rule + 1] - self.start[rule]

    cdef double climb(self, double least, uint8_t* best) except? -1 nogil:
        # Add or drop rules as long as that saves bits; the least value found so far, in this climb or before.
        cdef Py_ssize_t i, which
        cdef double value, saving, greatest, bound
        while True:
            self.sum_bits()
            value = as_float(self.value_of(self.n_chosen, self.sums[self.n_chosen],
                                     self.exceptions_to(self.covered[0], self.covered[1])))
            if value < least:
                least = value
                for i in range(self.n_rules):
                    best[i] = self.chosen[i]
            # First approximately, with sums of bits that are not rounded on the way. Exact sums, which take an addition
            # for every rule, are computed only where the rule could be the best.
            bound = self.estimate_savings(value) - 2 * self.tolerance
            greatest = 0.0
            which = -1
            for i in range(self.n_rules):
                if self.rough[i] < bound or self.rough[i] + self.tolerance <= greatest:
                    continue
                saving = as_float(value - self.value_with(i))
                if saving > greatest:  # the first of equals
                    greatest = saving
                    which = i
            if which < 0:
                return least
            self.add_or_drop(which)
            check_after(&self.watch, 0)

    cdef void sum_bits(self) noexcept nogil:
        # The sum of the bits of the chosen rules, and what it is before each of them.
        cdef Py_ssize_t i, k = 0
        cdef float total = 0.0
        cdef double absolute = 0.0, most = 0.0
        for i in range(self.n_rules):
            self.place[i] = <int32_t> k
            most = max(most, fabs(self.bits[i]))
            if self.chosen[i]:
                self.sums[k] = total
                self.chosen_bits[k] = <float> self.bits[i]
                total = total + <float> self.bits[i]
                absolute += fabs(total)
                k += 1
        self.sums[k] = total
        self.run_end[k] = <int32_t> k
        for i in range(k - 1, -1, -1):
            self.run_end[i] = <int32_t> i
            if _is_shifted(<float> self.sums[i], self.chosen_bits[i], <float> self.sums[i + 1]):
                self.run_end[i] = self.run_end[i + 1]
        # Each partial sum is off by its last bit; with another rule in between they are greater by that much.
        self.tolerance = ULP * (absolute + (k + 2) * 2 * most)
        self.watch.work += 2 * self.n_rules

    cdef double estimate_savings(self, double value) noexcept nogil:
        # What adding or dropping each rule would save; returns the greatest saving.
        cdef Py_ssize_t i, n_chosen
        cdef double greatest = -INFINITY, largest = fabs(value), bits, rough, total = self.sums[self.n_chosen]
        self.stamp += 1
        for i in range(self.n_rules):
            bits = total - self.bits[i] if self.chosen[i] else total + self.bits[i]
            n_chosen = self.n_chosen - 1 if self.chosen[i] else self.n_chosen + 1
            rough = self.value_of(n_chosen, bits, self.exceptions_with(i))
            largest = max(largest, fabs(rough))
            self.rough[i] = value - rough
            greatest = max(greatest, self.rough[i])
        self.tolerance += 8 * ULP * largest
        self.watch.work += 10 * self.n_rules
        return greatest

    cdef double exceptions_with(self, Py_ssize_t rule) noexcept nogil:
        # The bits for the exceptions once the rule is added or dropped. Most rules change the coverage by only a few
        # cases, so there are few different results, which are cached until the next step.
        cdef Py_ssize_t others, own, key
        if self.chosen[rule]:
            others, own = -self.once[rule, 0], -self.once[rule, 1]
        else:
            others, own = self.free[rule, 0], self.free[rule, 1]
        if not (-FEW < others < FEW and -FEW < own < FEW):
            return self.exceptions_to(self.covered[0] + others, self.covered[1] + own)
        key = (others + FEW) * 2 * FEW + own + FEW
        if self.cached_at[key] != self.stamp:
            self.cached_at[key] = self.stamp
            self.cached[key] = self.exceptions_to(self.covered[0] + others, self.covered[1] + own)
        return self.cached[key]

    cdef double value_with(self, Py_ssize_t rule) noexcept nogil:
        # The value once the rule is added or dropped: up to there the sum of bits is the same, and from there on it
        # differs from the sum of all chosen ones by an amount that changes only where one of them comes to the next
        # binade, or where it is rounded to even.
        cdef Py_ssize_t k = self.place[rule], n_chosen = self.n_chosen, end
        cdef float total = <float> self.sums[k]
        cdef double shift = 0.0, most
        cdef int32_t binade
        if self.chosen[rule]:
            k += 1
            n_chosen -= 1
        else:
            total = total + <float> self.bits[rule]
            n_chosen += 1
        while k < self.n_chosen:
            end = self.run_end[k]
            binade = _binade(total)
            if end > k and binade == _binade(<float> self.sums[k]):
                shift = total - self.sums[k]
                most = _end_of_binade(binade)
                while end > k and self.sums[end] + shift >= most:
                    end -= 1
            else:
                end = k
            if end > k:
                total = <float> (self.sums[end] + shift)
                k = end
            else:
                total = total + self.chosen_bits[k]
                k += 1
            self.watch.work += 1
        return as_float(self.value_of(n_chosen, total, self.exceptions_with(rule)))
