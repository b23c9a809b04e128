"""Approximate scores of many divisions at once, and by them the best threshold where cases count in fractions.

In a sorted column marks are made, at least a few cases apart. How each divides the cases is known from exact sums. The
best of the marks and a bound for the cuts between two of them tell where the best cut may be; there each cut is tried.
"""

from libc.math cimport INFINITY, fabs, log2
from libc.stdint cimport int32_t, int64_t, uint32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.approximation cimport approximate_part, approximate_total
from ctree_ext.grow.score_parts cimport Block, Cut, slack_of, tests_in, try_cuts
from ctree_ext.grow.score_scan cimport Scan
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch, ValueMatrix
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.split_scores cimport BAYES, N_GAIN, ScoreFunction, branch_score

cdef extern from "marks.h" nogil:
    void gain_terms "ctree_gain_terms"(const float* x, Py_ssize_t fours, float* out)
    void gamma_terms "ctree_gamma_terms"(const float* x, Py_ssize_t fours, float alpha, float at_alpha, float* out)
    void gain_slopes "ctree_gain_slopes"(const float* x, Py_ssize_t fours, float* out)
    void gamma_slopes "ctree_gamma_slopes"(const float* x, Py_ssize_t fours, float alpha, float* out)
    void add "ctree_add"(float* to, const float* x, Py_ssize_t fours)
    void subtract "ctree_subtract"(float* to, const float* x, Py_ssize_t fours)
    void add_greater "ctree_add_greater"(float* bound, const float* part, const float* below, const float* slope,
                                         Py_ssize_t fours)
    Py_ssize_t lay_marks "ctree_lay_marks"(const void* order, Py_ssize_t n, const int64_t* lanes, int n_classes,
                                           Py_ssize_t apart, uint32_t class_mask, int32_t* places, int64_t* sums)


cdef bint can_mark(const ScoreFunction* function) noexcept nogil:
    # Whether numbers in 32 bits tell scores apart.
    return function.n_classes <= MARKED_CLASSES and (
        function.kind == N_GAIN or function.kind == BAYES and 1e-3 <= function.prior_weight <= 1e3)


cdef void lay_lanes(const NodeView* node, Py_ssize_t n_classes, double unit, int64_t* lanes) noexcept nogil:
    # Of each case, how many units it counts in each class.
    cdef Py_ssize_t i
    cdef double per_unit = 1.0 / unit
    for i in range(node.n * n_classes):
        lanes[i] = 0
    for i in range(node.n):
        lanes[i * n_classes + node.classes[i]] = <int64_t> (node.weights.long_[i] * per_unit)


cdef void lay_units(const NodeView* node, double unit, int64_t* units) noexcept nogil:
    # The same whatever the class.
    cdef Py_ssize_t i
    cdef double per_unit = 1.0 / unit
    for i in range(node.n):
        units[i] = <int64_t> (node.weights.long_[i] * per_unit)


cdef void begin_divisions(Divisions* divisions, const ScoreSearch* search, const NodeView* node,
                          const double* classes, double known) noexcept nogil:
    # Of cases with these class weights.
    cdef const ScoreFunction* function = search.function
    cdef double S = function.prior_weight, more
    cdef int c
    divisions.n = 0
    divisions.n_classes = function.n_classes
    divisions.base = 0.0
    for c in range(function.n_classes):
        divisions.base += approximate_part(classes[c], function, node.own, search.fast)
    divisions.base -= approximate_total(known, function, search.fast)
    if function.kind == N_GAIN:
        divisions.weight = known
        divisions.slack = 6e-6 * known
    else:
        divisions.weight = 1.0
        more = known + S + 8 * function.n_classes
        divisions.slack = 1e-5 * function.n_classes + 1.5e-6 * more * log2(more + 16)
    divisions.scale = 1.0 / divisions.weight if divisions.weight != 1.0 else 1.0


cdef inline void _terms(const ScoreFunction* function, const float* x, Py_ssize_t fours, double alpha, double at_alpha,
                        float* out) noexcept nogil:
    if function.kind == N_GAIN:
        gain_terms(x, fours, out)
    else:
        gamma_terms(x, fours, <float> alpha, <float> at_alpha, out)


cdef void score_divisions(Divisions* divisions, const ScoreSearch* search, const NodeView* node) noexcept nogil:
    # Of the divisions whose class weights stand in `low` and `high`, and their sums in `below` and `above`.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t k, c, fours = (divisions.n + 3) // 4
    cdef float[MARKS] terms
    for k in range(divisions.n, 4 * fours):
        divisions.below[k] = divisions.below[divisions.n - 1]
        divisions.above[k] = divisions.above[divisions.n - 1]
        for c in range(divisions.n_classes):
            divisions.low[c][k] = divisions.low[c][divisions.n - 1]
            divisions.high[c][k] = divisions.high[c][divisions.n - 1]
    for k in range(4 * fours):
        divisions.scores[k] = 0.0
    for c in range(divisions.n_classes):
        _terms(function, divisions.low[c], fours, node.below.alpha, node.below.log_gamma_alpha, divisions.parts[c])
        _terms(function, divisions.high[c], fours, node.below.alpha, node.below.log_gamma_alpha, terms)
        add(divisions.parts[c], terms, fours)
        add(divisions.scores, divisions.parts[c], fours)
    _terms(function, divisions.below, fours, function.prior_weight, function.log_gamma_weight, terms)
    subtract(divisions.scores, terms, fours)
    _terms(function, divisions.above, fours, function.prior_weight, function.log_gamma_weight, terms)
    subtract(divisions.scores, terms, fours)


