"""The posterior over all trees: predictions for new cases, and the marginal probabilities of tests and attributes.

The search for the evidence has left ln u of every set of cases. From the root down, each set now gets its v: the weight
of everything that can stand around it in a tree. P(a node has these cases) is u v / u(∅). Sets of cases are distinguished
by both the training cases and the new cases in them, so that the v of all ways to reach both are added up once, and the
rest is exact for new cases as well. Sets that are in a tree with a probability of less than 1e-18 are left out.
"""

import numpy as np

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, uint8_t, uint64_t

from ctree_ext.base.bits cimport lowest_bit
from ctree_ext.base.interrupts cimport Watch, check_after, monotonic
from ctree_ext.base.memory cimport Memory
from ctree_ext.lattice.evidence cimport is_cut, is_explored
from ctree_ext.lattice.lattice cimport Lattice
from ctree_ext.lattice.objective cimport leaf_score
from ctree_ext.lattice.pair_votes cimport PairVotes, pair_terms, pair_votes, votes_init
from ctree_ext.lattice.pairs cimport log_row, log_sum, pairs_reserve
from ctree_ext.lattice.polynomial cimport Polynomial
from ctree_ext.lattice.search_space cimport EVIDENCE, levels_left, state_key
from ctree_ext.lattice.state_cache cimport State, StateCache, cache_add, cache_find
from ctree_ext.lattice.tree_prior cimport log_last_prior, log_leaf_prior, single_probabilities, split_prior
from ctree_ext.lattice.views cimport View, mask_key, side_count, view_all, view_part

cdef double TINY = 1e-18
cdef double REPORT_EVERY = 0.2   # seconds


ctypedef struct Node:
    double log_v
    double log_u
    double* unused         # [n_attributes] P(no test of the attribute is below), once it is known


cdef inline uint64_t _item_mark(int32_t item, int part) noexcept nogil:
    # A random number for each answer to a test.
    cdef uint64_t x = <uint64_t> (2 * item + part + 1) * <uint64_t> 0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


ctypedef struct Layer:
    # The sets of cases that are reached by so many tests, the tests that lead there, and where each is, by its key.
    Node* nodes
    int32_t* items         # [n_nodes, depth] 2 * test + passed
    Py_ssize_t n_nodes
    Py_ssize_t max_nodes
    StateCache places


