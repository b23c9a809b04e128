"""The best test of one attribute at one node: a branch per value, or a threshold."""

from libc.math cimport log
from libc.stdint cimport int32_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctree_ext.cases cimport Cases
from ctree_ext.counts cimport Cell, count_values
from ctree_ext.criteria cimport discrete_base_info, gain, split_info, threshold_base_info
from ctree_ext.numeric cimport LN2, NO_GAIN, Logs, fast_log2, rounded
from ctree_ext.sorting cimport UNKNOWN_RANK, Entry, Sorted, is_gap
from ctree_ext.weights cimport weight_of


cdef int scratch_init(Scratch* scratch, int most_values, int n_classes) noexcept nogil:
    memset(scratch, 0, sizeof(Scratch))
    scratch.counts = <double*> malloc((most_values + 2) * n_classes * sizeof(double))
    scratch.cells = <Cell*> malloc((most_values + 2) * n_classes * sizeof(Cell))
    scratch.branch = <double*> malloc((most_values + 2) * sizeof(double))
    scratch.sides = <double*> malloc(2 * n_classes * sizeof(double))
    scratch.whole = <int32_t*> malloc(2 * n_classes * sizeof(int32_t))
    scratch.parts = <float*> malloc(2 * n_classes * sizeof(float))
    scratch.block = <int32_t*> malloc((most_values + 2) * sizeof(int32_t))
    if (scratch.counts == NULL or scratch.cells == NULL or scratch.branch == NULL or scratch.sides == NULL
            or scratch.whole == NULL or scratch.parts == NULL or scratch.block == NULL):
        scratch_free(scratch)
        return -1
    return 0


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    free(scratch.counts)
    free(scratch.cells)
    free(scratch.branch)
    free(scratch.sides)
    free(scratch.whole)
    free(scratch.parts)
    free(scratch.block)
    memset(scratch, 0, sizeof(Scratch))


cdef Scored no_test() noexcept nogil:
    cdef Scored scored
    scored.gain = NO_GAIN
    scored.info = 0.0
    scored.below = 0
    scored.above = 0
    scored.n_groups = 0
    return scored


cdef Scored best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases, const Logs* logs,
                        Scratch* scratch) noexcept nogil:
    # One branch per value.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes, v, c
    cdef double known, unknown = 0.0, base
    cdef double* counts = scratch.counts
    cdef double* branch = scratch.branch
    cdef Scored scored = no_test()
    count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], n_values,
                 cases.classes, node.weights, C, scratch.cells, counts)
    for c in range(C):
        unknown = rounded(unknown + counts[c], cases.single)
    counts += C
    for v in range(n_values):
        branch[v] = 0.0
        for c in range(C):
            branch[v] = rounded(branch[v] + counts[v * C + c], cases.single)
    known = rounded(node.cases - unknown, cases.single)
    if known <= 0:
        return scored
    base = discrete_base_info(counts, n_values, C, known, logs)
    scored.gain = gain(counts, branch, n_values, C, known, rounded(unknown / node.cases, cases.single), base,
                       min_cases, logs)
    scored.info = split_info(branch, n_values, unknown, node.cases, logs)
    return scored


cdef enum:
    RENEWAL = 32  # see _scan_weighted


ctypedef struct Scan:
    # What a scan for the best threshold carries along.
    const Entry* order
    Py_ssize_t n_known
    double known
    double max_weight
    double slack         # how much further a followed information may be off
    double unknown_rate
    double base
    double min_split
    double tolerance     # how far the quick gain may be from the one that counts
    double total
    Py_ssize_t tries
    int bits
    double least_cost    # of the cuts tried so far
    double best_gain
    double best_low
    Scored scored


cdef inline double _info_limit(const Scan* scan) noexcept nogil:
    # A cut whose information after the split (times the known weight) exceeds this cannot beat the best so far, or
    # does not even gain what the cuts tried until now will cost.
    return scan.known * (scan.base - (max(scan.best_gain, scan.least_cost) - scan.tolerance)
                         / (1.0 - scan.unknown_rate))


cdef inline bint _one_more_try(Scan* scan) noexcept nogil:
    # At every doubling of the number of tries the cost has one more bit.
    scan.tries += 1
    if scan.tries & (scan.tries - 1):
        return False
    scan.least_cost = scan.bits / scan.total
    scan.bits += 1
    return True


