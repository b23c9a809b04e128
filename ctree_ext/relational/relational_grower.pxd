from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.split_scores cimport SplitScore
from ctree_ext.grow.stopping cimport StoppingRule
from ctree_ext.relational.answers cimport Answers
from ctree_ext.relational.language cimport Language
from ctree_ext.relational.packs cimport PackSearch
from ctree_ext.relational.query_test cimport QueryTest


ctypedef struct NodeRecord:
    QueryTest test
    bint is_leaf
    int32_t depth
    int64_t n_tests
    double figure
    Py_ssize_t job           # the subtree that another thread grows; -1 for none


ctypedef struct NodeFrame:
    # A node that is still to be grown.
    Answers answers
    int32_t depth


cdef class RelationalGrower:
    cdef Language language
    cdef SplitScore score
    cdef StoppingRule stopping
    cdef PackSearch packs
    cdef Memory memory
    cdef NodeFrame* frames       # a stack of the nodes to be grown
    cdef Py_ssize_t n_frames
    cdef Py_ssize_t frame_room
    cdef list kept
    cdef tuple arguments         # of the constructor, for growers in other threads
    cdef dict options
    cdef const int32_t* rows
    cdef Py_ssize_t n_examples
    cdef int n_classes
    cdef int max_depth           # less than 0 for no limit
    cdef NodeRecord* nodes
    cdef double* counts          # of each node, by class
    cdef Py_ssize_t n_nodes
    cdef Py_ssize_t room
    cdef NodeFrame* jobs         # subtrees for other threads
    cdef Py_ssize_t n_jobs
    cdef Py_ssize_t job_room
    cdef Py_ssize_t job_size     # nodes of at most so many examples are for them; 0 for none
    cdef int stop_asked
    cdef Py_ssize_t settled      # examples in leaves
    cdef list workers            # growers of other threads
    cdef double* lost            # what sums of weights have lost
    cdef unsigned char* gone     # of each example whether it went to the yes branch

    cdef int run(self) except -1 nogil
    cdef int hand_over(self, const NodeFrame* frame) except -1 nogil
    cdef int push(self, const Answers* answers, int32_t depth) except -1 nogil
    cdef Py_ssize_t new_node(self, const Answers* answers, int32_t depth) except -1 nogil
    cdef bint divide(self, Answers* answers, Py_ssize_t node) except -1 nogil
    cdef bint choose(self, Answers* answers, Py_ssize_t node) except -1 nogil
    cdef grow_jobs(self, int n_threads)
    cdef dict result(self)
