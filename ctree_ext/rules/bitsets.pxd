# Sets of cases, a bit each.

from libc.stdint cimport uint64_t

cdef enum:
    WORD = 64


cdef inline Py_ssize_t n_words(Py_ssize_t n) noexcept nogil:
    return (n + WORD - 1) // WORD


cdef inline uint64_t valid_bits(Py_ssize_t n, Py_ssize_t word) noexcept nogil:
    # The bits of this word that stand for cases, of which there are n.
    cdef Py_ssize_t left = n - word * WORD
    return ~(<uint64_t> 0) if left >= WORD else ((<uint64_t> 1) << left) - 1


cdef inline int count_bits(uint64_t x) noexcept nogil:
    # By halves, for the instruction that does it is not on every processor.
    x -= (x >> 1) & <uint64_t> 0x5555555555555555
    x = (x & <uint64_t> 0x3333333333333333) + ((x >> 2) & <uint64_t> 0x3333333333333333)
    x = (x + (x >> 4)) & <uint64_t> 0x0F0F0F0F0F0F0F0F
    return <int> ((x * <uint64_t> 0x0101010101010101) >> 56)
