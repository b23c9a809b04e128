"""What tests score at a node of which only counts are known, to the bit as a grower that has the cases would find it.

The numbers of a continuous attribute are in pieces, ascending: a piece has one value, or it is closed and has several,
of which only the class counts are known. A cut between two pieces has an exact score, in the arithmetic of
`ScoreGrower`; for the cuts within a closed piece there is a bound.
"""

import numpy as np

from libc.math cimport INFINITY, ceil, fabs, floor, lgamma, log2
from libc.stdint cimport int64_t, uint8_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport midpoint
from ctree_ext.base.weights cimport Weights
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.score_choice cimport choose_by_score, needs_no_test, require_scores, requires_the_same
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch, ValueMatrix, count_present, has_tables
from ctree_ext.grow.score_values cimport score_division, score_value, sum_matrix
from ctree_ext.grow.scratch cimport NodeView, Scratch, scratch_init
from ctree_ext.grow.split_scores cimport (
    BAYES, CHI_SQUARE, ScoreFunction, SplitScore, Terms, branch_score, branch_units, chi_square_of, terms_below, units_at,
)
from ctree_ext.grow.stopping cimport (
    BY_BAYES, BY_SHARED, NEVER, StoppingRule, counts_tests, is_too_costly, least_score,
)
from ctree_ext.scale.bounds cimport chi_square_bound, sum_bound


cdef enum:
    BLOCK = 32               # pieces that are passed over at once, where no cut among them can matter
    SLOPE_UNITS = 64         # more than the slope of a bound is off by


def between(double low, double high):
    """The threshold between two neighbouring values of a node, as a grower puts it."""
    return midpoint(low + 0.0, high, False)


cdef class ScoreBracket:
    """Weigh the tests of nodes by their counts.

    Parameters
    ----------
    score : SplitScore
        That of the whole set.
    stopping : StoppingRule
    most_values : int
        Of any discrete attribute.
    min_cases : float
        Two branches of every test must have so many cases.
    binary_splits : bool
        Test a discrete attribute for one value against the others.
    """

    cdef SplitScore score
    cdef StoppingRule stopping
    cdef ScoreSearch settings
    cdef LogTables tables
    cdef Memory memory
    cdef Scratch scratch
    cdef int C, most_values
    cdef bint binary_splits

    def __cinit__(self, SplitScore score not None, StoppingRule stopping not None, *, int most_values=2,
                  double min_cases=2.0, bint binary_splits=False):
        self.score = score
        self.stopping = stopping
        self.tables = LogTables(0, False)
        self.settings.function = &score.function
        self.settings.min_cases = min_cases
        self.settings.fast = self.tables.logs.fast
        self.settings.counting = counts_tests(&stopping.rule)
        self.C = score.function.n_classes
        self.most_values = max(most_values, 2)
        self.binary_splits = binary_splits
        self.memory = Memory()
        scratch_init(&self.scratch, self.memory, self.most_values, self.C, 1)

    @property
    def counting(self):
        """Whether it matters how many tests a node has."""
        return bool(self.settings.counting)

    @property
    def shared(self):
        """Whether a test has to reach more the more tests its attribute has."""
        return self.stopping.rule.kind == BY_SHARED

    @property
    def pruning(self):
        """Whether nodes are leaves where pruning would undo any test."""
        return self.stopping.rule.pruning != NEVER

    @property
    def same_required(self):
        """Whether all tests have to reach the same score."""
        return bool(requires_the_same(&self.stopping.rule, self.binary_splits))

    @property
    def least_score(self):
        """No test that scores less can be good enough at any node."""
        return least_score(&self.stopping.rule)

    @property
    def least_beyond(self):
        """No test that scores less beyond what it has to reach divides a node; -inf where any may."""
        if self.stopping.rule.kind == NEVER or self.stopping.rule.kind == BY_SHARED:
            return -INFINITY
        return 0.0 if self.stopping.rule.kind == BY_BAYES else -self.stopping.rule.tie_tolerance

    @property
    def tie_tolerance(self):
        """Scores that differ by no more are equal."""
        return self.score.function.tie_tolerance

    @property
    def slack(self):
        """How far below the best score a bound has to be for nothing within it to matter, roundings and ties included."""
        return self.margin()

    cdef double margin(self) noexcept nogil:
        cdef const ScoreFunction* function = &self.score.function
        cdef double n = <double> function.max_count
        cdef double result = 4 * (function.tie_tolerance + function.tie_units * function.unit) + 1e-6 + 4e-11 * n
        if function.kind == BAYES:
            result += 1e-14 * fabs(lgamma(function.prior_weight + n))
        return result

    def node(self, const double[::1] counts, int present_above=0, bint whole=True):
        """What is needed to weigh the tests of a node with these class counts.

        `present_above` is the number of classes that have cases in the node above; 0 at the root. `whole` says that
        every case counts one.
        """
        return NodeScores(self, counts, present_above, whole)


