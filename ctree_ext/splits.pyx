"""The best test of one attribute at one node: a branch per value, or a threshold."""

from libc.math cimport log
from libc.stdint cimport int32_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctree_ext.cases cimport Cases
from ctree_ext.counts cimport Cell, count_values
from ctree_ext.criteria cimport discrete_base_info, gain, split_info, threshold_base_info
from ctree_ext.numeric cimport LN2, NO_GAIN, Logs, fast_log2, rounded
from ctree_ext.sorting cimport NEAR, UNKNOWN_RANK, Entry, Sorted, float_of_rank, is_gap


cdef int scratch_init(Scratch* scratch, int most_values, int n_classes) noexcept nogil:
    memset(scratch, 0, sizeof(Scratch))
    scratch.counts = <double*> malloc((most_values + 2) * n_classes * sizeof(double))
    scratch.cells = <Cell*> malloc((most_values + 2) * n_classes * sizeof(Cell))
    scratch.branch = <double*> malloc((most_values + 2) * sizeof(double))
    scratch.sides = <double*> malloc(2 * n_classes * sizeof(double))
    scratch.terms = <double*> malloc(2 * n_classes * sizeof(double))
    scratch.whole = <int32_t*> malloc(2 * n_classes * sizeof(int32_t))
    scratch.parts = <float*> malloc(2 * n_classes * sizeof(float))
    if (scratch.counts == NULL or scratch.cells == NULL or scratch.branch == NULL or scratch.sides == NULL
            or scratch.terms == NULL or scratch.whole == NULL or scratch.parts == NULL):
        scratch_free(scratch)
        return -1
    return 0


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    free(scratch.counts)
    free(scratch.cells)
    free(scratch.branch)
    free(scratch.sides)
    free(scratch.terms)
    free(scratch.whole)
    free(scratch.parts)
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
    STRIDE = 32   # see _scan_many
    FEW = 24      # see _scan_few


ctypedef struct Scan:
    # What a scan for the best threshold carries along.
    const Entry* order
    Py_ssize_t n_known
    double known
    double max_weight    # of a case
    double slack         # how much further a followed information may be off
    double unknown_rate
    double base
    double min_split
    double tolerance     # how far the quick gain may be from the one that counts
    Py_ssize_t start     # the first case behind which a cut can be made, and the last but one
    Py_ssize_t end
    Py_ssize_t tries
    double best_gain
    double best_low
    Scored scored


cdef inline double _info_limit(const Scan* scan) noexcept nogil:
    # A cut whose information after the split (times the known weight) exceeds this cannot beat the best so far.
    return scan.known * (scan.base - (scan.best_gain - scan.tolerance) / (1.0 - scan.unknown_rate))


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
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, start = scan.start, end = scan.end
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = cases.classes
    cdef const double* whole = logs.whole
    cdef const double* rest = logs.whole + scan.n_known
    cdef int32_t* low = scratch.whole
    cdef int32_t* high = scratch.whole + n_classes
    cdef int32_t l, h
    cdef double both = 0.0, limit
    for c in range(n_classes):
        low[c] = 0
        high[c] = <int32_t> scratch.sides[n_classes + c]
    for i in range(start):
        c = classes[order[i].row]
        low[c] += 1
        high[c] -= 1
    for c in range(n_classes):
        both += whole[low[c]] + whole[high[c]]
    limit = _info_limit(scan)
    for i in range(start, end):
        c = classes[order[i].row]
        l = low[c]
        h = high[c]
        both += (whole[l + 1] - whole[l]) - (whole[h] - whole[h - 1])
        low[c] = l + 1
        high[c] = h - 1
        if whole[i + 1] + rest[-i - 1] - both < limit and is_gap(column, order[i].rank, order[i + 1].rank):
            for c in range(n_classes):
                scratch.sides[c] = low[c]
                scratch.sides[n_classes + c] = high[c]
            _weigh_cut(scan, i + 1, order[i].rank, order[i + 1].rank, <int> n_classes, min_cases, logs, scratch)
            limit = _info_limit(scan)