cdef void _weigh_cut(Scan* scan, double low, uint32_t below, uint32_t above, int n_classes, double min_cases,
                     const Logs* logs, Scratch* scratch) noexcept nogil:
    # The gain that counts, with release 8's rounding, of the cut between the two sides in `scratch`.
    cdef double[2] branch
    cdef double g
    branch[0] = low
    branch[1] = rounded(scan.known - low, logs.single)
    g = gain(scratch.sides, branch, 2, n_classes, scan.known, scan.unknown_rate, scan.base, min_cases, logs)
    if g > scan.best_gain:
        scan.best_gain = g
        scan.best_low = low
        scan.scored.below = below
        scan.scored.above = above


cdef void _scan_whole(Scan* scan, const Cases* cases, const Sorted* column, double min_cases, const Logs* logs,
                      Scratch* scratch) noexcept nogil:
    # Every case counts one: whole counts, table look-ups, one class changing at a time. The sum of n log n over both
    # sides is kept up to date for one or two nanoseconds a case; only the few cuts that could still win are weighed in
    # release 8's own arithmetic.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, n = scan.n_known
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = cases.classes
    cdef const double* whole = logs.whole
    cdef int32_t* low = scratch.whole
    cdef int32_t* high = scratch.whole + n_classes
    cdef double both = 0.0, limit
    cdef Py_ssize_t last = n - 1
    for c in range(n_classes):
        low[c] = 0
        high[c] = <int32_t> scratch.sides[n_classes + c]
        both += whole[high[c]]
    limit = _info_limit(scan)
    for i in range(last):
        c = classes[order[i].row]
        both += (whole[low[c] + 1] - whole[low[c]]) - (whole[high[c]] - whole[high[c] - 1])
        low[c] += 1
        high[c] -= 1
        if order[i].rank == order[i + 1].rank or i + 1 < scan.min_split:
            continue
        if i + 1 > scan.known - scan.min_split:
            break
        if not is_gap(column, order[i].rank, order[i + 1].rank):
            continue
        if _one_more_try(scan):
            limit = _info_limit(scan)
        if whole[i + 1] + whole[n - i - 1] - both < limit:
            for c in range(n_classes):
                scratch.sides[c] = low[c]
                scratch.sides[n_classes + c] = high[c]
            _weigh_cut(scan, i + 1, order[i].rank, order[i + 1].rank, n_classes, min_cases, logs, scratch)
            limit = _info_limit(scan)


cdef inline double _quick_x_log_x(double x, const Logs* logs) noexcept nogil:
    return x * fast_log2(x, logs.fast) if x > 1e-30 else 0.0


ctypedef fused real_t:
    float
    double


cdef double _quick_info(const Scan* scan, const real_t* low, Py_ssize_t n_classes, double low_weight,
                        const Logs* logs) noexcept nogil:
    # The information after the cut, times the known weight.
    cdef Py_ssize_t c
    cdef double info = _quick_x_log_x(low_weight, logs) + _quick_x_log_x(scan.known - low_weight, logs)
    for c in range(2 * n_classes):
        info -= _quick_x_log_x(low[c], logs)
    return info


cdef void _scan_weighted(Scan* scan, const Cases* cases, const Sorted* column, const real_t* weights, double min_cases,
                         const Logs* logs, real_t* low, Scratch* scratch) noexcept nogil:
    # Cases in fractions. Sums of floats are kept in floats. A case of weight w that crosses the cut changes the
    # information by w log2 of a ratio of the four sums it changes, taken half-way; this is reckoned anew every
    # RENEWAL cases and wherever a sum is so small that half-way is not good enough.
    cdef Py_ssize_t i, c, renew = 0, n_classes = cases.n_classes
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = cases.classes
    cdef real_t* high = low + n_classes
    cdef real_t low_weight = 0.0, w
    cdef double info = 0.0, limit, half, ratio, least = 8 * scan.max_weight
    cdef double most_low = rounded(scan.known - scan.min_split, logs.single)
    cdef bint fresh
    for c in range(n_classes):
        low[c] = 0.0
        high[c] = <real_t> scratch.sides[n_classes + c]
    limit = _info_limit(scan)
    for i in range(scan.n_known - 1):
        c = classes[order[i].row]
        w = weights[order[i].row]
        half = 0.5 * w
        fresh = renew > 0 and low[c] >= least and high[c] >= least and low_weight >= least and (
            scan.known - low_weight >= least)
        if fresh:
            ratio = ((low_weight + half) * (high[c] - half)) / ((scan.known - low_weight - half) * (low[c] + half))
            info += w * fast_log2(ratio, logs.fast)
            renew -= 1
        else:
            renew = 0
        low[c] += w
        high[c] -= w
        low_weight += w
        if low_weight < scan.min_split or order[i].rank == order[i + 1].rank:
            continue
        if low_weight > most_low:
            break
        if not is_gap(column, order[i].rank, order[i + 1].rank):
            continue
        if _one_more_try(scan):
            limit = _info_limit(scan)
        if not fresh:
            info = _quick_info(scan, low, n_classes, low_weight, logs)
            renew = RENEWAL
        if info < (limit + scan.slack if fresh else limit):
            for c in range(2 * n_classes):
                scratch.sides[c] = low[c]
            _weigh_cut(scan, low_weight, order[i].rank, order[i + 1].rank, <int> n_classes, min_cases, logs, scratch)
            limit = _info_limit(scan)


