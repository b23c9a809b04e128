# Top-down induction: what all searches for tests share.

from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.grow.frames cimport Frame, Worker
from ctree_ext.grow.limits cimport FirstTest, GrowthLimits
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.storage cimport CaseStorage, TableSurvey
from ctree_ext.grow.threads cimport Backlog, Team


cdef class TreeGrower:
    cdef CaseTable table
    cdef const Cases* cases
    cdef readonly double min_cases
    cdef readonly object order
    cdef readonly object leaf_rows
    cdef bint collapse       # tests that save no training errors become leaves
    cdef CaseStorage storage
    cdef Team team
    cdef list workers        # one per thread; the first leads
    cdef Py_ssize_t* group_offset  # per attribute, where the branches of its values begin in `Worker.group`
    cdef NodeView view       # what the team is searching
    cdef Frame* dividing     # what the team is dividing
    cdef list hands          # workers for subtrees that are not in use
    cdef Py_ssize_t most_in_hand  # cases that these have room for
    cdef list parts          # growers of subtrees that have cases of their own; None where they use those that are here
    cdef list subtrees       # those that are grown, to be hung in their places
    cdef Backlog left        # subtrees that wait for threads, by their numbers
    cdef int n_chosen        # how many attributes a node is offered at random; 0: all
    cdef uint64_t key        # of these choices, at the root
    cdef GrowthLimits limits

    # What a search for tests fills in
    cdef int set_up(self, Worker worker) except -1
    cdef bint stays_leaf(self, Frame* frame, NodeView* view) noexcept nogil
    cdef int note_leaves(self, Worker worker, Frame* frame) except -1 nogil
    cdef int search(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil
    cdef int choose(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil
    cdef int write_threshold(self, Worker worker, Frame* frame, int attribute) except -1 nogil
    cdef int n_groups(self, Worker worker, int attribute) noexcept nogil
    cdef void take_threshold_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil
    cdef bint find_own_threshold(self, Worker worker, Frame* frame, NodeView* view, int attribute) except -1 nogil
    cdef bint put_threshold(self, Worker worker, const NodeView* view, int attribute) except -1 nogil
    cdef int skip_search(self, Worker worker) except -1 nogil
    cdef bint takes_apart(self) noexcept nogil
    cdef TreeGrower part_of(self, Worker worker, Frame* frame)

    cdef int start(self, CaseStorage storage, TableSurvey survey, int n_threads) except -1
    cdef Worker new_worker(self, Py_ssize_t most_cases)
    cdef int run(self, Worker worker) except -1 nogil
    cdef int open_node(self, Worker worker, Frame* frame) except -1 nogil
    cdef void leave_out_forbidden(self, Worker worker) noexcept nogil
    cdef int choose_first(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil
    cdef bint is_divided(self, const NodeView* view, const FirstTest* test) noexcept nogil
    cdef int choose_at_random(self, Worker worker, Frame* frame, NodeView* view) except -2 nogil
    cdef int search_all(self, Worker worker, NodeView* view) except -1 nogil
    cdef bint calls_team(self, Worker worker, Py_ssize_t n) noexcept nogil
    cdef int divide(self, Worker worker, Frame* frame, int attribute) except -1 nogil
    cdef int write_test(self, Worker worker, Frame* frame, int attribute) except -1 nogil
    cdef void take_sides(self, Worker worker, Frame* frame, int attribute) noexcept nogil
    cdef int next_branch(self, Worker worker, Frame* frame) except -1 nogil
    cdef int collapse_node(self, Worker worker, Py_ssize_t node) noexcept nogil
    cdef int defer(self, Worker worker, Frame* frame) except -1 nogil
    cdef int grow_left(self, Worker lead) except -1
    cdef int grow_deferred(self, Worker lead) except -1
    cdef int hang_subtrees(self, Worker lead) except -1
