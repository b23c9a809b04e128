"""Making a tree smaller as Weka's J48 does: collapse, error-based pruning, reduced-error pruning.

What differs from release 8 is mostly arithmetic: figures nearer than a millionth are equal, the estimate of errors has
another form, weights come back from a branch as they went, and a branch that is raised is pruned again from its leaves.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport pow, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.base.nodes cimport (
    LEAF, THRESHOLD, Nodes, nodes_copy_test, nodes_export, nodes_free, nodes_import, nodes_make_leaf,
)
from ctree_ext.base.numeric cimport at_least, at_most
from ctree_ext.base.routing cimport branch_of

import statistics

import numpy as np

cdef double SMALL = 1e-6

cdef enum:
    OUT_OF_MEMORY = -1
    STOPPED = -2
    WORK_PER_LOOK = 4000000


cdef struct Pessimism:
    double confidence
    double z


cdef double _extra_errors(double n, double e, const Pessimism* rule) noexcept nogil:
    # For n cases of which e are wrong.
    cdef double base, f, z = rule.z, r
    if rule.confidence > 0.5:
        return 0.0
    if e < 1:
        base = n * (1 - pow(rule.confidence, 1 / n))
        return base if e == 0 else base + e * (_extra_errors(n, 1.0, rule) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n - e


cdef Pessimism _pessimism(double confidence):
    # J48 keeps the confidence in 32 bits.
    cdef Pessimism rule
    cdef double p = <double> (<float> 1 - <float> confidence)
    rule.confidence = <double> <float> confidence
    rule.z = 0.0  # above one half nothing is added to the errors
    if rule.confidence <= 0.5:
        if p >= 1:  # too little for 32 bits
            p = min(1 - confidence, np.nextafter(1.0, 0.0))
        rule.z = statistics.NormalDist().inv_cdf(p)
    return rule


def pessimistic_errors(double n, double e, double confidence=0.25):
    """Errors to expect of a leaf with `n` cases, `e` of them wrong: e and the extra errors."""
    cdef Pessimism rule = _pessimism(confidence)
    return e + _extra_errors(n, e, &rule) if n > 0 else 0.0


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
    COMPARED  # the estimate of the largest branch for all cases is in


cdef struct Frame:
    # A node that is being pruned, or whose errors on other cases are being estimated.
    int32_t node
    bint settle              # prune it; else only estimate
    bint recount             # its cases are new to it, and so will those of its branches be
    Stage stage
    Py_ssize_t n
    const int32_t* rows      # in the order of the table
    const double* weights    # what each counts; NULL: one
    int32_t* own_rows        # to be freed with the frame
    double* own_weights
    int next_branch
    int largest
    double as_leaf
    double as_tree
    # its cases by branch, those of unknown outcome behind all others
    int32_t* parts
    double* part_weights
    Py_ssize_t* starts       # n_branches + 2
    double* rates            # share of each branch in the known weight


cdef class J48Pruner:
    """Error-based pruning of one tree with one table of cases, as in J48.

    Parameters
    ----------
    table : CaseTable
        All training cases, in double precision.
    confidence : float
        In (0, 1); the smaller, the more is pruned.
    raising : bool
        Whether a node may be replaced by its largest branch.
    """

    cdef CaseTable table
    cdef const Cases* cases
    cdef Pessimism rule
    cdef bint raising
    cdef Nodes nodes
    cdef Frame* frames
    cdef Py_ssize_t n_frames
    cdef Py_ssize_t room
    cdef double result
    cdef double* counts
    cdef Py_ssize_t work
    cdef object pending

    def __cinit__(self, CaseTable table, *, double confidence=0.25, bint raising=True):
        self.table = table
        self.cases = &table.cases
        self.rule = _pessimism(confidence)
        self.raising = raising

    def __dealloc__(self):
        self._release()

    def _release(self):
        while self.n_frames:
            self.drop()
        free(self.frames)
        free(self.counts)
        nodes_free(&self.nodes)
        self.frames = NULL
        self.counts = NULL
        self.room = 0

    def prune(self, arrays, const int32_t[::1] rows=None):
        """The pruned tree's arrays: its counts and errors are those of the cases (at `rows`) that it was grown from."""
        cdef Py_ssize_t i, n = self.cases.n if rows is None else rows.shape[0]
        cdef int status
        cdef Frame* frame
        cdef double[::1] weights
        cdef int32_t[::1] list_ = np.arange(n, dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
        for i in range(n):
            if not 0 <= list_[i] < self.cases.n:
                raise ValueError(f"there is no row {list_[i]}")
        if self.cases.weights != NULL:
            weights = np.array([self.cases.weights[list_[i]] for i in range(n)])
        try:
            nodes_import(&self.nodes, arrays, self.cases.n_classes)
            self.counts = <double*> malloc(self.cases.n_classes * sizeof(double))
            if self.counts == NULL:
                raise MemoryError
            frame = self.push(0, True, False)
            if frame == NULL:
                raise MemoryError
            frame.n = n
            frame.rows = &list_[0]
            if self.cases.weights != NULL:
                frame.weights = &weights[0]
            with nogil:
                status = self.run()
            if status == OUT_OF_MEMORY:
                raise MemoryError
            if status == STOPPED:
                raise self.pending
            return nodes_export(&self.nodes)
        finally:
            self._release()

    cdef Frame* push(self, int32_t node, bint settle, bint recount) noexcept nogil:
        cdef void* larger
        cdef Frame* frame
        if self.n_frames == self.room:
            larger = realloc(self.frames, max(2 * self.room, 64) * sizeof(Frame))
            if larger == NULL:
                return NULL
            self.frames = <Frame*> larger
            self.room = max(2 * self.room, 64)
        frame = &self.frames[self.n_frames]
        memset(frame, 0, sizeof(Frame))
        frame.node = node
        frame.settle = settle
        frame.recount = recount
        self.n_frames += 1
        return frame

    cdef void undivide(self, Frame* frame) noexcept nogil:
        free(frame.parts)
        free(frame.part_weights)
        free(frame.starts)
        free(frame.rates)
        frame.parts = NULL
        frame.part_weights = NULL
        frame.starts = NULL
        frame.rates = NULL

    cdef void drop(self) noexcept nogil:
        cdef Frame* frame = &self.frames[self.n_frames - 1]
        self.undivide(frame)
        free(frame.own_rows)
        free(frame.own_weights)
        self.n_frames -= 1

    cdef int run(self) noexcept nogil:
        cdef int status
        cdef Frame* frame
        while self.n_frames:
            frame = &self.frames[self.n_frames - 1]
            if frame.stage == ENTER:
                self.work += frame.n + 16
                if self.work > WORK_PER_LOOK:
                    self.work = 0
                    with gil:
                        try:
                            PyErr_CheckSignals()
                        except BaseException as error:
                            self.pending = error
                            return STOPPED
                status = self.enter(frame)
            elif frame.stage == BRANCHES:
                frame.as_tree += self.result
                frame.next_branch += 1
                status = self.go_down(frame)
            else:
                status = self.decide(frame, self.result)
            if status < 0:
                return status
        return 0

    cdef double leaf_estimate(self, double cases, const double* counts) noexcept nogil:
        cdef double most = counts[0]
        cdef int c
        if cases <= 0:
            return 0.0
        for c in range(1, self.cases.n_classes):
            most = max(most, counts[c])
        return cases - most + _extra_errors(cases, cases - most, &self.rule)

    cdef int pop(self, double result) noexcept nogil:
        self.drop()
        self.result = result
        return 0

    cdef int enter(self, Frame* frame) noexcept nogil:
        cdef Py_ssize_t i
        cdef double cases = 0.0, w
        cdef double* counts = self.counts
        if frame.settle:
            cases = self.nodes.cases[frame.node]
            counts = self.nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes
            self.choose_class(frame.node)
        elif self.nodes.test[frame.node] == LEAF:
            memset(counts, 0, self.cases.n_classes * sizeof(double))
            for i in range(frame.n):
                w = 1.0 if frame.weights == NULL else frame.weights[i]
                counts[self.cases.classes[frame.rows[i]]] += w
                cases += w
        if self.nodes.test[frame.node] == LEAF:
            return self.pop(self.leaf_estimate(cases, counts))
        if self.divide(frame) < 0:
            return OUT_OF_MEMORY
        frame.stage = BRANCHES
        frame.as_tree = 0.0
        frame.next_branch = 0
        return self.go_down(frame)

    cdef void choose_class(self, Py_ssize_t node) noexcept nogil:
        cdef double* counts = self.nodes.counts + node * self.cases.n_classes
        cdef int c, best = 0
        if self.nodes.cases[node] <= SMALL:
            return
        for c in range(1, self.cases.n_classes):
            if counts[c] - counts[best] > SMALL:
                best = c
        self.nodes.best[node] = best
        self.nodes.errors[node] = self.nodes.cases[node] - counts[best]

    cdef int divide(self, Frame* frame) noexcept nogil:
        # The cases by branch, in their order; those of unknown outcome last.
        cdef Py_ssize_t i, at = 0, here
        cdef int b, B = self.nodes.n_branches[frame.node]
        cdef double known = 0.0
        cdef int32_t* side = <int32_t*> malloc(max(frame.n, 1) * sizeof(int32_t))
        frame.parts = <int32_t*> malloc(max(frame.n, 1) * sizeof(int32_t))
        frame.starts = <Py_ssize_t*> malloc((B + 2) * sizeof(Py_ssize_t))
        frame.rates = <double*> malloc((B + 1) * sizeof(double))
        if frame.weights != NULL:
            frame.part_weights = <double*> malloc(max(frame.n, 1) * sizeof(double))
        if (side == NULL or frame.parts == NULL or frame.starts == NULL or frame.rates == NULL
                or (frame.weights != NULL and frame.part_weights == NULL)):
            free(side)
            return OUT_OF_MEMORY
        memset(frame.starts, 0, (B + 2) * sizeof(Py_ssize_t))
        memset(frame.rates, 0, (B + 1) * sizeof(double))
        for i in range(frame.n):
            b = branch_of(self.cases, &self.nodes, frame.node, frame.rows[i])
            side[i] = b if b >= 0 else B
            frame.starts[side[i] + 1] += 1
            frame.rates[side[i]] += 1.0 if frame.weights == NULL else frame.weights[i]
        for b in range(B + 1):
            here = frame.starts[b + 1]
            frame.starts[b + 1] = at  # becomes the end of the branch as it fills
            at += here
        for i in range(frame.n):
            here = frame.starts[side[i] + 1]
            frame.parts[here] = frame.rows[i]
            if frame.weights != NULL:
                frame.part_weights[here] = frame.weights[i]
            frame.starts[side[i] + 1] += 1
        free(side)
        if frame.recount and frame.weights != NULL and self.nodes.test[frame.node] == THRESHOLD:
            if self.add_by_value(frame, B) < 0:
                return OUT_OF_MEMORY
        for b in range(B):
            known += frame.rates[b]
        for b in range(B):
            frame.rates[b] = frame.rates[b] / known if known > 0 else 0.0
        return 0

    cdef int add_by_value(self, Frame* frame, int B) noexcept nogil:
        # Sums of fractions are printed, and the last bit decides which way a half is rounded: as in growing, the cases
        # of a branch are added up by value. Only then are they put back into the order of the table.
        cdef Py_ssize_t i, start
        cdef int b
        cdef const double* values = self.cases.values[self.nodes.attribute[frame.node]]
        cdef Valued* sorted_ = <Valued*> malloc(max(frame.n, 1) * sizeof(Valued))
        if sorted_ == NULL:
            return OUT_OF_MEMORY
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
        free(sorted_)
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

    cdef int go_down(self, Frame* frame) noexcept nogil:
        # The next branch, with its share of the cases of unknown outcome; without one, the node itself.
        cdef int b = frame.next_branch, B = self.nodes.n_branches[frame.node]
        cdef Py_ssize_t child = self.nodes.first_branch[frame.node] + b
        cdef Py_ssize_t start, end, unknown, i, index = self.n_frames - 1
        cdef Frame* below
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
        below = self.push(<int32_t> child, frame.settle, frame.recount)
        if below == NULL:
            return OUT_OF_MEMORY
        frame = &self.frames[index]  # they may have moved
        below.n = end - start + unknown
        if unknown == 0:
            below.rows = frame.parts + start
            below.weights = NULL if frame.weights == NULL else frame.part_weights + start
            return 0
        below.own_rows = <int32_t*> malloc(below.n * sizeof(int32_t))
        below.own_weights = <double*> malloc(below.n * sizeof(double))
        if below.own_rows == NULL or below.own_weights == NULL:
            return OUT_OF_MEMORY
        below.rows = below.own_rows
        below.weights = below.own_weights
        self.mix(frame, b, below)
        return 0

    cdef void mix(self, const Frame* frame, int b, Frame* below) noexcept nogil:
        # Known and unknown in the order of the table.
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

    cdef int compare(self, Frame* frame) noexcept nogil:
        cdef Nodes* nodes = &self.nodes
        cdef int32_t first = nodes.first_branch[frame.node]
        cdef Py_ssize_t n = frame.n
        cdef const int32_t* rows = frame.rows
        cdef const double* weights = frame.weights
        cdef int b
        cdef Frame* below
        if not frame.settle:
            return self.pop(frame.as_tree)
        frame.largest = 0
        for b in range(nodes.n_branches[frame.node]):
            if at_least(nodes.cases[first + b], nodes.cases[first + frame.largest], SMALL):
                frame.largest = b
        frame.as_leaf = self.leaf_estimate(nodes.cases[frame.node],
                                           nodes.counts + <Py_ssize_t> frame.node * self.cases.n_classes)
        frame.stage = COMPARED
        self.undivide(frame)
        if not self.raising:
            return self.decide(frame, 1e300)
        below = self.push(first + frame.largest, False, False)
        if below == NULL:
            return OUT_OF_MEMORY
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
            # the branch takes the place of the node, and all is looked at once more
            nodes_copy_test(nodes, frame.node, nodes.first_branch[frame.node] + frame.largest)
            frame.stage = ENTER
            frame.recount = True
            return 0
        return self.pop(frame.as_tree)


def reduced_error(arrays, CaseTable table, const int32_t[::1] rows):
    """Turn every test into a leaf that makes no more errors than its branches on the cases at `rows`.

    These are cases that the tree was not grown from. A case of unknown outcome goes down all branches in shares of the
    cases they were grown from. Counts stay those of growing.
    """
    cdef Nodes nodes
    cdef const Cases* cases = &table.cases
    cdef Py_ssize_t i, node, b, child, C = cases.n_classes, k
    cdef double weight, total, as_tree, as_leaf
    nodes_import(&nodes, arrays, <int> C)
    cdef double[:, ::1] counts = np.zeros((nodes.n, C))
    cdef double[::1] errors = np.zeros(nodes.n), totals = np.zeros(nodes.n)
    cdef list stack
    try:
        for i in range(rows.shape[0]):
            if not 0 <= rows[i] < cases.n:
                raise ValueError(f"there is no row {rows[i]}")
            if i % 20000 == 0:
                PyErr_CheckSignals()
            stack = [(0, 1.0 if cases.weights == NULL else cases.weights[rows[i]])]
            while stack:
                node, weight = stack.pop()
                counts[node, cases.classes[rows[i]]] += weight
                totals[node] += weight
                if nodes.test[node] == LEAF:
                    continue
                k = branch_of(cases, &nodes, node, rows[i])
                if k >= 0:
                    stack.append((nodes.first_branch[node] + k, weight))
                    continue
                total = 0.0
                for b in range(nodes.n_branches[node]):
                    total += nodes.cases[nodes.first_branch[node] + b]
                for b in range(nodes.n_branches[node] - 1, -1, -1):
                    child = nodes.first_branch[node] + b
                    if nodes.cases[child] / total > SMALL:
                        stack.append((child, weight * (nodes.cases[child] / total)))
        for node in range(nodes.n - 1, -1, -1):
            as_leaf = totals[node] - counts[node, nodes.best[node]]
            errors[node] = as_leaf
            if nodes.test[node] == LEAF:
                continue
            as_tree = 0.0
            for b in range(nodes.n_branches[node]):
                as_tree += errors[nodes.first_branch[node] + b]
            if at_most(as_leaf, as_tree, SMALL):
                nodes_make_leaf(&nodes, node)
            else:
                errors[node] = as_tree
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)
