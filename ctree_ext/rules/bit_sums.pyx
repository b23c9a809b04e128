"""The code length of the chosen rules, added up in 32 bits as release 8 does: rule by rule, rounded after each.

With one rule more or less, the whole sum can change in its last bits. But between two powers of two all floats are
multiples of one unit, and a sum there grows by a number of bits as rounded to that unit, wherever it is: unless they are
halfway between two floats, where the even one is taken. So for each block of rules and each binade it is known by how
much a sum grows, and only where a sum leaves its binade within a block, or something is halfway, is the block gone
through rule by rule.
"""

from libc.math cimport floor

from ctree_ext.base.memory cimport Memory

cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself


cdef inline double _growth(float bits, int binade, bint* half) noexcept nogil:
    # Bits rounded to the unit of a binade, and whether they are halfway.
    cdef double unit = unit_of(binade), x = <double> bits / unit, whole = floor(x), rest = x - whole
    half[0] = rest == 0.5
    return (whole + (rest > 0.5)) * unit


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
        self.grown = <double*> self.memory.zeroed(self.n_blocks * N_BINADES, sizeof(double))
        self.halves = <int32_t*> self.memory.zeroed(self.n_blocks * N_BINADES, sizeof(int32_t))
        self.before = <float*> self.memory.zeroed(self.n_blocks, sizeof(float))
        self.next_walked = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.crossings = <double*> self.memory.zeroed(self.n_blocks, sizeof(double))
        self.crossings_from = <double*> self.memory.zeroed(self.n_blocks + 1, sizeof(double))
        self.reach = <int32_t*> self.memory.zeroed(self.n_blocks, sizeof(int32_t))
        self.walked = <uint8_t*> self.memory.zeroed(self.n_blocks, sizeof(uint8_t))
        self.positive = True
        for i in range(self.n_rules):
            self.bits[i] = <float> bits[i]
            self.positive = self.positive and self.bits[i] > 0
            self.magnitude += abs(bits[i])
            self.most = max(self.most, abs(bits[i]))
            self.least = abs(bits[i]) if i == 0 else min(self.least, abs(bits[i]))

    cdef void start(self, const uint8_t* chosen) noexcept nogil:
        # From no rule to these.
        cdef Py_ssize_t i
        for i in range(self.n_rules):
            if self.chosen[i] != chosen[i]:
                self.flip(i)

    cdef void flip(self, Py_ssize_t rule) noexcept nogil:
        # Choose a rule, or drop it.
        cdef Py_ssize_t at = rule // BLOCK * N_BINADES
        cdef int b, sign = -1 if self.chosen[rule] else 1
        cdef bint half
        self.chosen[rule] = not self.chosen[rule]
        self.taken[rule] = self.bits[rule] if self.chosen[rule] else <float> 0.0
        self.n_chosen += sign
        self.changed = min(self.changed, rule)
        if not self.positive:
            return
        for b in range(N_BINADES):
            self.grown[at + b] += sign * _growth(self.bits[rule], b, &half)
            if half:
                self.halves[at + b] += sign
                self.all_halves[b] += sign

    cdef float walk(self, float total, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        # A sum past some rules, one by one. To add 0 where a rule is not chosen changes nothing, and takes no jump.
        cdef Py_ssize_t i
        for i in range(first, last):
            total = total + self.taken[i]
        return total

    cdef void add_up(self) noexcept nogil:
        # The sum of all chosen rules. Before the first block that has changed, all sums are as they were.
        cdef Py_ssize_t block, first = self.changed // BLOCK, next_ = self.n_blocks
        cdef float total = self.before[first] if first < self.n_blocks else self.total
        cdef double sum_
        cdef int binade
        for block in range(first, self.n_blocks):
            self.before[block] = total
            binade = binade_of(total)
            self.walked[block] = False
            if self.positive and 0 <= binade < N_BINADES and self.halves[block * N_BINADES + binade] == 0:
                # If the end is within the binade, so is everything before it.
                sum_ = <double> total + self.grown[block * N_BINADES + binade]
                if sum_ < end_of_binade(binade):
                    total = <float> sum_
                    continue
            self.walked[block] = True
            total = self.walk(total, block * BLOCK, min(self.n_rules, (block + 1) * BLOCK))
        self.total = total
        for block in range(self.n_blocks - 1, -1, -1):
            self.crossings_from[block] = self.crossings_from[block + 1]
            if self.walked[block]:
                if self.reach[block] >= self.changed or block >= first:
                    self.crossings[block] = self.crossing(self.before[block], block)
                self.crossings_from[block] += self.crossings[block]
                next_ = block
            self.next_walked[block] = <int32_t> next_
        self.changed = self.n_rules
        self.bound_ends()

    cdef double crossing(self, float total, Py_ssize_t block) noexcept nogil:
        # For each binade that a sum comes to in this block: how many rules there are for which another sum, of one rule
        # more or less, could be on the other side, times what it makes if both sums are rounded to different units.
        cdef Py_ssize_t i
        cdef int binade = binade_of(total), after
        cdef double result = 0.0
        self.furthest = (block + 1) * BLOCK - 1
        for i in range(block * BLOCK, min(self.n_rules, (block + 1) * BLOCK)):
            total = total + self.taken[i]
            after = binade_of(total)
            if after > binade and 0 <= after < N_BINADES:
                result += 0.75 * unit_of(after) * max(self.rules_nearby(i, -1), self.rules_nearby(i, 1))
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
        cdef Py_ssize_t block = rule // BLOCK
        cdef int binade = binade_of(self.before[block])
        cdef bint half = False
        cdef double growth
        cdef float total
        if self.next_walked[block] > block:
            # The sums after the rule differ by as much.
            growth = _growth(self.bits[rule], binade, &half)
            if self.chosen[rule]:
                growth = -growth
            if not half and self.is_within(block, growth, binade):
                return self.pass_blocks(self.next_walked[block], <float> (self.sum_at(self.next_walked[block]) + growth))
        total = self.walk(self.before[block], block * BLOCK, rule)
        if not self.chosen[rule]:
            total = total + self.bits[rule]
        total = self.walk(total, rule + 1, min(self.n_rules, (block + 1) * BLOCK))
        return self.pass_blocks(block + 1, total)

    cdef inline double sum_at(self, Py_ssize_t block) noexcept nogil:
        return self.before[block] if block < self.n_blocks else self.total

    cdef inline bint is_within(self, Py_ssize_t block, double shift, int binade) noexcept nogil:
        # Whether a sum that differs by so much stays in the binade up to the next block that had to be walked through.
        return self.sum_at(self.next_walked[block]) + shift < end_of_binade(binade)

    cdef float pass_blocks(self, Py_ssize_t block, float total) noexcept nogil:
        # The sum of all from the sum before a block.
        cdef int binade
        cdef double shift
        while block < self.n_blocks:
            # Sums that are in the same binade go on differing by the same.
            binade = binade_of(total)
            shift = <double> total - self.before[block]
            if (self.next_walked[block] > block and binade == binade_of(self.before[block])
                    and self.is_within(block, shift, binade)):
                block = self.next_walked[block]
                total = <float> (self.sum_at(block) + shift)
            else:
                total = self.walk(total, block * BLOCK, min(self.n_rules, (block + 1) * BLOCK))
                block += 1
        return total

    cdef double tolerance(self) noexcept nogil:
        # By how much `flipped` can differ from the sum with the bits of the rule simply added or taken away.
        return self.ends + self.crossings_from[0]

    cdef void bound_ends(self) noexcept nogil:
        # All of the tolerance but the crossings.
        cdef double top = self.total + self.most, result
        cdef int b = binade_of(<float> top)
        if not self.positive or b >= N_BINADES or 8 * unit_of(max(b, 0)) > self.least:
            # Each sum is off by its last bit.
            self.ends = 4 * ULP * (self.n_chosen + 2) * (self.magnitude + self.most)
            return
        # The two sums grow by the same but where one of them has come to the next binade and the other has not: see
        # `crossing`. The last binade may be one that only the greater sum comes to. Where something is halfway, they can
        # differ by a unit. And below the first binade there are only so many rules.
        result = unit_of(max(b, 0)) * (2 + 0.75 * self.rules_nearby(self.n_rules - 1, -1) * (b > binade_of(self.total)))
        result += (end_of_binade(0) / self.least + 2) * unit_of(0)
        for b in range(N_BINADES):
            result += self.all_halves[b] * unit_of(b)
        self.ends = result

    cdef double least_flipped(self, Py_ssize_t rule) noexcept nogil:
        # What the sum would be at least with one rule more or less, after `add_up`: before the rule both sums are the
        # same, so that only the crossings after it count.
        cdef double sum_ = <double> self.total + (-self.bits[rule] if self.chosen[rule] else self.bits[rule])
        return sum_ - self.ends - self.crossings_from[rule // BLOCK]
