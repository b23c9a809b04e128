"""Which of the rules of a class to keep: the subset of least description length, exceptions included."""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memcpy, memset

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.rules.bit_sums cimport BitSums
from ctree_ext.rules.changes cimport FEW, LOOSE, Changes, Heap, merit_of
from ctree_ext.rules.code_length import log_factorials
from ctree_ext.rules.covers import check_covers
from ctree_ext.rules.code_length cimport RoughExceptions, as_float, exceptions, log2_of, rough_exceptions

cdef enum:
    MAX_RULES_FOR_ALL_SETS = 16
    CACHED = 4096     # 4 * FEW * FEW
    DEEPEST = 64      # of a heap

MAX_TOTAL = 2**31 - 1     # cases, for their numbers are kept in 32 bits

cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself


ctypedef struct Change:
    # What adding or dropping a rule would change: how many cases only it covers if it is chosen, or no chosen one if it is
    # not, of other classes and of its own. These cases are the same before and after, so only others have to be counted.
    int32_t[2] cases


ctypedef struct Cover:
    # Of a case.
    int32_t times              # so many chosen rules cover it
    int32_t which              # all of them, by exclusive or: if it is one, this is it


def _are_positive(weights):
    # And small enough to be added up.
    return len(weights) == 0 or 0 < np.min(weights) <= np.max(weights) <= MAX_TOTAL


