"""The best threshold on a continuous attribute at a node, by a score.

Of tests of the same score the first counts, in the order of values. A test needs two branches with cases.
"""

from libc.math cimport INFINITY, floor
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.score_fine cimport survey_fine
from ctree_ext.grow.score_marks cimport MarkSurvey, survey_marks
from ctree_ext.grow.score_parts cimport scan_parts
from ctree_ext.grow.score_scan cimport FEW_CLASSES, Scan, class_at, differ, row_at, tests_between
from ctree_ext.grow.score_search cimport ScoreSearch, count_present, has_tables
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Entry, Sorted
from ctree_ext.grow.split_scores cimport CHI_SQUARE, branch_units
from ctree_ext.grow.threshold_range cimport count_known

cdef enum:
    BLOCK = 64         # cases that one bound answers for


cdef void _range_of_integers(Scan* scan) noexcept nogil:
    # Where every case counts one: cuts after case `first` up to before case `last` leave enough on either side.
    scan.first = 0
    while scan.first + 1 < scan.least:
        scan.first += 1
    scan.last = scan.n - 1
    while scan.last > scan.first and scan.n - scan.last < scan.least:
        scan.last -= 1


cdef void _count_tests(const ScoreSearch* search, Scan* scan) noexcept nogil:
    cdef Py_ssize_t i
    if search.counting and scan.apart and not search.listed_thresholds:
        scan.n_tests = scan.last - scan.first
    elif search.counting:
        for i in range(scan.first, scan.last):
            scan.n_tests += tests_between(search, scan, i)


ctypedef struct Units:
    # Sums in units as a scan follows them.
    const int64_t* steps
    const int64_t* totals
    const int64_t* rest      # the end of those of all known cases
    int64_t both             # what the classes add on both sides
    int64_t limit            # a sum that is no greater cannot win
    int64_t best


cdef inline void _try_cuts(const ScoreSearch* search, Scan* scan, Units* units, const uint16_t* classes,
                           Py_ssize_t start, Py_ssize_t end, int32_t* low, const int32_t* most) noexcept nogil:
    # Try the cuts after case `start` up to before case `end`, whose classes are given; `most` is one less than the
    # count of each class.
    cdef Py_ssize_t i, c
    cdef int64_t both = units.both, here
    cdef int32_t l
    for i in range(start, end):
        c = classes[i - start]
        l = low[c]
        low[c] = l + 1
        both += units.steps[l] - units.steps[most[c] - l]
        here = both - units.totals[i + 1] - units.rest[-i - 1]
        if here > units.limit and differ(scan, i) and scan.first <= i < scan.last:
            scan.place = i
            units.best = here
            units.limit = here + search.function.tie_units
    units.both = both


cdef inline int64_t _block_bound(const Units* units, const int64_t* terms, Py_ssize_t start, Py_ssize_t end,
                                 const int32_t* low, const int32_t* low_end, const int32_t* most,
                                 Py_ssize_t n_classes, int64_t* both_end) noexcept nogil:
    # No cut between two others can score more, given the class counts below either; also what the classes add at
    # the second. With T cases below a cut, l of a class, it scores sum h(l) - G(T), both convex. G lies above its
    # tangent in the middle, of slope s; what is left, h(l) - s l per class, is greatest at one of the two ends.
    cdef Py_ssize_t c, T = (start + end) // 2
    cdef int64_t slope, bound, left, right, at_end = 0
    slope = (units.totals[T + 1] - units.totals[T]) - (units.rest[-T] - units.rest[-T - 1])
    bound = slope * T - units.totals[T] - units.rest[-T]
    for c in range(n_classes):
        left = terms[low[c]] + terms[most[c] + 1 - low[c]]
        right = terms[low_end[c]] + terms[most[c] + 1 - low_end[c]]
        at_end += right
        left -= slope * low[c]
        right -= slope * low_end[c]
        bound += left if left > right else right
    both_end[0] = at_end
    return bound


