"""The best threshold on a continuous attribute at a node, by a score.

Of tests of the same score the first counts, in the order of values. A test needs two branches with cases.
"""

from libc.math cimport INFINITY, floor, lgamma, log2
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport LN2, fast_log2
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch, count_present, has_tables
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Entry, Sorted
from ctree_ext.grow.split_scores cimport (
    BAYES, CHI_SQUARE, N_GAIN, ScoreFunction, Terms, branch_score, branch_units, chi_square_of,
)
from ctree_ext.grow.threshold_range cimport count_known

cdef enum:
    BLOCK = 64         # cases that one bound answers for
    FEW_CLASSES = 32   # with more, bounds cost too much


ctypedef struct Scan:
    # The state of a scan from cut to cut.
    const Entry* order
    const double* values     # of all cases, by row
    Py_ssize_t n             # known cases
    double known             # their weight
    double least             # what each side must have
    double best
    Py_ssize_t place         # of the best cut: behind this case; -1 for none
    Py_ssize_t n_tests
    Py_ssize_t first         # if every case counts one: the cuts to try
    Py_ssize_t last
    bint apart               # no two cases have the same value
    int class_bits           # of the ranks, see `Sorted`
    uint32_t class_mask


cdef inline Py_ssize_t _class_at(const Scan* scan, Py_ssize_t i, const uint16_t* classes) noexcept nogil:
    return scan.order[i].rank & scan.class_mask if scan.class_bits else classes[scan.order[i].row]


cdef inline bint _differ(const Scan* scan, Py_ssize_t i) noexcept nogil:
    # Whether the next case has another value.
    return (scan.order[i].rank ^ scan.order[i + 1].rank) > scan.class_mask


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
            scan.n_tests += _tests_between(search, scan, i)


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
        if here > units.limit and _differ(scan, i) and scan.first <= i < scan.last:
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
    cdef const uint16_t* classes = cases.classes
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


cdef void _scan_chi_square(const ScoreSearch* search, Scan* scan, const Cases* cases,
                           Scratch* scratch) noexcept nogil:
    # The same for chi-square, which is N (L / T + H / (N - T) - 1) with L = sum l² / n over the classes below the cut,
    # H that above it: an approximation, kept up to date, rules cuts out; those that could win are evaluated anew.
    cdef Py_ssize_t i, c, C = cases.n_classes, n = scan.n
    cdef const uint16_t* classes = cases.classes
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
        c = _class_at(scan, i, classes)
        l = counts[c]
        counts[c] = l + 1
        below += (2 * l + 1) * weight[c]
        above -= (2 * (most[c] - l) - 1) * weight[c]
        if below * inverses[i + 1] + above * rest[-i - 1] <= limit or not _differ(scan, i) or i < scan.first:
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


cdef inline Py_ssize_t _tests_between(const ScoreSearch* search, const Scan* scan, Py_ssize_t i) noexcept nogil:
    # How many tests lie between a case and the next. Where thresholds are listed, all of them are tests, though they
    # divide the cases in the same way.
    if search.listed_thresholds:
        return <Py_ssize_t> (scan.values[scan.order[i + 1].row] - scan.values[scan.order[i].row])
    return _differ(scan, i)


cdef inline double _approximate_log_gamma(double x, const double* fast) noexcept nogil:
    # Stirling's series, with the fast logarithm: off by less than 1e-10 of x log x, and 1e-9.
    cdef double inverse, square
    if x < 8:
        return lgamma(x)
    inverse = 1.0 / x
    square = inverse * inverse
    return ((x - 0.5) * LN2 * fast_log2(x, fast) - x + 0.9189385332046728
            + inverse * (1.0 / 12 - square * (1.0 / 360 - square / 1260)))


cdef inline double _part(double x, const ScoreFunction* function, const Terms* terms,
                         const double* fast) noexcept nogil:
    # What a class of this weight adds to a side, approximately.
    if function.kind == N_GAIN:
        return x * fast_log2(x, fast) if x > 1e-30 else 0.0
    if function.kind == BAYES:
        return _approximate_log_gamma(x + terms.alpha, fast) - terms.log_gamma_alpha if x > 0 else 0.0
    return 0.0


