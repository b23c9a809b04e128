"""The best threshold by gain at a node of few cases that count in fractions.

Every cut gets a score in whole numbers, from a table of x log2 x whose steps are fine enough to rule most cuts out. As
only one class changes from a cut to the next, that takes less than bounds do for so few cases.
"""

from libc.math cimport INFINITY, floor, llround, log2
from libc.stdint cimport int32_t, int64_t, uint32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport fast_log2
from ctree_ext.grow.approximation cimport approximate_part, approximate_score
from ctree_ext.grow.score_marks cimport MarkSurvey
from ctree_ext.grow.score_parts cimport slack_of, tests_in
from ctree_ext.grow.score_scan cimport Scan, class_at
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.split_scores cimport branch_score

cdef extern from "fine_table.h" nogil:
    enum:
        FINE_STEPS "CTREE_FINE_STEPS"
        FINE_CLASSES "CTREE_FINE_CLASSES"
    ctypedef struct FineScan "ctree_fine_scan":
        const int32_t* table
        const void* order
        Py_ssize_t n
        const int64_t* units
        int64_t least
        int64_t known
        int64_t* classes
        uint32_t class_mask
        int shift
        Py_ssize_t first
        Py_ssize_t end
    int32_t fine_scores "ctree_fine_scores"(FineScan* scan, int n_classes, int32_t* scores)

cdef enum:
    ONE = 67108864       # of the table, 2 ** 26
    NO_SCORE = -2147483648
    HELD = 64            # cuts that are put aside


cdef Py_ssize_t fine_table_size() noexcept nogil:
    return FINE_STEPS + 2


cdef int fill_fine_table(int32_t* table) except -1:
    cdef Py_ssize_t k
    table[0] = 0
    for k in range(1, FINE_STEPS + 2):
        table[k] = <int32_t> llround(k * log2(<double> k / FINE_STEPS) / FINE_STEPS * ONE)
    return 0


ctypedef struct Fine:
    FineScan scan
    double scale             # from scores of the table to bits
    double base              # the score of the node, approximately
    double slack             # how far a score may be off


cdef int32_t _score_all(const ScoreSearch* search, const Scan* scan, const Cases* cases, const NodeView* node,
                        Scratch* scratch, Fine* fine) noexcept nogil:
    # All cuts; the greatest score.
    cdef double per_unit = 1.0 / cases.unit, least = scan.least * ALMOST * per_unit, x
    cdef Py_ssize_t c, C = cases.n_classes
    cdef int64_t one
    fine.scan.table = scratch.fine_table
    fine.scan.order = scan.order
    fine.scan.n = scan.n
    fine.scan.units = node.units
    fine.scan.least = <int64_t> least
    if fine.scan.least < least:
        fine.scan.least += 1
    fine.scan.known = <int64_t> (scan.known * per_unit)
    fine.scan.class_mask = scan.class_mask
    # the least power of two that all cases are not more than is 1 in the table
    fine.scan.shift = 1
    one = 2 * FINE_STEPS
    while one < fine.scan.known:
        one *= 2
        fine.scan.shift += 1
    fine.scale = one * cases.unit / ONE
    # each of the terms is off by half a step, whose slope is no more than that at the first one
    fine.slack = one * cases.unit * (2 * C + 2) * (15.5 / FINE_STEPS / 2)
    fine.base = 0.0
    for c in range(C):
        x = scratch.sides[c]
        fine.scan.classes[c] = <int64_t> (x * per_unit)
        fine.base += x * fast_log2(x, search.fast) if x > 1e-30 else 0.0
    fine.base -= scan.known * fast_log2(scan.known, search.fast)
    return fine_scores(&fine.scan, <int> C, scratch.fine_scores)


