# The nodes that a thread is growing, and what it needs for that.

from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.grow.candidates cimport GainCandidate, ScoreCandidate
from ctree_ext.grow.scratch cimport Scratch
from ctree_ext.grow.sorting cimport Entry


ctypedef struct Segment:
    # Where the cases of a node stand.
    Py_ssize_t start         # in the sorted columns
    Py_ssize_t list_start    # in the list of rows
    Py_ssize_t n


ctypedef struct Frame:
    # A node that is being grown.
    Pool memory
    int32_t node
    Segment cases
    bint integer             # every case here counts one
    bint counted             # its class weights stand in the node already
    int present              # by a score: how many classes have cases here, and in the node above; 0 at the root
    int present_above
    # once it is divided
    bint divided
    int next_branch          # the branch to grow next
    int n_branches
    Py_ssize_t done          # cases with known value in the branches before it
    Py_ssize_t n_unknown
    double known             # the weight of the cases whose outcome is known
    bint branches_counted    # the class weights of the branches stand in their nodes
    Py_ssize_t* sizes        # per branch, cases with known value
    double* shares           # per branch, its share of the known weight
    Entry* kept              # per continuous attribute, the cases with unknown value in its order, and one place more
    int32_t* kept_rows
    double* kept_weights     # what they counted before, where the storage gives it back to the bit
    Py_ssize_t n_reorderings  # of the list, before the branch that is being grown


ctypedef struct Deferred:
    # A subtree left for another thread.
    int32_t node
    Py_ssize_t start
    Py_ssize_t n
    int present_above
    int32_t* tested


cdef class Worker:
    # What one thread needs to grow a subtree by itself.
    cdef Memory memory
    cdef Nodes nodes
    cdef FrameStack stack
    cdef Scratch scratch
    cdef Entry* spare
    cdef int32_t* spare_rows
    cdef Py_ssize_t* place
    cdef GainCandidate* gains    # per attribute, its best test; one of the two is NULL
    cdef ScoreCandidate* scores
    cdef int32_t* tested     # how often each attribute is tested on the path
    cdef int32_t* group      # per attribute, the branch of each value under its best grouping
    cdef Py_ssize_t defer_below  # nodes of at most this size are left as jobs
    cdef Deferred* deferred
    cdef Py_ssize_t n_deferred
    cdef Py_ssize_t deferred_capacity
    cdef Watch watch
    cdef bint leads          # looks for signals, and may call on the team

    cdef Frame* push(self, Py_ssize_t node, Segment cases, bint integer) except NULL nogil
    cdef int defer(self, const Frame* frame, Py_ssize_t n_attributes) except -1 nogil
    cdef Py_ssize_t largest_deferred(self) noexcept nogil