cdef inline void _count_block(const uint16_t* block, int32_t* counts, Py_ssize_t n_classes) noexcept nogil:
    # Count the classes of a full block, alternating between four sets of counts: an addition does not have to wait for
    # the one before, which is usually of the same class.
    cdef int32_t[FEW_CLASSES] second, third, fourth
    cdef Py_ssize_t i, c
    for c in range(n_classes):
        second[c] = 0
        third[c] = 0
        fourth[c] = 0
    for i in range(0, BLOCK, 4):
        counts[block[i]] += 1
        second[block[i + 1]] += 1
        third[block[i + 2]] += 1
        fourth[block[i + 3]] += 1
    for c in range(n_classes):
        counts[c] += second[c] + third[c] + fourth[c]


cdef void _scan_units(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                      Scratch* scratch) noexcept nogil:
    # Every case counts one: a sum of integers from the tables, one class changing at a time. If there are many cases,
    # only blocks in which a cut could win are scanned.
    cdef Py_ssize_t i, c, C = cases.n_classes, start = 0, end
    cdef bint bounded = scan.n >= 3 * BLOCK and C <= FEW_CLASSES
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = node.classes
    cdef int32_t* low = scratch.integers
    cdef int32_t* most = scratch.integers + C
    cdef int32_t[FEW_CLASSES] low_end
    cdef uint16_t[BLOCK] block
    cdef int64_t base, both_end = 0
    cdef Units units
    units.steps = node.below.steps
    units.totals = search.function.totals
    units.rest = units.totals + scan.n
    units.both = 0
    base = branch_units(scratch.sides, <int> C, node.own, search.function)
    units.limit = -0x4000000000000000LL
    if scratch.floor > -INFINITY:
        units.limit = base + <int64_t> floor(scratch.floor / search.function.unit) - 1
    for c in range(C):
        low[c] = 0
        most[c] = <int32_t> scratch.sides[c] - 1
        units.both += node.below.table[most[c] + 1]
    _range_of_integers(scan)
    while start < scan.last:
        end = min(start + BLOCK, scan.n)
        if scan.class_bits:
            for i in range(start, end):
                block[i - start] = <uint16_t> (order[i].rank & scan.class_mask)
        else:
            for i in range(start, end):
                block[i - start] = classes[order[i].row]
        if bounded and end < scan.n:
            for c in range(C):
                low_end[c] = low[c]
            _count_block(block, low_end, C)
            if _block_bound(&units, node.below.table, start, end, low, low_end, most, C, &both_end) <= units.limit:
                units.both = both_end
                for c in range(C):
                    low[c] = low_end[c]
                start = end
                continue
        _try_cuts(search, scan, &units, block, start, min(end, scan.last), low, most)
        start = end
    if scan.place >= 0:
        scan.best = (units.best - base) * search.function.unit
    _count_tests(search, scan)


cdef void _scan_chi_square(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                           Scratch* scratch) noexcept nogil:
    # The same for chi-square, which is N (L / T + H / (N - T) - 1) with L = sum l² / n over the classes below the cut,
    # H that above it: an approximation, kept up to date, rules cuts out; those that could win are evaluated anew.
    cdef Py_ssize_t i, c, C = cases.n_classes, n = scan.n
    cdef const uint16_t* classes = node.classes
    cdef const double* inverses = search.function.inverses
    cdef const double* rest = search.function.inverses + n
    cdef int32_t* counts = scratch.integers
    cdef int32_t* most = scratch.integers + C
    cdef double* weight = scratch.counts
    cdef int32_t l
    cdef double below, above, low, high, score, limit = -INFINITY
    # both start with more than rounding once or twice per case can take away, so that no cut is wrongly ruled out
    below = 4e-16 * n * n
    above = below
    if scratch.floor > -INFINITY:
        limit = 1 + scratch.floor / n
    for c in range(C):
        counts[c] = 0
        most[c] = <int32_t> scratch.sides[c]
        weight[c] = inverses[most[c]]
        above += most[c]
    _range_of_integers(scan)
    for i in range(scan.last):
        c = class_at(scan, i, classes)
        l = counts[c]
        counts[c] = l + 1
        below += (2 * l + 1) * weight[c]
        above -= (2 * (most[c] - l) - 1) * weight[c]
        if below * inverses[i + 1] + above * rest[-i - 1] <= limit or not differ(scan, i) or i < scan.first:
            continue
        low = 0.0
        high = 0.0
        for c in range(C):
            low += <double> counts[c] * counts[c] * weight[c]
            high += <double> (most[c] - counts[c]) * (most[c] - counts[c]) * weight[c]
        score = n * (low * inverses[i + 1] + high * rest[-i - 1] - 1)
        if scan.place < 0 or score > scan.best + search.function.tie_tolerance:
            scan.place = i
            scan.best = score
            limit = 1 + score / n
    _count_tests(search, scan)


