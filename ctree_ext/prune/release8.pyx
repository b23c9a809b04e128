"""Pruning as in release 8: collapsing, and error-based pruning with subtree raising.

Error-based pruning passes all cases down the tree again and prunes the branches of a node before the node itself:
it becomes a leaf, or is replaced by its largest branch, unless the pessimistic estimate of errors argues against it.
"""

import numpy as np

from libc.math cimport INFINITY, isnan
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from ctree_ext.base.cases cimport CONTINUOUS, CaseTable, code_of, value_of
from ctree_ext.base.interrupts cimport GO_ON, check_after
from ctree_ext.base.memory cimport Memory, pool_raw, pool_zeroed
from ctree_ext.base.nodes cimport (
    GROUPS, LEAF, Nodes, nodes_collapse, nodes_copy_test, nodes_export, nodes_free, nodes_import, nodes_make_leaf,
)
from ctree_ext.base.numeric cimport rounded
from ctree_ext.base.routing cimport branch_of, note_sides
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.base.weights cimport Weights, set_weight, sum_weights, weight_of, weights_init
from ctree_ext.grow.case_list cimport close_branch, close_leaf, group_branch, group_by_position, note_by_position
from ctree_ext.grow.counts cimport count_classes
from ctree_ext.grow.partition cimport MAX_NARROW, NARROW_UNKNOWN
from ctree_ext.prune.added_cases cimport AddedCases
from ctree_ext.prune.case_stack cimport CaseStack, StackedCases
from ctree_ext.prune.error_estimate cimport error_estimate, extra_errors


def collapse(arrays, int n_classes, bint single=True):
    """Turn every test that saves no training errors into a leaf, from the leaves up (release 8 does so as it grows).

    A collapsed node keeps the errors of its branches as its own number.
    """
    cdef Nodes nodes
    cdef Py_ssize_t node
    nodes_import(&nodes, arrays, n_classes)
    try:
        # Level by level from the root, so backwards every branch comes before its node.
        for node in range(nodes.n - 1, -1, -1):
            nodes_collapse(&nodes, node, single)
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)


def drop_impossible_values(arrays, int n_classes, const int32_t[::1] n_values):
    """Take out of the last branch of every grouped test the values that a test above rules out.

    That branch holds the values without cases. One left without values goes; release 8 does this to a pruned tree.
    """
    cdef Nodes nodes
    cdef Py_ssize_t node, above, below, b, v
    cdef int last
    cdef bint possible
    cdef int32_t* group
    nodes_import(&nodes, arrays, n_classes)
    cdef int32_t[::1] parent = np.full(nodes.n, -1, dtype=np.int32)
    try:
        for node in range(nodes.n):
            for b in range(nodes.n_branches[node]):
                parent[nodes.first_branch[node] + b] = <int32_t> node
        for node in range(nodes.n):
            if nodes.test[node] != GROUPS:
                continue
            last = nodes.n_branches[node] - 1
            group = nodes.group + nodes.group_start[node]
            possible = False
            for v in range(n_values[nodes.attribute[node]]):
                if group[v] != last:
                    continue
                below = node
                above = parent[node]
                while above >= 0:
                    if nodes.test[above] == GROUPS and nodes.attribute[above] == nodes.attribute[node]:
                        if nodes.first_branch[above] + nodes.group[nodes.group_start[above] + v] != below:
                            group[v] = -1
                            break
                    below = above
                    above = parent[above]
                else:
                    possible = True
            if not possible:
                nodes.n_branches[node] -= 1
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)


