# The cases of a table as growing needs them, handed down from a node to its branches.

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.weights cimport Weights
from ctree_ext.grow.frames cimport Frame, Segment, Worker
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.sorting cimport Sorted
from ctree_ext.grow.threads cimport Team


ctypedef struct TableSurvey:
    # What is found out about a table before it is decided how its cases are stored.
    bint complete            # no value is unknown
    int most_values          # of a discrete attribute, at least 2
    Py_ssize_t n_group_codes  # values of all discrete attributes


cdef TableSurvey survey_table(const Cases* cases) noexcept nogil


cdef class CaseStorage:
    cdef CaseTable table
    cdef const Cases* cases
    cdef TableSurvey survey
    cdef bint with_classes   # columns are sorted for scores: the classes are in the ranks, values are looked up
    cdef double small        # shares up to this are none
    cdef list attributes     # the continuous attributes
    cdef list sorting_room   # to sort a column in, of threads that have finished theirs
    cdef int n_continuous
    cdef int* continuous     # the same
    cdef Memory facts        # kept from one growing to the next
    cdef Memory memory       # of one growing; that of its columns can be freed earlier
    cdef Memory column_memory
    cdef Sorted* columns
    cdef int32_t* rows
    cdef Weights held
    cdef Weights* weights    # NULL where every case counts one everywhere
    cdef uint8_t* side       # per row, the branch it takes at the node being divided
    cdef int32_t* wide_side  # the same where there are too many branches for a byte

    cdef bint is_separable(self) noexcept nogil
    cdef int allocate(self, Py_ssize_t n) except -1
    cdef int release_columns(self) except -1
    cdef int release(self) except -1
    cdef Py_ssize_t prepare(self, rows, Team team) except -1
    cdef bint counts_ones(self, const Frame* frame) noexcept nogil
    cdef int note_missing(self) except -1
    cdef Py_ssize_t restrict(self, const int32_t[::1] subset) except -1
    cdef object final_order(self, Py_ssize_t n)
    cdef object rows_by_leaf(self, Py_ssize_t n)

    cdef void show(self, const Frame* frame, NodeView* view) noexcept nogil
    cdef double count(self, const NodeView* view, double* counts) noexcept nogil
    cdef void sides_by_rank(self, Frame* frame, int attribute, uint32_t cut) noexcept nogil
    cdef void sides_by_value(self, Frame* frame, const double* values, double low) noexcept nogil
    cdef void sides_by_code(self, Frame* frame, int attribute, const int32_t* group) noexcept nogil
    cdef void divide(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil
    cdef int keep_unknown(self, Frame* frame) except -1 nogil
    cdef int partition(self, Worker hand, const Frame* frame, int part, int parts) except -1 nogil
    cdef Segment enter_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil
    cdef void leave_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil
    cdef void merge_kept(self, const Frame* frame) noexcept nogil


cdef class PartitionedStorage(CaseStorage):
    cdef int32_t* place_of   # per row, its place in a part; NULL where no parts are taken
    cdef int32_t* numbers    # of a part, its rows in the original

    cdef bint is_worth_a_part(self, const Frame* frame) noexcept nogil
    cdef int take_part(self, PartitionedStorage original, const Frame* frame, bint apart) except -1
    cdef void hand_back(self, PartitionedStorage original, const Frame* frame) noexcept nogil
    cdef void take_shares(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil
