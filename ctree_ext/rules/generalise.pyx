"""From the leaves of a tree to rules: each path without the conditions that it does not need.

The cases that fail a condition are a bit set. From these sets, one for each step of the current path, two more follow
for all cases at once: those that fail no condition, and those that fail exactly one. The rule without condition d
covers the former, and those of the latter that fail d; so one pass over the sets evaluates the deletion of every
condition. Paths that begin alike share what follows from their common conditions.
"""

import numpy as np

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.bits cimport WORD, count_bits, lowest_bit, n_words, valid_bits
from ctree_ext.rules.condition_bits cimport ConditionBits
from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, Cases, CaseTable
from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.rules.fisher cimport FisherTest
from ctree_ext.rules.same_rules cimport SameRules
from ctree_ext.prune.error_estimate cimport ErrorEstimate, extra_errors, error_estimate
from ctree_ext.base.nodes cimport LEAF, THRESHOLD, VALUES, Nodes, nodes_free, nodes_import
from ctree_ext.base.numeric cimport rounded

cdef extern from "coverbits.h" nogil:
    ctypedef struct Count:
        Py_ssize_t covered
        Py_ssize_t wrong

    ctypedef struct Near:
        Py_ssize_t n_words
        const uint64_t* valid_end
        const uint64_t* own
        const int64_t* weights
        const uint64_t* once
        const uint64_t* twice
        const int32_t* open
        Py_ssize_t n_open
        const uint64_t** fails
        int n
        int n_first
        Count* without
        Count all
        int32_t* words
        uint64_t* bits
        uint64_t* alone
        uint64_t* alone_wrong
        int32_t* blocks
        Py_ssize_t n_found

    Py_ssize_t add_fails(const uint64_t* fails, const uint64_t* once, const uint64_t* twice, Py_ssize_t n,
                         const int32_t* open, Py_ssize_t n_open, uint64_t* next_once, uint64_t* next_twice,
                         int32_t* next_open)
    void count_near(Near* near)

cdef double MAX_TOTAL = 2.0 ** 53    # up to here sums of whole weights are exact


follow_processor(own_level())


