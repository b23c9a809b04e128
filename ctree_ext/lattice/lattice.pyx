"""All trees at once: sums and maxima over every tree under a constraint, by a search over sets of cases.

A tree below a node depends on nothing but the cases that are there and on how deep the node is. So the search goes from
the set of all cases to the sets that each test makes of it, and remembers what it has found of each
(`ctree_ext.lattice.search_space`). What it computes is interchangeable: the errors of the best tree, the posterior of the
most probable one (`best_tree`), or the sum over all of them (`evidence`; Nijssen, 2008). The last two levels are done from
the counts of pairs of tests (`pairs`).
"""

import threading

import numpy as np

from libc.math cimport log
from libc.stdint cimport uint64_t

from ctree_ext.base.interrupts cimport check_signals
from ctree_ext.lattice.best_tree cimport best_root, best_subtree, score_subtree
from ctree_ext.lattice.evidence cimport is_cut, is_explored, known_sum, sum_root
from ctree_ext.lattice.limits cimport Limits
from ctree_ext.lattice.objective cimport leaf_score, upper_bound
from ctree_ext.lattice.pairs cimport log_sum
from ctree_ext.lattice.search_space cimport ERRORS, EVIDENCE, POSTERIOR, levels_left
from ctree_ext.lattice.tree_prior cimport single_probabilities, split_prior
from ctree_ext.lattice.views cimport View

OBJECTIVES = {"errors": ERRORS, "posterior": POSTERIOR, "evidence": EVIDENCE}


