"""Pruning as Weka's J48 does it: collapsing, error-based pruning.

What differs from release 8 is mostly arithmetic: numbers nearer than a millionth are equal, the estimate of errors has
another form, weights come back from a branch as they went, and a branch that is raised is pruned again from its leaves.
"""

from libc.math cimport INFINITY, NAN, isnan
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.base.interrupts cimport GO_ON, Watch, check_after
from ctree_ext.base.memory cimport Pool, pool_free, pool_raw, pool_release, pool_zeroed
from ctree_ext.base.nodes cimport (
    LEAF, THRESHOLD, Nodes, nodes_copy_test, nodes_export, nodes_free, nodes_import, nodes_make_leaf,
)
from ctree_ext.base.numeric cimport SMALL, at_least, at_most
from ctree_ext.base.routing cimport branch_of
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.grow.threads cimport Backlog, Team, is_small
from ctree_ext.prune.j48_estimate cimport J48Estimate, choose_class, j48_estimate, leaf_errors

import numpy as np

from ctree_ext.base.interrupts import run_interruptible

cdef enum:
    MIN_SHARED = 16384       # cases below which one thread is faster
    TASKS_PER_THREAD = 16
    MIN_TASK = 1024          # cases below which a subtree is no task of its own
    MOST_COPIES = 4          # of each case, on average, in subtrees that wait for a thread
    CASE_WORK = 16           # what a case at a node counts as: it takes some 100 ns to divide it and count its class


def collapse(arrays, int n_classes):
    """Turn every test that saves no training errors into a leaf, from the root down."""
    cdef Nodes nodes
    cdef Py_ssize_t node, b
    cdef double own
    nodes_import(&nodes, arrays, n_classes)
    cdef double[::1] below = np.zeros(nodes.n)
    try:
        # Level by level from the root, so backwards every branch comes before its node.
        for node in range(nodes.n - 1, -1, -1):
            if nodes.test[node] == LEAF:
                below[node] = nodes.errors[node]
            for b in range(nodes.n_branches[node]):
                below[node] += below[nodes.first_branch[node] + b]
        for node in range(nodes.n):
            own = nodes.cases[node] - nodes.counts[node * n_classes + nodes.best[node]]
            if nodes.test[node] != LEAF and below[node] >= own - 0.001:
                nodes_make_leaf(&nodes, node)
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)


cdef struct Valued:
    double value
    int32_t place


cdef int _by_value(const void* one, const void* other) noexcept nogil:
    cdef const Valued* a = <const Valued*> one
    cdef const Valued* b = <const Valued*> other
    if a.value != b.value:
        return -1 if a.value < b.value else 1
    return -1 if a.place < b.place else a.place > b.place


cdef enum Stage:
    ENTER
    BRANCHES
    COMPARED  # the largest branch has been estimated with all cases


cdef struct Frame:
    # A node that is being pruned, or whose errors on other cases are being estimated.
    Pool memory
    int32_t node
    bint prune               # prune it, or only estimate its errors
    bint recount             # its cases are new to it, and so are those of its branches
    Stage stage
    Py_ssize_t n
    const int32_t* rows      # in the order of the table
    const double* weights    # what each counts; NULL: one
    int32_t* own_rows        # what `rows` and `weights` point to, unless that belongs to the frame above
    double* own_weights
    int next_branch
    int largest              # of the branches that are done
    double of_largest        # its expected errors
    double as_leaf
    double as_tree
    # its cases by branch, those of unknown outcome after all others; freed when the branches are done
    Pool division
    int32_t* parts
    double* part_weights
    Py_ssize_t* starts       # n_branches + 2
    double* rates            # share of each branch in the known weight


cdef class Subtree:
    # What a thread needs to prune one.
    cdef int32_t node
    cdef int32_t[::1] rows
    cdef double[::1] weights  # None: each counts one

    def __cinit__(self):
        self.weights = None