cdef class Paths:
    """The paths of an unpruned tree, to be made rules; nothing changes here, so that threads can share it.

    Parameters
    ----------
    table : CaseTable
        The cases. Weights have to be whole numbers, and say how many cases each stands for.
    arrays : NodeArrays
        The tree.
    confidence : float
        For the pessimistic estimate of errors.
    significance : float, optional
        Delete a condition also if Fisher's test says more than this.
    marks : int64 array, optional
        For each node, a number of the condition that leads there, the same for those that count as the same. With them,
        the rules of one call are each found once: the first of those that are the same, with the largest error of them.
    """

    cdef Nodes nodes
    cdef CaseTable table
    cdef const Cases* cases
    cdef ErrorEstimate estimate
    cdef bint with_test
    cdef double level
    cdef FisherTest fisher
    cdef int32_t[::1] parent
    cdef const int64_t[::1] marks
    cdef bint with_marks
    cdef Memory memory
    cdef Py_ssize_t words, deepest
    cdef int64_t* weights    # how many cases each stands for, and 0 up to a full word; NULL if for itself only
    cdef Py_ssize_t total    # of them
    cdef ConditionBits conditions
    cdef uint64_t* of_class  # `words` for each class: its cases
    cdef uint64_t valid_end
    cdef Py_ssize_t* class_counts

    def __cinit__(self, CaseTable table not None, arrays, double confidence=0.25, significance=None, marks=None):
        cdef Py_ssize_t i, b
        cdef int n_classes = table.cases.n_classes
        if table.cases.classes == NULL:
            raise ValueError("the cases have no classes")
        table.refuse_compact()
        nodes_import(&self.nodes, arrays, n_classes)
        self.table = table
        self.cases = &table.cases
        self.memory = Memory()
        self.words = n_words(self.cases.n)
        self.weigh()
        self.with_marks = marks is not None
        if self.with_marks:
            self.marks = marks
            if len(marks) != self.nodes.n:
                raise ValueError("one mark a node")
        self.estimate = error_estimate(confidence, table.cases.single)
        self.with_test = significance is not None
        if self.with_test:
            self.level = rounded(significance, table.cases.single)
            self.fisher = FisherTest(self.total)
        self.parent = np.full(self.nodes.n, -1, dtype=np.int32)
        cdef int32_t[::1] depth = np.zeros(self.nodes.n, dtype=np.int32)
        self.deepest = 1
        for i in range(self.nodes.n):  # every node comes before its branches
            self.check_test(i)
            for b in range(self.nodes.first_branch[i], self.nodes.first_branch[i] + self.nodes.n_branches[i]):
                self.parent[b] = <int32_t> i
                depth[b] = depth[i] + 1
            self.deepest = max(self.deepest, depth[i])
        self.conditions = ConditionBits(table)
        self.conditions.prepare(&self.nodes)
        self.of_class = <uint64_t*> self.memory.zeroed(n_classes * self.words, sizeof(uint64_t))
        self.class_counts = <Py_ssize_t*> self.memory.zeroed(n_classes, sizeof(Py_ssize_t))
        self.valid_end = valid_bits(self.cases.n, self.words - 1) if self.words else 0
        for i in range(self.cases.n):
            self.class_counts[self.cases.classes[i]] += 1 if self.weights == NULL else self.weights[i]
            self.of_class[self.cases.classes[i] * self.words + i // WORD] |= (<uint64_t> 1) << (i % WORD)

    def __dealloc__(self):
        nodes_free(&self.nodes)

    cdef int weigh(self) except -1:
        # How many cases there are, each taken as often as its weight says.
        cdef Py_ssize_t i
        cdef const double* weights = self.cases.weights
        self.total = self.cases.n
        if weights == NULL:
            return 0
        if self.table.total_weight > MAX_TOTAL:
            raise ValueError("the cases weigh more than can be counted")
        self.weights = <int64_t*> self.memory.zeroed(self.words * WORD, sizeof(int64_t))
        self.total = 0
        for i in range(self.cases.n):
            if floor(weights[i]) != weights[i]:
                raise ValueError("the weights of the cases are not whole")
            self.weights[i] = <int64_t> weights[i]
            self.total += self.weights[i]
        return 0

    cdef int check_test(self, Py_ssize_t node) except -1:
        cdef int attribute = self.nodes.attribute[node]
        if self.nodes.test[node] == LEAF:
            return 0
        if attribute < 0 or attribute >= self.cases.n_attributes:
            raise ValueError("the tree tests an attribute that the cases do not have")
        if <int> self.cases.kind[attribute] != <int> (CONTINUOUS if self.nodes.test[node] == THRESHOLD else DISCRETE):
            raise ValueError(f"the test of node {node} does not fit its attribute")
        return 0

    def shares(self, Py_ssize_t n):
        """At least so many parts of the tree if it has them, from left to right: the node at the top of each."""
        cdef Py_ssize_t i, b, most
        cdef int32_t[::1] size = np.ones(self.nodes.n, dtype=np.int32)  # nodes of the subtree
        for i in range(self.nodes.n - 1, 0, -1):
            size[self.parent[i]] += size[i]
        most = max(size[0] // max(n, 1), 1)
        tops, waiting = [], [0]
        while waiting:
            i = waiting.pop()
            if n <= 1 or size[i] <= most:
                tops.append(i)
                continue
            for b in range(self.nodes.n_branches[i] - 1, -1, -1):
                waiting.append(self.nodes.first_branch[i] + b)
        return tops

    def rules_below(self, Py_ssize_t top=0):
        """The rules made from the leaves below a node, from left to right.

        Returns
        -------
        dict
            For each rule ``leaf``, ``error`` (to be expected, a rate), ``covered`` and ``wrong`` cases; its conditions
            are ``branch[start[i]:start[i + 1]]``, each the node to which its test leads, and it covers the cases
            ``rows[row_start[i]:row_start[i + 1]]``, in order.
        """
        cdef _Walk walk = _Walk(self)
        if top < 0 or top >= self.nodes.n:
            raise ValueError(f"there is no node {top}")
        with nogil:
            walk.go_below(top)
        return walk.found_rules()


ctypedef struct Found:
    # A rule, and where its conditions and its cases end.
    double error
    Py_ssize_t covered, wrong, end, row_end
    int32_t leaf


cdef inline void complement(uint64_t* words, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        words[i] = ~words[i]


cdef class _Walk:
    # One path at a time, from the root to the current node, and the rules found on the way.
    cdef Paths paths
    cdef Memory memory
    cdef Watch watch
    cdef Py_ssize_t words, depth, n_kept
    cdef const uint64_t** fails   # for each step the cases that fail it
    cdef const uint64_t** near_fails   # those of the kept steps
    cdef uint64_t* room      # [depth, words] for sets of which there is no other
    cdef uint64_t* once      # [depth, words] for each number of steps, the cases that fail one of them
    cdef uint64_t* twice     # ... and those that fail two
    cdef Py_ssize_t n_blocks
    cdef int32_t* open       # [depth, n_blocks] the blocks of eight words in which some do not fail two
    cdef Py_ssize_t* n_open  # [depth]
    cdef int32_t* held       # the node of whose lower branch the room has the set, -1 for none
    cdef int32_t* path       # the node that each step leads to
    cdef int32_t* kept       # the steps that are left, in order
    cdef Near near           # what is counted of them
    cdef int32_t* arranged   # the path, in the order of the rule
    cdef int64_t* marks      # of its conditions, NULL if they are not asked for
    cdef SameRules same
    cdef double error
    cdef Found* found
    cdef int32_t* branches   # of all rules
    cdef int32_t* rows
    cdef Py_ssize_t n_rules, n_branches, n_rows, room_rules, room_branches, room_rows

    def __cinit__(self, Paths paths):
        cdef Py_ssize_t deepest = paths.deepest, words = paths.words, i
        cdef Memory memory = Memory()
        self.memory = memory
        self.paths = paths
        self.words = words
        self.fails = <const uint64_t**> memory.zeroed(deepest, sizeof(uint64_t*))
        self.near_fails = <const uint64_t**> memory.zeroed(deepest, sizeof(uint64_t*))
        self.room = <uint64_t*> memory.raw(deepest * words, sizeof(uint64_t))
        self.once = <uint64_t*> memory.zeroed(deepest * words, sizeof(uint64_t))
        self.twice = <uint64_t*> memory.zeroed(deepest * words, sizeof(uint64_t))
        self.n_blocks = (words + 7) // 8
        self.open = <int32_t*> memory.raw(deepest * self.n_blocks, sizeof(int32_t))
        self.n_open = <Py_ssize_t*> memory.zeroed(deepest, sizeof(Py_ssize_t))
        self.n_open[0] = self.n_blocks
        for i in range(self.n_blocks):
            self.open[i] = <int32_t> (8 * i)
        self.held = <int32_t*> memory.raw(deepest, sizeof(int32_t))
        for i in range(deepest):
            self.held[i] = -1
        self.path = <int32_t*> memory.zeroed(deepest, sizeof(int32_t))
        self.kept = <int32_t*> memory.raw(deepest, sizeof(int32_t))
        self.arranged = <int32_t*> memory.raw(deepest, sizeof(int32_t))
        self.same = SameRules()
        self.marks = <int64_t*> memory.raw(deepest, sizeof(int64_t)) if paths.with_marks else NULL
        self.near.n_words = words
        self.near.valid_end = &paths.valid_end
        self.near.weights = paths.weights
        self.near.fails = self.near_fails
        self.near.without = <Count*> memory.raw(deepest, sizeof(Count))
        self.near.words = <int32_t*> memory.raw(words + 8, sizeof(int32_t))
        self.near.bits = <uint64_t*> memory.raw(words + 8, sizeof(uint64_t))
        self.near.alone = <uint64_t*> memory.raw(words + 8, sizeof(uint64_t))
        self.near.alone_wrong = <uint64_t*> memory.raw(words + 8, sizeof(uint64_t))
        self.near.blocks = <int32_t*> memory.raw(words // 8 + 1, sizeof(int32_t))

    cdef int go_below(self, Py_ssize_t top) except -1 nogil:
        # All leaves below a node, from left to right, on the path from the root.
        cdef const Nodes* nodes = &self.paths.nodes
        cdef Py_ssize_t node = top, depth = 0, d, next_
        while self.paths.parent[node] >= 0:
            node = self.paths.parent[node]
            depth += 1
        node = top
        for d in range(depth - 1, -1, -1):
            self.path[d] = <int32_t> node
            node = self.paths.parent[node]
        for d in range(depth):
            self.depth = d
            self.go_on()
            self.step(self.path[d])
        node = top
        while True:
            if nodes.test[node] == LEAF:
                if nodes.cases[node] >= 1:
                    self.try_path(node)
                    check_after(&self.watch, 0)
            elif nodes.n_branches[node]:
                self.go_on()
                node = nodes.first_branch[node]
                self.step(node)
                continue
            # To the right, or up until there is something to the right.
            while node != top:
                next_ = node + 1
                node = self.paths.parent[node]
                self.depth -= 1
                if next_ < nodes.first_branch[node] + nodes.n_branches[node]:
                    node = next_
                    self.step(node)
                    break
            else:
                return 0

    cdef void step(self, Py_ssize_t node) noexcept nogil:
        # The condition that leads to this node becomes the last of the path.
        cdef Py_ssize_t above = self.paths.parent[node], d = self.depth
        cdef int branch = <int> (node - self.paths.nodes.first_branch[above])
        self.path[d] = <int32_t> node
        self.depth = d + 1
        if self.paths.nodes.test[node] == LEAF and self.paths.nodes.cases[node] < 1:
            return
        if (branch == 1 and self.held[d] == above
                and not self.paths.conditions.has_unknown(self.paths.nodes.attribute[above])):
            # Who meets the condition of the one branch fails that of the other.
            complement(self.room + d * self.words, self.words)
            self.held[d] = -1
        else:
            self.fails[d] = self.paths.conditions.failing(&self.paths.nodes, above, branch, self.room + d * self.words)
            self.held[d] = <int32_t> above if branch == 0 and self.paths.nodes.test[above] == THRESHOLD else -1
        self.watch.work += self.words

    cdef void go_on(self) noexcept nogil:
        # Before the steps from here are taken: which cases fail one or two of those up to here.
        cdef Py_ssize_t at = self.depth * self.words, before = at - self.words, here = self.depth * self.n_blocks
        if self.depth:
            self.n_open[self.depth] = add_fails(
                self.fails[self.depth - 1], self.once + before, self.twice + before, self.words,
                self.open + here - self.n_blocks, self.n_open[self.depth - 1], self.once + at, self.twice + at,
                self.open + here)

    cdef int try_path(self, Py_ssize_t leaf) except -1 nogil:
        # The rule of a leaf, if there is one.
        if not self.generalise(self.paths.nodes.best[leaf]):
            return 0
        self.arrange()
        return 0 if self.is_known(leaf) else self.add_rule(leaf)

    cdef int is_known(self, Py_ssize_t leaf) except -1 nogil:
        # Whether there is such a rule already; the larger error counts.
        cdef Py_ssize_t i, place
        if self.marks == NULL:
            return 0
        for i in range(self.n_kept):
            self.marks[i] = self.paths.marks[self.path[self.arranged[i]]]
        place = self.same.place_of(self.paths.nodes.best[leaf], self.marks, self.n_kept)
        if place == self.n_rules:
            return 0
        self.found[place].error = max(self.found[place].error, self.error)
        return 1

    cdef int add_rule(self, Py_ssize_t leaf) except -1 nogil:
        cdef Py_ssize_t i, n_covered = self.n_covered(), room
        cdef uint64_t left
        cdef Found* rule
        if self.n_rules == self.room_rules:
            room = max(2 * self.room_rules, 64)
            self.memory.resize(<void**> &self.found, room, sizeof(Found))
            self.room_rules = room
        if self.n_branches + self.n_kept > self.room_branches:
            room = 2 * self.room_branches + self.n_kept
            self.memory.resize(<void**> &self.branches, room, sizeof(int32_t))
            self.room_branches = room
        if self.n_rows + n_covered > self.room_rows:
            room = 2 * self.room_rows + n_covered
            self.memory.resize(<void**> &self.rows, room, sizeof(int32_t))
            self.room_rows = room
        for i in range(self.n_kept):
            self.branches[self.n_branches + i] = self.path[self.arranged[i]]
        self.n_branches += self.n_kept
        for i in range(self.near.n_found):  # the cases that fail none of the kept conditions
            left = self.near.bits[i]
            while left:
                self.rows[self.n_rows] = <int32_t> (self.near.words[i] * WORD + lowest_bit(left))
                left &= left - 1
                self.n_rows += 1
        rule = &self.found[self.n_rules]
        rule.leaf, rule.error = <int32_t> leaf, self.error
        rule.covered, rule.wrong = self.near.all.covered, self.near.all.wrong
        rule.end, rule.row_end = self.n_branches, self.n_rows
        self.n_rules += 1
        return 0

    cdef dict found_rules(self):
        cdef Py_ssize_t i, n = self.n_rules
        cdef int32_t[::1] leaf = np.empty(n, dtype=np.int32)
        cdef double[::1] error = np.empty(n)
        cdef int64_t[:, ::1] counts = np.zeros((4, n + 1), dtype=np.int64)
        for i in range(n):
            leaf[i], error[i] = self.found[i].leaf, self.found[i].error
            counts[0, i], counts[1, i] = self.found[i].covered, self.found[i].wrong
            counts[2, i + 1], counts[3, i + 1] = self.found[i].end, self.found[i].row_end
        return {
            "leaf": np.asarray(leaf),
            "error": np.asarray(error),
            "covered": np.asarray(counts)[0, :n],
            "wrong": np.asarray(counts)[1, :n],
            "start": np.asarray(counts)[2],
            "branch": _copied(self.branches, self.n_branches),
            "row_start": np.asarray(counts)[3],
            "rows": _copied(self.rows, self.n_rows),
        }

    cdef Py_ssize_t n_covered(self) noexcept nogil:
        # Whatever the cases weigh.
        cdef Py_ssize_t i, n = 0
        for i in range(self.near.n_found):
            n += count_bits(self.near.bits[i])
        return n

    cdef void count(self) noexcept nogil:
        # The cases that fail none of the kept conditions, and those that fail only one.
        cdef Py_ssize_t d, k = self.n_kept, first = 0
        for d in range(k):
            self.near_fails[d] = self.fails[self.kept[d]]
        # The last step of the path is in no set that others share.
        while first < k and first < self.depth - 1 and self.kept[first] == first:
            first += 1
        self.near.once = self.once + first * self.words
        self.near.twice = self.twice + first * self.words
        self.near.open = self.open + first * self.n_blocks
        self.near.n_open = self.n_open[first]
        self.near.n, self.near.n_first = <int> k, <int> first
        count_near(&self.near)
        for d in range(k):
            self.near.without[d].covered += self.near.all.covered
            self.near.without[d].wrong += self.near.all.wrong
        self.watch.work += k * self.words // 4

    cdef double pessimistic(self, const Count* count, double default) noexcept nogil:
        cdef double covered = count.covered, wrong = count.wrong
        cdef bint single = self.paths.estimate.single
        if count.covered == 0:
            return default
        return rounded(rounded(wrong + extra_errors(covered, wrong, &self.paths.estimate), single) / covered, single)

    cdef double actual(self, const Count* count) noexcept nogil:
        return rounded(<double> count.wrong / <double> count.covered, self.paths.estimate.single) if count.covered else 0.0

    cdef double significance(self, const Count* without) noexcept nogil:
        # Fisher's one-sided test: could the condition have so few errors by chance? The table has the cases that meet
        # the condition above those that fail only this one.
        cdef Py_ssize_t above = self.near.all.covered
        return self.paths.fisher.sum_of_terms(above, self.near.all.wrong, without.covered - above, without.wrong)

    cdef int generalise(self, int cls) except -1 nogil:
        # Delete conditions as long as that seems harmless; 1 if the rest make a rule, 0 if not.
        cdef double n = self.paths.total, base, least, estimate
        cdef double default = rounded(1.0 - (self.paths.class_counts[cls] + 1.0) / (n + 2.0), self.paths.estimate.single)
        cdef Py_ssize_t d, best
        cdef bint harmless
        self.near.own = self.paths.of_class + cls * self.words
        self.n_kept = self.depth
        for d in range(self.depth):
            self.kept[d] = <int32_t> d
        while self.n_kept:
            self.count()
            base = self.pessimistic(&self.near.all, default)
            harmless = False
            best = 0
            least = 0.0
            for d in range(self.n_kept):
                estimate = self.pessimistic(&self.near.without[d], default)
                if d == 0 or estimate <= least:  # the last of equals
                    least = estimate
                    best = d
                # Any reason will do, even one that concerns another condition than the best.
                harmless = harmless or estimate <= base or self.actual(&self.near.without[d]) <= self.actual(&self.near.all)
                if self.paths.with_test and not harmless:
                    harmless = self.significance(&self.near.without[d]) > self.paths.level
            if not harmless:
                self.error = base
                return self.near.all.covered > 0 and base < default
            self.n_kept -= 1
            for d in range(best, self.n_kept):
                self.kept[d] = self.kept[d + 1]
            check_after(&self.watch, 0)
        return 0

    cdef inline bint is_before(self, int32_t a, int32_t b) noexcept nogil:
        # As the specification has it; not a strict order.
        cdef Py_ssize_t one = self.paths.parent[self.path[a]], two = self.paths.parent[self.path[b]]
        cdef int kind_one = self.rank(self.paths.nodes.test[one]), kind_two = self.rank(self.paths.nodes.test[two])
        if self.paths.nodes.attribute[one] < self.paths.nodes.attribute[two] or kind_one < kind_two:
            return True
        return (self.paths.nodes.attribute[one] == self.paths.nodes.attribute[two] and kind_one == kind_two
                and self.paths.nodes.test[one] == THRESHOLD and self.paths.nodes.threshold[one] < self.paths.nodes.threshold[two])

    cdef inline int rank(self, int test) noexcept nogil:
        return 1 if test == VALUES else 2 if test == THRESHOLD else 3

    cdef void arrange(self) noexcept nogil:
        # Put the kept conditions first, in the order in which the rule lists them. A selection sort: the one that comes
        # before all others is swapped to the front of those not yet placed. Deleted ones keep their places and are
        # swapped like the rest, which affects the result, as `is_before` is not a strict order.
        cdef Py_ssize_t i, place, first
        cdef int32_t* steps = self.arranged
        for i in range(self.depth):
            steps[i] = -1 - <int32_t> i  # deleted, unless
        for i in range(self.n_kept):
            steps[self.kept[i]] = self.kept[i]
        for place in range(self.n_kept):
            first = -1
            for i in range(place, self.depth):
                if steps[i] >= 0 and (first < 0 or self.is_before(steps[i], steps[first])):
                    first = i
            steps[place], steps[first] = steps[first], steps[place]


cdef _copied(const int32_t* numbers, Py_ssize_t n):
    result = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] to = result
    if n:
        memcpy(&to[0], numbers, n * sizeof(int32_t))
    return result


def generalised_paths(CaseTable table, arrays, double confidence=0.25, significance=None):
    """The rules made from all leaves of an unpruned tree; the arguments are those of `Paths`."""
    return Paths(table, arrays, confidence, significance).rules_below(0)