cdef class NodeScores:
    """The scores of the tests of one node; made by `ScoreBracket.node`."""

    cdef ScoreBracket bracket
    cdef NodeView view
    cdef Memory memory
    cdef Weights fractions   # what the searches need to know of: that there are weights
    cdef double* counts
    cdef double* known       # of an attribute: the class weights of the cases whose value is known
    cdef int64_t* classes    # the same as whole numbers
    cdef int64_t* low        # per class: the cases below a cut, and what the class adds there
    cdef int64_t* parts
    cdef int64_t* block      # per class: the cases of a block of pieces
    cdef double* sides
    cdef bint tabled
    cdef bint chi_square
    cdef int64_t least_side, n
    cdef int64_t base        # what the node itself scores, in units
    cdef int64_t both        # the sum of `parts`
    cdef readonly int n_present
    cdef readonly bint whole

    def __cinit__(self, ScoreBracket bracket not None, const double[::1] counts, int present_above, bint whole):
        cdef int c, C = bracket.C
        cdef const ScoreFunction* function = &bracket.score.function
        if counts.shape[0] != C or not 0 <= present_above <= C:
            raise ValueError("the counts are not for this score")
        self.bracket = bracket
        self.memory = Memory()
        self.counts = <double*> self.memory.raw(C, sizeof(double))
        self.known = <double*> self.memory.raw(C, sizeof(double))
        self.classes = <int64_t*> self.memory.raw(C, sizeof(int64_t))
        self.low = <int64_t*> self.memory.raw(C, sizeof(int64_t))
        self.parts = <int64_t*> self.memory.raw(C, sizeof(int64_t))
        self.block = <int64_t*> self.memory.raw(C, sizeof(int64_t))
        self.sides = <double*> self.memory.raw(2 * C, sizeof(double))
        self.whole = whole
        self.chi_square = function.kind == CHI_SQUARE
        for c in range(C):
            self.counts[c] = counts[c]
            self.view.cases += counts[c]
            if self.counts[c] > self.counts[self.view.best]:
                self.view.best = c
        self.n_present = count_present(self.counts, C)
        self.view.counts = self.counts
        self.view.weights = NULL if whole else &self.fractions
        self.view.max_in_class = self.counts[self.view.best]
        self.view.own = terms_below(function, present_above)
        self.view.below = terms_below(function, self.n_present)
        self.tabled = has_tables(function, &self.view)
        self.least_side = max(1, <int64_t> ceil(self.least_weight))

    @property
    def least_weight(self):
        """What the cases on either side of a cut have to weigh; at least one case if each counts one."""
        return self.bracket.settings.min_cases * (
            1.0 if self.tabled or self.whole and self.chi_square else ALMOST)

    @property
    def below_floor(self):
        """How far below the floor a search for cuts may still take one."""
        cdef double n = self.view.cases
        if self.tabled or self.whole and self.chi_square:
            return 0.0
        if self.chi_square:
            return INFINITY
        # as in the search among cases of fractional weight, which is also that among counts beyond the tables
        return 4e-9 + 1e-9 * n * (log2(n + 2.0) + 1) + 1e-15 * n * n * (log2(n + 2.0) + 1)

    def is_leaf(self):
        """Whether the node is a leaf before any test is looked for."""
        return bool(needs_no_test(&self.bracket.stopping.rule, self.counts, self.view.cases, self.n_present,
                                  self.bracket.settings.min_cases))

    def best_class(self):
        """The class of most cases, the first of equals."""
        return self.view.best

    def discrete(self, const double[:, ::1] counts):
        """The best test of a discrete attribute, whose values have these class counts.

        Returns
        -------
        (score, branches, tests, classes, value), or None
            What it scores, how many branches with cases it has, of how many tests it is the best, how many classes the
            cases of known value have, and the value that is tested against all others, -1 if there is a branch per
            value.
        """
        cdef ValueMatrix matrix
        cdef ScoreCandidate best
        cdef ScoreBracket by = self.bracket
        if counts.shape[1] != by.C or counts.shape[0] > by.most_values:
            raise ValueError("the count matrix does not fit the score")
        if counts.shape[0] == 0:
            return None
        matrix.codes = NULL
        matrix.n_rows = <int> counts.shape[0]
        with nogil:
            sum_matrix(&matrix, &counts[0, 0], by.C, &by.scratch)
            if by.binary_splits:
                best = score_value(&by.settings, &matrix, matrix.n_rows, by.C, &self.view, &by.scratch)
            else:
                best = score_division(&by.settings, &matrix, by.C, &self.view, &by.scratch)
        if best.n_branches == 0:
            return None
        return best.score, best.n_branches, best.n_tests, best.n_present, best.value

    def scan(self, const int64_t[:, ::1] counts, double floor_):
        """The best of the cuts between pieces with these class counts, and its score.

        Of equals the first counts. The cut is behind the piece of this number; -1, and -inf, where none scores more
        than `floor_`.
        """
        cdef Py_ssize_t place
        cdef double score
        if counts.shape[1] != self.bracket.C or not self.whole:
            raise ValueError("the counts are not for this score")
        if counts.shape[0] < 2:
            return -1, -INFINITY
        if not self.tabled and not self.chi_square:
            return self.scan_weights(np.asarray(counts, dtype=np.float64), floor_)
        with nogil:
            self.sum_classes(&counts[0, 0], counts.shape[0])
            if self.tabled:
                place = self.scan_units(&counts[0, 0], counts.shape[0], floor_, &score)
            else:
                place = self.scan_chi_square(&counts[0, 0], counts.shape[0], floor_, &score)
        if place < 0:
            return -1, -INFINITY
        return place, score

    def scan_weights(self, const double[:, ::1] counts, double floor_):
        """The same for weights that need not be whole."""
        cdef Py_ssize_t place
        cdef double score
        if counts.shape[1] != self.bracket.C:
            raise ValueError("the counts are not for this score")
        if counts.shape[0] < 2:
            return -1, -INFINITY
        with nogil:
            self.sum_weights(&counts[0, 0], counts.shape[0])
            place = self.scan_parts(&counts[0, 0], counts.shape[0], floor_, &score)
        if place < 0:
            return -1, -INFINITY
        return place, score

    cdef void sum_classes(self, const int64_t* counts, Py_ssize_t n_pieces) noexcept nogil:
        # The class counts of the cases whose value is known.
        cdef Py_ssize_t p
        cdef int c, C = self.bracket.C
        self.n = 0
        for c in range(C):
            self.classes[c] = 0
            for p in range(n_pieces):
                self.classes[c] += counts[p * C + c]
            self.known[c] = <double> self.classes[c]
            self.n += self.classes[c]
        self.base = 0 if self.chi_square else branch_units(self.known, C, self.view.own, &self.bracket.score.function)

    cdef double sum_weights(self, const double* counts, Py_ssize_t n_pieces) noexcept nogil:
        cdef Py_ssize_t p
        cdef int c, C = self.bracket.C
        cdef double n = 0.0
        for c in range(C):
            self.known[c] = 0.0
            for p in range(n_pieces):
                self.known[c] += counts[p * C + c]
            n += self.known[c]
        return n

    cdef Py_ssize_t scan_units(self, const int64_t* counts, Py_ssize_t n_pieces, double floor_,
                               double* score) noexcept nogil:
        # Sums of integers, as they are made from case to case. Blocks without a cut above the limit are passed over.
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef const Terms* all_ = &function.all_classes
        cdef int64_t limit = -0x4000000000000000LL, best = 0, here, T = 0, size
        cdef Py_ssize_t p = 0, end, place = -1
        cdef int c, C = self.bracket.C
        if floor_ > -INFINITY:
            limit = self.base + <int64_t> floor(floor_ / function.unit) - 1
        self.both = 0
        for c in range(C):
            self.low[c] = 0
            self.parts[c] = 0
            self.add_below(c, 0)
        while p < n_pieces - 1:
            if p % BLOCK == 0 and limit > -0x4000000000000000LL:
                end = min(p + BLOCK, n_pieces - 1)
                size = self.sum_block(counts + p * C, end - p)
                if size > 0 and self.block_bound(T, size) <= (limit - self.base) * function.unit:
                    for c in range(C):
                        self.add_below(c, self.block[c])
                    T += size
                    p = end
                    continue
            for c in range(C):
                if counts[p * C + c]:
                    self.add_below(c, counts[p * C + c])
                    T += counts[p * C + c]
            p += 1
            if T < self.least_side:
                continue
            if self.n - T < self.least_side:
                break
            here = self.both - units_at(all_, T, function) - units_at(all_, self.n - T, function)
            if here > limit:
                place = p - 1
                best = here
                limit = here + function.tie_units
        score[0] = (best - self.base) * function.unit
        return place

    cdef inline void add_below(self, int c, int64_t more) noexcept nogil:
        # So many cases more of a class are below the cut: what the class adds there.
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef int64_t part
        self.low[c] += more
        part = units_at(self.view.below, self.low[c], function)
        part += units_at(self.view.below, self.classes[c] - self.low[c], function)
        self.both += part - self.parts[c]
        self.parts[c] = part

    cdef Py_ssize_t scan_chi_square(self, const int64_t* counts, Py_ssize_t n_pieces, double floor_,
                                    double* score) noexcept nogil:
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef int64_t T = 0
        cdef Py_ssize_t p, place = -1
        cdef int c, C = self.bracket.C
        cdef double here, low, high, weight, best = 0.0
        for c in range(C):
            self.low[c] = 0
        for p in range(n_pieces - 1):
            for c in range(C):
                self.low[c] += counts[p * C + c]
                T += counts[p * C + c]
            if T < self.least_side:
                continue
            if self.n - T < self.least_side:
                break
            low = 0.0
            high = 0.0
            for c in range(C):
                weight = 1.0 / max(self.classes[c], 1)
                low += <double> self.low[c] * self.low[c] * weight
                high += <double> (self.classes[c] - self.low[c]) * (self.classes[c] - self.low[c]) * weight
            here = self.n * (low * (1.0 / T) + high * (1.0 / (self.n - T)) - 1)
            if here > best + function.tie_tolerance if place >= 0 else here > floor_:
                place = p
                best = here
        score[0] = best
        return place

    cdef Py_ssize_t scan_parts(self, const double* counts, Py_ssize_t n_pieces, double floor_,
                               double* score) noexcept nogil:
        # In doubles.
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef Py_ssize_t p, place = -1
        cdef int c, C = self.bracket.C
        cdef double* low = self.sides
        cdef double* high = self.sides + C
        cdef double here, best = 0.0, base = 0.0, T = 0.0, rest = 0.0
        cdef double least = self.bracket.settings.min_cases * ALMOST
        if not self.chi_square:
            base = branch_score(self.known, C, self.view.own, function)
        for c in range(C):
            low[c] = 0.0
            high[c] = self.known[c]
            rest += high[c]
        for p in range(n_pieces - 1):
            for c in range(C):
                low[c] += counts[p * C + c]
                high[c] = max(high[c] - counts[p * C + c], 0.0)
                T += counts[p * C + c]
                rest = max(rest - counts[p * C + c], 0.0)
            if T < least or rest < least:
                continue
            if self.chi_square:
                here = chi_square_of(low, 2, C, self.known)
            else:
                here = (branch_score(low, C, self.view.below, function)
                        + branch_score(high, C, self.view.below, function) - base)
            if here > best + function.tie_tolerance if place >= 0 else here > floor_:
                place = p
                best = here
        score[0] = best
        return place

    def bounds(self, const int64_t[:, ::1] counts, const uint8_t[::1] closed, double reach=-INFINITY):
        """What a cut within each closed piece scores at most; -inf where no cut can be, or none can reach so much."""
        cdef int c, C = self.bracket.C
        cdef Py_ssize_t p, end, n_pieces = counts.shape[0]
        cdef int64_t T = 0, size
        cdef double[::1] result
        if counts.shape[1] != C or closed.shape[0] != n_pieces or not self.whole:
            raise ValueError("the counts are not for this score")
        array = np.full(n_pieces, -np.inf)
        result = array
        if n_pieces == 0:
            return array
        with nogil:
            self.sum_classes(&counts[0, 0], n_pieces)
            for c in range(C):
                self.low[c] = 0
            p = 0
            while p < n_pieces:
                if p % BLOCK == 0 and reach > -INFINITY:
                    end = min(p + BLOCK, n_pieces)
                    size = self.sum_block(&counts[p, 0], end - p)
                    if size > 0 and self.block_bound(T, size) < reach:
                        T += size
                        for c in range(C):
                            self.low[c] += self.block[c]
                        p = end
                        continue
                size = 0
                for c in range(C):
                    size += counts[p, c]
                if closed[p] and max(T + 1, self.least_side) <= min(T + size - 1, self.n - self.least_side):
                    result[p] = self.bound_within(&counts[p, 0], T, size)
                T += size
                for c in range(C):
                    self.low[c] += counts[p, c]
                p += 1
        return array

    cdef int64_t sum_block(self, const int64_t* counts, Py_ssize_t n_pieces) noexcept nogil:
        # The class counts of some pieces together, and how many cases they have.
        cdef Py_ssize_t p
        cdef int c, C = self.bracket.C
        cdef int64_t size = 0
        for c in range(C):
            self.block[c] = 0
            for p in range(n_pieces):
                self.block[c] += counts[p * C + c]
            size += self.block[c]
        return size

    cdef double block_bound(self, int64_t start, int64_t size) noexcept nogil:
        # What a cut among the cases of a block scores at most. The slope of the bound is a difference of two numbers that
        # are rounded, and what is added for a block of many cases is as many times as wrong.
        return (self.bound_within(self.block, start, size) + self.bracket.margin()
                + SLOPE_UNITS * self.bracket.score.function.unit * size)

    cdef double bound_within(self, const int64_t* counts, int64_t start, int64_t size) noexcept nogil:
        # What a cut scores at most, if all cases below `low`, of which there are `start`, and some of these are below it.
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef int c, C = self.bracket.C
        if not self.chi_square:
            return (self.units_bound(counts, start, size) - self.base) * function.unit
        for c in range(C):
            self.sides[c] = <double> self.low[c]
            self.sides[C + c] = <double> counts[c]
        return chi_square_bound(self.sides, self.sides + C, self.known, C, start, size, self.n, 1.0)

    def bounds_weights(self, const double[:, ::1] counts, const uint8_t[::1] closed):
        """What a cut within each closed piece scores at most, for weights that need not be whole."""
        cdef int c, C = self.bracket.C
        cdef Py_ssize_t p, n_pieces = counts.shape[0]
        cdef double T = 0.0, size, n, base = 0.0, least = self.bracket.settings.min_cases * ALMOST
        cdef double[::1] result
        cdef double* low = self.sides
        if counts.shape[1] != C or closed.shape[0] != n_pieces:
            raise ValueError("the counts are not for this score")
        array = np.full(n_pieces, -np.inf)
        result = array
        if n_pieces == 0:
            return array
        with nogil:
            n = self.sum_weights(&counts[0, 0], n_pieces)
            if not self.chi_square:
                base = branch_score(self.known, C, self.view.own, &self.bracket.score.function)
            for c in range(C):
                low[c] = 0.0
            for p in range(n_pieces):
                size = 0.0
                for c in range(C):
                    size += counts[p, c]
                # sums of fractions: a hair more than the ends
                if closed[p] and max(T, least * ALMOST) <= min(T + size, n - least * ALMOST) + 1e-9 * n:
                    if self.chi_square:
                        result[p] = chi_square_bound(low, &counts[p, 0], self.known, C, T, size, n, 0.0)
                    else:
                        result[p] = sum_bound(low, &counts[p, 0], self.known, C, T, size, n, self.view.below,
                                              &self.bracket.score.function) - base
                T += size
                for c in range(C):
                    low[c] += counts[p, c]
        return array

    cdef int64_t units_bound(self, const int64_t* counts, int64_t start, int64_t size) noexcept nogil:
        # With T cases below a cut, l of a class, it scores sum h(l) - G(T), both convex. G lies above its tangent in the
        # middle, of slope s; what is left, h(l) - s l per class, is greatest at one of the two ends.
        cdef const ScoreFunction* function = &self.bracket.score.function
        cdef const Terms* below = self.view.below
        cdef const Terms* all_ = &function.all_classes
        cdef int64_t T = start + size // 2, slope, bound, left, right, low, n
        cdef int c
        bound = units_at(all_, T, function) + units_at(all_, self.n - T, function)
        slope = units_at(all_, T + 1, function) + units_at(all_, self.n - T - 1, function) - bound
        bound = slope * T - bound
        for c in range(self.bracket.C):
            low = self.low[c]
            n = self.classes[c]
            left = units_at(below, low, function) + units_at(below, n - low, function) - slope * low
            if counts[c]:
                low += counts[c]
                right = units_at(below, low, function) + units_at(below, n - low, function) - slope * low
                left = max(left, right)
            bound += left
        return bound

    cdef ScoreCandidate* listed(self, candidates, Memory memory) except NULL:
        cdef ScoreCandidate* array = <ScoreCandidate*> memory.raw(len(candidates), sizeof(ScoreCandidate))
        cdef Py_ssize_t a
        for a, candidate in enumerate(candidates):
            array[a] = no_score()
            if candidate is not None:
                array[a].score, array[a].n_branches, array[a].n_tests, array[a].n_present = candidate
        return array

    def requirements(self, candidates, int64_t n_tests):
        """What the best test of each attribute has to score, one of so many: (score, branches, tests, classes) or None."""
        cdef Memory memory = Memory()
        cdef ScoreCandidate* array = self.listed(candidates, memory)
        require_scores(&self.bracket.stopping.rule, array, <int> len(candidates), self.bracket.C, n_tests)
        return [array[a].required for a in range(len(candidates))]

    def too_costly(self, int64_t n_tests, int fewest):
        """Whether pruning would undo any test, one of so many, with so many branches or more."""
        return bool(is_too_costly(&self.bracket.stopping.rule, self.counts, n_tests, fewest))

    def choose(self, candidates):
        """The attribute to test, of those with these tests, or -1 for a leaf; and how many tests the node keeps."""
        cdef Memory memory = Memory()
        cdef int64_t n_tests = 0
        cdef ScoreCandidate* array = self.listed(candidates, memory)
        attribute = choose_by_score(&self.bracket.stopping.rule, &self.bracket.score.function, array,
                                    <int> len(candidates), self.counts, &n_tests)
        return attribute, n_tests
