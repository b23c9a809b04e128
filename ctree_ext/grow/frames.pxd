# The nodes that a thread is growing, and what it needs for that.

from libc.stdint cimport int32_t, uint8_t, uint64_t

from ctree_ext.base.interrupts cimport GO_ON, Watch, check_after
from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.grow.candidates cimport GainCandidate, ScoreCandidate
from ctree_ext.grow.own_criterion cimport Trials
from ctree_ext.grow.limits cimport FirstTest
from ctree_ext.grow.scratch cimport Scratch
from ctree_ext.grow.sorting cimport Entry


cdef enum:
    MANY_CASES = 1024


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
    uint64_t key             # of the random choice of attributes
    int depth                # how many tests are above
    int n_first              # how many of the tests that come first are made above, or passed over
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
    uint8_t* leaf            # per branch, by a score: whether it is known to stay a leaf
    Py_ssize_t* starts       # per branch, where the storage has its cases, if it has them all at once
    Entry* kept              # per continuous attribute, the cases with unknown value in its order, and one place more
    int32_t* kept_rows
    double* kept_weights     # what they counted before, where the storage gives it back to the bit
    Py_ssize_t n_reorderings  # of the list, before the branch that is being grown


ctypedef struct Deferred:
    # A subtree left for another thread.
    int32_t node
    Py_ssize_t start
    Py_ssize_t n
    bint integer
    int present_above
    uint64_t key
    int depth
    int n_first
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
    cdef Trials trials       # by a criterion of the user's
    cdef int32_t* tested     # how often each attribute is tested on the path
    cdef uint8_t* left_out   # per attribute, whether the node is not offered it; NULL: it is offered all
    cdef int32_t* shuffled   # the attributes in the order in which the node is offered them, where that is random
    cdef int32_t* group      # per attribute, the branch of each value under its best grouping
    cdef Py_ssize_t defer_below  # nodes of so many cases are left to threads; 0: none is
    cdef Deferred* deferred
    cdef Py_ssize_t n_deferred
    cdef Py_ssize_t deferred_capacity
    cdef const FirstTest* forced  # what the node has to test; NULL where that is its own choice
    cdef Watch watch
    cdef bint leads          # looks for signals, and may call on the team

    cdef Frame* push(self, Py_ssize_t node, Segment cases, bint integer) except NULL nogil
    cdef int defer(self, const Frame* frame, Py_ssize_t n_attributes) except -1 nogil


cdef inline int look_up(Worker worker, Py_ssize_t n) except -1 nogil:
    # Ctrl-C, or a request to stop? Asked between two attributes of a node of n cases, of which few nodes have many.
    if n >= MANY_CASES and check_after(&worker.watch, n) != GO_ON:
        with gil:
            raise KeyboardInterrupt
    return 0


cdef inline bint is_left_out(Worker worker, int attribute) noexcept nogil:
    return worker.left_out != NULL and worker.left_out[attribute]
