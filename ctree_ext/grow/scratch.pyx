"""Working memory of the searches for tests."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.counts cimport Cell


cdef int scratch_init(Scratch* scratch, Memory memory, int most_values, int n_classes, Py_ssize_t most_cases) except -1:
    cdef Py_ssize_t C = n_classes, V = most_values + 2
    cdef Py_ssize_t n_blocks = most_cases // block_size(most_cases, n_classes) + MAX_BLOCK + 2
    memset(scratch, 0, sizeof(Scratch))
    scratch.counts = <double*> memory.raw(V * C, sizeof(double))
    scratch.cells = <Cell*> memory.raw(V * C, sizeof(Cell))
    scratch.branch = <double*> memory.raw(V, sizeof(double))
    scratch.tally = <double*> memory.zeroed(V, sizeof(double))
    scratch.sides = <double*> memory.raw(2 * C, sizeof(double))
    scratch.terms = <double*> memory.raw(2 * C, sizeof(double))
    scratch.integers = <int32_t*> memory.raw(2 * C, sizeof(int32_t))
    scratch.fractions = <float*> memory.raw(4 * C, sizeof(float))
    scratch.held_sides = <float*> memory.raw(MAX_HELD * 2 * C, sizeof(float))
    scratch.long_marks = <double*> memory.raw(n_blocks * (C + 1), sizeof(double))
    scratch.marks = <float*> scratch.long_marks
    scratch.sums = <int32_t*> scratch.long_marks
    scratch.highs = <double*> memory.raw(3 * C, sizeof(double))
    return 0