cdef double most_of_division(const ScoreSearch* search, const ValueMatrix* matrix, const NodeView* node,
                             Scratch* scratch) noexcept nogil:
    # What a test with a branch for each value scores at most.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t C = function.n_classes, i, k, n = matrix.n_rows * C, filled = 0
    cdef double sum_ = 0.0, more
    cdef float[MARKS] x, terms
    cdef Divisions divisions
    cdef bint sizes
    begin_divisions(&divisions, search, node, scratch.sides, matrix.known)
    for sizes in range(2):
        for i in range(matrix.n_rows if sizes else n):
            more = matrix.sizes[i] if sizes else matrix.counts[i]
            if more > 0:
                x[filled] = <float> (more * divisions.scale)
                filled += 1
            if filled == MARKS or i == (matrix.n_rows if sizes else n) - 1:
                for k in range(filled, MARKS):
                    x[k] = 1.0
                if sizes:
                    _terms(function, x, (filled + 3) // 4, function.prior_weight, function.log_gamma_weight, terms)
                else:
                    _terms(function, x, (filled + 3) // 4, node.below.alpha, node.below.log_gamma_alpha, terms)
                for k in range(filled):
                    sum_ += -terms[k] if sizes else terms[k]
                filled = 0
    if function.kind == BAYES:
        more = matrix.known + (function.prior_weight + 8 * C) * matrix.n_rows
        divisions.slack = 1e-5 * n + 1.5e-6 * more * log2(more + 16)
    scratch.doubt = max(scratch.doubt, 2 * divisions.slack)
    return sum_ * divisions.weight - divisions.base + divisions.slack


cdef void _bound_cuts(const Divisions* divisions, const ScoreSearch* search, float* bounds) noexcept nogil:
    # No cut between a division and the next scores more. See `score_parts` for why.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t k, c, n = divisions.n - 1, fours = (n + 3) // 4
    cdef float[MARKS] below, above, slopes, terms
    for k in range(4 * fours):
        c = min(k, n - 1)
        below[k] = <float> 0.5 * (divisions.below[c] + divisions.below[c + 1])
        above[k] = <float> 0.5 * (divisions.above[c] + divisions.above[c + 1])
    if function.kind == N_GAIN:
        gain_slopes(below, fours, slopes)
        gain_slopes(above, fours, terms)
    else:
        gamma_slopes(below, fours, <float> function.prior_weight, slopes)
        gamma_slopes(above, fours, <float> function.prior_weight, terms)
    subtract(slopes, terms, fours)
    for k in range(4 * fours):
        # and how far the slope may be off
        bounds[k] = slopes[k] * below[k] + <float> 3e-6 * <float> fabs(slopes[k]) * (below[k] + above[k])
    _terms(function, below, fours, function.prior_weight, function.log_gamma_weight, terms)
    subtract(bounds, terms, fours)
    _terms(function, above, fours, function.prior_weight, function.log_gamma_weight, terms)
    subtract(bounds, terms, fours)
    for c in range(divisions.n_classes):
        add_greater(bounds, divisions.parts[c], divisions.low[c], slopes, fours)


ctypedef struct Marks:
    Py_ssize_t n                  # the last one is behind all cases
    int32_t[MARKS] places         # how many cases are below
    int64_t[MARKS * MARKED_CLASSES] sums   # their units, by class
    double[MARKS] below           # their weight
    double best                   # what the best of them scores at least


cdef void _divide_at(const Marks* marks, Divisions* divisions, double unit) noexcept nogil:
    # The divisions at all marks, also before and behind all cases.
    cdef Py_ssize_t k, c, C = divisions.n_classes
    cdef const int64_t* all_ = marks.sums + marks.n * C
    cdef double scale = unit * divisions.scale
    divisions.n = marks.n + 1
    for k in range(divisions.n):
        for c in range(C):
            divisions.low[c][k] = <float> (marks.sums[k * C + c] * scale)
            divisions.high[c][k] = <float> ((all_[c] - marks.sums[k * C + c]) * scale)
        divisions.below[k] = <float> (marks.below[k] * divisions.scale)
        divisions.above[k] = <float> ((marks.below[marks.n] - marks.below[k]) * divisions.scale)


cdef void _begin_cut(const Marks* marks, Py_ssize_t k, Py_ssize_t n_classes, double unit, Cut* cut) noexcept nogil:
    cdef Py_ssize_t c
    cut.T = marks.below[k]
    for c in range(n_classes):
        cut.low[c] = marks.sums[k * n_classes + c] * unit
        cut.parted[c] = -1.0


cdef Py_ssize_t _count_tests(const ScoreSearch* search, const Scan* scan, const Marks* marks,
                             const double* weights) noexcept nogil:
    # How many tests leave enough on either side.
    cdef double least = scan.least * ALMOST, T
    cdef Py_ssize_t first, last, k = 1
    while k < marks.n and marks.below[k] < least:
        k += 1
    T = marks.below[k - 1]
    first = marks.places[k - 1]
    while first < scan.n - 1:
        T += weights[scan.order[first].row]
        if T >= least:
            break
        first += 1
    k = marks.n
    while k > 0 and scan.known - marks.below[k] < least:
        k -= 1
    # cuts after the cases before `last`
    last = marks.places[k]
    T = marks.below[k]
    while last < scan.n - 1:
        T += weights[scan.order[last].row]
        if scan.known - T < least:
            break
        last += 1
    return tests_in(search, scan, first, last) if last > first else 0


cdef void _mark(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node, Scratch* scratch,
                Marks* marks, Divisions* divisions, float* bounds) noexcept nogil:
    # Marks in a column, their scores, and bounds for the cuts between them.
    cdef Py_ssize_t k, c, C = cases.n_classes
    cdef Py_ssize_t apart = 8 if scan.n <= 512 else 16 if scan.n <= 2048 else 32 if scan.n <= 4096 else 64
    cdef double least = scan.least * ALMOST
    marks.n = lay_marks(scan.order, scan.n, node.lanes, <int> C, apart, scan.class_mask, marks.places, marks.sums)
    for k in range(marks.n + 1):
        marks.below[k] = 0.0
        for c in range(C):
            marks.below[k] += marks.sums[k * C + c] * cases.unit
    begin_divisions(divisions, search, node, scratch.sides, scan.known)
    _divide_at(marks, divisions, cases.unit)
    score_divisions(divisions, search, node)
    _bound_cuts(divisions, search, bounds)
    marks.best = -INFINITY
    for k in range(1, marks.n):
        if marks.below[k] >= least and scan.known - marks.below[k] >= least:
            marks.best = max(marks.best, divisions.scores[k] * divisions.weight - divisions.base - divisions.slack)


cdef MarkSurvey survey_marks(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                             Scratch* scratch) noexcept nogil:
    # What the best cut scores at least and at most.
    cdef Py_ssize_t k
    cdef double least = scan.least * ALMOST, most = -INFINITY
    cdef Divisions divisions
    cdef Marks marks
    cdef float[MARKS] bounds
    cdef MarkSurvey survey
    _mark(search, scan, cases, node, scratch, &marks, &divisions, bounds)
    for k in range(marks.n):
        if marks.below[k + 1] >= least and scan.known - marks.below[k] >= least:
            most = max(most, <double> bounds[k])
    survey.least = marks.best
    survey.most = most * divisions.weight - divisions.base + divisions.slack
    survey.n_tests = _count_tests(search, scan, &marks, node.weights.long_) if search.counting else 0
    return survey


cdef void scan_marks(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil:
    cdef Py_ssize_t k, C = cases.n_classes, end
    cdef double least = scan.least * ALMOST, limit
    cdef bint exact = False
    cdef ScoreSearch quiet = search[0]
    cdef Divisions divisions
    cdef Marks marks
    cdef float[MARKS] bounds
    cdef Cut cut
    cdef Block block
    _mark(search, scan, cases, node, scratch, &marks, &divisions, bounds)
    if search.counting:
        scan.n_tests = _count_tests(search, scan, &marks, node.weights.long_)
    quiet.counting = False
    block.classes = scratch.sides
    block.weights = node.weights.long_
    block.slack = slack_of(scan, C)
    # marks are cuts, too: what is clearly worse than the best of them cannot win
    block.limit = max(scratch.floor, marks.best - 4 * search.function.tie_tolerance) - block.slack
    for k in range(marks.n):
        if marks.below[k + 1] < least:
            continue
        if scan.known - marks.below[k] < least:
            break
        limit = (block.limit - divisions.slack + divisions.base) / divisions.weight
        if bounds[k] <= limit:
            continue
        end = marks.places[k + 1]
        if (scan.order[marks.places[k]].rank ^ scan.order[end - 1].rank) <= scan.class_mask and (
                k + 1 == marks.n or divisions.scores[k + 1] <= limit):
            continue  # all have the same value
        if not exact:
            exact = True
            block.base = branch_score(scratch.sides, <int> C, node.own, search.function)
        _begin_cut(&marks, k, C, cases.unit, &cut)
        try_cuts(&quiet, scan, &block, cases, node, marks.places[k], min(end, scan.n - 1), &cut, scratch)
