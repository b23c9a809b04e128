# Error-based pruning as in release 8.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.base.weights cimport Weights
from ctree_ext.prune.added_cases cimport AddedCases
from ctree_ext.prune.case_stack cimport CaseStack, StackedCases
from ctree_ext.prune.error_estimate cimport ErrorEstimate


cdef enum Stage:
    ENTER
    BRANCHES
    COMPARED  # the largest branch has been estimated with all cases
    RAISED    # the largest branch has been pruned again with all cases


ctypedef struct Frame:
    # est(T, cases, update) of the specification, interrupted at `stage`.
    Pool memory
    int32_t node
    int32_t* rows
    Py_ssize_t n
    bint update
    bint placed           # its cases stand branch after branch, and are counted, as growing has left them
    bint shared           # of a task, whose branches may have been pruned by other tasks
    bint counted          # no test above has a case of unknown outcome: cases are counted, not their weights added
    bint ones             # every weight is one, or was when the node was entered
    bint drifted          # some weights were scaled since, and did not return to the last bit
    bint at_leaf          # the branch being estimated is one
    Stage stage
    int n_branches
    int next_branch
    int largest
    Py_ssize_t n_unknown
    int32_t* unknown      # the cases of unknown outcome
    StackedCases stacked  # where sums are exact: its cases
    Py_ssize_t done
    Py_ssize_t* sizes
    double n_cases
    double known
    double share          # of the branch being estimated, in the known weight
    double largest_share
    double as_leaf
    double as_tree


cdef class Pruner:
    cdef CaseTable table
    cdef const Cases* cases
    cdef ErrorEstimate estimate
    cdef bint subtree_raising
    cdef Nodes nodes
    cdef Memory memory       # of one pruning
    cdef FrameStack stack
    cdef int32_t* rows
    cdef int32_t* spare
    cdef uint8_t* side
    cdef uint8_t* by_position
    cdef Weights held
    cdef Weights* weights
    cdef double* counts
    cdef Py_ssize_t* place
    cdef bint placed         # the cases stand leaf after leaf
    cdef uint8_t* pruned     # per node, whether a task has pruned it; NULL for one thread
    cdef bint is_hand        # works on the nodes and rows of another
    cdef AddedCases added    # where every case counts one, else None
    cdef CaseStack case_stack  # where what cases count is a whole number of a unit and may not be one, else None
    cdef Watch watch
    cdef double result
    cdef double most         # where a branch is estimated with all cases: with more errors it will not be raised
    cdef double spent        # errors in its leaves so far
    cdef Py_ssize_t n_below  # frames below it
    cdef bint keep_order
    cdef readonly object order

    cdef int estimate_root(self, arrays, const int32_t[::1] order, const int32_t[::1] leaf_rows, bint update) except -1
    cdef int release(self) except -1
    cdef int allocate(self, const int32_t[::1] order, const int32_t[::1] leaf_rows) except -1
    cdef int check_places(self, const int32_t[::1] leaf_rows) except -1
    cdef int work_for(self, Pruner lead) except -1
    cdef int copy_order(self, int32_t[::1] order) except -1
    cdef int push(self, int32_t node, int32_t* rows, Py_ssize_t n, bint update, bint counted, bint ones) except -1 nogil
    cdef int push_placed(self, int32_t node, int32_t* rows, Py_ssize_t n) except -1 nogil
    cdef int push_stacked(self, int32_t node, StackedCases stacked, bint update) except -1 nogil
    cdef int pop(self, double result) noexcept nogil
    cdef int run(self) except -1 nogil
    cdef bint look(self, Frame* frame) except -1 nogil
    cdef double count(self, Frame* frame) noexcept nogil
    cdef bint open(self, Frame* frame, double cases) except -1 nogil
    cdef int enter(self, Frame* frame) except -1 nogil
    cdef int divide(self, Frame* frame) except -1 nogil
    cdef void share_weights(self, Frame* frame) noexcept nogil
    cdef void restore_weights(self, Frame* frame) noexcept nogil
    cdef int go_down(self, Frame* frame) except -1 nogil
    cdef int after_branch(self, Frame* frame) except -1 nogil
    cdef int estimate_largest(self, Frame* frame) except -1 nogil
    cdef void give_up(self) noexcept nogil
    cdef int estimate_added(self, Frame* frame) except -1 nogil
    cdef int decide(self, Frame* frame) except -1 nogil
    cdef int replace(self, Frame* frame) noexcept nogil
