# Rules by what adding or dropping them would change.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    FEW = 32                   # cases
    N_KINDS = 2 * FEW * FEW    # of changes by few cases: dropped or added, of other classes, of the own class
    LOOSE = N_KINDS            # all others that are added; the next number, if they are dropped


ctypedef struct Heap:
    # The rule that saves most before those of its two branches: of dropped ones the longest, of added ones the shortest.
    int32_t* rules
    Py_ssize_t n
    Py_ssize_t room


cdef class Changes:
    cdef Memory memory
    cdef Py_ssize_t n_rules
    cdef const double* bits
    cdef Heap* heaps           # [N_KINDS]
    cdef double* best          # [N_KINDS] the `merit_of` the first rule of each that has one
    cdef int32_t* kind         # [n_rules] the heap in which each rule is, LOOSE or the next, -1 for none
    cdef int32_t* at           # [n_rules] and its place there
    cdef int32_t* marked       # numbers of heaps and of loose rules that have changed
    cdef uint8_t* is_marked    # [n_numbers]
    cdef Py_ssize_t n_marked, n_numbers

    cdef void clear(self) noexcept nogil
    cdef int put(self, Py_ssize_t rule, bint chosen, Py_ssize_t others, Py_ssize_t own) except -1 nogil
    cdef void take_out(self, Py_ssize_t rule) noexcept nogil
    cdef void up(self, Heap* heap, int kind, Py_ssize_t at, int32_t rule) noexcept nogil
    cdef void down(self, Heap* heap, int kind, Py_ssize_t at, int32_t rule) noexcept nogil
    cdef void mark(self, int32_t number) noexcept nogil


cdef inline double merit_of(const double* bits, int kind, int32_t rule) noexcept nogil:
    # What is saved on the rule itself, doubled.
    return bits[rule] if kind >= FEW * FEW else -bits[rule]


# Heaps have the numbers of their kinds. A loose rule has two, one to be added and one to be dropped.

cdef inline int32_t loose_number(Py_ssize_t rule, bint chosen) noexcept nogil:
    return <int32_t> (N_KINDS + 2 * rule + chosen)


cdef inline Py_ssize_t rule_of(int32_t number) noexcept nogil:
    return (number - N_KINDS) >> 1


cdef inline bint is_dropped(int32_t number) noexcept nogil:
    return number >= FEW * FEW if number < N_KINDS else number & 1