cdef Py_ssize_t count_known(const Sorted* column, const NodeView* node) noexcept nogil:
    # Unknown values stand last.
    cdef const Entry* order = column.order + node.start
    cdef Py_ssize_t low = 0, high = node.n, middle
    while low < high:
        middle = (low + high) // 2
        if order[middle].rank == UNKNOWN_RANK:
            high = middle
        else:
            low = middle + 1
    return low


cdef void _count_known_classes(const Scan* scan, const Cases* cases, const NodeView* node, double* counts) noexcept nogil:
    cdef Py_ssize_t i, row
    cdef int c
    if node.weights == NULL and scan.n_known == node.n:
        for c in range(cases.n_classes):
            counts[c] = node.counts[c]
        return
    memset(counts, 0, cases.n_classes * sizeof(double))
    for i in range(scan.n_known):
        row = scan.order[i].row
        c = cases.classes[row]
        counts[c] = rounded(counts[c] + weight_of(node.weights, row), cases.single)


cdef Scored best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                           double min_cases, const Logs* logs, Scratch* scratch) noexcept nogil:
    # The cut of greatest gain, less the cost of naming it among all cuts tried.
    cdef int C = cases.n_classes
    cdef Scan scan
    cdef double cost
    cdef double[2] branch
    scan.scored = no_test()
    scan.order = column.order + node.start
    scan.n_known = count_known(column, node)
    scan.known = rounded(totals.total - totals.unknown, cases.single)
    if scan.n_known < 2 or scan.known <= 0 or scan.known < 2 * min_cases:
        return scan.scored
    _count_known_classes(&scan, cases, node, scratch.sides + C)
    scan.min_split = rounded(0.10 * scan.known / C, cases.single)
    if scan.min_split <= min_cases:
        scan.min_split = min_cases
    elif scan.min_split > 25:
        scan.min_split = 25
    scan.unknown_rate = rounded(1.0 - rounded(scan.known / totals.total, cases.single), cases.single)
    if scan.unknown_rate >= 1:
        return scan.scored
    scan.base = threshold_base_info(scratch.sides + C, C, scan.known, logs)
    scan.total = totals.total
    scan.tries = 0
    scan.bits = 0
    scan.least_cost = 0.0
    scan.best_gain = 0.0  # a gain must exceed its cost, which is never negative
    scan.best_low = -1.0
    # Each figure of the exact gain is rounded a few times per class, by at most 2^-24 of K log2 K, or 2^-53 in double;
    # so are the four sums that a quick one follows until it is renewed, and half-way is not quite the mean.
    scan.tolerance = 1e-8 + (4 * C + 24) * (6e-8 if cases.single else 2.3e-16) * max(
        fast_log2(scan.known, logs.fast) + 3, 1.0)
    if node.weights != NULL:
        scan.max_weight = node.max_weight
        scan.slack = 0.01 * (2 * C + 2) * scan.max_weight + scan.known * 4 * RENEWAL * (
            6e-8 if cases.single else 2.3e-16) * max(fast_log2(scan.known, logs.fast) + 3, 1.0)
    if node.weights == NULL:
        _scan_whole(&scan, cases, column, min_cases, logs, scratch)
    else:
        if node.weights.short_ != NULL:
            _scan_weighted(&scan, cases, column, node.weights.short_, min_cases, logs, scratch.parts, scratch)
        else:
            _scan_weighted(&scan, cases, column, node.weights.long_, min_cases, logs, scratch.sides, scratch)
    if scan.best_low < 0:
        return scan.scored
    cost = rounded(log(<double> scan.tries) / LN2 / totals.total, cases.single)
    scan.scored.gain = rounded(scan.best_gain - cost, cases.single)
    if scan.scored.gain <= 0:
        scan.scored.gain = NO_GAIN
        return scan.scored
    branch[0] = scan.best_low
    branch[1] = rounded(scan.known - scan.best_low, cases.single)
    scan.scored.info = split_info(branch, 2, totals.unknown, totals.total, logs)
    return scan.scored
