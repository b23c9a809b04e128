"""From the leaves of a tree to rules: each path without the conditions that it does not need.

The cases that fail a condition are a bit set. From these sets, one for each step of the current path, two more follow
for all cases at once: those that fail no condition, and those that fail exactly one. The rule without condition d
covers the former, and those of the latter that fail d; so one pass over the sets evaluates the deletion of every
condition.
"""

import numpy as np

from libc.math cimport floor, isnan
from libc.stdint cimport int32_t, int64_t, uint64_t

from ctree_ext.rules.bitsets cimport WORD, count_bits, n_words, valid_bits, weigh_bits
from ctree_ext.base.cases cimport CONTINUOUS, DISCRETE, Cases, CaseTable
from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.rules.fisher cimport FisherTest
from ctree_ext.prune.error_estimate cimport ErrorEstimate, extra_errors, error_estimate
from ctree_ext.base.nodes cimport GROUPS, LEAF, THRESHOLD, VALUES, Nodes, nodes_free, nodes_import
from ctree_ext.base.numeric cimport rounded

cdef uint64_t ALL = ~(<uint64_t> 0)
cdef double MAX_TOTAL = 2.0 ** 53    # up to here sums of whole weights are exact


ctypedef struct Count:
    # Cases that satisfy some conditions, and those among them whose class is not the rule's.
    Py_ssize_t covered
    Py_ssize_t wrong