cdef MarkSurvey survey_fine(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                            Scratch* scratch) noexcept nogil:
    # What the best cut scores at least and at most.
    cdef Fine fine
    cdef int32_t best = _score_all(search, scan, cases, node, scratch, &fine)
    cdef MarkSurvey survey
    survey.least = -INFINITY
    survey.most = -INFINITY
    survey.n_tests = 0
    if best > NO_SCORE:
        survey.least = best * fine.scale - fine.base - fine.slack
        survey.most = best * fine.scale - fine.base + fine.slack
        if search.counting:
            survey.n_tests = tests_in(search, scan, fine.scan.first, fine.scan.end)
    return survey


cdef void scan_fine(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                    Scratch* scratch) noexcept nogil:
    cdef Py_ssize_t i, c, C = cases.n_classes, at = 0, held = 0
    cdef double[FINE_CLASSES] low
    cdef double[HELD] approximate
    cdef Py_ssize_t[HELD] places
    cdef double[HELD * FINE_CLASSES] lows
    cdef double limit, best_held = -INFINITY, base = 0.0, slack = slack_of(scan, cases.n_classes)
    cdef double tie_tolerance = search.function.tie_tolerance
    cdef Fine fine
    cdef int32_t best = _score_all(search, scan, cases, node, scratch, &fine)
    if best == NO_SCORE:
        return
    if search.counting:
        scan.n_tests = tests_in(search, scan, fine.scan.first, fine.scan.end)
    # what is clearly worse than the best, or than the floor, cannot win
    limit = max(scratch.floor, best * fine.scale - fine.base - fine.slack - 4 * tie_tolerance) - fine.slack
    limit = floor((limit + fine.base) / fine.scale)
    if limit >= best:
        return
    for c in range(C):
        low[c] = 0.0
    for i in range(fine.scan.first, fine.scan.end):
        if scratch.fine_scores[i] <= limit:
            continue
        while at <= i:
            low[class_at(scan, at, node.classes)] += node.weights.long_[scan.order[at].row]
            at += 1
        if held == HELD:
            # so many are almost the same that approximations do not help
            _choose_held(search, scan, node, scratch, -INFINITY, held, places, approximate, lows, &base)
            held = 0
        places[held] = i
        approximate[held] = _approximate(search, scan, scratch.sides, low, C) - fine.base
        best_held = max(best_held, approximate[held])
        for c in range(C):
            lows[held * C + c] = low[c]
        held += 1
    _choose_held(search, scan, node, scratch, max(best_held - 4 * tie_tolerance - slack, scratch.floor) - slack, held,
                 places, approximate, lows, &base)


cdef double _approximate(const ScoreSearch* search, const Scan* scan, const double* classes, const double* low,
                         Py_ssize_t n_classes) noexcept nogil:
    # What a cut scores, before the score of the node is taken away.
    cdef double T = 0.0, sum_ = 0.0
    cdef Py_ssize_t c
    for c in range(n_classes):
        T += low[c]
        sum_ += approximate_part(low[c], search.function, NULL, search.fast)
        sum_ += approximate_part(classes[c] - low[c], search.function, NULL, search.fast)
    return approximate_score(sum_, 0.0, T, scan.known - T, search.function, search.fast)


cdef void _choose_held(const ScoreSearch* search, Scan* scan, const NodeView* node, Scratch* scratch, double limit,
                       Py_ssize_t held, const Py_ssize_t* places, const double* approximate, double* lows,
                       double* base) noexcept nogil:
    # The best of the cuts put aside, in their order.
    cdef Py_ssize_t k, c, C = search.function.n_classes
    cdef double* high = scratch.terms
    cdef double score
    for k in range(held):
        if approximate[k] <= limit:
            continue
        if base[0] == 0.0:
            base[0] = branch_score(scratch.sides, <int> C, node.own, search.function)
        for c in range(C):
            high[c] = scratch.sides[c] - lows[k * C + c]
        score = (branch_score(lows + k * C, <int> C, node.below, search.function)
                 + branch_score(high, <int> C, node.below, search.function) - base[0])
        if scan.place < 0 or score > scan.best + search.function.tie_tolerance:
            scan.place = places[k]
            scan.best = score