cdef class Posterior:
    """The average over all trees, for new cases or for the tests.

    Parameters
    ----------
    lattice : Lattice
        After a search for the evidence.
    others : uint8 array (tests, new cases), optional
        1 where a new case passes a test. Without it, `marginals` is what can be asked for.
    attributes : int32 array (tests,), optional
        The attribute of each test.
    progress : callable, optional
        Called now and then with the share of the work that is done, from 0 to 1.
    """

    cdef Lattice lattice
    cdef Memory memory
    cdef Watch watch
    cdef object progress
    cdef double reported
    cdef Layer* layers
    cdef View* views
    cdef View all_cases
    cdef int32_t* way                    # [n_layers] the tests that lead to the views that are there
    cdef Py_ssize_t n_way
    cdef Py_ssize_t n_layers, n_others, n_tests
    cdef int n_classes, n_attributes
    cdef double log_evidence, alpha
    cdef double[:, ::1] class_weights    # [n_others, n_classes]
    cdef double[::1] tests               # [n_tests] expected number of nodes with each test
    cdef const int32_t[::1] attributes
    # scratch
    cdef double* single                  # [n_tests] the prior of each test at a node
    cdef double* below_single            # [n_tests] ... and at the node below
    cdef double* merged                  # [k] that of all equivalent tests together
    cdef double* with_                   # [n_tests]
    cdef double* without
    cdef double* side_unused             # [2, n_attributes]
    cdef double* of_attribute            # [n_attributes]
    cdef double* leaf_coefficients       # [n_classes]
    cdef PairVotes votes
    cdef Polynomial terms                # what is said goes there instead of to new cases

    def __cinit__(self, Lattice lattice not None, columns, classes, others=None, attributes=None, progress=None):
        cdef const uint8_t[:, ::1] own = columns, new
        cdef const int32_t[::1] labels = classes
        cdef const uint8_t* given = NULL
        self.lattice, self.progress, self.reported = lattice, progress, monotonic()
        self.n_tests, self.n_classes = lattice.n_tests, lattice.n_classes
        self.alpha = lattice.prior.classes.alpha
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
        self.reserve()
        view_all(&self.all_cases, &own[0, 0] if self.n_tests else NULL, &labels[0], lattice.n_cases, self.n_tests,
                 self.n_classes, given, self.n_others if given != NULL else 0)
        self.class_weights = np.zeros((self.n_others, self.n_classes))
        self.tests = np.zeros(self.n_tests)

    cdef int reserve(self) except -1:
        cdef Py_ssize_t k = max(self.n_tests, 1), d
        cdef Memory memory = Memory()
        self.memory = memory
        self.n_layers = self.lattice.max_depth + 1
        self.layers = <Layer*> memory.zeroed(self.n_layers, sizeof(Layer))
        self.views = <View*> memory.zeroed(self.n_layers + 1, sizeof(View))
        self.way = <int32_t*> memory.raw(self.n_layers, sizeof(int32_t))
        for d in range(self.n_layers + 1):
            self.views[d].pool = &memory.pool
        self.all_cases.pool = &memory.pool
        self.single = <double*> memory.raw(k, sizeof(double))
        self.below_single = <double*> memory.raw(k, sizeof(double))
        self.merged = <double*> memory.raw(k, sizeof(double))
        self.with_ = <double*> memory.raw(k, sizeof(double))
        self.without = <double*> memory.raw(k, sizeof(double))
        self.side_unused = <double*> memory.raw(2 * self.n_attributes, sizeof(double))
        self.of_attribute = <double*> memory.raw(self.n_attributes, sizeof(double))
        self.leaf_coefficients = <double*> memory.raw(self.n_classes, sizeof(double))
        if votes_init(&self.votes, &memory.pool, &self.lattice.prior, k, self.lattice.n_cases) < 0:
            raise MemoryError
        with self.lattice.lock:
            if pairs_reserve(&self.lattice.scratch, &self.lattice.memory.pool, k, self.n_classes) < 0:
                raise MemoryError
        return 0

    def probabilities(self):
        """The class probabilities of the new cases, (cases, classes)."""
        with self.lattice.lock:
            return self._probabilities()

    def _probabilities(self):
        if self.n_tests == 0 or self.lattice.max_depth == 0:
            self.start()
            counts = np.array([self.all_cases.counts[c] for c in range(self.n_classes)]) + self.alpha
            return np.tile(counts / counts.sum(), (self.n_others, 1))
        if self.n_others:
            self.start()
            self.down()
        q = np.asarray(self.class_weights)
        return q / q.sum(axis=1, keepdims=True)

    @property
    def weights(self):
        """Per new case the class weights, which sum to 1 but for rounding."""
        return np.asarray(self.class_weights)

    def polynomial(self, const uint8_t[::1] flips not None):
        """What is said of any case, as a `Polynomial` of its answers; for `flips` see there.

        Sets of cases are distinguished by the answers that lead to them, and tests that divide them alike are taken one by
        one: new cases can tell them apart.
        """
        if self.n_others or self.lattice.max_depth < 2 or not self.lattice.pairs or self.lattice.n_rows >= 0:
            raise ValueError("a polynomial is of a sum that is complete, with two levels or more, and for no cases")
        if flips.shape[0] != self.n_tests:
            raise ValueError("one flip a test")
        terms = Polynomial(flips, self.lattice.max_depth, self.n_classes)
        with self.lattice.lock:
            self.start()
            self.terms = terms
            try:
                self.down()
            finally:
                self.terms = None
        return terms

    def marginals(self):
        """The expected number of nodes with each test, and the probability that each attribute is tested at all."""
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
        lattice.resume(EVIDENCE)
        state_key(lattice.levels[0].view.key, 0, at)
        state = cache_find(&lattice.caches[EVIDENCE], at)
        if state == NULL:
            raise ValueError("search for the evidence first")
        self.log_evidence = state.low
        return 0

    cdef int down(self) except -1:
        # Layer by layer, so that all ways to a set of cases are known before the search goes on from it.
        cdef Py_ssize_t d, i
        cdef uint64_t[2] key
        cdef bint told = self.progress is not None
        key[0] = key[1] = 1
        self.push(0, key, NULL, 0, 0.0, self.log_evidence)
        with nogil:
            for d in range(self.n_layers):
                for i in range(self.layers[d].n_nodes):
                    self.visit(d, i)
                    if told:
                        self.tell(d, i + 1)
        return 0

    cdef int tell(self, Py_ssize_t depth, Py_ssize_t done) except -1 nogil:
        # How far it is: nearly all of the work is at the nodes from which on the last two levels are done in one.
        cdef Py_ssize_t most = max(self.n_layers - 3, 0)
        cdef double now = monotonic()
        if now < self.reported + REPORT_EVERY:
            return 0
        self.reported = now
        with gil:
            self.progress(0.0 if depth < most else <double> done / self.layers[most].n_nodes if depth == most else 1.0)
        return 0

    cdef int push(self, Py_ssize_t depth, const uint64_t* key, const int32_t* items, int32_t last, double log_v,
                  double log_u) except -1 nogil:
        # One more way to a set of cases.
        cdef Layer* layer = &self.layers[depth]
        cdef Py_ssize_t max_nodes, i
        cdef Node* node
        cdef State* state = cache_find(&layer.places, key)
        if state != NULL:
            node = &layer.nodes[<Py_ssize_t> state.test]
            if log_v > node.log_v:
                node.log_v = log_v + log(1.0 + exp(node.log_v - log_v))
            else:
                node.log_v += log(1.0 + exp(log_v - node.log_v))
            return 0
        if layer.n_nodes == layer.max_nodes:
            max_nodes = max(64, 2 * layer.max_nodes)
            self.memory.resize(<void**> &layer.nodes, max_nodes, sizeof(Node))
            self.memory.resize(<void**> &layer.items, max_nodes * depth, sizeof(int32_t))
            layer.max_nodes = max_nodes
        state = cache_add(&layer.places, &self.memory.pool, key)
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
        cdef Py_ssize_t min_cases = self.lattice.prior.min_cases
        cdef bint merge = self.lattice.merge and self.terms is None
        if view.bits == NULL:
            self.lattice.side_view = NULL
            if view_part(&self.all_cases, self.all_cases.valid, -1, view, min_cases, merge) < 0:
                with gil:
                    raise MemoryError
            view.key[0], view.key[1] = self.all_cases.key[0], self.all_cases.key[1]
        for d in range(depth):
            item = self.layers[depth].items[index * depth + d]
            below = &self.views[d + 1]
            # Most nodes have the way but for its end in common with the one before.
            if d < self.n_way and self.way[d] == item:
                view = below
                continue
            self.n_way = d
            q = view.place[item >> 1]
            self.lattice.child_key(view, q, item & 1, view.mask, key)
            self.lattice.side_view = NULL
            if view_part(view, view.mask, q, below, min_cases, merge) < 0:
                with gil:
                    raise MemoryError
            below.key[0], below.key[1] = key[0], key[1]
            self.watch.work += view.k * (2 * view.n_words + 8)
            self.way[d] = item
            self.n_way = d + 1
            view = below
        return view

    cdef double sum_of(self, Py_ssize_t depth, const View* view, Py_ssize_t q, bint passed) except? -1 nogil:
        # ln u of one side of a test, as the search left it. The mask of the view becomes that of the side.
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        self.lattice.child_key(view, q, passed, view.mask, key)
        state_key(key, depth + 1, at)
        state = cache_find(&self.lattice.caches[EVIDENCE], at)
        return -INFINITY if state == NULL else state.low

    cdef void layer_key(self, const View* view, Py_ssize_t q, bint passed, uint64_t* key) noexcept nogil:
        # One side of a test by its training cases and new cases together.
        cdef uint64_t[2] other
        self.lattice.child_key(view, q, passed, view.mask, key)
        mask_key(view, view.mask, view.start[view.n_classes], view.n_words, other)
        key[0] ^= other[0]
        key[1] += other[1] * <uint64_t> 0x9E3779B97F4A7C15

    cdef void place_key(self, Py_ssize_t depth, Py_ssize_t index, const View* view, Py_ssize_t q, bint passed,
                        uint64_t* key) noexcept nogil:
        # By what a side of a test is found again: its cases, or in a polynomial the answers that lead there.
        cdef const int32_t* items = self.layers[depth].items + index * depth
        cdef Py_ssize_t d
        if self.terms is None:
            self.layer_key(view, q, passed, key)
            return
        key[0] = _item_mark(2 * view.first[q] + passed, 0)
        key[1] = _item_mark(2 * view.first[q] + passed, 1)
        for d in range(depth):
            key[0] ^= _item_mark(items[d], 0)
            key[1] ^= _item_mark(items[d], 1)

    cdef void add_leaf(self, const View* view, double weight) noexcept nogil:
        # A leaf for the new cases of the view.
        cdef Py_ssize_t i, at, first = 64 * view.start[view.n_classes]
        cdef int c
        if self.terms is not None:
            for c in range(self.n_classes):
                self.leaf_coefficients[c] = weight * (view.counts[c] + self.alpha) / (view.n + self.alpha * self.n_classes)
            self.terms.add(-1, -1, self.leaf_coefficients)
            return
        for i in range(view.counts[view.n_classes] if view.n_blocks > view.n_classes else 0):
            at = <Py_ssize_t> view.marks[2 * (first + i) + 1]
            for c in range(self.n_classes):
                self.class_weights[at, c] += weight * (view.counts[c] + self.alpha) / (view.n + self.alpha * self.n_classes)

    cdef int visit(self, Py_ssize_t depth, Py_ssize_t index) except -1 nogil:
        cdef Node node = self.layers[depth].nodes[index]
        cdef View* view
        cdef Py_ssize_t left = levels_left(self.lattice, depth), q, t, others
        cdef double weight = node.log_v - self.log_evidence, split, with_, without, around
        cdef uint64_t[2] key
        if exp(weight + node.log_u) < TINY:
            return 0
        check_after(&self.watch, 0)
        view = self.view_of(depth, index)
        if self.terms is not None:
            self.terms.stand_at(self.layers[depth].items + index * depth, depth)
        self.add_leaf(view, exp(weight + leaf_score(self.lattice, view, depth)))
        if left == 0 or view.k == 0 or not is_explored(self.lattice, view, depth):
            return 0
        if left <= 2 and self.lattice.pairs and not is_cut(self.lattice, view, depth):
            return self.visit_last(depth, index, view)
        self.test_priors(view)
        split = log(split_prior(&self.lattice.prior, depth))
        for q in range(view.k):
            check_after(&self.watch, 8 * view.n_words + 40)
            with_ = self.sum_of(depth, view, q, True)
            without = self.sum_of(depth, view, q, False)
            self.with_[q] = exp(weight + split + with_ + without)
            if self.with_[q] * self.merged[q] < TINY:
                continue
            around = node.log_v + split + log(self.merged[q])
            others = 0
            if self.n_others:
                others = view.ones[view.n_classes * view.k + q]
            if self.n_others == 0 or others > 0:
                self.place_key(depth, index, view, q, True, key)
                self.push(depth + 1, key, self.layers[depth].items + index * depth, 2 * view.first[q] + 1,
                          around + without, with_)
            if self.n_others == 0 or others < view.counts[view.n_classes]:
                self.place_key(depth, index, view, q, False, key)
                self.push(depth + 1, key, self.layers[depth].items + index * depth, 2 * view.first[q],
                          around + with_, without)
        for t in range(self.n_tests):
            if view.place[t] >= 0:
                self.tests[t] += self.with_[view.place[t]] * self.single[t]
        return 0

    cdef void test_priors(self, const View* view) noexcept nogil:
        # The prior of each test at a node, and of all equivalent ones together.
        cdef Py_ssize_t t
        single_probabilities(&self.lattice.prior, view, NULL, self.single)
        for t in range(view.k):
            self.merged[t] = 0.0
        for t in range(self.n_tests):
            if view.place[t] >= 0:
                self.merged[view.place[t]] += self.single[t]

    cdef void by_attribute(self, const View* view, Py_ssize_t q) noexcept nogil:
        # The prior of the tests that are equivalent to one, by attribute.
        cdef Py_ssize_t t
        for t in range(self.n_attributes):
            self.of_attribute[t] = 0.0
        for t in range(self.n_tests if self.n_attributes else 0):
            if view.place[t] == q:
                self.of_attribute[self.attributes[t]] += self.single[t]

    cdef int visit_last(self, Py_ssize_t depth, Py_ssize_t index, View* view) except -1 nogil:
        # The last one or two levels, from the counts of pairs.
        cdef Node* node = &self.layers[depth].nodes[index]
        cdef Py_ssize_t left = levels_left(self.lattice, depth), k = view.k, i, t, a
        cdef double split = log(split_prior(&self.lattice.prior, depth)), weight, probability, total
        cdef double* unused = NULL
        weight = node.log_v - self.log_evidence
        self.test_priors(view)
        if self.terms is not None:
            return pair_terms(&self.votes, &self.memory.pool, view, &self.lattice.prior, depth, weight, self.merged,
                              &self.lattice.scratch, &self.watch, self.terms)
        if self.n_others and left >= 2:
            return pair_votes(&self.votes, &self.memory.pool, view, &self.lattice.prior, depth, weight, self.merged,
                              &self.lattice.scratch, &self.watch, &self.class_weights[0, 0])
        log_sum(view, &self.lattice.prior, depth, left, True, NULL, -1, &self.lattice.scratch, self.lattice.limits, &total)
        for i in range(k):
            self.with_[i], self.without[i] = self.lattice.scratch.with_score[i], self.lattice.scratch.without_score[i]
        for t in range(self.n_tests):
            i = view.place[t]
            if i >= 0:
                self.tests[t] += exp(weight + split + self.with_[i] + self.without[i]) * self.single[t]
        if self.n_attributes:
            node.unused = unused = <double*> self.memory.raw(self.n_attributes, sizeof(double))
            for a in range(self.n_attributes):
                unused[a] = exp(leaf_score(self.lattice, view, depth) - node.log_u)
        for i in range(k):
            probability = exp(weight + split + self.with_[i] + self.without[i]) * self.merged[i]
            if probability < TINY:
                continue
            if left >= 2:
                log_row(view, &self.lattice.prior, i, &self.lattice.scratch)
            self.watch.work += k * (view.n_words + 40) + 2 * self.n_tests
            self.side(depth, view, i, True, probability, self.side_unused)
            self.side(depth, view, i, False, probability, self.side_unused + self.n_attributes)
            if unused != NULL:
                self.by_attribute(view, i)
                self.watch.work += 2 * self.n_tests + 4 * self.n_attributes
                for a in range(self.n_attributes):
                    unused[a] += (exp(split + self.with_[i] + self.without[i] - node.log_u)
                                  * (self.merged[i] - self.of_attribute[a])
                                  * self.side_unused[a] * self.side_unused[self.n_attributes + a])
            check_after(&self.watch, 0)
        return 0

    cdef int side(self, Py_ssize_t depth, View* view, Py_ssize_t i, bint passed, double weight,
                  double* unused) except -1 nogil:
        # One side of a test, with all second ones if there is another level: `weight` is P(the test is at this node).
        cdef Py_ssize_t k = view.k, j, n, a
        cdef int c
        cdef const double* scores = self.lattice.scratch.scores + (0 if passed else 2 * k)
        cdef double* logs = self.lattice.scratch.logs
        cdef double log_u = self.with_[i] if passed else self.without[i], likelihood = 0.0, part
        cdef bint divisible = False, last = levels_left(self.lattice, depth) < 2
        n = view.totals[i] if passed else view.n - view.totals[i]
        for c in range(self.n_classes):
            likelihood += self.lattice.prior.classes.log_gammas[side_count(view, c, i, passed)]
        likelihood += self.lattice.prior.classes.log_sums[n]
        if not last:
            for j in range(k):
                logs[j] = scores[j] + scores[k + j]
                divisible = divisible or logs[j] > -INFINITY
        likelihood += (log_last_prior(&self.lattice.prior, n) if last
                       else log_leaf_prior(&self.lattice.prior, depth + 1, divisible))
        part = exp(likelihood - log_u)
        for c in range(self.n_classes):
            self.leaf_coefficients[c] = (weight * part * (side_count(view, c, i, passed) + self.alpha)
                                         / (n + self.lattice.prior.classes.total))
        for a in range(self.n_attributes):
            unused[a] = 1.0
        if divisible:
            single_probabilities(&self.lattice.prior, view, logs, self.below_single)
            self.count_second_tests(depth, view, weight, log_u, unused)
        if view.n_blocks > view.n_classes:
            self.add_side(view, i, passed)
        return 0

    cdef void count_second_tests(self, Py_ssize_t depth, const View* view, double weight, double log_u,
                                 double* unused) noexcept nogil:
        # How often each second test is there, and which attributes it leaves unused.
        cdef const double* logs = self.lattice.scratch.logs
        cdef double split = log(split_prior(&self.lattice.prior, depth + 1)), part
        cdef Py_ssize_t t
        for t in range(self.n_tests):
            if self.below_single[t] > 0:
                part = exp(split + logs[view.place[t]] - log_u) * self.below_single[t]
                self.tests[t] += weight * part
                if self.n_attributes:
                    unused[self.attributes[t]] -= part

    cdef void add_side(self, const View* view, Py_ssize_t i, bint passed) noexcept nogil:
        # One side of a test, a leaf, for the new cases there.
        cdef Py_ssize_t w, at
        cdef int c
        cdef const uint64_t* bits = view.bits + i * view.n_words
        cdef uint64_t word
        for w in range(view.start[view.n_classes], view.n_words):
            word = bits[w] if passed else view.valid[w] & ~bits[w]
            while word:
                at = <Py_ssize_t> view.marks[2 * (64 * w + lowest_bit(word)) + 1]
                for c in range(self.n_classes):
                    self.class_weights[at, c] += self.leaf_coefficients[c]
                word &= word - 1

    cdef int unused_below(self, Py_ssize_t depth, Py_ssize_t index) except -1 nogil:
        # P(no test of an attribute is below a node), for a node whose next layer is known.
        cdef Node* node = &self.layers[depth].nodes[index]
        cdef View* view
        cdef Py_ssize_t q, a
        cdef double split = log(split_prior(&self.lattice.prior, depth)), with_, without, both, part
        cdef double* unused = <double*> self.memory.raw(self.n_attributes, sizeof(double))
        cdef State* passed
        cdef State* failed
        cdef uint64_t[2] key
        node.unused = unused
        for a in range(self.n_attributes):
            unused[a] = 1.0
        if exp(node.log_v + node.log_u - self.log_evidence) < TINY:
            return 0
        view = self.view_of(depth, index)
        if view.k == 0 or levels_left(self.lattice, depth) == 0 or not is_explored(self.lattice, view, depth):
            return 0
        for a in range(self.n_attributes):
            unused[a] = exp(leaf_score(self.lattice, view, depth) - node.log_u)
        self.test_priors(view)
        for q in range(view.k):
            check_after(&self.watch, 16 * view.n_words + 2 * self.n_tests + 8 * self.n_attributes)
            with_ = self.sum_of(depth, view, q, True)
            without = self.sum_of(depth, view, q, False)
            both = exp(split + with_ + without - node.log_u)
            self.by_attribute(view, q)
            self.layer_key(view, q, True, key)
            passed = cache_find(&self.layers[depth + 1].places, key)
            self.layer_key(view, q, False, key)
            failed = cache_find(&self.layers[depth + 1].places, key)
            for a in range(self.n_attributes):
                part = both * (self.merged[q] - self.of_attribute[a])
                if passed != NULL:
                    part *= self.layers[depth + 1].nodes[<Py_ssize_t> passed.test].unused[a]
                if failed != NULL:
                    part *= self.layers[depth + 1].nodes[<Py_ssize_t> failed.test].unused[a]
                unused[a] += part
        return 0
