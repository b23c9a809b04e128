# A split criterion of the user's: a compiled function, or a Python one that scores many tests at once.

from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.split_scores cimport ScoreFunction

ctypedef double (*CriterionFunction)(const double* counts, int n_branches, int n_classes,
                                     void* user_data) noexcept nogil


cdef class OwnCriterion:
    cdef CriterionFunction function  # NULL: `judge` scores
    cdef void* user_data
    cdef object capsule      # keeps both
    cdef object judge
    cdef Py_ssize_t batch    # tests that it scores at once, at most


ctypedef struct Trial:
    # A test that waits for its score.
    int attribute
    int value
    int32_t low_row
    int32_t high_row
    Py_ssize_t n_below


cdef class Trials:
    # The tests of a node, as one thread has them scored. Those of several attributes may wait together.
    cdef OwnCriterion criterion
    cdef const ScoreFunction* function
    cdef ScoreCandidate* best        # per attribute
    cdef const double* node_counts
    cdef Watch* watch
    cdef Memory memory
    cdef double* counts              # of the tests that wait, matrix after matrix
    cdef Trial* waiting
    cdef Py_ssize_t n
    cdef Py_ssize_t room             # numbers in `counts`
    cdef int n_branches              # of all tests that wait

    cdef int begin(self, ScoreCandidate* best, const double* node_counts, Watch* watch) noexcept nogil
    cdef double* matrix(self, int n_branches) except NULL nogil
    cdef int offer(self, const Trial* trial) except -1 nogil
    cdef int score_waiting(self) except -1 nogil
    cdef int ask_judge(self) except -1
    cdef int refuse(self, const Trial* trial, const double* matrix, double score) except -1
    cdef void take(self, const Trial* trial, double score) noexcept nogil
