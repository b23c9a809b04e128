"""Top-down induction: cases in, flat tree out.

Every continuous column is sorted once; dividing a node keeps its cases in order. With unknown values a case lives in
several branches, and its weight, multiplied on the way down and divided on the way back, does not return to the last
bit; later branches see that, so such data are grown in one order, branch after branch, and threads share only the
thresholds of large nodes. Without unknown values subtrees do not touch each other, and threads share those too. The
tree is the same for any number of threads.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport isnan, signbit
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from ctree_ext.grow.case_list cimport close_branch, close_leaf, group_along, group_branch, note_along, sort_known
from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, IGNORED, Cases, CaseTable
from ctree_ext.grow.choice cimport choose_by_figure, choose_test, choose_test_j48
from ctree_ext.grow.counts cimport count_classes
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.groups cimport best_groups
from ctree_ext.grow.split_scores cimport SplitMeasure, terms_below
from ctree_ext.base.nodes cimport (
    GROUPS, THRESHOLD, VALUES, Nodes, nodes_add, nodes_add_group, nodes_export, nodes_free, nodes_graft, nodes_init,
)
from ctree_ext.base.numeric cimport rounded, same
from ctree_ext.grow.partition cimport MAX_NARROW, NARROW_UNKNOWN, merge_entries, merge_rows, partition_entries, partition_rows
from ctree_ext.grow.searches cimport best_cut, best_division, best_value
from ctree_ext.grow.sorting cimport (
    UNKNOWN_RANK, Entry, Sorted, distinct_value, float_rank, sort_column, sort_with_classes, sorted_free,
    sorting_room, value_of_rank,
)
from ctree_ext.grow.splits cimport (
    NodeView, Scored, Visit, best_single_value, best_values, no_test, scratch_free, scratch_init,
)
from ctree_ext.grow.stopping cimport (
    BY_BAYES, BY_CHI_SQUARE, NEVER, StoppingRule, chi_square_cutoff, counts_tests, good_enough, hopeless, least_figure,
    price, too_dear,
)
from ctree_ext.grow.thresholds cimport Ahead, Totals, best_threshold, find_unknown, settle_known
from ctree_ext.base.weights cimport set_weight, sum_weights, weight_of, weights_free, weights_init

import concurrent.futures

import numpy as np

from ctree_ext.base.interrupts import run_interruptible

cdef enum Alike:
    # Whether a node's cases may have equal values of an attribute, or at least some that are too near for a threshold.
    APART
    NEARLY
    EQUAL


cdef double SMALL = 1e-6


cdef enum:
    OUT_OF_MEMORY = -1
    STOPPED = -2
    TEAM_CASES = 8192        # below this, sharing a node's attributes costs more than it brings
    WORK_PER_LOOK = 4000000  # cases times attributes between two looks for Ctrl-C
    MIN_PART = 512         # subtrees of this many cases, up to MAX_PART, are grown from copies
    MAX_PART = 16384


cdef int _worker_init(Worker* worker, const Cases* cases, int most_values, Py_ssize_t n_group_codes,
                      Py_ssize_t most_cases, Py_ssize_t n_alike) noexcept nogil:
    memset(worker, 0, sizeof(Worker))
    worker.n_alike = n_alike
    if n_alike:
        worker.unknown = <int32_t*> malloc(max(most_cases, 1) * sizeof(int32_t))
        if worker.unknown == NULL:
            return OUT_OF_MEMORY
    nodes_init(&worker.nodes, cases.n_classes)
    worker.spare = <Entry*> malloc(max(most_cases, 1) * sizeof(Entry))
    worker.spare_rows = <int32_t*> worker.spare
    worker.place = <Py_ssize_t*> malloc((most_values + 2) * sizeof(Py_ssize_t))
    worker.scored = <Scored*> malloc((cases.n_attributes + 1) * sizeof(Scored))
    worker.totals = <Totals*> malloc((cases.n_attributes + 1) * sizeof(Totals))
    worker.tested = <int32_t*> calloc(cases.n_attributes + 1, sizeof(int32_t))
    worker.group = <int32_t*> malloc((n_group_codes + 1) * sizeof(int32_t))
    if (worker.spare == NULL or worker.place == NULL or worker.scored == NULL or worker.totals == NULL
            or worker.tested == NULL or worker.group == NULL or scratch_init(&worker.scratch, most_values, cases.n_classes, most_cases) < 0):
        return OUT_OF_MEMORY
    worker.scratch.visits = <Visit*> worker.spare
    return 0


cdef void _worker_free(Worker* worker) noexcept nogil:
    cdef Py_ssize_t i
    nodes_free(&worker.nodes)
    scratch_free(&worker.scratch)
    free(worker.spare)
    free(worker.place)
    free(worker.scored)
    free(worker.totals)
    free(worker.unknown)
    free(worker.alike)
    free(worker.tested)
    free(worker.group)
    for i in range(worker.n_frames):
        _frame_close(&worker.frames[i])
    free(worker.frames)
    for i in range(worker.n_jobs):
        free(worker.jobs[i].tested)
    free(worker.jobs)
    memset(worker, 0, sizeof(Worker))


cdef void _frame_close(Frame* frame) noexcept nogil:
    free(frame.sizes)
    free(frame.shares)
    free(frame.kept)
    free(frame.kept_rows)
    free(frame.kept_weights)
    frame.sizes = NULL
    frame.shares = NULL
    frame.kept = NULL
    frame.kept_rows = NULL
    frame.kept_weights = NULL


cdef int _push(Worker* worker, int32_t node, Py_ssize_t start, Py_ssize_t list_start, Py_ssize_t n,
               bint whole) noexcept nogil:
    cdef Frame* frame
    cdef void* larger
    if worker.n_frames == worker.frame_room:
        larger = realloc(worker.frames, max(2 * worker.frame_room, 64) * sizeof(Frame))
        if larger == NULL:
            return OUT_OF_MEMORY
        worker.frames = <Frame*> larger
        if worker.n_alike:
            larger = realloc(worker.alike, max(2 * worker.frame_room, 64) * worker.n_alike)
            if larger == NULL:
                return OUT_OF_MEMORY
            worker.alike = <uint8_t*> larger
        worker.frame_room = max(2 * worker.frame_room, 64)
    # what is told apart at a node is told apart in its branches
    if worker.n_frames and worker.n_alike:
        memcpy(worker.alike + worker.n_frames * worker.n_alike, worker.alike + (worker.n_frames - 1) * worker.n_alike,
               worker.n_alike)
    elif worker.n_alike:
        memset(worker.alike, EQUAL, worker.n_alike)
    frame = &worker.frames[worker.n_frames]
    memset(frame, 0, sizeof(Frame))
    frame.node = node
    frame.start = start
    frame.list_start = list_start
    frame.n = n
    frame.whole = whole
    worker.n_frames += 1
    return 0


cdef Py_ssize_t _last_up_to(const Sorted* column, double limit) noexcept nogil:
    # The place of the largest value of the whole training set that does not exceed the limit.
    cdef Py_ssize_t low = 0, high = column.n_distinct, middle
    while high - low > 1:
        middle = (low + high) // 2
        if distinct_value(column, middle) <= limit:
            low = middle
        else:
            high = middle
    return low


cdef int _defer(Worker* worker, const Frame* frame, int n_attributes) noexcept nogil:
    cdef void* larger
    cdef Job* job
    if worker.n_jobs == worker.job_room:
        larger = realloc(worker.jobs, max(2 * worker.job_room, 64) * sizeof(Job))
        if larger == NULL:
            return OUT_OF_MEMORY
        worker.jobs = <Job*> larger
        worker.job_room = max(2 * worker.job_room, 64)
    job = &worker.jobs[worker.n_jobs]
    job.node = frame.node
    job.start = frame.start
    job.n = frame.n
    job.present_above = frame.present_above
    job.tested = <int32_t*> malloc((n_attributes + 1) * sizeof(int32_t))
    if job.tested == NULL:
        return OUT_OF_MEMORY
    memcpy(job.tested, worker.tested, n_attributes * sizeof(int32_t))
    worker.n_jobs += 1
    return 0


cdef class Grower:
    """Grow trees from one table of cases.

    Parameters
    ----------
    table : CaseTable
    min_cases : float
        Two branches of every test must have this weight (release 8's -m).
    gain_only : bool
        Judge tests by gain instead of gain ratio (-g).
    group_values : bool
        Group the values of discrete attributes (-s).
    j48 : bool
        Choose as Weka's J48 does: figures that differ by less than a millionth are equal, a test has to gain something,
        a discrete attribute may be tested again. Meant for a table in double precision.
    binary : bool
        Test a discrete attribute for one value against the others (J48's -B).
    charged : bool
        Whether a threshold pays for being chosen among many (J48 -J: not).
    actual_cut : bool
        Whether a threshold is always a value of the training set.
    measure : SplitMeasure or None
        Choose tests by this instead of gain ratio. Meant for a table in double precision; the options above but
        `min_cases` and `binary` do not apply then.
    stopping : StoppingRule or None
        With a measure: whether a test is good enough.
    listed_cuts : bool
        With a measure: the values of continuous attributes are upper bounds of bins; each is a threshold, and there are
        no others.
    n_threads : int
    keep_order : bool
        Keep the cases in release 8's order even where it cannot show in the tree, for windows to go on from it.

    Attributes
    ----------
    min_cases : float
        As given, unless `group_values` met a node where no value of an attribute is known: as in release 8 it is 1
        from then on.
    order : int32 array or None
        The order in which growing left the cases, where pruning has to start from it.
    """

    def __cinit__(self, CaseTable table, *, double min_cases=2.0, bint gain_only=False, bint group_values=False,
                  bint j48=False, bint binary=False, bint charged=True, bint actual_cut=True,
                  SplitMeasure measure=None, StoppingRule stopping=None, bint listed_cuts=False, int n_threads=1,
                  bint keep_order=False):
        cdef Py_ssize_t a, i
        cdef bint all_many = True
        cdef double many
        self.table = table
        self.cases = &table.cases
        self.min_cases = min_cases
        self.gain_only = gain_only
        self.group_values = group_values
        self.j48 = j48
        self.binary = binary
        self.charged = charged
        self.actual_cut = actual_cut
        if (measure is None) != (stopping is None):
            raise ValueError("a measure needs a stopping rule, and the other way round")
        if measure is not None and (measure.measure.n_classes != self.cases.n_classes
                                    or measure.measure.n_whole < self.cases.n or self.cases.single):
            raise ValueError("the measure is not for this table")
        self.measure = measure
        self.stopping = stopping
        if measure is not None:
            self.search.measure = &measure.measure
            self.search.min_cases = min_cases
            self.search.counting = counts_tests(&stopping.rule)
            self.search.listed_cuts = listed_cuts
            # of chi-square, attributes have cutoffs of their own, by the classes of their known cases
            self.one_price = (stopping.rule.kind == NEVER and stopping.rule.pruning == NEVER
                              or stopping.rule.kind == BY_BAYES
                              or binary and not stopping.rule.present_classes)
        A = self.cases.n_attributes
        self.continuous = <int*> malloc((A + 1) * sizeof(int))
        self.group_offset = <Py_ssize_t*> malloc((A + 1) * sizeof(Py_ssize_t))
        self.few_valued = <bint*> malloc((A + 1) * sizeof(bint))
        self.columns = <Sorted*> calloc(A + 1, sizeof(Sorted))
        if self.continuous == NULL or self.group_offset == NULL or self.few_valued == NULL or self.columns == NULL:
            raise MemoryError
        # Attributes with many values, measured by the size of the whole training set, stay out of the average gain,
        # unless there are no others.
        many = 0.3 * (table.cases.n if j48 else table.total_weight)
        self.complete = True
        for a in range(A):
            self.group_offset[a] = self.n_group_codes
            self.few_valued[a] = group_values or self.cases.n_values[a] < many
            if self.cases.kind[a] == CONTINUOUS:
                self.continuous[self.n_continuous] = a
                self.n_continuous += 1
                self.look_at_column(a)
            elif self.cases.kind[a] == DISCRETE:
                self.most_values = max(self.most_values, self.cases.n_values[a])
                self.n_group_codes += self.cases.n_values[a]
                for i in range(self.cases.n):
                    if self.cases.codes[a][i] < 0:
                        self.complete = False
                        break
            if self.cases.kind[a] != IGNORED and self.few_valued[a]:
                all_many = False
        if all_many:
            for a in range(A):
                self.few_valued[a] = True
        self.most_values = max(self.most_values, 2)
        self.ordered = self.cases.single and (keep_order or self.mixed_zeros or not self.complete)
        # The slip in release 8's grouping makes each attribute depend on those before it.
        self.n_threads = 1 if group_values and not self.complete else max(1, n_threads)

    cdef void look_at_column(self, int attribute) noexcept nogil:
        # Unknown values, and whether 0 and -0 occur, which are equal but printed differently: then the order of the
        # cases decides which of them a threshold shows.
        cdef Py_ssize_t i
        cdef bint plus = False, minus = False
        cdef double value
        for i in range(self.cases.n if self.cases.values[attribute] != NULL else 0):
            value = self.cases.values[attribute][i]
            if isnan(value):
                self.complete = False
            elif rounded(value, self.cases.single) == 0:
                plus = plus or not signbit(value)
                minus = minus or signbit(value)
        if plus and minus:
            self.mixed_zeros = True

    def __dealloc__(self):
        self._release()
        free(self.continuous)
        free(self.group_offset)
        free(self.few_valued)
        free(self.columns)

    def _release_columns(self):
        cdef Py_ssize_t a
        for a in range(self.cases.n_attributes if self.columns != NULL else 0):
            if self.is_part:
                self.columns[a].distinct32 = NULL
            sorted_free(&self.columns[a])

    def _release(self):
        cdef Py_ssize_t a
        self._release_columns()
        free(self.rows)
        weights_free(&self.held)
        free(self.missing)
        free(self.missing_bytes)
        free(self.place_of)
        free(self.ties)
        free(self.side)
        free(self.along)
        free(self.wide_side)
        self.rows = NULL
        self.weights = NULL
        self.missing = NULL
        self.missing_bytes = NULL
        self.place_of = NULL
        self.ties = NULL
        self.side = NULL
        self.along = NULL
        self.wide_side = NULL
        if self.team != NULL:
            for a in range(self.n_threads):
                _worker_free(&self.team[a])
            free(self.team)
            self.team = NULL

    def grow(self, rows=None):
        """Grow a tree from all cases, or from those at `rows` (int32), and return its arrays."""
        self.stop = 0
        if self.n_threads == 1:
            return self._grow(rows)
        return run_interruptible(lambda: self._grow(rows), self._stop)

    def _stop(self):
        self.stop = 1

    def _grow(self, rows):
        cdef int status
        cdef Worker* lead
        cdef Py_ssize_t n
        cdef int32_t[::1] list_
        self.pending = None
        self.tables = LogTables(self.cases.n if self.measure is None else 0, self.cases.single,
                                SMALL if self.j48 else 0.0)
        self.logs = &self.tables.logs
        self.search.fast = self.logs.fast
        try:
            if self.n_threads > 1:
                self.pool = concurrent.futures.ThreadPoolExecutor(self.n_threads, thread_name_prefix="ctree")
            n = self.prepare(rows)
            lead = &self.team[0]
            lead.leads = True
            lead.defer_below = 0
            if self.n_threads > 1 and not self.ordered and self.complete:
                lead.defer_below = max(n // (8 * self.n_threads), 256)
            if nodes_add(&lead.nodes, 1) < 0 or _push(lead, 0, 0, 0, n, self.cases.weights == NULL) < 0:
                raise MemoryError
            with nogil:
                status = self.run(lead)
            self._raise(status)
            if lead.n_jobs:
                self.run_jobs(lead)
            self._release_columns()
            self.order = None
            if self.ordered:
                order = np.empty(n, dtype=np.int32)
                list_ = order
                memcpy(&list_[0], self.rows, n * sizeof(int32_t))
                self.order = order
            return nodes_export(&lead.nodes)
        finally:
            if self.pool is not None:
                self.pool.shutdown()
                self.pool = None
            self._release()

    cdef int prepare(self, rows) except -1:
        # Sort the columns, list the rows, set the weights. The number of cases to grow from.
        cdef Py_ssize_t i, a, n = self.cases.n
        cdef const int32_t[::1] subset
        if n == 0:
            raise ValueError("no cases to grow a tree from")
        self.allocate()
        attributes = [self.continuous[a] for a in range(self.n_continuous)]
        if self.pool is None:
            self._sort(attributes)
        else:
            list(self.pool.map(self._sort, [attributes[t::self.n_threads] for t in range(self.n_threads)]))
        for i in range(n):
            self.rows[i] = <int32_t> i
        if self.ordered:
            self.note_missing(n)
        if rows is None:
            return n
        subset = rows
        return self._restrict(subset)

    cdef int note_missing(self, Py_ssize_t n) except -1:
        # Which cases have no value of each continuous attribute; they stand last in its column.
        cdef Py_ssize_t k, i
        cdef const Entry* order
        self.missing = <uint8_t**> calloc(self.n_continuous + 1, sizeof(uint8_t*))
        self.missing_bytes = <uint8_t*> calloc(max(self.n_continuous * n, 1), 1)
        if self.missing == NULL or self.missing_bytes == NULL:
            raise MemoryError
        for k in range(self.n_continuous):
            order = self.columns[self.continuous[k]].order
            if order[n - 1].rank == UNKNOWN_RANK:
                self.missing[k] = self.missing_bytes + k * n
                i = n - 1
                while i >= 0 and order[i].rank == UNKNOWN_RANK:
                    self.missing[k][order[i].row] = 1
                    i -= 1
        return 0

    cdef int allocate(self) except -1:
        cdef Py_ssize_t t, n = self.cases.n
        self.rows = <int32_t*> malloc(n * sizeof(int32_t))
        self.side = <uint8_t*> malloc(n * sizeof(uint8_t))
        self.team = <Worker*> calloc(self.n_threads, sizeof(Worker))
        if self.rows == NULL or self.side == NULL or self.team == NULL:
            raise MemoryError
        if self.most_values > MAX_NARROW:
            self.wide_side = <int32_t*> malloc(n * sizeof(int32_t))
            if self.wide_side == NULL:
                raise MemoryError
        if self.ordered:
            self.place_of = <uint32_t*> malloc(n * sizeof(uint32_t))
            self.ties = <uint32_t*> malloc(n * sizeof(uint32_t))
            self.along = <uint8_t*> malloc(n * sizeof(uint8_t))
            if self.place_of == NULL or self.ties == NULL or self.along == NULL:
                raise MemoryError
        if self.cases.weights != NULL or not self.complete:
            if weights_init(&self.held, n, self.cases.weights, self.cases.single) < 0:
                raise MemoryError
            self.weights = &self.held
        for t in range(self.n_threads):
            if _worker_init(&self.team[t], self.cases, self.most_values, self.n_group_codes, n,
                            self.n_continuous if self.ordered else 0) < 0:
                raise MemoryError
        return 0

    def _sort(self, list attributes):
        cdef int status, a
        cdef uint64_t* room = <uint64_t*> malloc(sorting_room(self.cases.n) * sizeof(uint64_t))
        try:
            for attribute in attributes:
                a = attribute
                with nogil:
                    if room == NULL:
                        status = -1
                    elif self.measure is None:
                        status = sort_column(self.cases.values[a], self.cases.n, self.cases.single, &self.columns[a], room)
                    else:
                        status = sort_with_classes(self.cases.values[a], self.cases.n, self.cases.classes,
                                                   self.cases.n_classes, &self.columns[a], room)
                if status < 0:
                    raise MemoryError
        finally:
            free(room)

    def _restrict(self, const int32_t[::1] subset):
        # Leave only these rows in the lists; the distinct values stay those of all cases.
        cdef Py_ssize_t i, a, at, n = subset.shape[0]
        cdef Entry* order
        if n == 0:
            raise ValueError("no cases to grow a tree from")
        memset(self.side, 0, self.cases.n * sizeof(uint8_t))
        for i in range(n):
            if not 0 <= subset[i] < self.cases.n:
                raise ValueError(f"there is no row {subset[i]}")
            if self.side[subset[i]]:
                raise ValueError("a row is listed twice")
            self.side[subset[i]] = 1
            self.rows[i] = subset[i]
        for a in range(self.n_continuous):
            order = self.columns[self.continuous[a]].order
            at = 0
            for i in range(self.cases.n):
                if self.side[order[i].row]:
                    order[at] = order[i]
                    at += 1
        return n

    def _raise(self, int status):
        if self.pending is not None:
            raise self.pending
        if status == OUT_OF_MEMORY:
            raise MemoryError
        if status == STOPPED:
            raise KeyboardInterrupt

    cdef bint interrupted(self, Worker* worker, Py_ssize_t work) noexcept nogil:
        worker.work += work
        if worker.leads and worker.work > WORK_PER_LOOK:
            worker.work = 0
            with gil:
                try:
                    PyErr_CheckSignals()
                except BaseException as error:
                    self.pending = error
                    self.stop = 1
        return self.stop != 0

    cdef int run(self, Worker* worker) noexcept nogil:
        # Grow what is on the stack.
        cdef Frame* frame
        cdef int status
        while worker.n_frames:
            frame = &worker.frames[worker.n_frames - 1]
            if not frame.divided:
                if self.interrupted(worker, frame.n * self.cases.n_attributes + self.n_group_codes):
                    return STOPPED
                if self.worth_a_part(frame):
                    with gil:
                        status = self.grow_part(worker, frame)
                else:
                    status = self.open_node(worker, frame)
            else:
                status = self.next_branch(worker, frame)
            if status < 0:
                return status
        return 0

    cdef bint worth_a_part(self, const Frame* frame) noexcept nogil:
        # The list runs through the columns in no order, so a subtree is grown from a copy of its cases that the
        # processor's cache can hold: with unknown values in 100,000 cases this saves a quarter of the time.
        return (self.ordered and not self.mixed_zeros and not self.is_part
                and MIN_PART <= frame.n <= min(MAX_PART, self.cases.n // 2))

    cdef int grow_part(self, Worker* worker, Frame* frame) noexcept:
        # Grow the subtree of a frame in a Grower of its own and hang it in its place.
        cdef Grower part
        cdef int status
        cdef Worker* hand
        cdef int32_t[::1] rows
        self.merge_kept(worker, frame)
        worker.n_settled += 1
        try:
            rows = np.empty(frame.n, dtype=np.int32)
            memcpy(&rows[0], self.rows + frame.list_start, frame.n * sizeof(int32_t))
            part = Grower.__new__(Grower, self.table.part(&rows[0], frame.n), min_cases=self.min_cases,
                                  gain_only=self.gain_only, group_values=self.group_values, binary=self.binary,
                                  charged=self.charged, actual_cut=self.actual_cut)
            part.take_over(self, worker, frame, rows)
            hand = &part.team[0]
            with nogil:
                status = part.run(hand)
            if status < 0:
                self.pending = part.pending
                self.stop = 1
                return status
            part.hand_back(self, worker, frame, rows)
        except MemoryError:
            return OUT_OF_MEMORY
        except BaseException as error:
            self.pending = error
            self.stop = 1
            return STOPPED
        worker.n_frames -= 1
        return 0

    cdef int take_over(self, Grower whole, Worker* worker, Frame* frame, const int32_t[::1] rows) except -1:
        # The cases of a frame, numbered in the order of its list.
        cdef Py_ssize_t i, k, n = frame.n, A = self.cases.n_attributes
        cdef const Entry* order
        cdef Sorted* column
        self.is_part = True
        self.complete = False
        self.ordered = True
        self.tables = whole.tables
        self.logs = &self.tables.logs
        memcpy(self.few_valued, whole.few_valued, A * sizeof(bint))
        self.allocate()
        for i in range(n):
            self.rows[i] = <int32_t> i
            set_weight(self.weights, i, weight_of(whole.weights, rows[i]))
            whole.place_of[rows[i]] = <uint32_t> i
        for k in range(self.n_continuous):
            column = &self.columns[self.continuous[k]]
            column.order = <Entry*> malloc(n * sizeof(Entry))
            if column.order == NULL:
                raise MemoryError
            # borrowed: thresholds are values of the whole training set
            column.distinct32 = whole.columns[self.continuous[k]].distinct32
            column.n_distinct = whole.columns[self.continuous[k]].n_distinct
            order = whole.columns[self.continuous[k]].order + frame.start
            for i in range(n):
                column.order[i].rank = order[i].rank
                column.order[i].row = <int32_t> whole.place_of[order[i].row]
        self.note_missing(n)
        memcpy(self.team[0].tested, worker.tested, A * sizeof(int32_t))
        self.team[0].leads = worker.leads
        if nodes_add(&self.team[0].nodes, 1) < 0 or _push(&self.team[0], 0, 0, 0, n, frame.whole) < 0:
            raise MemoryError
        memcpy(self.team[0].alike, worker.alike + (worker.n_frames - 1) * worker.n_alike, worker.n_alike)
        return 0

    cdef int hand_back(self, Grower whole, Worker* worker, Frame* frame, const int32_t[::1] rows) except -1:
        # The subtree, and what growing it has done to the order and the weights of its cases.
        cdef Py_ssize_t i
        for i in range(frame.n):
            whole.rows[frame.list_start + i] = rows[self.rows[i]]
            if whole.weights != NULL:
                set_weight(whole.weights, rows[i], weight_of(self.weights, i))
        whole.min_cases = self.min_cases
        if nodes_graft(&worker.nodes, frame.node, &self.team[0].nodes) < 0:
            raise MemoryError
        return 0

    cdef int open_node(self, Worker* worker, Frame* frame) noexcept nogil:
        # Count the classes, choose a test and divide the cases, or leave a leaf.
        cdef Nodes* nodes = &worker.nodes
        cdef double* counts = nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes
        cdef int c, best = 0, attribute
        cdef NodeView view
        cdef double cases, small = self.logs.small
        cdef bint team
        view.start = frame.start
        view.n = frame.n
        view.rows = self.rows + frame.list_start
        view.weights = NULL if frame.whole else self.weights
        view.counts = counts
        if frame.counted:
            cases = nodes.cases[frame.node]
        else:
            cases = count_classes(view.rows, view.n, self.cases.classes, view.weights, self.cases.n_classes, counts)
        view.cases = cases
        for c in range(1, self.cases.n_classes):
            if counts[c] - counts[best] > small:
                best = c
        nodes.best[frame.node] = best
        nodes.cases[frame.node] = cases
        nodes.errors[frame.node] = rounded(cases - counts[best], self.cases.single)
        if self.measure is not None:
            return self.open_measured(worker, frame, &view)
        if same(counts[best], cases, small) or 2 * self.min_cases - cases > small:
            return self.stay_leaf(worker)
        if frame.n <= worker.defer_below:
            worker.n_frames -= 1
            return _defer(worker, frame, self.cases.n_attributes)
        self.merge_kept(worker, frame)
        team = self.calls_team(worker, frame)
        if self.ordered:
            self.settle_list(worker, &view, not team)
        if team or not self.ordered:
            if self.evaluate_all(worker, &view, team) < 0:
                return STOPPED
        if self.j48:
            attribute = choose_test_j48(worker.scored, self.few_valued, self.cases.n_attributes, small)
        else:
            attribute = choose_test(worker.scored, self.few_valued, self.cases.n_attributes, self.gain_only,
                                    self.cases.single)
        return self.divide(worker, frame, attribute) if attribute >= 0 else self.stay_leaf(worker)

    cdef int open_measured(self, Worker* worker, Frame* frame, NodeView* view) noexcept nogil:
        # The same by a measure and a stopping rule.
        cdef Nodes* nodes = &worker.nodes
        cdef int a, attribute, fewest = 0
        cdef int64_t n_tests = 0
        cdef const Scored* scored
        frame.present = 0
        view.most_in_class = 0.0
        for a in range(self.cases.n_classes):
            frame.present += view.counts[a] > 0
            view.most_in_class = max(view.most_in_class, view.counts[a])
        if (frame.present < 2 or view.cases < 2 * self.min_cases * (1 - 1e-9)
                or hopeless(&self.stopping.rule, view.counts, view.cases, frame.present)):
            return self.stay_leaf(worker)
        if frame.n <= worker.defer_below:
            worker.n_frames -= 1
            return _defer(worker, frame, self.cases.n_attributes)
        self.merge_kept(worker, frame)
        view.own = terms_below(&self.measure.measure, frame.present_above)
        view.below = terms_below(&self.measure.measure, frame.present)
        if self.evaluate_all(worker, view, self.calls_team(worker, frame)) < 0:
            return STOPPED
        for a in range(self.cases.n_attributes):
            scored = &worker.scored[a]
            if scored.branches:
                n_tests += scored.n_tests
                fewest = scored.branches if fewest == 0 else min(fewest, scored.branches)
        nodes.n_tests[frame.node] = n_tests
        if self.price_tests(worker, n_tests) < 0:
            return STOPPED
        attribute = choose_by_figure(worker.scored, self.cases.n_attributes, self.measure.measure.own_hair)
        if attribute < 0 or too_dear(&self.stopping.rule, view.counts, n_tests, fewest):
            return self.stay_leaf(worker)
        if not good_enough(&self.stopping.rule, worker.scored[attribute].gain, worker.scored[attribute].info):
            return self.stay_leaf(worker)
        return self.divide(worker, frame, attribute)

    cdef int price_tests(self, Worker* worker, Py_ssize_t n_tests) noexcept nogil:
        # What each attribute's test has to be worth, in place of its split info. The more branches, the more it is, and
        # tests are compared by what they are worth beyond it.
        cdef int a, present, branches = 0, classes = 0
        cdef double cutoff = 0.0
        cdef Scored* scored
        for a in range(self.cases.n_attributes):
            scored = &worker.scored[a]
            if scored.branches and self.stopping.rule.kind != BY_CHI_SQUARE:
                scored.info = price(&self.stopping.rule, n_tests, scored.branches)
            elif scored.branches:
                present = scored.present if self.stopping.rule.present_classes else self.cases.n_classes
                if scored.branches != branches or present != classes:
                    branches = scored.branches
                    classes = present
                    with gil:
                        try:
                            cutoff = chi_square_cutoff(n_tests, present, branches, self.stopping.rule.level)
                        except BaseException as error:  # Ctrl-C may come here as anywhere in Python code
                            self.pending = error
                            self.stop = 1
                            return STOPPED
                scored.info = cutoff
        return 0

    cdef inline int stay_leaf(self, Worker* worker) noexcept nogil:
        # The node on top of the stack stays a leaf.
        worker.n_frames -= 1
        return 0

    cdef inline bint calls_team(self, const Worker* worker, const Frame* frame) noexcept nogil:
        # Whether all threads share the attributes of a node.
        return worker.leads and self.pool is not None and frame.n >= TEAM_CASES

    cdef int evaluate_all(self, Worker* worker, NodeView* view, bint team) noexcept nogil:
        # The best test of every attribute.
        if not team:
            self.evaluate(worker, worker, view, 0, 1)
            return 0
        self.view = view[0]
        with gil:
            self.call_team(False)
        return STOPPED if self.stop else 0

    cdef void settle_list(self, Worker* worker, const NodeView* node, bint search) noexcept nogil:
        # Attribute after attribute, as in release 8, for each leaves the list in another order: counts of discrete
        # values, and for a continuous attribute the weights it reckons with, the sorted list and, if told to search,
        # its best threshold.
        cdef int a, k = 0
        cdef Ahead ahead
        worker.n_settled += 1
        ahead.missing = self.missing[0]
        ahead.unknown = worker.unknown
        ahead.n_unknown = 0
        ahead.total = <float> node.cases
        find_unknown(node.rows, node.n, &ahead)
        for a in range(self.cases.n_attributes):
            if self.cases.kind[a] == CONTINUOUS:
                self.settle_column(worker, node, k, search, &ahead)
                k += 1
            else:
                worker.scored[a] = self.best_of_discrete(worker, worker, node, a)

    cdef void settle_column(self, Worker* worker, const NodeView* node, int k, bint search, Ahead* ahead) noexcept nogil:
        # Cases without a value to the front, then those with one, sorted unless their weight is too small. Where no two
        # values are equal, only the order of the former has anything of the order before.
        cdef int attribute = self.continuous[k]
        cdef Sorted* column = &self.columns[attribute]
        cdef Totals* totals = &worker.totals[attribute]
        cdef uint8_t* alike = worker.alike + (worker.n_frames - 1) * worker.n_alike + k
        cdef int32_t* rows = <int32_t*> node.rows
        cdef Py_ssize_t unknown = ahead.n_unknown, known = node.n - unknown
        cdef const float* weights = NULL if node.weights == NULL else node.weights.short_
        cdef bint sorts
        totals.total = ahead.total
        totals.unknown = sum_weights(ahead.unknown, unknown, node.weights)
        sorts = rounded(totals.total - totals.unknown, self.cases.single) >= 2 * self.min_cases
        if unknown and (alike[0] == EQUAL or not sorts):
            note_along(rows, node.n, self.missing[k], self.along + (rows - self.rows))
            group_along(rows, self.along + (rows - self.rows), 0, node.n, 1, unknown)
        elif unknown:
            memcpy(rows, ahead.unknown, unknown * sizeof(int32_t))
        ahead.missing = self.missing[k + 1]
        ahead.n_unknown = 0
        if not sorts:
            worker.scored[attribute] = no_test()
            ahead.total = <float> sum_weights(rows, node.n, node.weights)
            find_unknown(rows, node.n, ahead)
            return
        if alike[0] == EQUAL and not sort_known(rows + unknown, known, column.order + node.start, self.place_of,
                                                self.ties, worker.spare):
            alike[0] = NEARLY
        ahead.total = <float> totals.unknown
        ahead.apart = alike[0] == APART
        find_unknown(rows, unknown, ahead)
        if search:
            worker.scored[attribute] = best_threshold(self.cases, column, node, totals[0], self.min_cases, self.charged, self.logs,
                                                      &worker.scratch, rows + unknown, ahead)
            if ahead.apart:
                alike[0] = APART
        else:
            settle_known(column.order + node.start, known, weights, rows + unknown, ahead)

    cdef void evaluate(self, Worker* hand, Worker* lead, const NodeView* node, int part, int parts) noexcept nogil:
        # The best test of each attribute, or of every `parts`-th; of discrete ones only if the list did not do it.
        cdef int a = part - parts
        cdef Totals totals
        if self.measure is not None:
            self.evaluate_measured(hand, lead, node, part, parts)
            return
        while a + parts < self.cases.n_attributes:
            a += parts
            if self.cases.kind[a] != CONTINUOUS:
                if not self.ordered:
                    lead.scored[a] = self.best_of_discrete(hand, lead, node, a)
                continue
            if self.ordered:
                totals = lead.totals[a]
            else:
                totals.total = node.cases
                totals.unknown = self.unknown_weight(a, node)
            lead.scored[a] = best_threshold(self.cases, &self.columns[a], node, totals, self.min_cases, self.charged, self.logs,
                                            &hand.scratch, NULL, NULL)

    cdef void evaluate_measured(self, Worker* hand, Worker* lead, const NodeView* node, int part, int parts) noexcept nogil:
        # The same by a measure. Discrete attributes first, which take less: a threshold need not be found where another
        # test is worth more, or where it could not keep the node from being a leaf.
        cdef int a, continuous
        cdef double hair = 2 * self.measure.measure.own_hair
        hand.scratch.floor = least_figure(&self.stopping.rule) - hair
        for continuous in range(2):
            a = part - parts
            while a + parts < self.cases.n_attributes:
                a += parts
                if (self.cases.kind[a] == CONTINUOUS) != continuous:
                    continue
                if continuous:
                    lead.scored[a] = best_cut(&self.search, self.cases, &self.columns[a], node, &hand.scratch)
                else:
                    lead.scored[a] = self.best_of_discrete(hand, lead, node, a)
                if self.one_price and lead.scored[a].branches:
                    hand.scratch.floor = max(hand.scratch.floor, lead.scored[a].gain - hair)

    cdef double unknown_weight(self, int attribute, const NodeView* node) noexcept nogil:
        cdef const Entry* order = self.columns[attribute].order + node.start
        cdef Py_ssize_t i
        cdef double weight = 0.0
        for i in range(node.n - 1, -1, -1):
            if order[i].rank != UNKNOWN_RANK:
                break
            weight = rounded(weight + weight_of(node.weights, order[i].row), self.cases.single)
        return weight

    cdef Scored best_of_discrete(self, Worker* hand, Worker* lead, const NodeView* node, int a) noexcept nogil:
        if self.cases.kind[a] == IGNORED:
            return no_test()
        if self.measure is not None and self.binary:
            return best_value(&self.search, self.cases, a, node, &hand.scratch)
        if self.measure is not None:
            # a second time all cases would take the same branch
            return no_test() if lead.tested[a] else best_division(&self.search, self.cases, a, node, &hand.scratch)
        if self.group_values and self.cases.n_values[a] > 2:
            return best_groups(self.cases, a, node, &self.min_cases, self.gain_only, self.logs, &hand.scratch,
                               lead.group + self.group_offset[a])
        if self.binary:
            return best_single_value(self.cases, a, node, self.min_cases, self.logs, &hand.scratch,
                                     lead.group + self.group_offset[a])
        if lead.tested[a] and not self.j48:
            return no_test()
        return best_values(self.cases, a, node, self.min_cases, self.logs, &hand.scratch)

    cdef int divide(self, Worker* worker, Frame* frame, int attribute) noexcept nogil:
        # Write the test into the node and its cases into its branches.
        cdef Nodes* nodes = &worker.nodes
        cdef Scored* scored = &worker.scored[attribute]
        cdef Sorted* column = &self.columns[attribute]
        cdef Py_ssize_t first, group_start, low
        cdef int n_branches = 2, v
        cdef double a, b, midpoint
        if self.cases.kind[attribute] == CONTINUOUS:
            # The cut becomes the largest value in the whole training set that does not exceed the midpoint. It cannot
            # fall to another branch: no case here lies between.
            if self.measure is None:
                a = value_of_rank(column, scored.below)
                b = value_of_rank(column, scored.above)
            else:
                a = self.cases.values[attribute][scored.low_row] + 0.0  # never -0
                b = self.cases.values[attribute][scored.high_row]
            midpoint = rounded(rounded(a + b, self.cases.single) / 2, self.cases.single)
            if midpoint >= b:  # rounded up to it, or infinite: the upper branch would be empty
                midpoint = a
            nodes.test[frame.node] = THRESHOLD
            nodes.threshold[frame.node] = midpoint
            if self.measure is not None:
                if self.search.listed_cuts:
                    nodes.threshold[frame.node] = a
            elif self.actual_cut:
                low = _last_up_to(column, midpoint)
                nodes.threshold[frame.node] = distinct_value(column, low)
                scored.below = <uint32_t> low if column.distinct64 != NULL else float_rank(
                    <float> nodes.threshold[frame.node])
            if nodes.threshold[frame.node] == 0 and self.ordered and self.mixed_zeros:
                nodes.threshold[frame.node] = -0.0 if self.zero_sign(attribute) else 0.0
        elif scored.n_groups:
            n_branches = scored.n_groups
            group_start = nodes_add_group(nodes, self.cases.n_values[attribute])
            if group_start < 0:
                return OUT_OF_MEMORY
            for v in range(self.cases.n_values[attribute]):
                if scored.value >= 0:
                    worker.group[self.group_offset[attribute] + v] = v != scored.value
                nodes.group[group_start + v] = worker.group[self.group_offset[attribute] + v]
            nodes.test[frame.node] = GROUPS
            nodes.group_start[frame.node] = group_start
            nodes.group_length[frame.node] = self.cases.n_values[attribute]
        else:
            n_branches = self.cases.n_values[attribute]
            nodes.test[frame.node] = VALUES
        first = nodes_add(nodes, n_branches)
        if first < 0:
            return OUT_OF_MEMORY
        nodes.attribute[frame.node] = attribute
        nodes.first_branch[frame.node] = <int32_t> first
        nodes.n_branches[frame.node] = n_branches
        for v in range(n_branches):
            nodes.best[first + v] = nodes.best[frame.node]
        worker.tested[attribute] += 1
        frame.divided = True
        frame.n_branches = n_branches
        frame.sizes = <Py_ssize_t*> calloc(n_branches, sizeof(Py_ssize_t))
        frame.shares = <double*> calloc(n_branches, sizeof(double))
        if frame.sizes == NULL or frame.shares == NULL:
            return OUT_OF_MEMORY
        self.take_sides(worker, frame, attribute)
        if frame.n_unknown and not self.ordered:
            frame.kept_weights = <double*> malloc(frame.n_unknown * sizeof(double))
            if frame.kept_weights == NULL:
                return OUT_OF_MEMORY
        if frame.n_unknown:
            frame.kept = <Entry*> malloc(max(self.n_continuous, 1) * (frame.n_unknown + 1) * sizeof(Entry))
            frame.kept_rows = <int32_t*> malloc(frame.n_unknown * sizeof(int32_t))
            if frame.kept == NULL or frame.kept_rows == NULL:
                return OUT_OF_MEMORY
            if self.ordered:
                memcpy(frame.kept_rows, self.rows + frame.list_start, frame.n_unknown * sizeof(int32_t))
        if self.calls_team(worker, frame):
            self.dividing = frame
            with gil:
                self.call_team(True)
            if self.stop:
                return STOPPED
        else:
            self.partition(worker, frame, 0, 1)
        if not self.ordered:
            for low in range(frame.n_unknown):
                frame.kept_weights[low] = weight_of(self.weights, frame.kept_rows[low])
        return 0

    cdef bint zero_sign(self, int attribute) noexcept nogil:
        # Whether the first zero of this attribute in the list of all cases is -0.
        cdef Py_ssize_t i
        cdef double value
        for i in range(self.cases.n):
            value = self.cases.values[attribute][self.rows[i]]
            if rounded(value, self.cases.single) == 0:
                return signbit(value) != 0
        return False

    cdef void take_sides(self, Worker* worker, Frame* frame, int attribute) noexcept nogil:
        # The branch of each row, the size of each branch and its share of the known weight.
        cdef Py_ssize_t i, row
        cdef int32_t* rows = self.rows + frame.list_start
        cdef const int32_t* codes
        cdef const int32_t* group = NULL
        cdef const Entry* order
        cdef unsigned int cut
        cdef bint wide = frame.n_branches > MAX_NARROW
        cdef uint8_t* along = self.along + frame.list_start
        cdef int b
        cdef const double* values
        cdef double low
        if self.cases.kind[attribute] == CONTINUOUS and self.measure is not None:
            values = self.cases.values[attribute]
            low = values[worker.scored[attribute].low_row]
            for i in range(frame.n):
                row = rows[i]
                if isnan(values[row]):
                    self.side[row] = NARROW_UNKNOWN
                    frame.n_unknown += 1
                else:
                    b = values[row] > low
                    self.side[row] = b
                    frame.sizes[1] += b
            frame.sizes[0] = frame.n - frame.n_unknown - frame.sizes[1]
        elif self.cases.kind[attribute] == CONTINUOUS:
            order = self.columns[attribute].order + frame.start
            cut = worker.scored[attribute].below
            for i in range(frame.n):
                if order[i].rank == UNKNOWN_RANK:
                    self.side[order[i].row] = NARROW_UNKNOWN
                    frame.n_unknown += 1
                else:
                    b = order[i].rank > cut
                    self.side[order[i].row] = b
                    frame.sizes[b] += 1
        else:
            codes = self.cases.codes[attribute]
            if worker.nodes.test[frame.node] == GROUPS:
                group = worker.group + self.group_offset[attribute]
            for i in range(frame.n):
                row = rows[i]
                b = codes[row]
                if b >= 0 and group != NULL:
                    b = group[b]
                if wide:
                    self.wide_side[row] = b
                else:
                    self.side[row] = <uint8_t> b if b >= 0 else NARROW_UNKNOWN
                if b < 0:
                    frame.n_unknown += 1
                else:
                    frame.sizes[b] += 1
        if self.ordered and not wide:
            note_along(rows, frame.n, self.side, along)
        if frame.n_unknown == 0 and (self.ordered or self.weights == NULL or frame.whole):
            return
        if self.ordered:
            if wide:
                group_branch(rows, 0, frame.n, self.cases, &worker.nodes, frame.node, -1)
            else:
                group_along(rows, along, 0, frame.n, NARROW_UNKNOWN, frame.n_unknown)
            frame.known = rounded(worker.nodes.cases[frame.node] - sum_weights(
                rows, frame.n_unknown, NULL if frame.whole else self.weights), self.cases.single)
            return
        self.take_shares(worker, frame, attribute)

    cdef void take_shares(self, Worker* worker, Frame* frame, int attribute) noexcept nogil:
        # Where no list is kept: the share of each branch in the known weight, and the class weights of each branch. Known
        # cases are added up first, by value or as in the table, then shares of the others: in J48 sums of fractions are
        # printed, and the last bit decides which way a half is rounded.
        cdef int32_t* rows = self.rows + frame.list_start
        cdef const Entry* order = self.columns[attribute].order + frame.start
        cdef bint by_value = self.cases.kind[attribute] == CONTINUOUS
        cdef Py_ssize_t i, row, C = self.cases.n_classes
        cdef int32_t first = worker.nodes.first_branch[frame.node]
        cdef double* counts = worker.nodes.counts + first * C
        cdef double* cases = worker.nodes.cases + first
        cdef double w
        cdef int b
        for i in range(frame.n):
            row = order[i].row if by_value else rows[i]
            b = self.side_of(frame, row)
            if b >= 0:
                w = weight_of(self.weights, row)
                cases[b] += w
                counts[b * C + self.cases.classes[row]] += w
        for b in range(frame.n_branches):
            frame.known += cases[b]
        for b in range(frame.n_branches):
            frame.shares[b] = cases[b] / frame.known
        for i in range(frame.n if frame.n_unknown else 0):
            if self.side_of(frame, rows[i]) < 0:
                for b in range(frame.n_branches):
                    if frame.shares[b] > self.logs.small:
                        w = weight_of(self.weights, rows[i]) * frame.shares[b]
                        cases[b] += w
                        counts[b * C + self.cases.classes[rows[i]]] += w

    cdef inline int side_of(self, const Frame* frame, Py_ssize_t row) noexcept nogil:
        # The branch that a row takes at the node being divided; -1 where its outcome is unknown.
        if frame.n_branches > MAX_NARROW:
            return self.wide_side[row]
        return self.side[row] if self.side[row] != NARROW_UNKNOWN else -1

    cdef void partition(self, Worker* hand, const Frame* frame, int part, int parts) noexcept nogil:
        cdef int k = part - parts
        cdef Entry* entries
        cdef Entry* kept
        cdef bint wide = frame.n_branches > MAX_NARROW
        while k + parts < self.n_continuous:
            k += parts
            entries = self.columns[self.continuous[k]].order + frame.start
            kept = frame.kept + k * (frame.n_unknown + 1)
            if wide:
                partition_entries(entries, frame.n, self.wide_side, frame.n_branches, frame.sizes, frame.n_unknown,
                                  hand.spare, hand.place, kept)
            else:
                partition_entries(entries, frame.n, self.side, frame.n_branches, frame.sizes, frame.n_unknown,
                                  hand.spare, hand.place, kept)
        if part == parts - 1 and not self.ordered:
            if wide:
                partition_rows(self.rows + frame.start, frame.n, self.wide_side, frame.n_branches, frame.sizes,
                               frame.n_unknown, hand.spare_rows, hand.place, frame.kept_rows)
            else:
                partition_rows(self.rows + frame.start, frame.n, self.side, frame.n_branches, frame.sizes,
                               frame.n_unknown, hand.spare_rows, hand.place, frame.kept_rows)

    cdef int next_branch(self, Worker* worker, Frame* frame) noexcept nogil:
        # Come back from one branch, go down the next that has cases.
        cdef Py_ssize_t start, unknown = frame.n_unknown
        cdef int b
        cdef int32_t* rows = self.rows + frame.list_start
        cdef uint8_t* along = self.along + frame.list_start
        cdef bint counted = not self.ordered and self.weights != NULL and not (frame.whole and unknown == 0)
        if frame.next_branch:
            b = frame.next_branch - 1
            frame.done += frame.sizes[b]
            if self.ordered and frame.n_branches <= MAX_NARROW and worker.n_settled == frame.n_settled:
                close_leaf(unknown, unknown + frame.sizes[b], along)
            elif self.ordered and frame.n_branches <= MAX_NARROW:
                close_branch(rows, unknown + frame.sizes[b], frame.kept_rows, unknown, self.side, along)
            elif self.ordered:
                group_branch(rows, 0, unknown + frame.sizes[b], self.cases, &worker.nodes, frame.node, -1)
            if unknown and (self.ordered or frame.shares[b] > self.logs.small):
                self.scale_unknown(frame, b, False)
        while frame.next_branch < frame.n_branches and frame.sizes[frame.next_branch] == 0:
            frame.next_branch += 1
        b = frame.next_branch
        if b == frame.n_branches:
            return self.leave(worker, frame)
        frame.next_branch += 1
        frame.n_settled = worker.n_settled
        start = frame.start + frame.done
        if self.ordered and frame.n_branches <= MAX_NARROW:
            group_along(rows, along, unknown, frame.n, <uint8_t> b, frame.sizes[b])
        elif self.ordered:
            group_branch(rows, unknown, frame.n, self.cases, &worker.nodes, frame.node, b)
        if unknown and self.ordered:
            frame.shares[b] = rounded(sum_weights(rows + unknown, frame.sizes[b],
                                                  NULL if frame.whole else self.weights)
                                      / frame.known, self.cases.single)
        elif unknown and frame.shares[b] <= self.logs.small:
            # next to nothing of them would come here
            start += unknown
            unknown = 0
        elif unknown:
            merge_rows(self.rows + start, frame.kept_rows, unknown, self.rows + start + unknown, frame.sizes[b])
        if unknown:
            self.scale_unknown(frame, b, True)
        if _push(worker, worker.nodes.first_branch[frame.node] + b, start, frame.list_start if self.ordered else start,
                 frame.sizes[b] + unknown, frame.whole and unknown == 0) < 0:
            return OUT_OF_MEMORY
        # `frame` may be gone: the stack may have moved
        worker.frames[worker.n_frames - 1].counted = counted
        worker.frames[worker.n_frames - 1].present_above = worker.frames[worker.n_frames - 2].present
        return 0

    cdef void merge_kept(self, Worker* worker, const Frame* frame) noexcept nogil:
        # The cases of unknown outcome at the test above, into the columns. Not before they are needed: many a branch is
        # a leaf at once.
        cdef const Frame* above = frame - 1
        cdef Py_ssize_t unknown
        cdef int k
        cdef Entry* entries
        if worker.n_frames < 2:
            return
        unknown = frame.n - above.sizes[above.next_branch - 1]
        if unknown == 0:
            return
        for k in range(self.n_continuous):
            entries = self.columns[self.continuous[k]].order + frame.start
            merge_entries(entries, above.kept + k * (unknown + 1), unknown, entries + unknown, frame.n - unknown)

    cdef int leave(self, Worker* worker, Frame* frame) noexcept nogil:
        worker.tested[worker.nodes.attribute[frame.node]] -= 1
        _frame_close(frame)
        worker.n_frames -= 1
        return 0

    cdef void scale_unknown(self, Frame* frame, int branch, bint down) noexcept nogil:
        # Cases with unknown outcome go down a branch with its share of their weight, and get it back; in release 8, whose
        # list is kept, not to the bit.
        cdef const int32_t* rows = self.rows + frame.list_start if self.ordered else frame.kept_rows
        cdef double share = frame.shares[branch]
        cdef Py_ssize_t i
        for i in range(frame.n_unknown):
            if not self.ordered:
                set_weight(self.weights, rows[i], frame.kept_weights[i] * share if down else frame.kept_weights[i])
            elif down:
                set_weight(self.weights, rows[i], weight_of(self.weights, rows[i]) * share)
            else:
                set_weight(self.weights, rows[i], weight_of(self.weights, rows[i]) / share)

    cdef void call_team(self, bint divide) noexcept:
        # All threads on the attributes of one node. An exception waits until every thread is back.
        calls = []
        try:
            part = self._partition_part if divide else self._evaluate_part
            for t in range(1, self.n_threads):
                calls.append(self.pool.submit(part, t))
            part(0)
            for call in calls:
                call.result()
        except BaseException as error:
            self.stop = 1
            self.pending = error
            _wait_for(calls)

    def _evaluate_part(self, int part):
        with nogil:
            self.evaluate(&self.team[part], &self.team[0], &self.view, part, self.n_threads)

    def _partition_part(self, int part):
        with nogil:
            self.partition(&self.team[part], self.dividing, part, self.n_threads)

    cdef int run_jobs(self, Worker* lead) except -1:
        # Subtrees in parallel, the largest first; then each is hung where it belongs.
        cdef Py_ssize_t i
        jobs = sorted(range(lead.n_jobs), key=lambda k: -lead.jobs[k].n)
        results = {}
        calls = []
        try:
            while len(calls) < self.n_threads:
                calls.append(self.pool.submit(self._grow_jobs, jobs, results))
            for call in calls:
                call.result()
        except BaseException:
            self.stop = 1
            _wait_for(calls)
            raise
        for i in range(lead.n_jobs):
            if (<Subtree> results.pop(i)).graft(lead, lead.jobs[i].node) < 0:
                raise MemoryError
        return 0

    def _grow_jobs(self, list jobs, dict results):
        # Take the next job from the list until there is none.
        cdef Worker own
        cdef Job* job
        cdef int status
        cdef Subtree subtree
        if _worker_init(&own, self.cases, self.most_values, self.n_group_codes, _most_cases(&self.team[0]), 0) < 0:
            _worker_free(&own)
            raise MemoryError
        try:
            while not self.stop:
                try:
                    k = jobs.pop(0)
                except IndexError:
                    break
                job = &self.team[0].jobs[k]
                memcpy(own.tested, job.tested, self.cases.n_attributes * sizeof(int32_t))
                if nodes_add(&own.nodes, 1) < 0 or _push(&own, 0, job.start, job.start, job.n, self.weights == NULL) < 0:
                    raise MemoryError
                memcpy(own.nodes.counts, self.team[0].nodes.counts + job.node * self.cases.n_classes,
                       self.cases.n_classes * sizeof(double))
                own.nodes.cases[0] = self.team[0].nodes.cases[job.node]
                own.frames[0].counted = True
                own.frames[0].present_above = job.present_above
                with nogil:
                    status = self.run(&own)
                if status < 0:
                    self._raise(status)
                subtree = Subtree.__new__(Subtree)
                subtree.nodes = own.nodes
                nodes_init(&own.nodes, self.cases.n_classes)
                results[k] = subtree
        finally:
            _worker_free(&own)


def _wait_for(calls):
    # Until every thread is back, whatever signals come meanwhile: they still use this memory.
    for call in calls:
        while not call.cancel() and not call.done():
            try:
                call.exception()
            except BaseException:
                continue


cdef Py_ssize_t _most_cases(const Worker* lead) noexcept nogil:
    # Spare room that suffices for every job.
    cdef Py_ssize_t i, most = 0
    for i in range(lead.n_jobs):
        most = max(most, lead.jobs[i].n)
    return most


cdef class Subtree:
    # Nodes that a thread grew, until they find their place.
    cdef Nodes nodes

    def __dealloc__(self):
        nodes_free(&self.nodes)

    cdef int graft(self, Worker* lead, Py_ssize_t target):
        return nodes_graft(&lead.nodes, target, &self.nodes)