cdef class Pruner:
    """Error-based pruning of one tree with one table of cases.

    Parameters
    ----------
    table : CaseTable
        All training cases.
    confidence : float
        In (0, 1]: the smaller, the more is pruned.
    subtree_raising : bool
        Whether a node may be replaced by its largest branch.
    keep_order : bool
        Leave the order in which pruning leaves the cases in the attribute `order`.
    """

    def __cinit__(self, CaseTable table, *, double confidence=0.25, bint subtree_raising=True, bint keep_order=False):
        self.table = table
        self.cases = &table.cases
        self.estimate = error_estimate(confidence, table.cases.single)
        self.subtree_raising = subtree_raising
        self.keep_order = keep_order
        self.most = INFINITY

    def __dealloc__(self):
        if not self.is_hand:
            nodes_free(&self.nodes)

    def prune(self, arrays, const int32_t[::1] order=None, const int32_t[::1] leaf_rows=None):
        """The pruned tree's arrays; its counts are those of all cases, its errors the estimates.

        `order` is the order in which growing left the cases, by default that of the table. `leaf_rows` are all cases,
        leaf after leaf, where growing has put each in one (`GainRatioGrower.leaf_rows`): then they need not be passed
        down the tree.
        """
        try:
            self.estimate_root(arrays, order, leaf_rows, True)
            if self.keep_order:
                self.order = np.empty(self.cases.n, dtype=np.int32)
                self.copy_order(self.order)
            return nodes_export(&self.nodes)
        finally:
            self.release()

    def expected_errors(self, arrays):
        """The errors that the tree is expected to make as it is."""
        try:
            self.estimate_root(arrays, None, None, False)
            return self.result
        finally:
            self.release()

    cdef int estimate_root(self, arrays, const int32_t[::1] order, const int32_t[::1] leaf_rows, bint update) except -1:
        nodes_import(&self.nodes, arrays, self.cases.n_classes)
        self.allocate(order, leaf_rows)
        self.most = INFINITY
        if self.placed:
            self.push_placed(0, self.rows, self.cases.n)
        else:
            self.push(0, self.rows, self.cases.n, update, self.cases.weights == NULL, self.cases.weights == NULL)
            if self.case_stack is not None:
                (<Frame*> self.stack.top()).stacked = self.case_stack.root()
        with nogil:
            self.run()
        return 0

    cdef int release(self) except -1:
        if self.is_hand:
            memset(&self.nodes, 0, sizeof(Nodes))  # those of another
        nodes_free(&self.nodes)
        self.pruned = NULL
        self.stack = None
        self.added = None
        self.case_stack = None
        self.memory = None
        self.weights = NULL
        return 0

    cdef int allocate(self, const int32_t[::1] order, const int32_t[::1] leaf_rows) except -1:
        cdef Py_ssize_t i, n = self.cases.n, most = 0
        self.placed = leaf_rows is not None and not self.keep_order
        if self.placed:
            self.check_places(leaf_rows)
            order = leaf_rows
        self.memory = Memory()
        self.stack = FrameStack(sizeof(Frame))
        self.rows = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        self.spare = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        self.side = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        self.by_position = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        self.counts = <double*> self.memory.raw(self.cases.n_classes, sizeof(double))
        for i in range(self.nodes.n):
            most = max(most, self.nodes.n_branches[i])
        self.place = <Py_ssize_t*> self.memory.raw(most, sizeof(Py_ssize_t))
        for i in range(n):
            self.rows[i] = <int32_t> i if order is None else order[i]
        if self.placed or not (self.keep_order or self.cases.weights != NULL or not self._complete()):
            if self.subtree_raising:
                self.added = AddedCases()
                self.added.set_up(self.cases, &self.nodes, &self.estimate, None)
        elif self.cases.unit > 0:
            self.case_stack = CaseStack()
            self.case_stack.set_up(self.cases, &self.nodes, self.rows)
        else:
            weights_init(&self.held, self.memory, n, self.cases.weights, self.cases.single)
            self.weights = &self.held
        return 0

    cdef int check_places(self, const int32_t[::1] leaf_rows) except -1:
        # Whether the tree has the cases that are listed, each in one branch of a test.
        cdef Nodes* nodes = &self.nodes
        cdef Py_ssize_t node, b, i
        cdef double known
        cdef bint fits = self.cases.weights == NULL and leaf_rows.shape[0] == self.cases.n == nodes.cases[0]
        for node in range(nodes.n):
            known = 0.0
            for b in range(nodes.n_branches[node]):
                known += nodes.cases[nodes.first_branch[node] + b]
            fits = fits and 0 <= nodes.cases[node] == <double> <Py_ssize_t> nodes.cases[node]
            fits = fits and (nodes.test[node] == LEAF or known == nodes.cases[node])
        for i in range(self.cases.n if fits else 0):
            fits = fits and 0 <= leaf_rows[i] < self.cases.n
        if not fits:
            raise ValueError("the cases listed by leaf are not those of the tree")
        return 0

    cdef int work_for(self, Pruner lead) except -1:
        # Prune parts of what another prunes, in its memory, but for what changes from node to node.
        cdef Py_ssize_t node, most = 0
        self.is_hand = True
        self.nodes = lead.nodes
        self.rows = lead.rows
        self.side = lead.side
        self.pruned = lead.pruned
        self.placed = lead.placed
        self.memory = Memory()
        self.stack = FrameStack(sizeof(Frame))
        for node in range(self.nodes.n):
            most = max(most, self.nodes.n_branches[node])
        self.place = <Py_ssize_t*> self.memory.raw(most, sizeof(Py_ssize_t))
        self.spare = <int32_t*> self.memory.raw(self.cases.n, sizeof(int32_t))
        self.counts = <double*> self.memory.raw(self.cases.n_classes, sizeof(double))
        self.added = AddedCases()
        self.added.set_up(self.cases, &self.nodes, &self.estimate, lead.added)
        return 0

    cdef int copy_order(self, int32_t[::1] order) except -1:
        memcpy(&order[0], self.rows, self.cases.n * sizeof(int32_t))
        return 0

    def _complete(self):
        # No value of an attribute that the tree tests is unknown, nor is any in no group. A tree that was grown has no
        # such value, but one from a file may have.
        cdef Py_ssize_t node, row, i
        cdef int attribute
        cdef bint* tested = <bint*> self.memory.zeroed(self.cases.n_attributes, sizeof(bint))
        for i in range(self.nodes.n_group):
            if self.nodes.group[i] < 0:
                return False
        for node in range(self.nodes.n):
            if self.nodes.attribute[node] >= 0:
                tested[self.nodes.attribute[node]] = True
        for attribute in range(self.cases.n_attributes):
            for row in range(self.cases.n if tested[attribute] else 0):
                if self.cases.kind[attribute] == CONTINUOUS:
                    if isnan(value_of(self.cases, attribute, row)):
                        return False
                elif code_of(self.cases, attribute, row) < 0:
                    return False
        return True

    cdef int push(self, int32_t node, int32_t* rows, Py_ssize_t n, bint update, bint counted,
                  bint ones) except -1 nogil:
        cdef Frame* frame = <Frame*> self.stack.push()
        frame.node = node
        frame.rows = rows
        frame.n = n
        frame.update = update
        frame.counted = counted
        frame.ones = ones
        frame.stage = ENTER
        return 0

    cdef int push_placed(self, int32_t node, int32_t* rows, Py_ssize_t n) except -1 nogil:
        # To be pruned with cases that stand where growing has left them.
        self.push(node, rows, n, True, True, True)
        (<Frame*> self.stack.top()).placed = True
        return 0

    cdef int push_stacked(self, int32_t node, StackedCases stacked, bint update) except -1 nogil:
        # To be estimated with cases that stand on the stack of their own.
        self.push(node, self.rows, stacked.n, update, False, False)
        (<Frame*> self.stack.top()).stacked = stacked
        return 0

    cdef int pop(self, double result) noexcept nogil:
        cdef Frame* frame = <Frame*> self.stack.top()
        if self.stack.n > 1 and frame.drifted:
            (frame - 1).drifted = True
        self.stack.pop()
        self.result = result
        return 0

    cdef int run(self) except -1 nogil:
        cdef Frame* frame
        while self.stack.n:
            frame = <Frame*> self.stack.top()
            if frame.stage == ENTER:
                if check_after(&self.watch, frame.n) != GO_ON:
                    with gil:
                        raise KeyboardInterrupt
                self.enter(frame)
            elif frame.stage == BRANCHES:
                self.after_branch(frame)
            elif frame.stage == COMPARED:
                self.decide(frame)
            else:
                self.replace(frame)
        return 0

    cdef int enter(self, Frame* frame) except -1 nogil:
        return self.go_down(frame) if self.look(frame) else 0

    cdef double count(self, Frame* frame) noexcept nogil:
        # Count the classes of the cases, and estimate the node as a leaf; what they count in all.
        cdef Nodes* nodes = &self.nodes
        cdef Py_ssize_t C = self.cases.n_classes, c, best = nodes.best[frame.node]
        cdef double* own = nodes.counts + frame.node * C
        cdef double* counts = own if frame.placed else self.counts if self.case_stack is None else frame.stacked.counts
        cdef bint single = self.cases.single
        cdef double cases = <double> frame.n, errors, weight
        if self.case_stack is not None:
            cases = frame.stacked.weight
        elif not frame.placed:
            weight = count_classes(frame.rows, frame.n, self.cases.classes, NULL if frame.ones else self.weights,
                                   <int> C, counts)
            cases = cases if frame.counted else weight
        # The class stays as it is unless another has more.
        for c in range(C):
            if counts[c] > counts[best]:
                best = c
        errors = rounded(cases - counts[best], single)
        frame.as_leaf = rounded(errors + extra_errors(cases, errors, &self.estimate), single)
        if not frame.update:
            return cases
        nodes.cases[frame.node] = cases
        nodes.best[frame.node] = <int32_t> best
        if counts != own:
            memcpy(own, counts, C * sizeof(double))
        if self.added is not None:
            self.added.note(frame.node, counts, frame.n)
        return cases

    cdef bint look(self, Frame* frame) except -1 nogil:
        # Estimate the node as a leaf; if it has a test, divide its cases so that the branches can be estimated. Whether
        # it has one.
        cdef Nodes* nodes = &self.nodes
        cdef double cases
        cdef bint update
        if not frame.update and nodes.test[frame.node] != LEAF:
            return self.open(frame, 0.0)
        cases = self.count(frame)
        if nodes.test[frame.node] == LEAF:
            if frame.update:
                nodes.errors[frame.node] = frame.as_leaf
            update = frame.update
            self.pop(frame.as_leaf)
            if not update:
                self.spent += self.result
                if self.spent > self.most:
                    self.give_up()
            return False
        return self.open(frame, cases)

    cdef bint open(self, Frame* frame, double cases) except -1 nogil:
        # Divide the cases of a node that has a test.
        cdef Nodes* nodes = &self.nodes
        frame.n_cases = cases
        frame.n_branches = nodes.n_branches[frame.node]
        frame.stage = BRANCHES
        frame.as_tree = 0.0
        if self.case_stack is not None:
            self.case_stack.divide(&frame.stacked, frame.node, &frame.memory)
            frame.sizes = frame.stacked.sizes
            frame.known = frame.stacked.known
            return True
        frame.sizes = <Py_ssize_t*> pool_zeroed(&frame.memory, frame.n_branches, sizeof(Py_ssize_t))
        if frame.sizes == NULL:
            with gil:
                raise MemoryError
        self.divide(frame)
        return True

    cdef int divide(self, Frame* frame) except -1 nogil:
        # Fractional weights: the cases of unknown outcome to the front of the list. Integer weights: branch after
        # branch.
        cdef Py_ssize_t i, at = 0
        cdef int b
        cdef int32_t* rows = frame.rows
        cdef uint8_t* by_position = self.by_position + (rows - self.rows)
        cdef const uint8_t* side = self.side
        cdef Py_ssize_t* sizes = frame.sizes
        cdef bint narrow = frame.n_branches <= MAX_NARROW
        if frame.placed:
            for b in range(frame.n_branches):
                sizes[b] = <Py_ssize_t> self.nodes.cases[self.nodes.first_branch[frame.node] + b]
            frame.known = <double> frame.n
            return 0
        if narrow:
            note_sides(self.cases, &self.nodes, frame.node, rows, frame.n, self.side)
        for i in range(frame.n):
            b = side[rows[i]] if narrow else branch_of(self.cases, &self.nodes, frame.node, rows[i])
            if b < 0 or (narrow and b == NARROW_UNKNOWN):
                frame.n_unknown += 1
            else:
                sizes[b] += 1
        if self.weights != NULL:
            if narrow:
                note_by_position(rows, frame.n, self.side, by_position)
                group_by_position(rows, by_position, 0, frame.n, NARROW_UNKNOWN, frame.n_unknown)
            else:
                group_branch(rows, 0, frame.n, self.cases, &self.nodes, frame.node, -1)
            frame.known = sum_weights(rows + frame.n_unknown, frame.n - frame.n_unknown,
                                      NULL if frame.counted else self.weights)
            if frame.n_unknown:
                frame.unknown = <int32_t*> pool_raw(&frame.memory, frame.n_unknown, sizeof(int32_t))
                if frame.unknown == NULL:
                    with gil:
                        raise MemoryError
                memcpy(frame.unknown, rows, frame.n_unknown * sizeof(int32_t))
            return 0
        frame.known = <double> frame.n
        for b in range(frame.n_branches):
            self.place[b] = at
            at += frame.sizes[b]
        for i in range(frame.n):
            b = side[rows[i]] if narrow else branch_of(self.cases, &self.nodes, frame.node, rows[i])
            self.spare[self.place[b]] = rows[i]
            self.place[b] += 1
        memcpy(rows, self.spare, frame.n * sizeof(int32_t))
        return 0

    cdef void share_weights(self, Frame* frame) noexcept nogil:
        # The cases of unknown outcome, on the way down a branch.
        cdef Py_ssize_t i
        for i in range(frame.n_unknown):
            set_weight(self.weights, frame.rows[i], weight_of(self.weights, frame.rows[i]) * frame.share)

    cdef void restore_weights(self, Frame* frame) noexcept nogil:
        # The same on the way back, not always to the last bit.
        cdef Py_ssize_t i
        for i in range(frame.n_unknown):
            set_weight(self.weights, frame.rows[i], weight_of(self.weights, frame.rows[i]) / frame.share)
        frame.drifted = frame.drifted or frame.n_unknown > 0

    cdef int go_down(self, Frame* frame) except -1 nogil:
        # Estimate the next branch that has cases; without one, the node itself.
        cdef int b
        cdef int32_t child
        cdef double share
        cdef const Weights* weights = NULL if frame.counted else self.weights
        while frame.next_branch < frame.n_branches and frame.sizes[frame.next_branch] == 0:
            frame.next_branch += 1
        b = frame.next_branch
        if b == frame.n_branches:
            return self.estimate_largest(frame)
        child = self.nodes.first_branch[frame.node] + b
        frame.at_leaf = self.nodes.test[child] == LEAF
        if self.weights != NULL:
            if frame.n_branches <= MAX_NARROW:
                group_by_position(frame.rows, self.by_position + (frame.rows - self.rows), frame.n_unknown, frame.n,
                                  <uint8_t> b, frame.sizes[b])
            else:
                group_branch(frame.rows, frame.n_unknown, frame.n, self.cases, &self.nodes, frame.node, b)
            share = sum_weights(frame.rows + frame.n_unknown, frame.sizes[b], weights)
        elif self.case_stack is not None:
            share = frame.stacked.weights[b]
        else:
            share = <double> frame.sizes[b]
        share = rounded(share / frame.known, self.cases.single)
        frame.share = share
        if share >= frame.largest_share:
            frame.largest_share = share
            frame.largest = b
        if frame.shared and self.pruned[child]:
            self.result = self.nodes.errors[child]
            return 0
        if self.case_stack is not None:
            return self.push_stacked(
                child, self.case_stack.branch(&frame.stacked, frame.node, b, share), frame.update)
        if frame.placed:
            return self.push_placed(child, frame.rows + frame.done, frame.sizes[b])
        if self.weights == NULL:
            return self.push(child, frame.rows + frame.done, frame.sizes[b], frame.update, True, True)
        self.share_weights(frame)
        return self.push(child, frame.rows, frame.n_unknown + frame.sizes[b], frame.update,
                         frame.counted and frame.n_unknown == 0, frame.ones and frame.n_unknown == 0)

    cdef int after_branch(self, Frame* frame) except -1 nogil:
        cdef int b = frame.next_branch
        frame.as_tree = rounded(frame.as_tree + self.result, self.cases.single)
        frame.done += frame.sizes[b]
        frame.next_branch += 1
        if self.weights != NULL:
            if frame.n_branches <= MAX_NARROW and frame.at_leaf:
                close_leaf(frame.n_unknown, frame.n_unknown + frame.sizes[b],
                           self.by_position + (frame.rows - self.rows))
            elif frame.n_branches <= MAX_NARROW:
                close_branch(frame.rows, frame.n_unknown + frame.sizes[b], frame.unknown, frame.n_unknown, self.side,
                             self.by_position + (frame.rows - self.rows))
            elif not frame.at_leaf:
                group_branch(frame.rows, 0, frame.n_unknown + frame.sizes[b], self.cases, &self.nodes, frame.node, -1)
            self.restore_weights(frame)
        return self.go_down(frame)

    cdef int estimate_largest(self, Frame* frame) except -1 nogil:
        if not frame.update:
            return self.pop(frame.as_tree)
        frame.stage = COMPARED
        if not self.subtree_raising:
            self.result = 1e300
            return 0
        if self.added is not None:
            return self.estimate_added(frame)
        self.most = INFINITY
        if self.case_stack is not None:
            # there is nothing to undo: what cannot be raised need not be estimated to the end; a sum in another order
            # may differ in its last bits
            self.most = (frame.as_leaf - 0.1 if frame.as_leaf <= frame.as_tree + 0.1 else frame.as_tree + 0.1) + 1e-6
            self.spent = 0.0
            self.n_below = self.stack.n
            return self.push_stacked(
                self.nodes.first_branch[frame.node] + frame.largest, frame.stacked, False)
        return self.push(self.nodes.first_branch[frame.node] + frame.largest, frame.rows, frame.n, False,
                         frame.counted, frame.ones and not frame.drifted)

    cdef void give_up(self) noexcept nogil:
        # Leave a branch that will not be raised.
        while self.stack.n > self.n_below:
            self.stack.pop()
        self.result = INFINITY

    cdef int estimate_added(self, Frame* frame) except -1 nogil:
        # The same by the cases of the other branches alone.
        cdef Py_ssize_t before = 0
        cdef int b
        cdef double most = INFINITY
        for b in range(frame.largest):
            before += frame.sizes[b]
        if frame.as_leaf > frame.as_tree + 0.1:
            most = frame.as_tree + 0.1  # with more errors the node stays as it is
        check_after(&self.watch, frame.n - frame.sizes[frame.largest])
        self.result = self.added.errors_with(self.nodes.first_branch[frame.node] + frame.largest, frame.rows, frame.n,
                                             before, frame.sizes[frame.largest], most)
        return 0

    cdef int decide(self, Frame* frame) except -1 nogil:
        cdef Nodes* nodes = &self.nodes
        cdef double as_branch = self.result
        if frame.as_leaf <= as_branch + 0.1 and frame.as_leaf <= frame.as_tree + 0.1:
            nodes_make_leaf(nodes, frame.node)
            nodes.errors[frame.node] = frame.as_leaf
            return self.pop(frame.as_leaf)
        if as_branch <= frame.as_tree + 0.1:
            frame.stage = RAISED
            if self.case_stack is not None:
                return self.push_stacked(nodes.first_branch[frame.node] + frame.largest, frame.stacked, True)
            return self.push(nodes.first_branch[frame.node] + frame.largest, frame.rows, frame.n, True,
                             frame.counted, frame.ones and not frame.drifted)
        nodes.errors[frame.node] = frame.as_tree
        return self.pop(frame.as_tree)

    cdef int replace(self, Frame* frame) noexcept nogil:
        # Put the largest branch, pruned with all cases, in the place of the node.
        cdef Nodes* nodes = &self.nodes
        cdef Py_ssize_t branch = nodes.first_branch[frame.node] + frame.largest, C = self.cases.n_classes
        nodes_copy_test(nodes, frame.node, branch)
        nodes.best[frame.node] = nodes.best[branch]
        nodes.cases[frame.node] = nodes.cases[branch]
        nodes.errors[frame.node] = nodes.errors[branch]
        memcpy(nodes.counts + frame.node * C, nodes.counts + branch * C, C * sizeof(double))
        return self.pop(self.result)
