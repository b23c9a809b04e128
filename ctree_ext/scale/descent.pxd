# Coded cases on their way down the top of a tree, in blocks; descent.pyx explains it.

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.scale.columns cimport Columns

cdef enum:
    BLOCK = 65536   # rows, so that one of a block is an uint16


ctypedef struct Step:
    # What is asked at a node, in codes.
    double threshold
    const int32_t* group      # the branch of each value; NULL in tests of other kinds
    int32_t test
    int32_t attribute
    int32_t first_branch
    int32_t n_branches
    uint32_t limit            # of a threshold: codes up to this go to the first branch
    bint mixed                # whether numbers of the next code go to both


ctypedef struct Entries:
    # The cases of a block, those of a node side by side. One with an unknown value may be at several nodes.
    Pool* pool
    uint16_t* rows            # counted from the start of the block
    int64_t* weights
    uint16_t* spare_rows
    int64_t* spare_weights
    int32_t* branches         # that the cases of a node take
    Py_ssize_t room
    Py_ssize_t n
    Py_ssize_t* first         # of each node
    Py_ssize_t* last
    Py_ssize_t* places        # of each branch of a node
    bint all_at_root          # then `rows` are 0, 1, ...
    bint weighted             # whether there are weights
    int32_t fault             # an attribute


cdef enum Status:
    DONE = 0
    NEEDS_WEIGHTS = 1
    BAD_CODE = 2
    BAD_CLASS = 3
    TOO_MANY = 4
    NO_MEMORY = 5


cdef class Descent:
    cdef Memory memory
    cdef Step* steps
    cdef Py_ssize_t n_nodes
    cdef readonly Py_ssize_t n_slots
    cdef int32_t* node_of_slot
    cdef Py_ssize_t n_visits
    cdef int32_t* visits          # the nodes to divide, parents first
    cdef const double[::1] shares
    cdef const int32_t[::1] group
    cdef Py_ssize_t most_branches
    cdef Py_ssize_t n_tested
    cdef int32_t* tested          # the attributes of their tests

    cdef const int32_t* _map_of(self, Py_ssize_t node, int64_t start, int64_t length) except? NULL
    cdef int _plan(self, const int32_t[::1] nodes, Py_ssize_t n_attributes) except -1
    cdef int _divide_all(self, Columns columns, Py_ssize_t start, Py_ssize_t n, Entries* entries) noexcept nogil
    cdef int _divide(self, Columns columns, Py_ssize_t start, Py_ssize_t node, Entries* entries) noexcept nogil
    cdef void _share_out(self, const Step* step, Py_ssize_t first, Py_ssize_t n, Entries* entries) noexcept nogil
    cdef int prepare(self, Columns columns, Entries* entries, Memory memory) except -1
    cdef int route(self, Columns columns, Py_ssize_t start, Py_ssize_t n, Entries* entries) noexcept nogil


cdef int raise_fault(int status, int32_t attribute) except -1 nogil
