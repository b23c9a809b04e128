"""The posterior over all trees: predictions for new cases, and what it says of tests and attributes.

The search for the evidence has left ln u of every set of cases. From the root down, each set now gets its v: the weight
of all that can stand around it in a tree. P(a node has these cases) is u v / u(∅). Sets of cases are told apart by the
training cases and by the new cases that are in them, so that the v of all ways to come to both are added up once, and
what is left to do is exact for new cases as well. Sets that are in a tree with a probability of less than 1e-18 are left
out.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc

from ctree_ext.lattice.bitblocks cimport lowest_bit
from ctree_ext.lattice.lattice cimport EVIDENCE, Lattice
from ctree_ext.lattice.pairs cimport LOOK, log_row, log_sum, pairs_reserve
from ctree_ext.lattice.state_cache cimport State, StateCache, cache_add, cache_find, cache_free
from ctree_ext.lattice.tree_prior cimport log_leaf_prior, single_chances, split_chance
from ctree_ext.lattice.views cimport View, mask_key, view_all, view_free, view_part

cdef double TINY = 1e-18


ctypedef struct Node:
    double log_v
    double log_u
    double* unused         # [n_attributes] P(no test of the attribute is below), once it is known


ctypedef struct Layer:
    # The sets of cases that are reached by so many tests, the tests that lead there, and where each is, by its key.
    Node* nodes
    int32_t* items         # [n_nodes, depth] 2 * test + passed
    Py_ssize_t n_nodes
    Py_ssize_t room
    StateCache places


cdef class Posterior:
    """What the average over all trees says of new cases, or of the tests.

    Parameters
    ----------
    lattice : Lattice
        After a search for the evidence.
    others : uint8 array (tests, new cases), optional
        1 where a new case passes a test. Without, the tests are judged.
    attributes : int32 array (tests,), optional
        The attribute of each test.
    """

    cdef Lattice lattice
    cdef Layer* layers
    cdef View* views
    cdef View whole
    cdef Py_ssize_t n_layers, n_others, n_tests, work
    cdef int n_classes, n_attributes
    cdef double log_evidence, alpha
    cdef double[:, ::1] q                # [n_others, n_classes]
    cdef double[::1] tests               # [n_tests] expected number of nodes with each test
    cdef const int32_t[::1] attributes
    cdef double* chances                 # [n_tests] scratch
    cdef double* below_chances           # [n_tests] scratch
    cdef double* alike                   # [k] scratch: the chance of all tests that divide alike
    cdef double* with_                   # [n_tests] scratch
    cdef double* without
    cdef double* side_unused             # [2, n_attributes] scratch
    cdef double* of_attribute            # [n_attributes] scratch
    cdef double* coefficients            # [n_classes, 2 k] scratch
    cdef double* leaf_coefficients       # [n_classes]
    cdef int32_t* second                 # [k] second tests that matter
    cdef uint8_t* passes                 # [new cases of the view, k]
    cdef Py_ssize_t passes_room

    def __cinit__(self, Lattice lattice not None, columns, classes, others=None, attributes=None):
        cdef const uint8_t[:, ::1] own = columns, new
        cdef const int32_t[::1] labels = classes
        cdef const uint8_t* given = NULL
        cdef Py_ssize_t k
        self.lattice = lattice
        self.n_tests, self.n_classes = lattice.n_tests, lattice.n_classes
        self.alpha = lattice.prior.alpha
        self.n_attributes = 0
        if not lattice.by_cover:
            raise ValueError("the states of the lattice are not known by their cases")
        if own.shape[0] != self.n_tests or labels.shape[0] != lattice.n_cases or (
                self.n_tests and own.shape[1] != lattice.n_cases):
            raise ValueError("these are not the cases of the lattice")
        if attributes is not None:
            self.attributes = attributes
            if self.attributes.shape[0] != self.n_tests or (self.n_tests and np.min(attributes) < 0):
                raise ValueError("one attribute a test")
            self.n_attributes = int(np.max(attributes)) + 1 if self.n_tests else 0
        if others is not None:
            new = others
            if new.shape[0] != self.n_tests:
                raise ValueError("one row a test")
            self.n_others = new.shape[1]
            if self.n_tests and self.n_others:
                given = &new[0, 0]
        self.n_layers = lattice.max_depth + 1
        k = max(self.n_tests, 1)
        self.layers = <Layer*> calloc(self.n_layers, sizeof(Layer))
        self.views = <View*> calloc(self.n_layers + 1, sizeof(View))
        self.chances = <double*> malloc(k * sizeof(double))
        self.below_chances = <double*> malloc(k * sizeof(double))
        self.alike = <double*> malloc(k * sizeof(double))
        self.with_ = <double*> malloc(k * sizeof(double))
        self.without = <double*> malloc(k * sizeof(double))
        self.side_unused = <double*> malloc(max(2 * self.n_attributes, 1) * sizeof(double))
        self.of_attribute = <double*> malloc(max(self.n_attributes, 1) * sizeof(double))
        self.coefficients = <double*> malloc(2 * k * self.n_classes * sizeof(double))
        self.leaf_coefficients = <double*> malloc(self.n_classes * sizeof(double))
        self.second = <int32_t*> malloc(k * sizeof(int32_t))
        if (self.layers == NULL or self.views == NULL or self.chances == NULL or self.with_ == NULL
                or self.below_chances == NULL or self.alike == NULL
                or self.without == NULL or self.side_unused == NULL or self.of_attribute == NULL
                or self.coefficients == NULL or self.leaf_coefficients == NULL or self.second == NULL):
            raise MemoryError
        with lattice.lock:
            if pairs_reserve(&lattice.room, k, self.n_classes) < 0:
                raise MemoryError
        view_all(&self.whole, &own[0, 0] if self.n_tests else NULL, &labels[0], lattice.n_cases, self.n_tests,
                 self.n_classes, given, self.n_others if given != NULL else 0)
        self.q = np.zeros((self.n_others, self.n_classes))
        self.tests = np.zeros(self.n_tests)

    def __dealloc__(self):
        cdef Py_ssize_t d, i
        if self.layers != NULL:
            for d in range(self.n_layers):
                for i in range(self.layers[d].n_nodes):
                    free(self.layers[d].nodes[i].unused)
                free(self.layers[d].nodes)
                free(self.layers[d].items)
                cache_free(&self.layers[d].places)
        if self.views != NULL:
            for d in range(self.n_layers + 1):
                view_free(&self.views[d])
        view_free(&self.whole)
        free(self.layers)
        free(self.views)
        free(self.chances)
        free(self.below_chances)
        free(self.alike)
        free(self.with_)
        free(self.without)
        free(self.side_unused)
        free(self.of_attribute)
        free(self.coefficients)
        free(self.leaf_coefficients)
        free(self.second)
        free(self.passes)

    def probabilities(self):
        """The class probabilities of the new cases, (cases, classes)."""
        with self.lattice.lock:
            return self._probabilities()

    def _probabilities(self):
        if self.n_tests == 0 or self.lattice.max_depth == 0:
            self.lattice.root()
            self.start()
            counts = np.array([self.whole.counts[c] for c in range(self.n_classes)]) + self.alpha
            return np.tile(counts / counts.sum(), (self.n_others, 1))
        if self.n_others:
            self.start()
            self.down()
        q = np.asarray(self.q)
        return q / q.sum(axis=1, keepdims=True)

    @property
    def weights(self):
        """Per new case the class weights, which sum to 1 but for rounding."""
        return np.asarray(self.q)

    def marginals(self):
        """How often each test is in a tree on average, and the probability that each attribute is tested at all."""
        with self.lattice.lock:
            return self._marginals()

    def _marginals(self):
        cdef Py_ssize_t d, i, a
        self.start()
        self.down()
        included = np.zeros(self.n_attributes)
        if self.n_attributes:
            with nogil:
                for d in range(self.n_layers - 1, -1, -1):
                    for i in range(self.layers[d].n_nodes):
                        if self.layers[d].nodes[i].unused == NULL:
                            self.unused_below(d, i)
            for a in range(self.n_attributes):
                included[a] = 1.0 - self.layers[0].nodes[0].unused[a]
        return np.asarray(self.tests), np.clip(included, 0.0, 1.0)

    cdef int start(self) except -1:
        cdef uint64_t[2] at
        cdef State* state
        cdef Lattice lattice = self.lattice
        lattice.without_limit(EVIDENCE)
        lattice.root()
        lattice.state_key(lattice.levels[0].view.key, 0, at)
        state = cache_find(&lattice.caches[EVIDENCE], at)
        if state == NULL:
            raise ValueError("search for the evidence first")
        self.log_evidence = state.low
        return 0

    cdef int down(self) except -1:
        # Layer by layer, so that all that leads to a set of cases is known before it is gone on from.
        cdef Py_ssize_t d, i
        cdef uint64_t[2] key
        key[0] = key[1] = 1
        self.push(0, key, NULL, 0, 0.0, self.log_evidence)
        with nogil:
            for d in range(self.n_layers):
                for i in range(self.layers[d].n_nodes):
                    self.visit(d, i)
        return 0

    cdef int look(self) except -1 nogil:
        if self.work > LOOK:
            self.work = 0
            with gil:
                PyErr_CheckSignals()
        return 0

    cdef int push(self, Py_ssize_t depth, const uint64_t* key, const int32_t* items, int32_t last, double log_v,
                  double log_u) except -1 nogil:
        # One more way to a set of cases.
        cdef Layer* layer = &self.layers[depth]
        cdef Py_ssize_t room, i
        cdef Node* node
        cdef Node* nodes
        cdef int32_t* longer
        cdef State* state = cache_find(&layer.places, key)
        if state != NULL:
            node = &layer.nodes[<Py_ssize_t> state.test]
            if log_v > node.log_v:
                node.log_v = log_v + log(1.0 + exp(node.log_v - log_v))
            else:
                node.log_v += log(1.0 + exp(log_v - node.log_v))
            return 0
        if layer.n_nodes == layer.room:
            room = max(64, 2 * layer.room)
            nodes = <Node*> realloc(layer.nodes, room * sizeof(Node))
            if nodes != NULL:
                layer.nodes = nodes
            longer = <int32_t*> realloc(layer.items, max(room * depth, 1) * sizeof(int32_t))
            if longer != NULL:
                layer.items = longer
            if nodes == NULL or longer == NULL:
                with gil:
                    raise MemoryError
            layer.room = room
        state = cache_add(&layer.places, key)
        if state == NULL or layer.n_nodes >= 0x7FFFFFFF:
            with gil:
                raise MemoryError
        state.test = <int32_t> layer.n_nodes
        node = &layer.nodes[layer.n_nodes]
        node.log_v, node.log_u, node.unused = log_v, log_u, NULL
        for i in range(depth - 1):
            layer.items[layer.n_nodes * depth + i] = items[i]
        if depth:
            layer.items[layer.n_nodes * depth + depth - 1] = last
        layer.n_nodes += 1
        return 0

    cdef View* view_of(self, Py_ssize_t depth, Py_ssize_t index) except NULL nogil:
        # The cases of a node, by the tests that lead there.
        cdef Py_ssize_t d, q
        cdef int32_t item
        cdef View* view = &self.views[0]
        cdef View* below
        cdef uint64_t[2] key
        cdef Py_ssize_t least = self.lattice.prior.least
        if view.bits == NULL:
            self.lattice.side_view = NULL
            if view_part(&self.whole, self.whole.valid, -1, view, least, self.lattice.merge) < 0:
                with gil:
                    raise MemoryError
            view.key[0], view.key[1] = self.whole.key[0], self.whole.key[1]
        for d in range(depth):
            item = self.layers[depth].items[index * depth + d]
            q = view.place[item >> 1]
            self.lattice.child_key(view, q, item & 1, view.mask, key)
            below = &self.views[d + 1]
            self.lattice.side_view = NULL
            if view_part(view, view.mask, q, below, least, self.lattice.merge) < 0:
                with gil:
                    raise MemoryError
            below.key[0], below.key[1] = key[0], key[1]
            self.work += view.k * (2 * view.n_words + 8)
            view = below
        return view

    cdef double sum_of(self, Py_ssize_t depth, const View* view, Py_ssize_t q, bint passed) except? -1 nogil:
        # ln u of one side of a test, as the search left it. The mask of the view becomes that of the side.
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        self.lattice.child_key(view, q, passed, view.mask, key)
        self.lattice.state_key(key, depth + 1, at)
        state = cache_find(&self.lattice.caches[EVIDENCE], at)
        return -INFINITY if state == NULL else state.low

    cdef void layer_key(self, const View* view, Py_ssize_t q, bint passed, uint64_t* key) noexcept nogil:
        # One side of a test by its training cases and new cases together.
        cdef uint64_t[2] other
        self.lattice.child_key(view, q, passed, view.mask, key)
        mask_key(view, view.mask, view.start[view.n_classes], view.n_words, other)
        key[0] ^= other[0]
        key[1] += other[1] * <uint64_t> 0x9E3779B97F4A7C15

    cdef void add_leaf(self, const View* view, double weight, const int32_t* counts, Py_ssize_t stride, Py_ssize_t n,
                       const uint64_t* side, bint passed) noexcept nogil:
        # A leaf for the new cases of the view, or of one side of a test.
        cdef Py_ssize_t w, at
        cdef uint64_t word
        cdef int c
        if view.n_blocks == view.n_classes:
            return
        for w in range(view.start[view.n_classes], view.n_words):
            word = view.valid[w]
            if side != NULL:
                word = side[w] if passed else word & ~side[w]
            while word:
                at = <Py_ssize_t> view.marks[2 * (64 * w + lowest_bit(word)) + 1]
                for c in range(self.n_classes):
                    self.q[at, c] += weight * (counts[c * stride] + self.alpha) / (n + self.alpha * self.n_classes)
                word &= word - 1

    cdef int visit(self, Py_ssize_t depth, Py_ssize_t index) except -1 nogil:
        cdef Node node = self.layers[depth].nodes[index]
        cdef View* view
        cdef Py_ssize_t left = self.lattice.levels_left(depth), q, t, others
        cdef double weight = node.log_v - self.log_evidence, split, with_, without, chance
        cdef uint64_t[2] key
        if exp(weight + node.log_u) < TINY:
            return 0
        self.look()
        view = self.view_of(depth, index)
        self.add_leaf(view, exp(weight + self.lattice.leaf(view, depth)), view.counts, 1, view.n, NULL, False)
        if left == 0 or view.k == 0 or not self.lattice.is_explored(view, depth):
            return 0
        if left <= 2 and self.lattice.pairs and not self.lattice.is_cut(view, depth):
            return self.visit_last(depth, index, view)
        self.test_chances(view)
        split = log(split_chance(&self.lattice.prior, depth))
        for q in range(view.k):
            self.work += 8 * view.n_words + 40
            self.look()
            with_ = self.sum_of(depth, view, q, True)
            without = self.sum_of(depth, view, q, False)
            self.with_[q] = exp(weight + split + with_ + without)
            if self.with_[q] * self.alike[q] < TINY:
                continue
            chance = node.log_v + split + log(self.alike[q])
            others = 0
            if self.n_others:
                others = view.ones[view.n_classes * view.k + q]
            if self.n_others == 0 or others > 0:
                self.layer_key(view, q, True, key)
                self.push(depth + 1, key, self.layers[depth].items + index * depth, 2 * view.first[q] + 1,
                          chance + without, with_)
            if self.n_others == 0 or others < view.counts[view.n_classes]:
                self.layer_key(view, q, False, key)
                self.push(depth + 1, key, self.layers[depth].items + index * depth, 2 * view.first[q],
                          chance + with_, without)
        for t in range(self.n_tests):
            if view.place[t] >= 0:
                self.tests[t] += self.with_[view.place[t]] * self.chances[t]
        return 0

    cdef void test_chances(self, const View* view) noexcept nogil:
        # The chances of the single tests, and of all that divide alike together.
        cdef Py_ssize_t t
        single_chances(&self.lattice.prior, view, NULL, self.chances)
        for t in range(view.k):
            self.alike[t] = 0.0
        for t in range(self.n_tests):
            if view.place[t] >= 0:
                self.alike[view.place[t]] += self.chances[t]

    cdef void by_attribute(self, const View* view, Py_ssize_t q) noexcept nogil:
        # The chance of a test by attributes.
        cdef Py_ssize_t t
        for t in range(self.n_attributes):
            self.of_attribute[t] = 0.0
        for t in range(self.n_tests if self.n_attributes else 0):
            if view.place[t] == q:
                self.of_attribute[self.attributes[t]] += self.chances[t]

    cdef int passes_of(self, const View* view) except -1 nogil:
        # Which tests each new case passes, case by case.
        cdef Py_ssize_t n = view.counts[view.n_classes], k = view.k, q, i, first = view.start[view.n_classes]
        cdef uint8_t* grown
        if n * k > self.passes_room:
            grown = <uint8_t*> realloc(self.passes, n * k)
            if grown == NULL:
                with gil:
                    raise MemoryError
            self.passes, self.passes_room = grown, n * k
        for q in range(k):
            self.work += 2 * n
            self.look()
            for i in range(n):
                self.passes[i * k + q] = view.bits[q * view.n_words + first + (i >> 6)] >> (i & 63) & 1
        return 0

    cdef int visit_last(self, Py_ssize_t depth, Py_ssize_t index, View* view) except -1 nogil:
        # The last one or two levels, from the counts of pairs.
        cdef Node* node = &self.layers[depth].nodes[index]
        cdef Py_ssize_t left = self.lattice.levels_left(depth), k = view.k, i, t, a
        cdef double split = log(split_chance(&self.lattice.prior, depth)), weight, chance, total
        cdef double* unused = NULL
        cdef bint new = view.n_blocks > view.n_classes
        log_sum(view, &self.lattice.prior, depth, left, True, NULL, -1, &self.lattice.room, &total)
        weight = node.log_v - self.log_evidence
        for i in range(k):
            self.with_[i], self.without[i] = self.lattice.room.with_score[i], self.lattice.room.without_score[i]
        self.test_chances(view)
        for t in range(self.n_tests):
            i = view.place[t]
            if i >= 0:
                self.tests[t] += exp(weight + split + self.with_[i] + self.without[i]) * self.chances[t]
        if self.n_attributes:
            unused = <double*> malloc(self.n_attributes * sizeof(double))
            if unused == NULL:
                with gil:
                    raise MemoryError
            node.unused = unused
            for a in range(self.n_attributes):
                unused[a] = exp(self.lattice.leaf(view, depth) - node.log_u)
        if new:
            self.passes_of(view)
        for i in range(k):
            chance = exp(weight + split + self.with_[i] + self.without[i]) * self.alike[i]
            if chance < TINY:
                continue
            if left >= 2:
                log_row(view, &self.lattice.prior, i, &self.lattice.room)
            self.work += k * (view.n_words + 40) + 2 * self.n_tests
            self.side(depth, view, i, True, chance, self.side_unused)
            self.side(depth, view, i, False, chance, self.side_unused + self.n_attributes)
            if unused != NULL:
                self.by_attribute(view, i)
                self.work += 2 * self.n_tests + 4 * self.n_attributes
                for a in range(self.n_attributes):
                    unused[a] += (exp(split + self.with_[i] + self.without[i] - node.log_u)
                                  * (self.alike[i] - self.of_attribute[a])
                                  * self.side_unused[a] * self.side_unused[self.n_attributes + a])
            self.look()
        return 0

    cdef int side(self, Py_ssize_t depth, View* view, Py_ssize_t i, bint passed, double weight,
                  double* unused) except -1 nogil:
        # One side of the first of two tests, with all second ones: `weight` is P(the first test is at this node).
        cdef Py_ssize_t k = view.k, j, t, n, n_second = 0, w, at, case, a
        cdef int c
        cdef const double* scores = self.lattice.room.scores if passed else self.lattice.room.scores + 2 * k
        cdef const int32_t* sizes = self.lattice.room.sizes if passed else self.lattice.room.sizes + 2 * k
        cdef double* logs = self.lattice.room.logs
        cdef double log_u = self.with_[i] if passed else self.without[i]
        cdef double likelihood = 0.0, split, part, total = self.alpha * self.n_classes, count, other
        cdef double* coefficient
        cdef const uint64_t* bits = view.bits + i * view.n_words
        cdef uint64_t word
        cdef bint divisible = False
        n = view.totals[i] if passed else view.n - view.totals[i]
        for c in range(self.n_classes):
            j = view.ones[c * k + i] if passed else view.counts[c] - view.ones[c * k + i]
            likelihood += self.lattice.prior.log_gammas[j]
        likelihood += self.lattice.prior.log_sums[n]
        if self.lattice.levels_left(depth) >= 2:
            for j in range(k):
                logs[j] = scores[j] + scores[k + j]
                divisible = divisible or logs[j] > -INFINITY
        part = exp(log_leaf_prior(&self.lattice.prior, depth + 1, divisible) + likelihood - log_u)
        for c in range(self.n_classes):
            j = view.ones[c * k + i] if passed else view.counts[c] - view.ones[c * k + i]
            self.leaf_coefficients[c] = weight * part * (j + self.alpha) / (n + total)
        for a in range(self.n_attributes):
            unused[a] = 1.0
        if divisible:
            split = log(split_chance(&self.lattice.prior, depth + 1))
            single_chances(&self.lattice.prior, view, logs, self.below_chances)
            if self.n_others == 0:
                for t in range(self.n_tests):
                    if self.below_chances[t] > 0:
                        part = exp(split + logs[view.place[t]] - log_u) * self.below_chances[t]
                        self.tests[t] += weight * part
                        if self.n_attributes:
                            unused[self.attributes[t]] -= part
            else:
                for j in range(k):
                    self.coefficients[j] = 0.0
                for t in range(self.n_tests):
                    if self.below_chances[t] > 0:
                        self.coefficients[view.place[t]] += self.below_chances[t]
                for j in range(k):
                    if logs[j] == -INFINITY:
                        continue
                    part = weight * exp(split + logs[j] - log_u) * self.coefficients[j]
                    if part >= TINY:
                        self.second[n_second] = <int32_t> j
                        logs[n_second] = part
                        n_second += 1
                for t in range(n_second):
                    j = self.second[t]
                    for c in range(self.n_classes):
                        # the cases of this side that pass the second test, and those that do not
                        if passed:
                            count = self.lattice.room.pairs[c * k + j]
                            other = view.ones[c * k + i] - count
                        else:
                            count = view.ones[c * k + j] - self.lattice.room.pairs[c * k + j]
                            other = view.counts[c] - view.ones[c * k + i] - count
                        coefficient = self.coefficients + 2 * (c * k + t)
                        coefficient[1] = logs[t] * (count + self.alpha) / (sizes[j] + total)
                        coefficient[0] = logs[t] * (other + self.alpha) / (sizes[k + j] + total)
        if view.n_blocks == view.n_classes:
            return 0
        for w in range(view.start[view.n_classes], view.n_words):
            word = bits[w] if passed else view.valid[w] & ~bits[w]
            while word:
                at = 64 * w + lowest_bit(word)
                case = at - 64 * view.start[view.n_classes]
                at = <Py_ssize_t> view.marks[2 * at + 1]
                for c in range(self.n_classes):
                    part = self.leaf_coefficients[c]
                    coefficient = self.coefficients + 2 * c * k
                    for t in range(n_second):
                        part += coefficient[2 * t + self.passes[case * k + self.second[t]]]
                    self.q[at, c] += part
                self.work += 2 * n_second * self.n_classes
                self.look()
                word &= word - 1
        return 0

    cdef int unused_below(self, Py_ssize_t depth, Py_ssize_t index) except -1 nogil:
        # P(no test of an attribute is below a node), for a node whose next layer is known.
        cdef Node* node = &self.layers[depth].nodes[index]
        cdef View* view
        cdef Py_ssize_t q, a
        cdef double split = log(split_chance(&self.lattice.prior, depth)), with_, without, both, part
        cdef double* unused = <double*> malloc(self.n_attributes * sizeof(double))
        cdef State* passed
        cdef State* failed
        cdef uint64_t[2] key
        if unused == NULL:
            with gil:
                raise MemoryError
        node.unused = unused
        for a in range(self.n_attributes):
            unused[a] = 1.0
        if exp(node.log_v + node.log_u - self.log_evidence) < TINY:
            return 0
        view = self.view_of(depth, index)
        if view.k == 0 or self.lattice.levels_left(depth) == 0 or not self.lattice.is_explored(view, depth):
            return 0
        for a in range(self.n_attributes):
            unused[a] = exp(self.lattice.leaf(view, depth) - node.log_u)
        self.test_chances(view)
        for q in range(view.k):
            self.work += 16 * view.n_words + 2 * self.n_tests + 8 * self.n_attributes
            self.look()
            with_ = self.sum_of(depth, view, q, True)
            without = self.sum_of(depth, view, q, False)
            both = exp(split + with_ + without - node.log_u)
            self.by_attribute(view, q)
            self.layer_key(view, q, True, key)
            passed = cache_find(&self.layers[depth + 1].places, key)
            self.layer_key(view, q, False, key)
            failed = cache_find(&self.layers[depth + 1].places, key)
            for a in range(self.n_attributes):
                part = both * (self.alike[q] - self.of_attribute[a])
                if passed != NULL:
                    part *= self.layers[depth + 1].nodes[<Py_ssize_t> passed.test].unused[a]
                if failed != NULL:
                    part *= self.layers[depth + 1].nodes[<Py_ssize_t> failed.test].unused[a]
                unused[a] += part
        return 0
