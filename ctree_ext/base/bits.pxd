# Bits of a word, and sets of cases, a bit each.

from libc.stdint cimport uint64_t

cdef extern from "../base/bits.h" nogil:
    int count_bits(uint64_t x)
    int lowest_bit(uint64_t x)

cdef enum:
    WORD = 64


cdef inline Py_ssize_t n_words(Py_ssize_t n) noexcept nogil:
    return (n + WORD - 1) // WORD


cdef inline uint64_t valid_bits(Py_ssize_t n, Py_ssize_t word) noexcept nogil:
    # The bits of this word that stand for cases, of which there are n.
    cdef Py_ssize_t left = n - word * WORD
    return ~(<uint64_t> 0) if left >= WORD else ((<uint64_t> 1) << left) - 1
