from libc.stdint cimport int32_t, uint8_t, uint32_t

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.split_scores cimport SplitMeasure
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.searches cimport Search
from ctree_ext.grow.sorting cimport Entry, Sorted
from ctree_ext.base.weights cimport Weights
from ctree_ext.grow.splits cimport NodeView, Scored, Scratch
from ctree_ext.grow.stopping cimport StoppingRule
from ctree_ext.grow.thresholds cimport Ahead, Totals


ctypedef struct Frame:
    # A node that is being grown, on an explicit stack: trees can be deeper than a machine stack.
    int32_t node
    Py_ssize_t start         # of its cases in the sorted columns
    Py_ssize_t list_start    # of its cases in the list of rows
    Py_ssize_t n
    bint whole               # every case here counts one
    bint counted             # its class weights stand in the node already
    int present              # by a `Measure`: how many classes have cases here, and in the node above; 0 at the root
    int present_above
    bint divided
    int next_branch          # the branch to grow next
    int n_branches
    Py_ssize_t done          # cases with known value in the branches before it
    Py_ssize_t n_unknown
    double known             # the weight of the cases whose outcome is known
    Py_ssize_t* sizes        # per branch, cases with known value
    double* shares           # per branch, its share of the known weight
    Entry* kept              # per continuous attribute, the cases with unknown value in its order, and room for one
    int32_t* kept_rows
    double* kept_weights     # what they counted before, where no list is kept
    Py_ssize_t n_settled     # the worker's count before the branch that is being grown


ctypedef struct Job:
    # A subtree left for another thread.
    int32_t node
    Py_ssize_t start
    Py_ssize_t n
    int present_above
    int32_t* tested


ctypedef struct Worker:
    # What one thread needs to grow a subtree by itself.
    Nodes nodes
    Scratch scratch
    Entry* spare
    int32_t* spare_rows
    Py_ssize_t* place
    Scored* scored
    Totals* totals           # per continuous attribute
    int32_t* unknown         # cases whose value of the next continuous attribute is unknown, in the list's order
    uint8_t* alike           # per frame and continuous attribute, how near the values of its cases may be
    Py_ssize_t n_alike       # how many attributes that is; 0 where no list is kept
    int32_t* tested          # how often each attribute is tested on the path
    int32_t* group           # per attribute, the branch of each value under its best grouping
    Frame* frames
    Py_ssize_t n_frames
    Py_ssize_t frame_room
    Py_ssize_t defer_below   # nodes of at most this size are left as jobs
    Job* jobs
    Py_ssize_t n_jobs
    Py_ssize_t job_room
    Py_ssize_t n_settled     # how often a node has put the list into another order
    Py_ssize_t work          # since signals were last looked for
    bint leads               # looks for signals, and may call on the team


cdef class Grower:
    cdef CaseTable table
    cdef LogTables tables
    cdef const Cases* cases
    cdef const Logs* logs
    cdef readonly double min_cases
    cdef readonly bint gain_only
    cdef readonly bint group_values
    cdef readonly bint j48
    cdef readonly bint binary
    cdef readonly bint charged
    cdef readonly bint actual_cut
    cdef SplitMeasure measure    # None: as in C4.5
    cdef StoppingRule stopping
    cdef Search search
    cdef bint one_price       # whether tests are compared by what they are worth alone
    cdef readonly int n_threads
    cdef bint complete       # no value is unknown
    cdef bint mixed_zeros    # an attribute has both 0 and -0
    cdef bint is_part        # grows a subtree for another, from copies of its cases
    cdef bint ordered        # the list is kept in release 8's order, for the result depends on it
    cdef int most_values
    cdef int n_continuous
    cdef Py_ssize_t n_group_codes
    cdef int* continuous     # the continuous attributes
    cdef Py_ssize_t* group_offset
    cdef bint* few_valued
    cdef Sorted* columns
    cdef int32_t* rows
    cdef Weights held
    cdef Weights* weights    # NULL where every case counts one everywhere
    cdef uint8_t* missing_bytes
    cdef uint8_t** missing   # per continuous attribute, which rows have no value; NULL where all have one
    cdef uint32_t* place_of   # per row, working memory of the list's sort
    cdef uint32_t* ties
    cdef uint8_t* side       # per row, the branch it takes at the node being divided
    cdef uint8_t* along      # the same, per place in the list
    cdef int32_t* wide_side  # the same where there are too many branches for a byte
    cdef volatile int stop
    cdef object pool
    cdef readonly object order
    cdef object pending      # an exception that has to wait until the threads have stopped
    cdef Worker* team        # one per thread; the first leads
    cdef NodeView view       # what the team is at work on
    cdef Frame* dividing

    cdef int prepare(self, rows) except -1
    cdef int allocate(self) except -1
    cdef bint worth_a_part(self, const Frame* frame) noexcept nogil
    cdef int run(self, Worker* worker) noexcept nogil
    cdef int grow_part(self, Worker* worker, Frame* frame) noexcept
    cdef int take_over(self, Grower whole, Worker* worker, Frame* frame, const int32_t[::1] rows) except -1
    cdef int hand_back(self, Grower whole, Worker* worker, Frame* frame, const int32_t[::1] rows) except -1
    cdef int open_node(self, Worker* worker, Frame* frame) noexcept nogil
    cdef void evaluate_measured(self, Worker* hand, Worker* lead, const NodeView* node, int part, int parts) noexcept nogil
    cdef void evaluate(self, Worker* hand, Worker* lead, const NodeView* node, int part, int parts) noexcept nogil
    cdef int note_missing(self, Py_ssize_t n) except -1
    cdef void settle_list(self, Worker* worker, const NodeView* node, bint search) noexcept nogil
    cdef void settle_column(self, Worker* worker, const NodeView* node, int k, bint search, Ahead* ahead) noexcept nogil
    cdef void look_at_column(self, int attribute) noexcept nogil
    cdef double unknown_weight(self, int attribute, const NodeView* node) noexcept nogil
    cdef int open_measured(self, Worker* worker, Frame* frame, NodeView* view) noexcept nogil
    cdef int price_tests(self, Worker* worker, Py_ssize_t n_tests) noexcept nogil
    cdef int evaluate_all(self, Worker* worker, NodeView* view, bint team) noexcept nogil
    cdef bint calls_team(self, const Worker* worker, const Frame* frame) noexcept nogil
    cdef int stay_leaf(self, Worker* worker) noexcept nogil
    cdef Scored best_of_discrete(self, Worker* hand, Worker* lead, const NodeView* node, int a) noexcept nogil
    cdef bint zero_sign(self, int attribute) noexcept nogil
    cdef void merge_kept(self, Worker* worker, const Frame* frame) noexcept nogil
    cdef int leave(self, Worker* worker, Frame* frame) noexcept nogil
    cdef void scale_unknown(self, Frame* frame, int branch, bint down) noexcept nogil
    cdef int divide(self, Worker* worker, Frame* frame, int attribute) noexcept nogil
    cdef int side_of(self, const Frame* frame, Py_ssize_t row) noexcept nogil
    cdef void take_shares(self, Worker* worker, Frame* frame, int attribute) noexcept nogil
    cdef void take_sides(self, Worker* worker, Frame* frame, int attribute) noexcept nogil
    cdef void partition(self, Worker* hand, const Frame* frame, int part, int parts) noexcept nogil
    cdef int next_branch(self, Worker* worker, Frame* frame) noexcept nogil
    cdef bint interrupted(self, Worker* worker, Py_ssize_t work) noexcept nogil
    cdef void call_team(self, bint divide) noexcept
    cdef int run_jobs(self, Worker* lead) except -1