cdef bint begin_scan(const ScoreSearch* search, const Cases* cases, const double* values, const Sorted* column,
                     const NodeView* node, Scratch* scratch, Scan* scan) noexcept nogil:
    # Whether there are two values; if so, the class weights of the cases of known value are in `scratch.sides`.
    cdef Py_ssize_t i, C = cases.n_classes
    scan.order = column.order + node.start
    scan.values = values
    scan.row_of = node.row_of
    scan.n = count_known(column, node)
    scan.least = search.min_cases
    scan.place = -1
    scan.best = 0.0
    scan.n_tests = 0
    scan.known = 0.0
    scan.apart = column.apart
    scan.class_bits = column.class_bits
    scan.class_mask = (<uint32_t> 1 << column.class_bits) - 1
    if scan.n < 2 or (scan.order[0].rank ^ scan.order[scan.n - 1].rank) <= scan.class_mask:
        return False
    if scan.n == node.n:
        for i in range(C):
            scratch.sides[i] = node.counts[i]
    elif cases.unit > 0 or node.weights == NULL:
        # sums are exact, and the unknown are fewer
        for i in range(C):
            scratch.sides[i] = node.counts[i]
        for i in range(scan.n, node.n):
            scratch.sides[node.classes[scan.order[i].row]] -= weight_of(node.weights, scan.order[i].row)
    else:
        memset(scratch.sides, 0, C * sizeof(double))
        for i in range(scan.n):
            scratch.sides[node.classes[scan.order[i].row]] += weight_of(node.weights, scan.order[i].row)
    for i in range(C):
        scan.known += scratch.sides[i]
    return True


cdef ScoreCandidate survey_threshold(const ScoreSearch* search, const Cases* cases, const double* values,
                                     const Sorted* column, const NodeView* node, Scratch* scratch) noexcept nogil:
    # What the best threshold scores at most, and, as what it has to reach, what it scores at least.
    cdef ScoreCandidate best = no_score()
    cdef Scan scan
    cdef MarkSurvey survey
    if not begin_scan(search, cases, values, column, node, scratch, &scan):
        return best
    if node.units != NULL:
        survey = survey_fine(search, &scan, cases, node, scratch)
    else:
        survey = survey_marks(search, &scan, cases, node, scratch)
    if survey.most == -INFINITY:
        return best
    best.score = survey.most
    best.required = survey.least
    best.n_branches = 2
    best.n_present = count_present(scratch.sides, cases.n_classes)
    best.n_tests = survey.n_tests
    return best


cdef ScoreCandidate best_score_threshold(const ScoreSearch* search, const Cases* cases, const double* values,
                                         const Sorted* column, const NodeView* node, Scratch* scratch) noexcept nogil:
    # The best threshold: halfway between two values of the node, or listed.
    cdef ScoreCandidate best = no_score()
    cdef Scan scan
    if not begin_scan(search, cases, values, column, node, scratch, &scan):
        return best
    if has_tables(search.function, node):
        _scan_units(search, &scan, cases, node, scratch)
    elif node.weights == NULL and search.function.kind == CHI_SQUARE:
        _scan_chi_square(search, &scan, cases, node, scratch)
    else:
        scan_parts(search, &scan, cases, node, scratch)
    if scan.place < 0 and scan.n_tests == 0:
        return best
    # below the floor only the number of tests matters
    best.score = -INFINITY
    if scan.place >= 0:
        best.score = scan.best
        best.low_row = row_at(&scan, scan.place)
        best.high_row = row_at(&scan, scan.place + 1)
        best.n_below = scan.place + 1
    best.n_branches = 2
    best.n_present = count_present(scratch.sides, cases.n_classes)
    best.n_tests = scan.n_tests
    return best