cdef class Lattice(SearchSpace):
    """All trees over these tests and cases, with at least `min_support` cases in every leaf.

    Parameters
    ----------
    columns : uint8 array (tests, cases)
        1 where a case passes a test.
    classes : int32 array (cases,)
    n_classes : int
    min_support, max_depth : int
        `max_depth` None is no limit.
    uniform : bool
        Every tree counts the same; else by its size, with `gamma` and `delta`.
    gamma, delta, alpha : float
    groups : int32 array (tests,), optional
        Tests of one group, which have the same number here, share the probability of one.
    truncated : bool
        Whether deeper trees are possible, but left out: nodes at `max_depth` are leaves with the probability of a node that
        can be divided, if they have the cases for it, and the sum is a lower bound of that over deeper trees too. Else they
        are leaves for certain.
    merge, pairs, by_cover : bool
        Whether tests that divide cases alike are one, the last two levels are done from pair counts, and states are
        known by their cases (or else by their itemset). The result is the same.
    time_limit, memory_limit : float, int
        Seconds and bytes, None for no limit.
    state_limit, row_limit : int
        States after which the search stops, None for no limit, and the first tests that are done in the last of them,
        -1 for all: where a search was stopped (`n_states`, `n_rows`), another can stop too.
    progress : callable, optional
        Called now and then with the states visited, those remembered, and the bracket so far.
    pause : callable, optional
        Called in the middle of a search, with the seconds it has taken and the share of the root's tests that are done.
        What it returns is how many seconds of the search have to pass before it is called again, None for never. The
        time that it takes itself counts as well.
    """

    def __cinit__(self, *_args, **_options):
        self.lock = threading.RLock()

    @property
    def n_states(self):
        """States that were visited."""
        return self.limits.n_states

    @property
    def state_limit(self):
        return self.limits.state_limit

    @property
    def stopped(self):
        """Whether the search was stopped by a limit."""
        return self.limits.stopped

    @property
    def reason(self):
        """The limit: "time", "memory", "states", or None."""
        return self.limits.reason

    @property
    def low(self):
        """The bracket of the score, from below."""
        return self.limits.low

    @property
    def high(self):
        """The bracket of the score, from above."""
        return self.limits.high

    cdef int begin(self, int objective, double spent) except -1:
        # A search, under the limits.
        self.objective = objective
        self.limits.begin(&self.caches[objective].n_states, spent)
        if objective == EVIDENCE:
            self.n_rows = -1
        return self.root()

    cdef int resume(self, int objective) except -1:
        # What is asked after a search is answered, however long it takes.
        self.objective = objective
        self.limits.suspend()
        return self.root()

    def search(self, objective, double spent=0.0):
        """Search for the best tree ("errors" or "posterior") or sum over all ("evidence").

        Returns the bracket (low, high) of its score, equal unless the search was stopped: minus the errors, ln of prior
        times likelihood, ln of their sum. Of the `time_limit`, so many seconds are `spent`, or kept for what follows.
        """
        with self.lock:
            return self._search(objective, spent)

    def _search(self, objective, double spent):
        cdef double low = 0, high = 0
        cdef Limits limits = self.limits
        self.begin(OBJECTIVES[objective], spent)
        limits.low = leaf_score(self, &self.levels[0].view, 0)
        limits.high = upper_bound(self, &self.levels[0].view, 0)
        with nogil:
            if self.objective == EVIDENCE:
                sum_root(self, &low, &high)
            else:
                best_root(self, &low, &high)
        check_signals()
        if not limits.stopped:
            high = low  # but for the last bits they are the same
        limits.low, limits.high = low, high
        return low, high

    def tree(self, objective):
        """The best tree found: (class counts, test, branch that passes it, branch that does not), test -1 in a leaf."""
        with self.lock:
            self.resume(OBJECTIVES[objective])
            return best_subtree(self, 0)

    def score(self, objective, tree):
        """The score of a tree of this lattice, given as `tree` gives one."""
        with self.lock:
            self.resume(OBJECTIVES[objective])
            return score_subtree(self, 0, tree)

    cdef int go_to(self, items) except -1:
        # Make the views of an itemset, item by item, from the root on; the number of items.
        cdef Py_ssize_t depth = 0, q
        cdef View* view
        cdef uint64_t[2] key
        cdef bint passed
        for test, side in items:
            if not 0 <= test < self.n_tests or depth >= self.max_depth:
                raise ValueError("no such itemset in this lattice")
            view = &self.levels[depth].view
            q = view.place[test]
            if q < 0:
                raise ValueError("the itemset is not reached by tests that divide its cases")
            # The test may be there as another one that divides the cases alike, with the sides exchanged.
            passed = bool(side) ^ self.is_turned(self.first_case(depth), test, view.first[q])
            self.child_key(view, q, passed, view.mask, key)
            self.descend(depth, q, passed, key)
            depth += 1
        return depth

    cdef Py_ssize_t first_case(self, Py_ssize_t depth) except -1:
        # Where the first case of a view stands in the view of all cases, by its mark.
        cdef View* view = &self.levels[depth].view
        cdef Py_ssize_t at
        for at in range(64 * self.all_cases.n_words):
            if (self.all_cases.valid[at >> 6] >> (at & 63) & 1 and self.all_cases.marks[2 * at] == view.marks[0]
                    and self.all_cases.marks[2 * at + 1] == view.marks[1]):
                return at
        raise AssertionError("a case without a mark")

    cdef bint is_turned(self, Py_ssize_t case, Py_ssize_t test, Py_ssize_t other) noexcept nogil:
        # Whether of two tests that divide cases alike one is passed where the other is not: any one case tells.
        cdef const uint64_t* a = self.all_cases.bits + test * self.all_cases.n_words
        cdef const uint64_t* b = self.all_cases.bits + other * self.all_cases.n_words
        return (a[case >> 6] ^ b[case >> 6]) >> (case & 63) & 1

    cdef int sums_below(self, Py_ssize_t depth, double[::1] sides) except -1:
        # ln u of both sides of every test of a node: of those that fail it, then of those that pass.
        cdef View* view = &self.levels[depth].view
        cdef Py_ssize_t left = levels_left(self, depth), q
        cdef double total
        if left <= 2 and self.pairs and not is_cut(self, view, depth):
            with nogil:
                log_sum(view, &self.prior, depth, left, True, NULL, -1, &self.scratch, self.limits, &total)
            for q in range(view.k):
                sides[2 * q], sides[2 * q + 1] = self.scratch.without_score[q], self.scratch.with_score[q]
        else:
            for q in range(view.k):
                sides[2 * q], sides[2 * q + 1] = known_sum(self, depth, q, False), known_sum(self, depth, q, True)
        return 0

    def expand(self, items):
        """What is below an itemset, a list of (test, passed), after a search for the evidence.

        Returns ln of its weight as a leaf, its class counts, and arrays with an entry for each test that divides its
        cases: the test, ln P_intern, ln u of the cases that pass it, and ln u of the others.
        """
        with self.lock:
            return self._expand(items)

    def _expand(self, items):
        cdef Py_ssize_t depth, k, q, t, i, case
        cdef View* view
        cdef double split
        self.resume(EVIDENCE)
        depth = self.go_to(items)
        view = &self.levels[depth].view
        k = view.k if levels_left(self, depth) > 0 and is_explored(self, view, depth) else 0
        counts = np.array([view.counts[c] for c in range(self.n_classes)], dtype=np.int64)
        leaf = leaf_score(self, view, depth)
        tests = np.array([t for t in range(self.n_tests) if k and view.place[t] >= 0], dtype=np.int64)
        cdef double[::1] sides = np.empty(2 * k + 1)
        cdef double[::1] single = np.empty(self.n_tests + 1)
        prior, passed, failed = np.empty(len(tests)), np.empty(len(tests)), np.empty(len(tests))
        if k == 0:
            return leaf, counts, tests, prior, passed, failed
        split = log(split_prior(&self.prior, depth))
        case = self.first_case(depth)
        self.sums_below(depth, sides)
        single_probabilities(&self.prior, view, NULL, &single[0])
        for i in range(len(tests)):
            t = tests[i]
            q = view.place[t]
            prior[i] = split + log(single[t])
            turned = self.is_turned(case, t, view.first[q])
            passed[i], failed[i] = sides[2 * q + (not turned)], sides[2 * q + turned]
        return leaf, counts, tests, prior, passed, failed