cdef class J48Pruner:
    """Error-based pruning of one tree with one table of cases, as in J48.

    Parameters
    ----------
    table : CaseTable
        All training cases, in double precision.
    confidence : float
        In (0, 1); the smaller, the more is pruned.
    subtree_raising : bool
        Whether a node may be replaced by its largest branch.
    """

    cdef CaseTable table
    cdef const Cases* cases
    cdef J48Estimate estimate
    cdef bint subtree_raising
    cdef Nodes nodes
    cdef FrameStack stack
    cdef double result
    cdef bint divided        # an outcome has been unknown where cases were divided to prune
    # of a branch that may be raised, while its errors with all cases of its node are estimated
    cdef double so_far       # the errors that it makes at least
    cdef double most         # with more of them it is not raised
    cdef bint grows          # at no leaf can there be fewer errors than now
    cdef Py_ssize_t compared  # so many frames there are up to that of the node
    cdef double[::1] counts
    cdef Watch watch
    # where threads prune subtrees, and the leading pruner what is above them
    cdef bint owns_nodes     # else they are those of the leading pruner, which outlives this one
    cdef Team team
    cdef Py_ssize_t least    # while subtrees are looked for: those of so many cases are left to threads; else 0
    cdef Backlog left        # subtrees that wait for threads
    cdef list hands          # pruners that are not in use
    cdef double[::1] errors_of  # per node, the expected errors of its subtree, if a thread has pruned it; else NaN

    def __cinit__(self, CaseTable table, *, double confidence=0.25, bint subtree_raising=True):
        table.refuse_compact()
        self.table = table
        self.cases = &table.cases
        self.estimate = j48_estimate(confidence)
        self.errors_of = None
        self.subtree_raising = subtree_raising
        self.owns_nodes = True

    def __dealloc__(self):
        if self.owns_nodes:
            nodes_free(&self.nodes)

    def prune(self, arrays, const int32_t[::1] rows=None, bint recount=False, int n_threads=1):
        """The pruned tree's arrays: its counts and errors are those of the cases (at `rows`) that it was grown from.

        With `recount` the tree may have been grown from others: its counts are found anew, by one thread.
        """
        cdef Py_ssize_t n = self.cases.n if rows is None else rows.shape[0]
        if n_threads <= 1 or recount or n < MIN_SHARED:
            return self.go_through(arrays, rows, True, recount)
        self.team = Team(n_threads)
        try:
            return run_interruptible(lambda: self.go_through(arrays, rows, True, False), self.team.stop_all)
        finally:
            self.watch.stop = NULL  # it was the team's
            self.least = 0
            self.team = self.left = self.hands = self.errors_of = None

    def expected_errors(self, arrays):
        """The errors that the tree is expected to make as it is, with these cases."""
        self.go_through(arrays, None, False, False)
        return self.result

    cdef object go_through(self, arrays, const int32_t[::1] rows, bint prune, bint recount):
        cdef Py_ssize_t i, n = self.cases.n if rows is None else rows.shape[0]
        cdef Frame* frame
        cdef double[::1] weights
        cdef int32_t[::1] list_ = np.arange(n, dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
        for i in range(n):
            if not 0 <= list_[i] < self.cases.n:
                raise ValueError(f"there is no row {list_[i]}")
        weights = None
        if self.cases.weights != NULL:
            weights = np.array([self.cases.weights[list_[i]] for i in range(n)])
        self.stack = FrameStack(sizeof(Frame))
        self.counts = np.empty(self.cases.n_classes)
        self.most = INFINITY
        self.divided = False
        try:
            nodes_import(&self.nodes, arrays, self.cases.n_classes)
            if self.team is not None:
                self.prune_subtrees(list_, weights)
            frame = self.push_cases(0, prune, recount, list_, weights)
            if recount:
                self.count_root(frame)
            with nogil:
                self.run()
            return nodes_export(&self.nodes) if prune else None
        finally:
            while self.stack.n:
                self.drop()
            nodes_free(&self.nodes)

    cdef Frame* push_cases(self, int32_t node, bint prune, bint recount, int32_t[::1] rows,
                           double[::1] weights) except NULL:
        cdef Frame* frame = self.push(node, prune, recount)
        frame.n = rows.shape[0]
        frame.rows = &rows[0]
        if weights is not None:
            frame.weights = &weights[0]
        return frame

    cdef int prune_subtrees(self, int32_t[::1] rows, double[::1] weights) except -1:
        # By all threads, those that have few enough cases; then only what is above them is left.
        self.watch.stop = <const int*> &self.team.stop
        self.left = Backlog(MOST_COPIES * rows.shape[0])
        self.least = max(rows.shape[0] // (TASKS_PER_THREAD * self.team.n_threads), MIN_TASK)
        self.errors_of = np.full(self.nodes.n, NAN)
        self.hands = [self.new_hand() for _ in range(self.team.n_threads)]
        with self.team:
            self.push_cases(0, True, False, rows, weights)
            with nogil:
                self.run()
            self.team.spread(self._prune_subtree, self.left.take())
        self.least = 0
        for hand in self.hands:
            self.divided = self.divided or (<J48Pruner> hand).divided
        return 0

    cdef J48Pruner new_hand(self):
        cdef J48Pruner hand = J48Pruner(self.table, subtree_raising=self.subtree_raising)
        hand.estimate = self.estimate
        hand.owns_nodes = False
        hand.nodes = self.nodes
        hand.counts = np.empty(self.cases.n_classes)
        hand.stack = FrameStack(sizeof(Frame))
        hand.watch.stop = self.watch.stop
        hand.most = INFINITY
        return hand

    def _prune_subtree(self, Subtree subtree):
        cdef J48Pruner hand = self.hands.pop()
        try:
            hand.push_cases(subtree.node, True, False, subtree.rows, subtree.weights)
            with nogil:
                hand.run()
        finally:
            while hand.stack.n:
                hand.drop()
        self.errors_of[subtree.node] = hand.result
        self.hands.append(hand)

    cdef int leave_subtree(self, const Frame* frame) except -1:
        # To threads, with its cases.
        cdef Subtree subtree = Subtree()
        subtree.node = frame.node
        subtree.rows = np.asarray(<const int32_t[:frame.n]> frame.rows).copy()
        if frame.weights != NULL:
            subtree.weights = np.asarray(<const double[:frame.n]> frame.weights).copy()
        self.left.add(subtree, frame.n)
        if self.left.is_full():
            self.team.spread(self._prune_subtree, self.left.take())
        return 0

    cdef void count_root(self, const Frame* frame) noexcept nogil:
        cdef Py_ssize_t i
        memset(self.nodes.counts, 0, self.cases.n_classes * sizeof(double))
        self.nodes.cases[0] = 0.0
        for i in range(frame.n):
            self.add_case(0, frame.rows[i], 1.0 if frame.weights == NULL else frame.weights[i])

    cdef Frame* push(self, int32_t node, bint prune, bint recount) except NULL nogil:
        cdef Frame* frame = <Frame*> self.stack.push()
        frame.node = node
        frame.prune = prune
        frame.recount = recount
        return frame

    cdef void drop(self) noexcept nogil:
        pool_free(&(<Frame*> self.stack.top()).division)
        self.stack.pop()

    cdef int run(self) except -1 nogil:
        cdef Frame* frame
        while self.stack.n:
            frame = <Frame*> self.stack.top()
            if frame.stage == ENTER:
                if check_after(&self.watch, CASE_WORK * (frame.n + 16)) != GO_ON:
                    with gil:
                        raise KeyboardInterrupt
                self.enter(frame)
            elif frame.stage == BRANCHES:
                self.take_branch(frame, self.result)
                self.go_down(frame)
            else:
                self.decide(frame, self.result)
        return 0

    cdef void take_branch(self, Frame* frame, double errors) noexcept nogil:
        # The expected errors of the next branch; the last one of equal size is the largest.
        cdef const double* cases = self.nodes.cases + self.nodes.first_branch[frame.node]
        frame.as_tree += errors
        if at_least(cases[frame.next_branch], cases[frame.largest], SMALL):
            frame.largest = frame.next_branch
            frame.of_largest = errors
        frame.next_branch += 1

    cdef int leave_leaf(self, const Frame* frame, double errors) except -1 nogil:
        # Where all cases of a node are tried on one of its branches, others need not be looked at once these leaves show
        # that it will not be raised.
        cdef const double* counts = self.nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes
        if not frame.prune:
            self.so_far += errors
            if self.grows:
                self.so_far -= leaf_errors(self.nodes.cases[frame.node], counts, self.cases.n_classes, &self.estimate)
            if self.so_far > self.most:
                while self.stack.n > self.compared:
                    self.drop()
                self.result = INFINITY
                return 0
        return self.pop(errors)

    cdef int pop(self, double result) noexcept nogil:
        self.drop()
        self.result = result
        return 0

    cdef int enter(self, Frame* frame) except -1 nogil:
        cdef Py_ssize_t i
        cdef double cases = 0.0, w
        cdef double* counts = &self.counts[0]
        if (self.least and frame.n and self.nodes.test[frame.node] != LEAF
                and is_small(self.cases, frame.n, self.nodes.cases[frame.node], self.least)):
            with gil:
                self.leave_subtree(frame)
            return self.pop(0.0)
        if frame.prune:
            cases = self.nodes.cases[frame.node]
            counts = self.nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes
            choose_class(&self.nodes, frame.node)
        elif self.nodes.test[frame.node] == LEAF:
            memset(counts, 0, self.cases.n_classes * sizeof(double))
            for i in range(frame.n):
                w = 1.0 if frame.weights == NULL else frame.weights[i]
                counts[self.cases.classes[frame.rows[i]]] += w
                cases += w
        if self.nodes.test[frame.node] == LEAF:
            return self.leave_leaf(frame, leaf_errors(cases, counts, self.cases.n_classes, &self.estimate))
        self.divide(frame)
        self.divided = self.divided or (
            frame.prune and frame.starts[self.nodes.n_branches[frame.node]] < frame.n)
        frame.stage = BRANCHES
        frame.as_tree = 0.0
        frame.next_branch = 0
        frame.largest = 0
        return self.go_down(frame)

    cdef int32_t* start_division(self, Frame* frame, int n_branches) except NULL nogil:
        # Memory for the cases by branch, and scratch for the branch of each.
        cdef int32_t* side = <int32_t*> pool_raw(&frame.division, frame.n, sizeof(int32_t))
        frame.parts = <int32_t*> pool_raw(&frame.division, frame.n, sizeof(int32_t))
        frame.starts = <Py_ssize_t*> pool_zeroed(&frame.division, n_branches + 2, sizeof(Py_ssize_t))
        frame.rates = <double*> pool_zeroed(&frame.division, n_branches + 1, sizeof(double))
        if frame.weights != NULL:
            frame.part_weights = <double*> pool_raw(&frame.division, frame.n, sizeof(double))
        if (side == NULL or frame.parts == NULL or frame.starts == NULL or frame.rates == NULL
                or (frame.weights != NULL and frame.part_weights == NULL)):
            with gil:
                raise MemoryError
        return side

    cdef int divide(self, Frame* frame) except -1 nogil:
        # The cases by branch, in their order; those of unknown outcome last.
        cdef Py_ssize_t i, at = 0, here
        cdef int b, B = self.nodes.n_branches[frame.node]
        cdef double known = 0.0
        cdef int32_t* side = self.start_division(frame, B)
        cdef Py_ssize_t* ends = frame.starts + 1
        cdef double* rates = frame.rates
        cdef int32_t* parts = frame.parts
        for i in range(frame.n):
            b = branch_of(self.cases, &self.nodes, frame.node, frame.rows[i])
            if b < 0:
                b = B
            side[i] = b
            ends[b] += 1
            rates[b] += 1.0 if frame.weights == NULL else frame.weights[i]
        for b in range(B + 1):
            here = ends[b]
            ends[b] = at  # grows to the end of the branch as it fills
            at += here
        for i in range(frame.n):
            here = ends[side[i]]
            parts[here] = frame.rows[i]
            if frame.weights != NULL:
                frame.part_weights[here] = frame.weights[i]
            ends[side[i]] = here + 1
        pool_release(&frame.division, side)
        if frame.recount and frame.weights != NULL and self.nodes.test[frame.node] == THRESHOLD:
            self.add_by_value(frame, B)
        for b in range(B):
            known += frame.rates[b]
        for b in range(B):
            frame.rates[b] = frame.rates[b] / known if known > 0 else 0.0
        return 0

    cdef int add_by_value(self, Frame* frame, int B) except -1 nogil:
        # Sums of fractions are printed, and the last bit decides which way a half is rounded: as in growing, the cases
        # of a branch are summed in the order of their values, though they are stored in that of the table.
        cdef Py_ssize_t i, start
        cdef int b
        cdef const double* values = self.cases.values[self.nodes.attribute[frame.node]]
        cdef Valued* sorted_ = <Valued*> pool_raw(&frame.division, frame.n, sizeof(Valued))
        if sorted_ == NULL:
            with gil:
                raise MemoryError
        for b in range(B):
            start = frame.starts[b]
            for i in range(start, frame.starts[b + 1]):
                sorted_[i].value = values[frame.parts[i]]
                sorted_[i].place = <int32_t> i
            qsort(sorted_ + start, frame.starts[b + 1] - start, sizeof(Valued), _by_value)
            frame.rates[b] = 0.0
            for i in range(start, frame.starts[b + 1]):
                frame.rates[b] += frame.part_weights[sorted_[i].place]
            self.count_known(frame, b, sorted_)
        pool_release(&frame.division, sorted_)
        return 0

    cdef void count_known(self, Frame* frame, int b, const Valued* sorted_) noexcept nogil:
        cdef Py_ssize_t i, place, child = self.nodes.first_branch[frame.node] + b
        cdef double* counts = self.nodes.counts + child * self.cases.n_classes
        memset(counts, 0, self.cases.n_classes * sizeof(double))
        self.nodes.cases[child] = 0.0
        for i in range(frame.starts[b], frame.starts[b + 1]):
            place = i if sorted_ == NULL else sorted_[i].place
            self.add_case(child, frame.parts[place], 1.0 if frame.weights == NULL else frame.part_weights[place])

    cdef inline void add_case(self, Py_ssize_t node, int32_t row, double weight) noexcept nogil:
        self.nodes.counts[node * self.cases.n_classes + self.cases.classes[row]] += weight
        self.nodes.cases[node] += weight

    cdef int go_down(self, Frame* frame) except -1 nogil:
        # The next branch, with its share of the cases of unknown outcome; without one, the node itself.
        cdef int b, B = self.nodes.n_branches[frame.node]
        cdef Py_ssize_t child = self.nodes.first_branch[frame.node] + frame.next_branch
        cdef Py_ssize_t start, end, unknown, i
        cdef Frame* below
        while (self.errors_of is not None and frame.prune and not frame.recount and frame.next_branch < B
               and not isnan(self.errors_of[child])):
            self.take_branch(frame, self.errors_of[child])
            child += 1
        b = frame.next_branch
        if b == B:
            return self.compare(frame)
        start = frame.starts[b]
        end = frame.starts[b + 1]
        unknown = frame.starts[B + 1] - frame.starts[B] if frame.rates[b] > SMALL else 0
        if frame.recount:
            if frame.weights == NULL or self.nodes.test[frame.node] != THRESHOLD:
                self.count_known(frame, b, NULL)
            for i in range(frame.starts[B], frame.starts[B] + unknown):
                self.add_case(child, frame.parts[i],
                              (1.0 if frame.weights == NULL else frame.part_weights[i]) * frame.rates[b])
            if self.nodes.cases[child] <= SMALL:
                self.nodes.best[child] = self.nodes.best[frame.node]
                self.nodes.errors[child] = 0.0
        below = self.push(<int32_t> child, frame.prune, frame.recount)
        frame = below - 1  # they may have moved
        below.n = end - start + unknown
        if unknown == 0:
            below.rows = frame.parts + start
            below.weights = NULL if frame.weights == NULL else frame.part_weights + start
            return 0
        below.own_rows = <int32_t*> pool_raw(&below.memory, below.n, sizeof(int32_t))
        below.own_weights = <double*> pool_raw(&below.memory, below.n, sizeof(double))
        if below.own_rows == NULL or below.own_weights == NULL:
            with gil:
                raise MemoryError
        below.rows = below.own_rows
        below.weights = below.own_weights
        self.mix(frame, b, below)
        return 0

    cdef void mix(self, const Frame* frame, int b, Frame* below) noexcept nogil:
        # Known and unknown cases in the order of the table.
        cdef int B = self.nodes.n_branches[frame.node]
        cdef Py_ssize_t i = frame.starts[b], j = frame.starts[B], k, at
        cdef Py_ssize_t i_end = frame.starts[b + 1], j_end = frame.starts[B + 1]
        cdef double rate
        for k in range(below.n):
            if j == j_end or (i < i_end and frame.parts[i] < frame.parts[j]):
                at = i
                rate = 1.0
                i += 1
            else:
                at = j
                rate = frame.rates[b]
                j += 1
            below.own_rows[k] = frame.parts[at]
            below.own_weights[k] = (1.0 if frame.weights == NULL else frame.part_weights[at]) * rate

    cdef int compare(self, Frame* frame) except -1 nogil:
        cdef Nodes* nodes = &self.nodes
        cdef int32_t first = nodes.first_branch[frame.node]
        cdef Py_ssize_t n = frame.n
        cdef const int32_t* rows = frame.rows
        cdef const double* weights = frame.weights
        cdef Frame* below
        if not frame.prune or self.least:
            return self.pop(frame.as_tree)
        frame.as_leaf = leaf_errors(nodes.cases[frame.node],
                                    nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes,
                                    self.cases.n_classes, &self.estimate)
        frame.stage = COMPARED
        pool_free(&frame.division)
        if not self.subtree_raising:
            return self.decide(frame, INFINITY)
        # What the branch makes matters only if it is less than this, whether the node would rather be a leaf or stay as it
        # is. Where its own cases are in one leaf each, others only add to the errors that it makes now.
        self.most = frame.as_tree + 0.1
        if at_most(frame.as_leaf, frame.as_tree + 0.1, SMALL):
            self.most = frame.as_leaf - 0.1
        self.most += 10 * SMALL + 1e-9 * frame.as_tree
        self.grows = not self.divided and weights == NULL
        self.so_far = frame.of_largest if self.grows else 0.0
        if self.so_far > self.most:
            return self.decide(frame, INFINITY)
        self.compared = self.stack.n
        below = self.push(first + frame.largest, False, False)
        below.n = n
        below.rows = rows
        below.weights = weights
        return 0

    cdef int decide(self, Frame* frame, double as_branch) noexcept nogil:
        cdef Nodes* nodes = &self.nodes
        if at_most(frame.as_leaf, frame.as_tree + 0.1, SMALL) and at_most(frame.as_leaf, as_branch + 0.1, SMALL):
            nodes_make_leaf(nodes, frame.node)
            return self.pop(frame.as_leaf)
        if at_most(as_branch, frame.as_tree + 0.1, SMALL):
            # the branch takes the place of the node, which is then pruned again
            nodes_copy_test(nodes, frame.node, nodes.first_branch[frame.node] + frame.largest)
            frame.stage = ENTER
            frame.recount = True
            return 0
        return self.pop(frame.as_tree)