cdef class SubsetSearch:
    """A search for the best subset of the rules of one class.

    For every rule it keeps up to date by how many cases the coverage changes with it. So the description length with one
    rule more or less is known without looking at the cases; these are only visited when the rule is actually added or
    dropped, and then only the rules that share cases with it can change: where one chosen rule is left or was, that one,
    and where none is, all others. Rules that would change the coverage by the same cases are kept together, so that one
    look at the best of them is enough.

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
    cdef Memory memory
    cdef int64_t* rules_start         # the rules that cover each case: `start` and `rows` inverted
    cdef int32_t* rules
    cdef Cover* covers                # of each case
    cdef Change* change               # of each rule
    cdef Py_ssize_t[2] covered        # cases of other classes and of its own
    cdef int32_t* touched             # rules whose gains have changed in a step
    cdef Py_ssize_t n_touched
    cdef Py_ssize_t* touched_in       # the step in which each was last
    cdef BitSums sums                 # and which rules are chosen
    cdef Changes changes
    cdef RoughExceptions rough
    cdef double* savings              # by heap, and then by rule: what the best one would save at most
    cdef double tolerance
    cdef Py_ssize_t first             # the rule of the greatest of them
    cdef double[CACHED] cached         # bits for exceptions, and the coverage for which they hold
    cdef Py_ssize_t[CACHED] cached_at
    cdef Py_ssize_t stamp, coverage    # numbers of the step, and of the last one that changed how many cases are covered

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
        return self.best_climb(starting_points)[2]

    def best_climb(self, const uint8_t[:, ::1] starting_points):
        """The least description length that climbs come to, the number of the first that does, and its subset."""
        cdef Py_ssize_t climb, which = 0
        cdef double least = INFINITY, before
        if starting_points.shape[1] != self.n_rules:
            raise ValueError("one entry a rule in every starting point")
        result = np.zeros(self.n_rules, dtype=np.uint8)
        if self.n_rules == 0:
            return least, which, result
        self.prepare()
        cdef uint8_t[::1] best = result
        for climb in range(starting_points.shape[0]):
            before = least
            with nogil:
                self.begin(&starting_points[climb, 0])
                least = self.climb(least, &best[0])
            if least < before:
                which = climb
        return least, which, result

    def changed_values(self, const uint8_t[::1] chosen):
        """The description lengths once each rule is added to the chosen ones, or dropped from them."""
        cdef Py_ssize_t i
        if chosen.shape[0] != self.n_rules:
            raise ValueError("one entry a rule")
        result = np.empty(self.n_rules)
        if self.n_rules:
            self.prepare()
            self.begin(&chosen[0])
            self.sums.add_up()
            for i in range(self.n_rules):
                result[i] = self.value_with(i)
        return result

    cdef int prepare(self) except -1:
        cdef Memory memory = Memory()
        self.memory = memory
        self.sums = BitSums(self.bits)
        self.changes = Changes(self.bits)
        self.rough = RoughExceptions(self.total)
        self.rules_start = <int64_t*> memory.zeroed(self.n + 2, sizeof(int64_t))
        self.rules = <int32_t*> memory.raw(self.rows.shape[0], sizeof(int32_t))
        self.covers = <Cover*> memory.raw(self.n, sizeof(Cover))
        self.change = <Change*> memory.raw(self.n_rules, sizeof(Change))
        self.touched = <int32_t*> memory.raw(self.n_rules, sizeof(int32_t))
        self.touched_in = <Py_ssize_t*> memory.zeroed(self.n_rules, sizeof(Py_ssize_t))
        self.savings = <double*> memory.raw(LOOSE + self.n_rules, sizeof(double))
        with nogil:
            self.invert_covers()
        return 0

    cdef void invert_covers(self) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.rows.shape[0]):
            self.rules_start[self.rows[k] + 2] += 1
        for i in range(2, self.n + 2):
            self.rules_start[i] += self.rules_start[i - 1]
        for i in range(self.n_rules):
            for k in range(self.start[i], self.start[i + 1]):
                self.rules[self.rules_start[self.rows[k] + 1]] = <int32_t> i
                self.rules_start[self.rows[k] + 1] += 1

    cdef int begin(self, const uint8_t* chosen) except -1 nogil:
        # With these rules chosen.
        cdef Py_ssize_t i, k, own
        cdef int32_t weight
        cdef Cover* cover
        self.covered[0] = self.covered[1] = 0
        self.stamp += 1
        self.coverage = self.stamp
        memset(self.covers, 0, self.n * sizeof(Cover))
        memset(self.change, 0, self.n_rules * sizeof(Change))
        self.sums.start(chosen)
        for i in range(self.n_rules):
            if chosen[i]:
                for k in range(self.start[i], self.start[i + 1]):
                    cover = &self.covers[self.rows[k]]
                    cover.times += 1
                    cover.which ^= <int32_t> i
        for i in range(self.n):
            cover = &self.covers[i]
            own, weight = self.own[i] != 0, self.weight_of(i)
            self.covered[own] += weight if cover.times else 0
            if cover.times == 1:
                self.change[cover.which].cases[own] += weight
            elif cover.times == 0:
                for k in range(self.rules_start[i], self.rules_start[i + 1]):
                    self.change[self.rules[k]].cases[own] += weight
        self.changes.clear()
        for i in range(self.n_rules):
            self.put(i)
        return check_after(&self.watch, self.n + 2 * self.rows.shape[0])

    cdef int put(self, Py_ssize_t rule) except -1 nogil:
        # The rule among those that would change the same.
        cdef const Change* change = &self.change[rule]
        return self.changes.put(rule, self.sums.chosen[rule], change.cases[0], change.cases[1])

    cdef inline void touch(self, Py_ssize_t rule, Py_ssize_t own, int32_t cases) noexcept nogil:
        self.change[rule].cases[own] += cases
        if self.touched_in[rule] != self.stamp:
            self.touched_in[rule] = self.stamp
            self.touched[self.n_touched] = <int32_t> rule
            self.n_touched += 1

    cdef int add_or_drop(self, Py_ssize_t rule) except -1 nogil:
        cdef Py_ssize_t k, j, own
        cdef int32_t row, after, step = -1 if self.sums.chosen[rule] else 1, most, weight
        cdef const Change* change = &self.change[rule]
        cdef Cover* cover
        self.stamp += 1
        if change.cases[0] or change.cases[1]:
            self.coverage = self.stamp
            self.covered[0] += step * change.cases[0]
            self.covered[1] += step * change.cases[1]
        self.touched[0] = <int32_t> rule
        self.touched_in[rule] = self.stamp
        self.n_touched = 1
        for k in range(self.start[rule], self.start[rule + 1]):
            row = self.rows[k]
            cover = &self.covers[row]
            after = cover.times + step
            most = max(cover.times, after)     # with the rule
            cover.times = after
            cover.which ^= <int32_t> rule
            if most > 2:
                continue
            own = self.own[row] != 0
            weight = -step * self.weight_of(row)
            if most == 2:
                # One other covers it: it alone from now on, or until now.
                self.touch(cover.which if step < 0 else cover.which ^ <int32_t> rule, own, weight)
                continue
            for j in range(self.rules_start[row], self.rules_start[row + 1]):
                if self.rules[j] != rule:
                    self.touch(self.rules[j], own, weight)
            self.watch.work += self.rules_start[row + 1] - self.rules_start[row]
        self.sums.flip(rule)
        for j in range(self.n_touched):
            self.put(self.touched[j])
        return check_after(&self.watch, self.start[rule + 1] - self.start[rule] + 8 * self.n_touched)

    cdef double climb(self, double least, uint8_t* best) except? -1 nogil:
        # Add or drop rules as long as that saves bits; the least value found so far, in this climb or before.
        cdef Py_ssize_t which
        cdef double value
        while True:
            self.sums.add_up()
            value = as_float(self.value_of(self.sums.n_chosen, self.sums.total,
                                           self.exceptions_to(self.covered[0], self.covered[1])))
            if value < least:
                least = value
                memcpy(best, self.sums.chosen, self.n_rules)
            which = self.best_change(value)
            if which < 0:
                return least
            self.add_or_drop(which)
            self.watch.work += self.n_rules // 8

    cdef Py_ssize_t best_change(self, double value) noexcept nogil:
        # The rule which saves most bits if it is added or dropped, the first of equals; -1 if none saves any. First
        # approximately, with sums that are not rounded on the way; the exact ones, which take longer, only where the rule
        # could be the best.
        cdef Heap* loose = &self.changes.heaps[LOOSE]
        cdef double bound = self.estimate_savings(value), greatest = 0.0
        cdef Py_ssize_t i, which = -1
        bound = max(bound - 2 * self.tolerance, -self.tolerance)
        # The best, or nearly, comes first, so that most others need not be tried.
        self.try_rule(self.first, value, &greatest, &which)
        for i in range(self.changes.n_present):
            if self.savings[i] >= bound and self.savings[i] + self.tolerance >= greatest:
                self.try_heap(self.changes.present[i], self.savings[i], bound, value, &greatest, &which)
        for i in range(loose.n):
            if self.savings[self.changes.n_present + i] >= bound:
                self.try_rule(loose.rules[i], value, &greatest, &which)
        return which

    cdef double estimate_savings(self, double value) noexcept nogil:
        # What the best rule of each heap, and each rule that is in none, would save; returns the greatest saving.
        cdef Heap* loose = &self.changes.heaps[LOOSE]
        cdef double greatest = -INFINITY, saving, rest, merit
        cdef double[2] base    # of what is added and of what is dropped, but for its own bits and the exceptions
        cdef Py_ssize_t n_chosen = self.sums.n_chosen, i, others, own, first = 0
        cdef int32_t kind, rule
        cdef bint chosen
        rest = value - 0.5 * self.sums.total
        base[0] = rest + 0.5 * self.log_f[n_chosen + 1] if n_chosen < self.n_rules else 0.0
        base[1] = rest + 0.5 * self.log_f[n_chosen - 1] if n_chosen else 0.0
        for i in range(self.changes.n_present + loose.n):
            if i < self.changes.n_present:
                kind = self.changes.present[i]
                own, others, chosen = kind % FEW, kind // FEW % FEW, kind >= FEW * FEW
                merit = self.changes.best[kind]
            else:
                rule = loose.rules[i - self.changes.n_present]
                chosen = self.sums.chosen[rule]
                others, own = self.change[rule].cases[0], self.change[rule].cases[1]
                merit = self.bits[rule] if chosen else -self.bits[rule]
            if chosen:
                others, own = -others, -own
            saving = base[chosen] + 0.5 * merit - rough_exceptions(
                &self.rough.table, self.covered[0] + self.covered[1] + others + own, self.covered[0] + others,
                self.n_own - self.covered[1] - own)
            self.savings[i] = saving
            if saving > greatest:
                greatest, first = saving, i
        i = first - self.changes.n_present
        self.first = loose.rules[i] if i >= 0 else self.changes.heaps[self.changes.present[first]].rules[0]
        # Four numbers of the exceptions are rounded, and the value; no other is much greater, or it is not the best.
        self.tolerance = 0.5 * self.sums.tolerance() + self.rough.tolerance + ULP * (
            5 * (value - 0.5 * (self.sums.total - self.log_f[n_chosen])) + 2 * fabs(value) + 8 * self.sums.most + 64)
        self.watch.work += 10 * (self.changes.n_present + loose.n)
        return greatest

    cdef void try_heap(self, int32_t kind, double saving, double bound, double value, double* greatest,
                       Py_ssize_t* which) noexcept nogil:
        # The rules of a heap that could be the best, from the top on, of which the saving is known.
        cdef const Heap* heap = &self.changes.heaps[kind]
        cdef Py_ssize_t[DEEPEST] waiting
        cdef Py_ssize_t n = 1, at
        cdef double most = merit_of(&self.bits[0], kind, heap.rules[0]), estimate
        waiting[0] = 0
        while n:
            n -= 1
            at = waiting[n]
            estimate = saving - 0.5 * (most - merit_of(&self.bits[0], kind, heap.rules[at]))
            if estimate < bound or estimate + self.tolerance < greatest[0]:
                continue
            self.try_rule(heap.rules[at], value, greatest, which)
            at = 2 * at + 1
            if at + 1 < heap.n:
                waiting[n] = at + 1
                n += 1
            if at < heap.n:
                waiting[n] = at
                n += 1

    cdef inline void try_rule(self, Py_ssize_t rule, double value, double* greatest, Py_ssize_t* which) noexcept nogil:
        cdef double exceptions_ = self.exceptions_with(rule), saving
        cdef Py_ssize_t n_chosen = self.sums.n_chosen + (-1 if self.sums.chosen[rule] else 1)
        # What it saves at most, by the least that the sum of the bits could be: all that follows is monotonous.
        saving = as_float(value - as_float(self.value_of(n_chosen, self.sums.least_flipped(rule), exceptions_)))
        if saving < greatest[0] or (saving == greatest[0] and rule > which[0]):
            return
        saving = as_float(value - as_float(self.value_of(n_chosen, self.sums.flipped(rule), exceptions_)))
        if saving > greatest[0] or (saving == greatest[0] and rule < which[0]):
            greatest[0], which[0] = saving, rule

    cdef double exceptions_with(self, Py_ssize_t rule) noexcept nogil:
        # The bits for the exceptions once the rule is added or dropped. Most rules change the coverage by only a few
        # cases, so there are few different results, which are cached until the coverage changes.
        cdef Py_ssize_t others, own, key
        others, own = self.change[rule].cases[0], self.change[rule].cases[1]
        if self.sums.chosen[rule]:
            others, own = -others, -own
        if not (-FEW < others < FEW and -FEW < own < FEW):
            return self.exceptions_to(self.covered[0] + others, self.covered[1] + own)
        key = (others + FEW) * 2 * FEW + own + FEW
        if self.cached_at[key] != self.coverage:
            self.cached_at[key] = self.coverage
            self.cached[key] = self.exceptions_to(self.covered[0] + others, self.covered[1] + own)
        return self.cached[key]

    cdef double value_with(self, Py_ssize_t rule) noexcept nogil:
        # The value once the rule is added or dropped.
        cdef Py_ssize_t n_chosen = self.sums.n_chosen + (-1 if self.sums.chosen[rule] else 1)
        return as_float(self.value_of(n_chosen, self.sums.flipped(rule), self.exceptions_with(rule)))