cdef inline double _of_both(double low, double high, double T, double rest, const ScoreFunction* function,
                            const double* fast) noexcept nogil:
    # What a cut scores, approximately and before the score of the node is subtracted, given the parts of either side
    # and their weights. There is none for chi-square: where a side has almost no weight, running sums are far off.
    if function.kind == CHI_SQUARE:
        return INFINITY
    if function.kind == BAYES:
        return low + high - (_approximate_log_gamma(T + function.prior_weight, fast)
                             + _approximate_log_gamma(rest + function.prior_weight, fast) - 2 * function.log_gamma_weight)
    low -= T * fast_log2(T, fast) if T > 1e-30 else 0.0
    return low + high - (rest * fast_log2(rest, fast) if rest > 1e-30 else 0.0)


cdef void _scan_parts(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                      Scratch* scratch) noexcept nogil:
    # Fractional weights: an approximate sum rules cuts out, those that could win are evaluated anew.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t i, c, C = cases.n_classes, row
    cdef const Entry* order = scan.order
    cdef const double* classes = scratch.sides
    cdef double* low = scratch.terms
    cdef double* high = scratch.terms + C
    cdef double* low_parts = scratch.counts
    cdef double* high_parts = scratch.counts + C
    cdef double T = 0.0, rest = scan.known, low_sum = 0.0, high_sum = 0.0, base = 0.0
    cdef double w, score, slack, limit = -INFINITY
    if function.kind != CHI_SQUARE:
        base = branch_score(classes, <int> C, node.own, function)
    # the error of sums to which one number per case is added, and that of the fast logarithm
    slack = (4e-9 + 1e-9 * scan.known * (log2(scan.known + 2) + 1)
             + 1e-15 * scan.n * scan.known * (log2(scan.known + 2) + 1))
    limit = scratch.floor - slack
    for c in range(C):
        low[c] = 0.0
        low_parts[c] = 0.0
        high[c] = classes[c]
        high_parts[c] = _part(high[c], function, node.below, search.fast)
        high_sum += high_parts[c]
    for i in range(scan.n - 1):
        row = order[i].row
        c = _class_at(scan, i, cases.classes)
        w = weight_of(node.weights, row)
        low[c] += w
        high[c] = max(high[c] - w, 0.0)
        T += w
        rest = max(rest - w, 0.0)
        low_sum -= low_parts[c]
        high_sum -= high_parts[c]
        low_parts[c] = _part(low[c], function, node.below, search.fast)
        high_parts[c] = _part(high[c], function, node.below, search.fast)
        low_sum += low_parts[c]
        high_sum += high_parts[c]
        if not _differ(scan, i) or T < scan.least * ALMOST or rest < scan.least * ALMOST:
            continue
        if search.counting:
            scan.n_tests += _tests_between(search, scan, i)
        if _of_both(low_sum, high_sum, T, rest, function, search.fast) - base <= limit:
            continue
        if function.kind == CHI_SQUARE:
            score = chi_square_of(low, 2, <int> C, classes)
        else:
            score = (branch_score(low, <int> C, node.below, function)
                     + branch_score(high, <int> C, node.below, function) - base)
        if scan.place < 0 or score > scan.best + function.tie_tolerance:
            scan.place = i
            scan.best = score
            limit = score + function.tie_tolerance - slack


cdef ScoreCandidate best_score_threshold(const ScoreSearch* search, const Cases* cases, const double* values,
                                         const Sorted* column, const NodeView* node, Scratch* scratch) noexcept nogil:
    # The best threshold: halfway between two values of the node, or listed.
    cdef ScoreCandidate best = no_score()
    cdef Scan scan
    cdef Py_ssize_t i, C = cases.n_classes
    scan.order = column.order + node.start
    scan.values = values
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
        return best
    if scan.n == node.n:
        for i in range(C):
            scratch.sides[i] = node.counts[i]
    else:
        memset(scratch.sides, 0, C * sizeof(double))
        for i in range(scan.n):
            scratch.sides[cases.classes[scan.order[i].row]] += weight_of(node.weights, scan.order[i].row)
    for i in range(C):
        scan.known += scratch.sides[i]
    if has_tables(search.function, node):
        _scan_units(search, &scan, cases, node, scratch)
    elif node.weights == NULL and search.function.kind == CHI_SQUARE:
        _scan_chi_square(search, &scan, cases, scratch)
    else:
        _scan_parts(search, &scan, cases, node, scratch)
    if scan.place < 0 and scan.n_tests == 0:
        return best
    # below the floor only the number of tests matters
    best.score = -INFINITY
    if scan.place >= 0:
        best.score = scan.best
        best.low_row = scan.order[scan.place].row
        best.high_row = scan.order[scan.place + 1].row
    best.n_branches = 2
    best.n_present = count_present(scratch.sides, <int> C)
    best.n_tests = scan.n_tests
    return best
