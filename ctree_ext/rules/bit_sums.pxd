# The code length of the chosen rules, added up in 32 bits as release 8 does.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory

cdef enum:
    BLOCK = 32         # rules
    LOWEST = 7         # the first binade of which blocks are kept: from 2^7 on
    N_BINADES = 24
    REMEMBERED = 16    # sums before a block that is gone through, and what comes of them; a power of two


ctypedef struct Passed:
    # A sum before a block, and the sum of all that comes of it.
    float before, total
    Py_ssize_t stamp


cdef class BitSums:
    cdef Memory memory
    cdef Py_ssize_t n_rules, n_blocks, n_chosen
    cdef float* bits
    cdef float* taken              # [n_rules] the bits of the chosen ones, 0 for others
    cdef uint8_t* chosen           # [n_rules]
    cdef float* before             # [n_blocks + 1] the sum before each block, and that of all
    cdef int32_t* binade           # [n_blocks] that of the sum before the block, or one that it was in
    cdef double* grown             # [n_blocks] by how much a sum in that binade grows
    cdef int32_t* halves           # [n_blocks] how many rules are halfway between two floats there
    cdef uint8_t* is_walked        # [n_blocks] whether it is gone through rule by rule
    cdef int32_t* walked           # [n_walked + 1] these, and then `n_blocks`
    cdef Py_ssize_t n_walked
    cdef int32_t* next_walked      # [n_blocks] the place in `walked` of the first of them from there on
    cdef double* slack             # [n_blocks] by how much sums can come to differ in a block that is gone through
    cdef int32_t* reach            # [n_blocks] the last rule on which that depends
    cdef Py_ssize_t furthest
    cdef double* slack_from        # [n_walked + 1] the sums of those from each on
    cdef Passed* passed            # [n_walked, REMEMBERED] sums of one rule more or less, at this stamp
    cdef Py_ssize_t stamp
    cdef float total
    cdef Py_ssize_t first_changed, last_changed    # rules that were chosen or dropped since the last sum
    cdef double ends               # the rest of `tolerance`
    cdef bint positive             # all bits are
    cdef double least, most, magnitude

    cdef void start(self, const uint8_t* chosen) noexcept nogil
    cdef void flip(self, Py_ssize_t rule) noexcept nogil
    cdef void add_up(self) noexcept nogil
    cdef float flipped(self, Py_ssize_t rule) noexcept nogil
    cdef double tolerance(self) noexcept nogil
    cdef double least_flipped(self, Py_ssize_t rule) noexcept nogil
    cdef void bound_ends(self) noexcept nogil
    cdef void grow(self, Py_ssize_t block, int binade) noexcept nogil
    cdef void list_walked(self) noexcept nogil
    cdef bint is_within(self, Py_ssize_t block, double shift, int binade) noexcept nogil
    cdef float pass_blocks(self, Py_ssize_t block, float total) noexcept nogil
    cdef float walk(self, float total, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef double slack_in(self, Py_ssize_t block) noexcept nogil
    cdef Py_ssize_t rules_nearby(self, Py_ssize_t rule, int step) noexcept nogil


cdef int check_numbers(const int64_t[::1] rules, Py_ssize_t n_rules) except -1


cdef inline uint32_t word_of(float x) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &x, sizeof(bits))
    return bits


cdef inline int binade_of(float x) noexcept nogil:
    # Its place among those that are kept, negative or too great for others: between two powers of two, floats are
    # multiples of one unit.
    return <int> (word_of(x) >> 23) - 127 - LOWEST


cdef inline double power_of_two(int exponent) noexcept nogil:
    cdef uint64_t bits = <uint64_t> (1023 + exponent) << 52
    cdef double x
    memcpy(&x, &bits, sizeof(x))
    return x


cdef inline double end_of_binade(int binade) noexcept nogil:
    return power_of_two(binade + LOWEST + 1)


cdef inline double unit_of(int binade) noexcept nogil:
    return power_of_two(binade + LOWEST - 23)


cdef inline double growth_of(float bits, int binade, bint* half) noexcept nogil:
    # Bits, which are positive, rounded to the unit of a binade, and whether they are halfway: then downwards.
    cdef uint32_t word = word_of(bits)
    cdef int64_t digits = (word & 0x7FFFFF) | 0x800000
    cdef int below = binade + LOWEST + 127 - <int> (word >> 23)     # digits behind the unit
    half[0] = False
    if below <= 0:
        return bits
    if below > 24:
        return 0.0
    half[0] = digits & ((1 << below) - 1) == 1 << (below - 1)
    return ((digits + (1 << (below - 1)) - 1) >> below) * unit_of(binade)
