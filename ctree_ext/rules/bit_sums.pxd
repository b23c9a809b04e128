# The code length of the chosen rules, added up in 32 bits as release 8 does.

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory

cdef enum:
    BLOCK = 32         # rules
    LOWEST = 7         # the first binade of which blocks are kept: from 2^7 on
    N_BINADES = 24


cdef class BitSums:
    cdef Memory memory
    cdef Py_ssize_t n_rules, n_blocks, n_chosen
    cdef float* bits
    cdef float* taken              # [n_rules] the bits of the chosen ones, 0 for others
    cdef uint8_t* chosen           # [n_rules]
    cdef double* grown             # [n_blocks, N_BINADES] by how much a sum in that binade grows
    cdef int32_t* halves           # [n_blocks, N_BINADES] how many rules are halfway between two floats there
    cdef int32_t[N_BINADES] all_halves
    cdef float* before             # [n_blocks] the sum before each block
    cdef int32_t* next_walked      # [n_blocks] the block from there on which was gone through rule by rule
    cdef float total
    cdef double* crossings         # [n_blocks] bounds of what comes of sums that are in two binades, see `tolerance`
    cdef double* crossings_from    # [n_blocks + 1] their sums from each block on
    cdef int32_t* reach            # [n_blocks] the last rule on which each of these bounds hangs
    cdef Py_ssize_t furthest
    cdef uint8_t* walked           # [n_blocks] whether it was gone through rule by rule
    cdef Py_ssize_t changed        # the first rule that was chosen or dropped since the last sum
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
    cdef double sum_at(self, Py_ssize_t block) noexcept nogil
    cdef bint is_within(self, Py_ssize_t block, double shift, int binade) noexcept nogil
    cdef float pass_blocks(self, Py_ssize_t block, float total) noexcept nogil
    cdef float walk(self, float total, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef double crossing(self, float total, Py_ssize_t block) noexcept nogil
    cdef Py_ssize_t rules_nearby(self, Py_ssize_t rule, int step) noexcept nogil


cdef inline int binade_of(float x) noexcept nogil:
    # Its place among those that are kept, negative or too great for others: between two powers of two, floats are
    # multiples of one unit.
    cdef uint32_t bits
    memcpy(&bits, &x, sizeof(bits))
    return <int> (bits >> 23) - 127 - LOWEST


cdef inline double end_of_binade(int binade) noexcept nogil:
    return 2.0 * (<double> (<long long> 1 << (binade + LOWEST)))


cdef inline double unit_of(int binade) noexcept nogil:
    return end_of_binade(binade) * (1.0 / 16777216.0)