cdef class _Paths:
    # One path at a time, from the root to the current node.
    cdef Nodes nodes
    cdef CaseTable table
    cdef const Cases* cases
    cdef ErrorEstimate estimate
    cdef bint with_test
    cdef double level
    cdef FisherTest fisher
    cdef int32_t[::1] parent
    cdef Memory memory
    cdef Watch watch
    cdef Py_ssize_t words, depth, n_kept
    cdef Py_ssize_t n_covered    # by all kept conditions, whatever the cases weigh
    cdef int64_t* weights    # how many cases each stands for, and 0 up to a full word; NULL if for itself only
    cdef Py_ssize_t total    # of them
    cdef uint64_t* fails     # `words` for each step
    cdef uint64_t* of_class  # `words` for each class: its cases
    cdef uint64_t* unknown   # for each attribute: the cases without a value, if it is continuous
    cdef uint64_t* own       # those of the rule's class
    cdef int32_t* path       # the node that each step leads to
    cdef int32_t* kept       # the steps that are left, in order
    cdef Count* without      # for each of them
    cdef int32_t* arranged   # the path, in the order of the rule
    cdef Py_ssize_t* class_counts
    cdef Count with_all
    cdef double error

    def __cinit__(self, CaseTable table, arrays, double confidence, significance):
        cdef Py_ssize_t i, a, b, deepest = 0
        cdef int n_classes = table.cases.n_classes
        if table.cases.classes == NULL:
            raise ValueError("the cases have no classes")
        nodes_import(&self.nodes, arrays, n_classes)
        self.table = table
        self.cases = &table.cases
        self.memory = Memory()
        self.words = n_words(self.cases.n)
        self.weigh()
        self.estimate = error_estimate(confidence, table.cases.single)
        self.with_test = significance is not None
        if self.with_test:
            self.level = rounded(significance, table.cases.single)
            self.fisher = FisherTest(self.total)
        self.parent = np.full(self.nodes.n, -1, dtype=np.int32)
        cdef int32_t[::1] depth = np.zeros(self.nodes.n, dtype=np.int32)
        for i in range(self.nodes.n):  # every node comes before its branches
            self.check_test(i)
            for b in range(self.nodes.first_branch[i], self.nodes.first_branch[i] + self.nodes.n_branches[i]):
                self.parent[b] = <int32_t> i
                depth[b] = depth[i] + 1
            deepest = max(deepest, depth[i])
        self.fails = <uint64_t*> self.memory.raw(deepest * self.words, sizeof(uint64_t))
        self.of_class = <uint64_t*> self.memory.zeroed(n_classes * self.words, sizeof(uint64_t))
        self.unknown = <uint64_t*> self.memory.zeroed(self.cases.n_attributes * self.words, sizeof(uint64_t))
        self.path = <int32_t*> self.memory.raw(deepest, sizeof(int32_t))
        self.kept = <int32_t*> self.memory.raw(deepest, sizeof(int32_t))
        self.arranged = <int32_t*> self.memory.raw(deepest, sizeof(int32_t))
        self.without = <Count*> self.memory.raw(deepest, sizeof(Count))
        self.class_counts = <Py_ssize_t*> self.memory.zeroed(n_classes, sizeof(Py_ssize_t))
        for i in range(self.cases.n):
            self.class_counts[self.cases.classes[i]] += 1 if self.weights == NULL else self.weights[i]
            self.of_class[self.cases.classes[i] * self.words + i // WORD] |= (<uint64_t> 1) << (i % WORD)

        for a in range(self.cases.n_attributes):
            if self.cases.kind[a] == <int> CONTINUOUS:
                for i in range(self.cases.n):
                    if isnan(self.cases.values[a][i]):
                        self.unknown[a * self.words + i // WORD] |= (<uint64_t> 1) << (i % WORD)

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

    cdef void step(self, Py_ssize_t node) noexcept nogil:
        # Add the cases that fail the condition leading to this node as the last set of the path.
        cdef Py_ssize_t above = self.parent[node], word, row, end, n = self.cases.n
        cdef int attribute = self.nodes.attribute[above]
        cdef int32_t branch = <int32_t> (node - self.nodes.first_branch[above]), code
        cdef uint64_t* fails = self.fails + (self.depth - 1) * self.words
        cdef const double* values = self.cases.values[attribute]
        cdef const int32_t* codes = self.cases.codes[attribute]
        cdef const int32_t* group = NULL
        cdef double cut = self.nodes.threshold[above], x
        cdef bint single = self.cases.single, is_threshold = self.nodes.test[above] == THRESHOLD
        cdef uint64_t bits
        self.path[self.depth - 1] = <int32_t> node
        if self.nodes.test[above] == GROUPS:
            group = self.nodes.group + self.nodes.group_start[above]
        elif is_threshold and branch:
            # The cases that did not fail on the other side, whose set is still here, and the unknown ones.
            for word in range(self.words):
                fails[word] = ~fails[word] | self.unknown[attribute * self.words + word]
            return
        for word in range(self.words):
            bits = 0
            row = word * WORD
            end = min(n, row + WORD) - 1
            # From the last case to the first, so that each ends up at its bit. An unknown value fails.
            if is_threshold:
                while end >= row:
                    x = values[end]
                    if single:
                        x = <double> <float> x
                    bits = bits << 1 | (not (x <= cut))
                    end -= 1
            else:
                while end >= row:
                    code = codes[end]
                    if group != NULL and code >= 0:
                        code = group[code]
                    bits = bits << 1 | (code != branch)
                    end -= 1
            fails[word] = bits

    cdef cover_of_rule(self):
        # The cases that fail none of the kept conditions.
        cdef Py_ssize_t word, d, k = 0
        cdef uint64_t left
        rows_array = np.empty(self.n_covered, dtype=np.int32)
        cdef int32_t[::1] rows = rows_array
        with nogil:
            for word in range(self.words):
                left = valid_bits(self.cases.n, word)
                for d in range(self.n_kept):
                    left &= ~self.fails[self.kept[d] * self.words + word]
                while left:
                    rows[k] = <int32_t> (word * WORD + count_bits((left & (~left + 1)) - 1))
                    left &= left - 1
                    k += 1
        return rows_array

    cdef void count(self) noexcept nogil:
        # The cases that fail none of the kept conditions, and those that fail only one.
        cdef Py_ssize_t word, d, k = self.n_kept
        cdef uint64_t once, twice, fails, valid, others
        cdef const int64_t* weights = NULL
        cdef Count* all_ = &self.with_all
        all_.covered = all_.wrong = self.n_covered = 0
        for d in range(k):
            self.without[d].covered = self.without[d].wrong = 0
        for word in range(self.words):
            once = twice = 0
            for d in range(k):
                fails = self.fails[self.kept[d] * self.words + word]
                twice |= once & fails
                once |= fails
                if twice == ALL:
                    break
            if twice == ALL:
                continue
            if self.weights != NULL:
                weights = self.weights + word * WORD
            valid = valid_bits(self.cases.n, word)
            others = ~self.own[word]
            fails = ~once & valid
            if fails:
                self.n_covered += count_bits(fails)
                all_.covered += weigh_bits(fails, weights)
                all_.wrong += weigh_bits(fails & others, weights)
            once &= ~twice & valid
            d = 0
            while once:
                fails = once & self.fails[self.kept[d] * self.words + word]
                if fails:
                    self.without[d].covered += weigh_bits(fails, weights)
                    self.without[d].wrong += weigh_bits(fails & others, weights)
                    once ^= fails
                d += 1
        for d in range(k):
            self.without[d].covered += all_.covered
            self.without[d].wrong += all_.wrong
        self.watch.work += k * self.words

    cdef double pessimistic(self, const Count* count, double default) noexcept nogil:
        cdef double covered = count.covered, wrong = count.wrong
        cdef bint single = self.estimate.single
        if count.covered == 0:
            return default
        return rounded(rounded(wrong + extra_errors(covered, wrong, &self.estimate), single) / covered, single)

    cdef double actual(self, const Count* count) noexcept nogil:
        return rounded(<double> count.wrong / <double> count.covered, self.estimate.single) if count.covered else 0.0

    cdef double significance(self, const Count* without) noexcept nogil:
        # Fisher's one-sided test: could the condition have so few errors by chance? The table has the cases that meet
        # the condition above those that fail only this one.
        cdef Py_ssize_t above = self.with_all.covered
        return self.fisher.sum_of_terms(above, self.with_all.wrong, without.covered - above, without.wrong)

    cdef int generalise(self, int cls) except -1 nogil:
        # Delete conditions as long as that seems harmless; 1 if the rest make a rule, 0 if not.
        cdef double n = self.total, base, least, estimate
        cdef double default = rounded(1.0 - (self.class_counts[cls] + 1.0) / (n + 2.0), self.estimate.single)
        cdef Py_ssize_t d, best
        cdef bint harmless
        self.own = self.of_class + cls * self.words
        self.n_kept = self.depth
        for d in range(self.depth):
            self.kept[d] = <int32_t> d
        while self.n_kept:
            self.count()
            base = self.pessimistic(&self.with_all, default)
            harmless = False
            best = 0
            least = 0.0
            for d in range(self.n_kept):
                estimate = self.pessimistic(&self.without[d], default)
                if d == 0 or estimate <= least:  # the last of equals
                    least = estimate
                    best = d
                # Any reason will do, even one that concerns another condition than the best.
                harmless = harmless or estimate <= base or self.actual(&self.without[d]) <= self.actual(&self.with_all)
                if self.with_test and not harmless:
                    harmless = self.significance(&self.without[d]) > self.level
            if not harmless:
                self.error = base
                return self.with_all.covered > 0 and base < default
            self.n_kept -= 1
            for d in range(best, self.n_kept):
                self.kept[d] = self.kept[d + 1]
            check_after(&self.watch, 0)
        return 0

    cdef inline bint is_before(self, int32_t a, int32_t b) noexcept nogil:
        # As the specification has it; not a strict order.
        cdef Py_ssize_t one = self.parent[self.path[a]], two = self.parent[self.path[b]]
        cdef int kind_one = self.rank(self.nodes.test[one]), kind_two = self.rank(self.nodes.test[two])
        if self.nodes.attribute[one] < self.nodes.attribute[two] or kind_one < kind_two:
            return True
        return (self.nodes.attribute[one] == self.nodes.attribute[two] and kind_one == kind_two
                and self.nodes.test[one] == THRESHOLD and self.nodes.threshold[one] < self.nodes.threshold[two])

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


def generalised_paths(CaseTable table, arrays, double confidence=0.25, significance=None):
    """The rules made from the leaves of an unpruned tree, from left to right.

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

    Returns
    -------
    dict
        For each rule ``leaf``, ``error`` (to be expected, a rate), ``covered`` and ``wrong`` cases; its conditions are
        ``branch[start[i]:start[i + 1]]``, each the node to which its test leads. ``rows`` is a list with the cases that
        each covers, in order.
    """
    cdef _Paths paths = _Paths(table, arrays, confidence, significance)
    cdef Py_ssize_t i, node
    cdef int found
    leaves, errors, covered, wrong, starts, branches, rows = [], [], [], [], [0], [], []
    waiting = [(0, 0)]
    while waiting:
        node, paths.depth = waiting.pop()
        if paths.depth:
            with nogil:
                paths.step(node)
            paths.watch.work += paths.words
        if paths.nodes.test[node] != LEAF:
            for i in range(paths.nodes.n_branches[node] - 1, -1, -1):
                waiting.append((paths.nodes.first_branch[node] + i, paths.depth + 1))
            continue
        if paths.nodes.cases[node] < 1:
            continue
        with nogil:
            found = paths.generalise(paths.nodes.best[node])
            if found:
                paths.arrange()
        if found:
            leaves.append(node)
            errors.append(paths.error)
            covered.append(paths.with_all.covered)
            wrong.append(paths.with_all.wrong)
            for i in range(paths.n_kept):
                branches.append(paths.path[paths.arranged[i]])
            starts.append(len(branches))
            rows.append(paths.cover_of_rule())
    return {
        "leaf": np.array(leaves, dtype=np.int32),
        "error": np.array(errors, dtype=np.float64),
        "covered": np.array(covered, dtype=np.int64),
        "wrong": np.array(wrong, dtype=np.int64),
        "start": np.array(starts, dtype=np.int64),
        "branch": np.array(branches, dtype=np.int32),
        "rows": rows,
    }
