"""The errors that a subtree is expected to make with more cases than its own, where every case counts one.

Before a node is pruned, release 8 passes all its cases down its largest branch. Most of them have been there: what they
count at each node of it is known, and so are the errors of the parts that none of the others comes to. So only the
others go down.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.base.nodes cimport GROUPS, LEAF, THRESHOLD, Nodes
from ctree_ext.base.numeric cimport rounded
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.prune.error_estimate cimport ErrorEstimate, extra_errors


ctypedef struct Frame:
    Pool memory              # none
    Py_ssize_t node
    Moved* moved             # the cases added, branch by branch
    Py_ssize_t n
    Py_ssize_t at            # the first of the branch that is next to get some
    int branch               # the branch to estimate next
    double errors            # of those before it


cdef class AddedCases:
    # The nodes are read while they are pruned: those below the node that is asked about do not change meanwhile.

    cdef int set_up(self, const Cases* cases, const Nodes* nodes, const ErrorEstimate* estimate,
                    AddedCases known) except -1:
        # With what another knows of the nodes' cases, if it is given.
        cdef Py_ssize_t node, most = 2
        self.cases = cases
        self.nodes = nodes
        self.estimate = estimate
        self.memory = Memory()
        self.stack = FrameStack(sizeof(Frame))
        for node in range(nodes.n):
            most = max(most, nodes.n_branches[node])
        if known is not None:
            self.own = known.own
            self.n_own = known.n_own
        else:
            self.own = <int32_t*> self.memory.zeroed(nodes.n * cases.n_classes, sizeof(int32_t))
            self.n_own = <int32_t*> self.memory.zeroed(nodes.n, sizeof(int32_t))
        self.counts = <int32_t*> self.memory.raw(cases.n_classes, sizeof(int32_t))
        self.moved = <Moved*> self.memory.raw(cases.n, sizeof(Moved))
        self.spare = <Moved*> self.memory.raw(cases.n, sizeof(Moved))
        self.place = <Py_ssize_t*> self.memory.raw(most + 1, sizeof(Py_ssize_t))
        return 0

    cdef void note(self, Py_ssize_t node, const double* counts, Py_ssize_t n) noexcept nogil:
        # The cases that a node has.
        cdef Py_ssize_t c, C = self.cases.n_classes
        cdef int32_t* own = self.own + node * C
        for c in range(C):
            own[c] = <int32_t> counts[c]
        self.n_own[node] = <int32_t> n

    cdef double errors_with(self, Py_ssize_t node, const int32_t* rows, Py_ssize_t n, Py_ssize_t left_out,
                            Py_ssize_t n_left_out, double most) except -1.0 nogil:
        # The errors to expect of what hangs at a node, if it also has these cases, but for `n_left_out` of them from
        # `left_out` on, which are its own. Where they are more than `most`, 1e300 may come instead.
        cdef Py_ssize_t i, at = 0
        cdef Frame* frame
        cdef double result = 0.0
        cdef Py_ssize_t child, end
        cdef int b
        for i in range(left_out):
            self.moved[at].row = rows[i]
            at += 1
        for i in range(left_out + n_left_out, n):
            self.moved[at].row = rows[i]
            at += 1
        if at == 0:
            return self.nodes.errors[node]
        if self.nodes.test[node] == LEAF:
            return self.leaf_with(node, self.moved, at)
        # a sum is rounded once for each node at most, by 2^-24 of itself in 32 bits
        self.most = most / max(1.0 - 1.2e-7 * self.nodes.n, 1e-3) + 1e-3
        self.so_far = 0.0
        self.enter(node, self.moved, at)
        while self.stack.n:
            frame = <Frame*> self.stack.top()
            b = frame.branch
            if b == self.nodes.n_branches[frame.node]:
                result = frame.errors
                self.stack.pop()
                if self.stack.n:
                    frame = <Frame*> self.stack.top()
                    frame.errors = rounded(frame.errors + result, self.cases.single)
                continue
            frame.branch += 1
            child = self.nodes.first_branch[frame.node] + b
            at = frame.at
            if at < frame.n and frame.moved[at].branch == b:
                end = at + 1
                while end < frame.n and frame.moved[end].branch == b:
                    end += 1
                frame.at = end
                if self.nodes.test[child] != LEAF:
                    self.enter(child, frame.moved + at, end - at)
                    continue
                result = self.leaf_with(child, frame.moved + at, end - at)
            elif self.n_own[child]:
                result = self.nodes.errors[child]
            else:
                continue
            self.so_far += result
            if self.so_far > self.most:
                while self.stack.n:
                    self.stack.pop()
                return 1e300
            frame.errors = rounded(frame.errors + result, self.cases.single)
        return result

    cdef int enter(self, Py_ssize_t node, Moved* moved, Py_ssize_t n) except -1 nogil:
        cdef Frame* frame = <Frame*> self.stack.push()
        frame.node = node
        frame.moved = moved
        frame.n = n
        self.divide(node, moved, n)
        return 0

    cdef void divide(self, Py_ssize_t node, Moved* moved, Py_ssize_t n) noexcept nogil:
        # Note the branch of each case, and bring those of each together.
        cdef const Nodes* nodes = self.nodes
        cdef int attribute = nodes.attribute[node], n_branches = nodes.n_branches[node], b
        cdef const double* values = self.cases.values[attribute]
        cdef const float* short_values = self.cases.short_values[attribute]
        cdef const int32_t* codes = self.cases.codes[attribute]
        cdef const uint8_t* short_codes = self.cases.short_codes[attribute]  # more of them fit into the cache
        cdef const int32_t* group = NULL
        cdef double threshold = nodes.threshold[node], x
        cdef bint single = self.cases.single
        cdef Py_ssize_t i, at = 0, high = 0
        cdef Py_ssize_t* place = self.place
        cdef Moved* spare = self.spare
        cdef Moved one
        if nodes.test[node] == THRESHOLD:
            for i in range(n):
                one.row = moved[i].row
                x = values[one.row] if short_values == NULL else <double> short_values[one.row]
                if single:
                    x = <double> <float> x
                one.branch = not (x <= threshold)
                moved[at] = one
                spare[high] = one
                at += 1 - one.branch
                high += one.branch
            memcpy(moved + at, spare, high * sizeof(Moved))
            return
        if nodes.test[node] == GROUPS:
            group = nodes.group + nodes.group_start[node]
        for i in range(n):
            b = <int> short_codes[moved[i].row] - 1 if short_codes != NULL else codes[moved[i].row]
            moved[i].branch = b if group == NULL else group[b]
        if n == 1:
            return
        memset(place, 0, (n_branches + 1) * sizeof(Py_ssize_t))
        for i in range(n):
            place[moved[i].branch + 1] += 1
        for b in range(n_branches):
            place[b + 1] += place[b]
        for i in range(n):
            b = moved[i].branch
            spare[place[b]] = moved[i]
            place[b] += 1
        memcpy(moved, spare, n * sizeof(Moved))

    cdef double leaf_with(self, Py_ssize_t node, const Moved* moved, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i, C = self.cases.n_classes
        cdef int c, best = self.nodes.best[node]
        cdef int32_t* counts = self.counts
        cdef double cases = <double> (self.n_own[node] + n), errors
        memcpy(counts, self.own + node * C, C * sizeof(int32_t))
        for i in range(n):
            counts[self.cases.classes[moved[i].row]] += 1
        for c in range(<int> C):
            if counts[c] > counts[best]:
                best = c
        errors = rounded(cases - counts[best], self.cases.single)
        return rounded(errors + extra_errors(cases, errors, self.estimate), self.cases.single)
