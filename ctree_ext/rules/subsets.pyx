"""Which of the rules of a class to keep: the subset of least description length, exceptions included."""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.rules.bit_sums cimport BitSums, check_numbers
from ctree_ext.rules.changes cimport FEW, N_KINDS, Changes, Heap, merit_of, rule_of
from ctree_ext.rules.code_length import log_factorials
from ctree_ext.rules.covers import check_covers
from ctree_ext.rules.code_length cimport RoughExceptions, as_float, exceptions, log2_of
from ctree_ext.rules.savings cimport Change, Savings

cdef enum:
    MAX_RULES_FOR_ALL_SETS = 16
    CACHED = 4096     # 4 * FEW * FEW
    DEEPEST = 64      # of a heap

MAX_TOTAL = 2**31 - 1     # cases, for their numbers are kept in 32 bits

cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself


ctypedef struct Cover:
    # Of a case. `which` is twice the exclusive or of the numbers of these rules, and 1 more if the case is of the class: of
    # a single rule, half of it is the number.
    int32_t times              # so many chosen rules cover it
    uint32_t which


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
    cdef Py_ssize_t n_cases           # that rules cover: others are left out of what follows
    cdef const int32_t* cases         # those that each rule covers, by their numbers
    cdef int32_t* case_weights        # NULL if all are 1
    cdef int64_t* rules_start         # the rules that cover each case: `start` and `cases` inverted
    cdef int32_t* rules
    cdef Cover* uncovered             # each case while no rule is chosen
    cdef Cover* covers                # each case
    cdef Change* change               # of each rule
    cdef Py_ssize_t[2] covered        # cases of other classes and of its own
    cdef int32_t* touched             # rules whose gains have changed in a step
    cdef Py_ssize_t n_touched
    cdef int32_t* few                 # cases of a rule that no other chosen rule covers, or only one other
    cdef BitSums sums                 # and which rules are chosen
    cdef Changes changes
    cdef RoughExceptions rough
    cdef Savings savings
    cdef int32_t* numbers             # of heaps and rules that could be the best
    cdef double* estimates            # and what they would save
    cdef double[2] base               # what is saved by all that is added, or dropped, but for its own bits and exceptions
    cdef double tolerance
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

    cdef inline int32_t weight_of(self, Py_ssize_t case) noexcept nogil:
        return 1 if self.case_weights == NULL else self.case_weights[case]

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
                within[masks[k], self.own[k] != 0] += self.weights[k] if self.weighted else 1
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

    def bounds(self, const uint8_t[::1] chosen, const int64_t[::1] rules):
        """What is thought to be saved at most with each rule more or less, after some were chosen or dropped; for tests.

        Parameters
        ----------
        chosen : uint8 array
        rules : int64 array
            Those that are chosen or dropped, one after the other.

        Returns
        -------
        tuple of arrays
            After each of them, the value; what adding or dropping each rule would save at most, of those that would not make
            it much greater; and by how much that may be wrong because values are rounded.
        """
        cdef Py_ssize_t i, rule
        values, tolerances, most = np.empty(rules.shape[0]), np.empty(rules.shape[0]), np.empty((rules.shape[0], self.n_rules))
        if chosen.shape[0] != self.n_rules:
            raise ValueError("one entry a rule")
        check_numbers(rules, self.n_rules)
        if not self.n_rules:
            return values, most, tolerances
        self.prepare()
        self.begin(&chosen[0])
        for i in range(rules.shape[0]):
            self.add_or_drop(rules[i])
            self.sums.add_up()
            values[i] = self.current_value()
            self.best_change(values[i])
            tolerances[i] = self.tolerance
            for rule in range(self.n_rules):
                most[i, rule] = self.savings.most_of(rule, self.base)
        return values, most, tolerances

    cdef int prepare(self) except -1:
        cdef Memory memory = Memory()
        self.memory = memory
        self.sums = BitSums(self.bits)
        self.changes = Changes(self.bits)
        self.rough = RoughExceptions(self.total)
        self.change = <Change*> memory.raw(self.n_rules, sizeof(Change))
        self.touched = <int32_t*> memory.raw(self.n_rules, sizeof(int32_t))
        self.savings = Savings(self.changes, self.rough, self.n_own)
        self.savings.change = self.change
        self.numbers = <int32_t*> memory.raw(N_KINDS + self.n_rules, sizeof(int32_t))
        self.estimates = <double*> memory.raw(N_KINDS + self.n_rules, sizeof(double))
        self.number_cases()
        self.rules_start = <int64_t*> memory.zeroed(self.n_cases + 2, sizeof(int64_t))
        self.rules = <int32_t*> memory.raw(self.rows.shape[0], sizeof(int32_t))
        self.covers = <Cover*> memory.raw(self.n_cases, sizeof(Cover))
        self.few = <int32_t*> memory.raw(self.n_cases + 1, sizeof(int32_t))
        with nogil:
            self.invert_covers()
        return 0

    cdef int number_cases(self) except -1:
        # Those that rules cover, in order; or all, if those are most.
        cdef int32_t[::1] numbers = np.zeros(self.n, dtype=np.int32)
        cdef Py_ssize_t i, n = 0
        cdef int32_t* cases
        cdef Memory memory = self.memory
        with nogil:
            for i in range(self.rows.shape[0]):
                numbers[self.rows[i]] = 1
            for i in range(self.n):
                n += numbers[i]
        if 10 * n > 9 * self.n:
            n = self.n
            numbers[:] = 1
        self.n_cases = n
        self.uncovered = <Cover*> memory.zeroed(n, sizeof(Cover))
        self.case_weights = <int32_t*> memory.raw(n, sizeof(int32_t)) if self.weighted else NULL
        n = 0
        with nogil:
            for i in range(self.n):
                if numbers[i]:
                    numbers[i] = <int32_t> n
                    self.uncovered[n].which = self.own[i] != 0
                    if self.weighted:
                        self.case_weights[n] = <int32_t> self.weights[i]
                    n += 1
        if n == self.n or self.rows.shape[0] == 0:
            self.cases = &self.rows[0] if self.rows.shape[0] else NULL
            return 0
        cases = <int32_t*> memory.raw(self.rows.shape[0], sizeof(int32_t))
        with nogil:
            for i in range(self.rows.shape[0]):
                cases[i] = numbers[self.rows[i]]
        self.cases = cases
        return 0

    cdef void invert_covers(self) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.rows.shape[0]):
            self.rules_start[self.cases[k] + 2] += 1
        for i in range(2, self.n_cases + 2):
            self.rules_start[i] += self.rules_start[i - 1]
        for i in range(self.n_rules):
            for k in range(self.start[i], self.start[i + 1]):
                self.rules[self.rules_start[self.cases[k] + 1]] = <int32_t> i
                self.rules_start[self.cases[k] + 1] += 1

    cdef int begin(self, const uint8_t* chosen) except -1 nogil:
        # With these rules chosen.
        cdef Py_ssize_t i, k, own
        cdef int32_t weight
        cdef Cover* cover
        self.covered[0] = self.covered[1] = 0
        self.stamp += 1
        self.coverage = self.stamp
        memcpy(self.covers, self.uncovered, self.n_cases * sizeof(Cover))
        memset(self.change, 0, self.n_rules * sizeof(Change))
        self.sums.start(chosen)
        for i in range(self.n_rules):
            if chosen[i]:
                for k in range(self.start[i], self.start[i + 1]):
                    cover = &self.covers[self.cases[k]]
                    cover.times += 1
                    cover.which ^= <uint32_t> i << 1
        for i in range(self.n_cases):
            cover = &self.covers[i]
            own, weight = cover.which & 1, self.weight_of(i)
            self.covered[own] += weight if cover.times else 0
            if cover.times == 1:
                self.change[cover.which >> 1].cases[own] += weight
            elif cover.times == 0:
                for k in range(self.rules_start[i], self.rules_start[i + 1]):
                    self.change[self.rules[k]].cases[own] += weight
        self.changes.clear()
        self.savings.clear(self.covered[0], self.covered[1])
        for i in range(self.n_rules):
            self.put(i)
        self.savings.update()
        return check_after(&self.watch, self.n_cases + 2 * self.rows.shape[0])

    cdef int put(self, Py_ssize_t rule) except -1 nogil:
        # The rule among those that would change the same.
        cdef const Change* change = &self.change[rule]
        return self.changes.put(rule, self.sums.chosen[rule], change.cases[0], change.cases[1])

    cdef inline void touch(self, Py_ssize_t rule, Py_ssize_t own, int32_t cases) noexcept nogil:
        cdef Change* change = &self.change[rule]
        change.cases[own] += cases
        if change.touched_in != self.stamp:
            change.touched_in = self.stamp
            self.touched[self.n_touched] = <int32_t> rule
            self.n_touched += 1

    cdef Py_ssize_t cover(self, Py_ssize_t rule, int32_t step) noexcept nogil:
        # Its cases with one chosen rule more or less; how many of them no other covers, or only one, which are in `few`. No
        # jump that nobody could foresee.
        cdef Py_ssize_t k, n = 0
        cdef int32_t case, times, without = step < 0
        cdef uint32_t bits = <uint32_t> rule << 1
        cdef Cover* cover
        for k in range(self.start[rule], self.start[rule + 1]):
            case = self.cases[k]
            cover = &self.covers[case]
            times = cover.times
            self.few[n] = case
            n += times <= 1 + without
            cover.times = times + step
            cover.which ^= bits
        return n

    cdef int add_or_drop(self, Py_ssize_t rule) except -1 nogil:
        cdef Py_ssize_t k, j, own, n
        cdef int32_t case, step = -1 if self.sums.chosen[rule] else 1, weight
        cdef uint32_t bits = <uint32_t> rule << 1
        cdef Change* change = &self.change[rule]
        cdef const Cover* cover
        self.stamp += 1
        if change.cases[0] or change.cases[1]:
            self.coverage = self.stamp
            self.covered[0] += step * change.cases[0]
            self.covered[1] += step * change.cases[1]
            self.savings.move(step * change.cases[0], step * change.cases[1])
        self.touched[0] = <int32_t> rule
        change.touched_in = self.stamp
        self.n_touched = 1
        n = self.cover(rule, step)
        for k in range(n):
            case = self.few[k]
            cover = &self.covers[case]
            own = cover.which & 1
            weight = -step * self.weight_of(case)
            if cover.times == 1 + (step > 0):
                # One other covers it: it alone from now on, or until now.
                self.touch((cover.which if step < 0 else cover.which ^ bits) >> 1, own, weight)
                continue
            for j in range(self.rules_start[case], self.rules_start[case + 1]):
                if self.rules[j] != rule:
                    self.touch(self.rules[j], own, weight)
            self.watch.work += self.rules_start[case + 1] - self.rules_start[case]
        self.sums.flip(rule)
        for j in range(self.n_touched):
            self.put(self.touched[j])
        self.savings.update()
        return check_after(&self.watch, self.start[rule + 1] - self.start[rule] + 8 * self.n_touched)

    cdef double current_value(self) noexcept nogil:
        # After the bits have been added up.
        return as_float(self.value_of(self.sums.n_chosen, self.sums.total,
                                      self.exceptions_to(self.covered[0], self.covered[1])))

    cdef double climb(self, double least, uint8_t* best) except? -1 nogil:
        # Add or drop rules as long as that saves bits; the least value found so far, in this climb or before.
        cdef Py_ssize_t which
        cdef double value
        while True:
            self.sums.add_up()
            value = self.current_value()
            if value < least:
                least = value
                memcpy(best, self.sums.chosen, self.n_rules)
            which = self.best_change(value)
            if which < 0:
                return least
            self.add_or_drop(which)
            self.watch.work += self.n_rules // 8

    cdef Py_ssize_t best_change(self, double value) except -2 nogil:
        # The rule which saves most bits if it is added or dropped, the first of equals; -1 if none saves any. First
        # approximately, with sums that are not rounded on the way; the exact ones, which take longer, only where the rule
        # could be the best.
        cdef double greatest = 0.0
        cdef Py_ssize_t n_chosen = self.sums.n_chosen, i, n, which = -1
        cdef double rest = value - self.savings.exceptions - 0.5 * self.sums.total
        cdef int32_t number
        self.base[0] = rest + 0.5 * self.log_f[n_chosen + 1] if n_chosen < self.n_rules else 0.0
        self.base[1] = rest + 0.5 * self.log_f[n_chosen - 1] if n_chosen else 0.0
        # Four numbers of the exceptions are rounded, and the value; no other is much greater, or it is not the best.
        self.tolerance = 0.5 * self.sums.tolerance() + self.rough.tolerance + ULP * (
            5 * (value - 0.5 * (self.sums.total - self.log_f[n_chosen])) + 2 * fabs(value) + 8 * self.sums.most + 64)
        n = self.savings.nearly_best(self.base, self.tolerance, self.numbers, self.estimates)
        # The best, or nearly, comes first, so that most others need not be tried.
        for i in range(n):
            number = self.numbers[i]
            if self.estimates[i] + self.tolerance < greatest:
                continue
            if number < N_KINDS:
                self.try_heap(number, value, &greatest, &which)
            else:
                self.try_rule(rule_of(number), self.exceptions_with(rule_of(number)), value, &greatest, &which)
        self.watch.work += self.savings.sides[0].n + self.savings.sides[1].n
        return which

    cdef int try_heap(self, int32_t kind, double value, double* greatest, Py_ssize_t* which) except -1 nogil:
        # The rules of a heap that could be the best, from the top on. The exceptions are the same for all of them.
        cdef const Heap* heap = &self.changes.heaps[kind]
        cdef Py_ssize_t[DEEPEST] waiting
        cdef bint chosen = kind >= FEW * FEW
        cdef Py_ssize_t n = 1, at, n_chosen = self.sums.n_chosen + (-1 if chosen else 1)
        cdef double exceptions_ = self.exceptions_with(heap.rules[0]), most
        # What a rule without bits would save at most. Two numbers are rounded.
        most = value - self.value_of(n_chosen, self.sums.total - self.sums.tolerance(), exceptions_)
        most += 2 * ULP * (fabs(value) + fabs(most) + self.sums.most)
        waiting[0] = 0
        while n:
            n -= 1
            at = waiting[n]
            if most + 0.5 * merit_of(&self.bits[0], kind, heap.rules[at]) < greatest[0]:
                continue
            self.try_rule(heap.rules[at], exceptions_, value, greatest, which)
            check_after(&self.watch, self.sums.n_blocks)  # there may be very many that save the same
            at = 2 * at + 1
            if at + 1 < heap.n:
                waiting[n] = at + 1
                n += 1
            if at < heap.n:
                waiting[n] = at
                n += 1
        return 0

    cdef inline void try_rule(self, Py_ssize_t rule, double exceptions_, double value, double* greatest,
                              Py_ssize_t* which) noexcept nogil:
        cdef double saving
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
