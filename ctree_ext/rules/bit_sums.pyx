"""The code length of the chosen rules, added up in 32 bits as release 8 does: rule by rule, rounded after each.

With one rule more or less, the whole sum can change in its last bits. But between two powers of two all floats are
multiples of one unit, and a sum there grows by a number of bits as rounded to that unit, wherever it is: unless they are
halfway between two floats, where the even one is taken. So for each block of rules it is known by how much a sum in the
binade of the present one grows, and only where a sum leaves its binade within a block, or something is halfway, is the
block gone through rule by rule.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

from ctree_ext.base.memory cimport Memory

cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself


cdef int check_numbers(const int64_t[::1] rules, Py_ssize_t n_rules) except -1:
    # Of rules, from 0.
    cdef Py_ssize_t i
    for i in range(rules.shape[0]):
        if not 0 <= rules[i] < n_rules:
            raise ValueError(f"there is no rule {rules[i]} among {n_rules}")
    return 0


cdef class BitSums:
    """The sums of the chosen ones among rules of these code lengths.

    Parameters
    ----------
    bits : float64 array
    """

    def __cinit__(self, const double[::1] bits):
        cdef Py_ssize_t i
        self.n_rules = bits.shape[0]
        self.n_blocks = (self.n_rules + BLOCK - 1) // BLOCK
        self.memory = Memory()
        self.bits = <float*> self.memory.raw(self.n_rules, sizeof(float))
        self.taken = <float*> self.memory.zeroed(self.n_rules, sizeof(float))
        self.chosen = <uint8_t*> self.memory.zeroed(self.n_rules, sizeof(uint8_t))
        self.before = <float*> self.memory.zeroed(self.n_blocks + 1, sizeof(float))
        self.binade = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.grown = <double*> self.memory.zeroed(self.n_blocks, sizeof(double))
        self.halves = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.is_walked = <uint8_t*> self.memory.zeroed(self.n_blocks, sizeof(uint8_t))
        self.walked = <int32_t*> self.memory.zeroed(self.n_blocks + 1, sizeof(int32_t))
        self.next_walked = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.slack = <double*> self.memory.zeroed(self.n_blocks, sizeof(double))
        self.reach = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.slack_from = <double*> self.memory.zeroed(self.n_blocks + 1, sizeof(double))
        self.passed = <Passed*> self.memory.zeroed(self.n_blocks * REMEMBERED, sizeof(Passed))
        self.last_changed = self.n_rules - 1
        self.positive = True
        for i in range(self.n_rules):
            self.bits[i] = <float> bits[i]
            self.positive = self.positive and self.bits[i] > 0
            self.magnitude += abs(bits[i])
            self.most = max(self.most, abs(bits[i]))
            self.least = abs(bits[i]) if i == 0 else min(self.least, abs(bits[i]))

    def follow(self, const int64_t[::1] rules):
        """What comes of choosing or dropping these rules in turn, for tests.

        Returns
        -------
        tuple of arrays
            After each of them, for all rules: the sum with that one more or less, and what it would be at least; and by how
            much all of them can differ from the sum to which its bits are simply added.
        """
        cdef Py_ssize_t i, rule
        cdef double[:, ::1] sums = np.empty((rules.shape[0], self.n_rules)), least = np.empty_like(sums)
        cdef double[::1] tolerances = np.empty(rules.shape[0])
        check_numbers(rules, self.n_rules)
        for i in range(rules.shape[0]):
            self.flip(rules[i])
            self.add_up()
            tolerances[i] = self.tolerance()
            for rule in range(self.n_rules):
                sums[i, rule], least[i, rule] = self.flipped(rule), self.least_flipped(rule)
        return np.asarray(sums), np.asarray(least), np.asarray(tolerances)

    cdef void start(self, const uint8_t* chosen) noexcept nogil:
        # From no rule to these.
        cdef Py_ssize_t i
        for i in range(self.n_rules):
            if self.chosen[i] != chosen[i]:
                self.flip(i)

    cdef void flip(self, Py_ssize_t rule) noexcept nogil:
        # Choose a rule, or drop it.
        cdef Py_ssize_t block = rule // BLOCK
        cdef int sign = -1 if self.chosen[rule] else 1
        cdef bint half
        self.chosen[rule] = not self.chosen[rule]
        self.taken[rule] = self.bits[rule] if self.chosen[rule] else <float> 0.0
        self.n_chosen += sign
        self.first_changed = min(self.first_changed, rule)
        self.last_changed = max(self.last_changed, rule)
        if self.positive:
            self.grown[block] += sign * growth_of(self.bits[rule], self.binade[block], &half)
            self.halves[block] += sign * half

    cdef void grow(self, Py_ssize_t block, int binade) noexcept nogil:
        # By how much sums of another binade grow in a block.
        cdef Py_ssize_t i
        cdef bint half
        self.binade[block] = binade
        self.grown[block] = 0.0
        self.halves[block] = 0
        for i in range(block * BLOCK, min(self.n_rules, (block + 1) * BLOCK)):
            if self.chosen[i]:
                self.grown[block] += growth_of(self.bits[i], binade, &half)
                self.halves[block] += half

    cdef float walk(self, float total, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        # A sum past some rules, one by one. To add 0 where a rule is not chosen changes nothing, and takes no jump.
        cdef Py_ssize_t i
        for i in range(first, last):
            total = total + self.taken[i]
        return total

    cdef void add_up(self) noexcept nogil:
        # The sum of all chosen rules. Before the first block that has changed, all sums are as they were; after the last,
        # they differ by the same as long as they are in the same binade.
        cdef Py_ssize_t first = self.first_changed // BLOCK, last = self.last_changed // BLOCK, block = first, end, i
        cdef bint others = False, is_walked
        cdef float total = self.before[first], shift
        cdef double sum_
        cdef int binade
        while block < self.n_blocks:
            binade = binade_of(total)
            shift = total - self.before[block]
            if (block > last and not self.is_walked[block] and binade == self.binade[block]
                    and self.is_within(block, shift, binade)):
                end = self.walked[self.next_walked[block]]
                for i in range(block, end):
                    self.before[i] = self.before[i] + shift
                total = self.before[end] + shift
                block = end
                continue
            self.before[block] = total
            is_walked = True
            if self.positive and 0 <= binade < N_BINADES:
                if binade != self.binade[block]:
                    self.grow(block, binade)
                # If the end is within the binade, so is everything before it.
                sum_ = <double> total + self.grown[block]
                is_walked = self.halves[block] > 0 or sum_ >= end_of_binade(binade)
            others = others or is_walked != self.is_walked[block]
            self.is_walked[block] = is_walked
            if is_walked:
                self.slack[block] = self.slack_in(block)
                total = self.walk(total, block * BLOCK, min(self.n_rules, (block + 1) * BLOCK))
            else:
                total = <float> sum_
            block += 1
        self.before[self.n_blocks] = self.total = total
        if others or self.stamp == 0:
            self.list_walked()
        self.slack_from[self.n_walked] = 0.0
        for i in range(self.n_walked - 1, -1, -1):
            block = self.walked[i]
            if block < first and self.reach[block] >= self.first_changed:
                self.slack[block] = self.slack_in(block)
            self.slack_from[i] = self.slack_from[i + 1] + self.slack[block]
        self.first_changed, self.last_changed = self.n_rules, -1
        self.stamp += 1
        self.bound_ends()

    cdef void list_walked(self) noexcept nogil:
        cdef Py_ssize_t block
        self.n_walked = 0
        for block in range(self.n_blocks):
            self.next_walked[block] = <int32_t> self.n_walked
            self.walked[self.n_walked] = <int32_t> block
            self.n_walked += self.is_walked[block]
        self.walked[self.n_walked] = <int32_t> self.n_blocks

    cdef double slack_in(self, Py_ssize_t block) noexcept nogil:
        # For each binade that a sum comes to in this block: how many rules there are for which another sum, of one rule
        # more or less, could be on the other side, times what it makes if both sums are rounded to different units. And
        # for each rule that is halfway between two floats what it makes if they are rounded to different sides.
        cdef Py_ssize_t i
        cdef float total = self.before[block]
        cdef int binade = binade_of(total), after
        cdef bint half
        cdef double result = 0.0
        self.furthest = (block + 1) * BLOCK - 1
        for i in range(block * BLOCK, min(self.n_rules, (block + 1) * BLOCK)):
            if not self.chosen[i]:
                continue
            total = total + self.taken[i]
            after = binade_of(total)
            if not (self.positive and 0 <= after < N_BINADES):
                binade = after
                continue
            if after > binade:
                result += 0.75 * unit_of(after) * max(self.rules_nearby(i, -1), self.rules_nearby(i, 1))
            else:
                growth_of(self.bits[i], after, &half)
                result += half * unit_of(after)
            binade = after
        self.reach[block] = <int32_t> self.furthest
        return result

    cdef Py_ssize_t rules_nearby(self, Py_ssize_t rule, int step) noexcept nogil:
        # How many chosen rules it takes, from this one on, until their bits are more than any rule has.
        cdef Py_ssize_t n = 2
        cdef double left = 1.25 * self.most + 1.0
        while 0 <= rule < self.n_rules and left > 0:
            if self.chosen[rule]:
                n += 1
                left -= 0.75 * self.bits[rule]
            rule += step
        self.furthest = max(self.furthest, rule)
        return n

    cdef float flipped(self, Py_ssize_t rule) noexcept nogil:
        # What the sum would be with one rule more or less, after `add_up`.
        cdef Py_ssize_t block = rule // BLOCK, end = self.walked[self.next_walked[block]]
        cdef bint half = False
        cdef double growth
        cdef float total
        if end > block:
            # The sums after the rule differ by as much.
            growth = growth_of(self.bits[rule], self.binade[block], &half)
            if self.chosen[rule]:
                growth = -growth
            if not half and self.is_within(block, growth, self.binade[block]):
                return self.pass_blocks(end, <float> (self.before[end] + growth))
        total = self.walk(self.before[block], block * BLOCK, rule)
        if not self.chosen[rule]:
            total = total + self.bits[rule]
        total = self.walk(total, rule + 1, min(self.n_rules, (block + 1) * BLOCK))
        return self.pass_blocks(block + 1, total)

    cdef inline bint is_within(self, Py_ssize_t block, double shift, int binade) noexcept nogil:
        # Whether a sum that differs by so much stays in the binade up to the next block that had to be walked through.
        return self.before[self.walked[self.next_walked[block]]] + shift < end_of_binade(binade)

    cdef float pass_blocks(self, Py_ssize_t block, float total) noexcept nogil:
        # The sum of all from the sum before a block. Rules of about the same length come to a block that is gone through
        # with the same sum, so what has come of it is remembered.
        cdef Py_ssize_t end
        cdef int binade
        cdef double shift
        cdef Passed* passed
        cdef Passed* first = NULL
        while block < self.n_blocks:
            end = self.walked[self.next_walked[block]]
            if end == block:
                passed = &self.passed[self.next_walked[block] * REMEMBERED + (word_of(total) & (REMEMBERED - 1))]
                if passed.stamp == self.stamp and passed.before == total:
                    total = passed.total
                    break
                if first == NULL:
                    first = passed
                    first.before, first.stamp = total, self.stamp
            else:
                # Sums that are in the same binade go on differing by the same.
                binade = binade_of(total)
                shift = <double> total - self.before[block]
                if binade == self.binade[block] and self.is_within(block, shift, binade):
                    total = <float> (self.before[end] + shift)
                    block = end
                    continue
            total = self.walk(total, block * BLOCK, min(self.n_rules, (block + 1) * BLOCK))
            block += 1
        if first != NULL:
            first.total = total
        return total

    cdef double tolerance(self) noexcept nogil:
        # By how much `flipped` can differ from the sum with the bits of the rule simply added or taken away.
        return self.ends + self.slack_from[0]

    cdef void bound_ends(self) noexcept nogil:
        # All of the tolerance but the slack.
        cdef double top = self.total + self.most, result
        cdef int b = binade_of(<float> top)
        if not self.positive or b >= N_BINADES or 8 * unit_of(max(b, 0)) > self.least:
            # Each sum is off by its last bit.
            self.ends = 4 * ULP * (self.n_chosen + 2) * (self.magnitude + self.most)
            return
        # The two sums grow by the same but where one of them has come to the next binade and the other has not, or where
        # something is halfway: see `slack_in`. The last binade may be one that only the greater sum comes to. And below
        # the first binade there are only so many rules.
        result = unit_of(max(b, 0)) * (2 + 0.75 * self.rules_nearby(self.n_rules - 1, -1) * (b > binade_of(self.total)))
        result += (end_of_binade(0) / self.least + 2) * unit_of(0)
        self.ends = result

    cdef double least_flipped(self, Py_ssize_t rule) noexcept nogil:
        # What the sum would be at least with one rule more or less, after `add_up`: before the rule both sums are the
        # same, so that only the slack after it counts.
        cdef double sum_ = <double> self.total + (-self.bits[rule] if self.chosen[rule] else self.bits[rule])
        return sum_ - self.ends - self.slack_from[self.next_walked[rule // BLOCK]]