cdef Py_ssize_t _count_gaps(const Sorted* column, const Entry* order, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    # How many cuts there are behind the cases from `start` up to `end`.
    cdef Py_ssize_t i, gaps = 0
    cdef double here, above
    if column.distinct64 != NULL:
        for i in range(start, end):
            gaps += is_gap(column, order[i].rank, order[i + 1].rank)
        return gaps
    if start < end:
        here = float_of_rank(order[start].rank)
        for i in range(start, end):
            above = float_of_rank(order[i + 1].rank)
            gaps += here < above - NEAR
            here = above
    return gaps


cdef void _range_of_whole(Scan* scan) noexcept nogil:
    # The cuts that leave enough cases on either side: from behind case `start` to before case `end`.
    scan.start = max(<Py_ssize_t> scan.min_split - 1, 0)
    while scan.start + 1 < scan.min_split:
        scan.start += 1
    scan.end = scan.n_known - 1
    while scan.end > scan.start and scan.end > scan.known - scan.min_split:
        scan.end -= 1


cdef inline double _quick_x_log_x(double x, const Logs* logs) noexcept nogil:
    return x * fast_log2(x, logs.fast) if x > 1e-30 else 0.0


ctypedef fused real_t:
    float
    double


cdef double _quick_info(const Scan* scan, const float* low, Py_ssize_t n_classes, double low_weight,
                        const Logs* logs) noexcept nogil:
    # The information after the cut, times the known weight.
    cdef Py_ssize_t c
    cdef double info = _quick_x_log_x(low_weight, logs) + _quick_x_log_x(scan.known - low_weight, logs)
    for c in range(2 * n_classes):
        info -= _quick_x_log_x(low[c], logs)
    return info


cdef void _scan_many(Scan* scan, const Sorted* column, Py_ssize_t n_classes, double min_cases, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # Many cases in fractions, in release 8's floats. A case of weight w that crosses the cut changes the information
    # by w log2 of a ratio of the four sums it changes, taken half-way. Every STRIDE cases, and wherever a sum is so
    # small that half-way is not good enough, the information is reckoned anew.
    cdef Py_ssize_t i, c, left = 0
    cdef const Entry* order = scan.order
    cdef const Visit* visits = scratch.visits
    cdef float* low = scratch.parts
    cdef float* high = scratch.parts + n_classes
    cdef float low_weight = 0.0, w
    cdef double info = 0.0, limit, half, known = scan.known
    for c in range(n_classes):
        low[c] = 0.0
    limit = _info_limit(scan) + scan.slack
    for i in range(scan.end):
        w = visits[i].weight
        c = visits[i].class_
        if left > 0 and low[c] >= 3 * w and high[c] >= 4 * w:
            half = 0.5 * w
            info += w * fast_log2(((low_weight + half) * (high[c] - half))
                                  / ((known - low_weight - half) * (low[c] + half)), logs.fast)
            left -= 1
        else:
            left = -1
        low[c] += w
        high[c] -= w
        low_weight += w
        if i < scan.start:
            continue
        if left < 0:
            info = _quick_info(scan, low, n_classes, low_weight, logs)
            # a side is never smaller than the part of it that one class has
            left = STRIDE
        if info < limit and is_gap(column, order[i].rank, order[i + 1].rank):
            for c in range(2 * n_classes):
                scratch.sides[c] = low[c]
            _weigh_cut(scan, low_weight, order[i].rank, order[i + 1].rank, <int> n_classes, min_cases, logs, scratch)
            limit = _info_limit(scan) + scan.slack


cdef void _scan_few(Scan* scan, const Cases* cases, const Sorted* column, const real_t* weights, double min_cases,
                    const Logs* logs, real_t* low, Scratch* scratch) noexcept nogil:
    # The same for few cases, where sums are small: the four terms that a case changes are reckoned anew each time.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes
    cdef const Entry* order = scan.order
    cdef real_t* high = low + n_classes
    cdef real_t low_weight = 0.0, w
    cdef double* terms = scratch.terms
    cdef double inside = 0.0, limit, new_low, new_high
    for c in range(n_classes):
        low[c] = 0.0
        terms[c] = 0.0
        terms[n_classes + c] = _quick_x_log_x(high[c], logs)
        inside += terms[n_classes + c]
    limit = _info_limit(scan)
    for i in range(scan.end):
        c = cases.classes[order[i].row]
        w = weights[order[i].row]
        low[c] += w
        high[c] -= w
        low_weight += w
        new_low = _quick_x_log_x(low[c], logs)
        new_high = _quick_x_log_x(high[c], logs)
        inside += (new_low - terms[c]) + (new_high - terms[n_classes + c])
        terms[c] = new_low
        terms[n_classes + c] = new_high
        if i < scan.start:
            continue
        if (_quick_x_log_x(low_weight, logs) + _quick_x_log_x(scan.known - low_weight, logs) - inside < limit
                and is_gap(column, order[i].rank, order[i + 1].rank)):
            for c in range(2 * n_classes):
                scratch.sides[c] = low[c]
            _weigh_cut(scan, low_weight, order[i].rank, order[i + 1].rank, <int> n_classes, min_cases, logs, scratch)
            limit = _info_limit(scan)


cdef void _range_of_weighted(Scan* scan, const Cases* cases, const real_t* weights, real_t* low,
                             Visit* visits) noexcept nogil:
    # The same as for whole cases, and the class weights of all known cases behind `low`. What is looked up for this,
    # in no order, is kept for the scan to come.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, n = scan.n_known, start = n - 1, end = n - 1
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = cases.classes
    cdef real_t* high = low + n_classes
    cdef real_t low_weight = 0.0, most = 0.0, w
    cdef double most_low = rounded(scan.known - scan.min_split, cases.single), min_split = scan.min_split
    for c in range(n_classes):
        high[c] = 0.0
    for i in range(n):
        w = weights[order[i].row]
        c = classes[order[i].row]
        high[c] += w
        low_weight += w
        most = max(most, w)
        if real_t is float:
            visits[i].weight = w
            visits[i].class_ = <int32_t> c
        start -= low_weight >= min_split
        end -= low_weight > most_low
    # the weight never falls: so many cases stood at or behind the first that reached each bound
    scan.start = min(start + 1, n - 1)
    scan.end = max(min(end + 1, n - 1), scan.start)
    scan.max_weight = most


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
    # Of whole cases.
    cdef Py_ssize_t i
    cdef int c
    if scan.n_known == node.n:
        for c in range(cases.n_classes):
            counts[c] = node.counts[c]
        return
    memset(counts, 0, cases.n_classes * sizeof(double))
    for i in range(scan.n_known):
        counts[cases.classes[scan.order[i].row]] += 1.0


cdef void _find_range(Scan* scan, const Cases* cases, const Sorted* column, const NodeView* node,
                      Scratch* scratch) noexcept nogil:
    # Which cuts can be tried, how many they are, and the class weights on their high side before the first case.
    cdef int c, C = cases.n_classes
    if node.weights == NULL:
        _count_known_classes(scan, cases, node, scratch.sides + C)
        _range_of_whole(scan)
    elif node.weights.short_ != NULL:
        _range_of_weighted(scan, cases, node.weights.short_, scratch.parts, scratch.visits)
        for c in range(C, 2 * C):
            scratch.sides[c] = scratch.parts[c]
    else:
        _range_of_weighted(scan, cases, node.weights.long_, scratch.sides, NULL)
    scan.tries = _count_gaps(column, scan.order, scan.start, scan.end)


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
    scan.min_split = rounded(0.10 * scan.known / C, cases.single)
    if scan.min_split <= min_cases:
        scan.min_split = min_cases
    elif scan.min_split > 25:
        scan.min_split = 25
    scan.unknown_rate = rounded(1.0 - rounded(scan.known / totals.total, cases.single), cases.single)
    if scan.unknown_rate >= 1:
        return scan.scored
    _find_range(&scan, cases, column, node, scratch)
    if scan.tries == 0:
        return scan.scored
    # A cut has to gain more than it costs to name it.
    cost = rounded(log(<double> scan.tries) / LN2 / totals.total, cases.single)
    scan.base = threshold_base_info(scratch.sides + C, C, scan.known, logs)
    scan.best_gain = cost
    scan.best_low = -1.0
    # Each figure of the exact gain is rounded a few times per class, by at most 2^-24 of K log2 K, or 2^-53 in double;
    # so are the four sums that a quick one follows until it is renewed, and half-way is not quite the mean.
    scan.tolerance = 1e-8 + (4 * C + 24) * (6e-8 if cases.single else 2.3e-16) * max(
        fast_log2(scan.known, logs.fast) + 3, 1.0)
    if node.weights != NULL:
        # The mean of the logarithm over a step of w differs from its value half-way by at most w^2 / (16 m^2); summed
        # over steps with m >= 3 w, times w, this stays below a twentieth of the largest w for each of the sums.
        scan.slack = 0.05 * (2 * C + 2) * scan.max_weight + scan.known * 4 * STRIDE * (
            6e-8 if cases.single else 2.3e-16) * max(fast_log2(scan.known, logs.fast) + 3, 1.0)
    if node.weights == NULL:
        _scan_whole(&scan, cases, column, min_cases, logs, scratch)
    else:
        if node.weights.short_ == NULL:
            _scan_few(&scan, cases, column, node.weights.long_, min_cases, logs, scratch.sides, scratch)
        elif scan.n_known < FEW:
            _scan_few(&scan, cases, column, node.weights.short_, min_cases, logs, scratch.parts, scratch)
        else:
            _scan_many(&scan, column, C, min_cases, logs, scratch)
    if scan.best_low < 0:
        return scan.scored
    scan.scored.gain = rounded(scan.best_gain - cost, cases.single)
    branch[0] = scan.best_low
    branch[1] = rounded(scan.known - scan.best_low, cases.single)
    scan.scored.info = split_info(branch, 2, totals.unknown, totals.total, logs)
    return scan.scored
