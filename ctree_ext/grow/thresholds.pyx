"""The best threshold on a continuous attribute at a node."""

from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.criteria cimport gain, split_info, threshold_base_info
from ctree_ext.base.numeric cimport LN2, Logs, at_most, fast_log2, rounded
from ctree_ext.grow.sorting cimport NEAR, UNKNOWN_RANK, Entry, Sorted, float_of_rank, is_gap
from ctree_ext.grow.splits cimport MAX_HELD, NodeView, Scored, Scratch, Visit, block_size, no_test

cdef enum:
    FEW = 16       # see _scan_few


ctypedef struct Scan:
    # What a scan for the best threshold carries along.
    const Sorted* column
    const Entry* order
    Py_ssize_t n_known
    double known
    Py_ssize_t block     # how many cases are skipped, or looked into, at a time
    double unknown_rate
    double base          # the information before the split
    bint based           # it is the exact one, not a quick one
    double min_split
    double tolerance     # how far the quick gain may be from the one that counts
    Py_ssize_t start     # the first case behind which a cut can be made, and the last but one
    Py_ssize_t end
    Py_ssize_t tries
    double limit         # a cut that leaves more information cannot win
    double best_gain
    double best_low
    Scored scored
    # cuts put aside, to be weighed when all have been looked at
    Py_ssize_t n_held
    double[MAX_HELD] held_info
    double[MAX_HELD] held_low
    Py_ssize_t[MAX_HELD] held_place


cdef inline double _info_limit(const Scan* scan) noexcept nogil:
    # A cut whose information after the split (times the known weight) exceeds this cannot beat the best so far.
    return scan.known * (scan.base - (scan.best_gain - scan.tolerance) / (1.0 - scan.unknown_rate))


cdef void _weigh_cut(Scan* scan, double low, Py_ssize_t place, int n_classes, double min_cases, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # The gain that counts, with release 8's rounding, of the cut behind a case between the two sides in `scratch`.
    cdef double[2] branch
    cdef double g
    branch[0] = low
    branch[1] = rounded(scan.known - low, logs.single)
    g = gain(scratch.sides, branch, 2, n_classes, scan.known, scan.unknown_rate, scan.base, min_cases, logs)
    if g - scan.best_gain > logs.small:
        scan.best_gain = g
        scan.best_low = low
        scan.scored.below = scan.order[place].rank
        scan.scored.above = scan.order[place + 1].rank


cdef void _weigh_held(Scan* scan, Py_ssize_t n_classes, double min_cases, const Logs* logs,
                      Scratch* scratch) noexcept nogil:
    # Those of the cuts put aside that can still win.
    cdef Py_ssize_t k, c
    cdef const float* sides = scratch.held_sides
    if scan.n_held and not scan.based:
        scan.base = threshold_base_info(scratch.sides + n_classes, <int> n_classes, scan.known, logs)
        scan.based = True
    for k in range(scan.n_held):
        if scan.held_info[k] < scan.limit:
            for c in range(2 * n_classes):
                scratch.sides[c] = sides[c]
            _weigh_cut(scan, scan.held_low[k], scan.held_place[k], <int> n_classes, min_cases, logs, scratch)
        sides += 2 * n_classes
    scan.n_held = 0
    scan.limit = min(scan.limit, _info_limit(scan))


cdef void _hold(Scan* scan, double info, const float* sides, float low, Py_ssize_t place, Py_ssize_t n_classes,
                double min_cases, const Logs* logs, Scratch* scratch) noexcept nogil:
    # Put a cut aside: to weigh it takes as long as to look at ten others, and a better one mostly makes it needless.
    cdef float* held
    cdef Py_ssize_t c
    cdef double limit = info + 2 * scan.known * scan.tolerance / (1.0 - scan.unknown_rate)
    if limit < scan.limit:
        scan.limit = limit
        # where the last can no longer win, mostly none can, for each was better than those before
        while scan.n_held and scan.held_info[scan.n_held - 1] >= limit:
            scan.n_held -= 1
    if scan.n_held == MAX_HELD:
        _weigh_held(scan, n_classes, min_cases, logs, scratch)
    held = scratch.held_sides + scan.n_held * 2 * n_classes
    for c in range(2 * n_classes):
        held[c] = sides[c]
    scan.held_info[scan.n_held] = info
    scan.held_low[scan.n_held] = low
    scan.held_place[scan.n_held] = place
    scan.n_held += 1


cdef void _scan_whole(Scan* scan, const Cases* cases, double min_cases, const Logs* logs,
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
        if whole[i + 1] + rest[-i - 1] - both < limit and is_gap(scan.column, order[i].rank, order[i + 1].rank):
            for c in range(n_classes):
                scratch.sides[c] = low[c]
                scratch.sides[n_classes + c] = high[c]
            _weigh_cut(scan, i + 1, i, <int> n_classes, min_cases, logs, scratch)
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


cdef double _quick_info(const double* counts, Py_ssize_t n_classes, const Logs* logs) noexcept nogil:
    cdef double total = 0.0, inside = 0.0
    cdef Py_ssize_t c
    for c in range(n_classes):
        total += counts[c]
        inside += _quick_x_log_x(counts[c], logs)
    return _quick_x_log_x(total, logs) - inside


cdef double _block_bound(const float* low, const float* low_end, const float* high, const float* high_end,
                         Py_ssize_t n_classes, double* terms, double* terms_end, const Logs* logs) noexcept nogil:
    # At least so much information (times the known weight) is left by every cut between two others, of which the class
    # weights on either side are given; `terms` has x log x of the former, `terms_end` gets that of the latter.
    #
    # With T the weight below a cut and l those of its classes, the information is F(T) - sum g(l), both convex. F lies
    # above its tangent in the middle, of slope s; what is left, s l - g(l) per class, is concave and thus least at
    # one of the two ends.
    cdef Py_ssize_t c
    cdef double T = 0.0, rest = 0.0, log_T, log_rest, slope, bound, left, right
    for c in range(n_classes):
        T += 0.5 * (<double> low[c] + <double> low_end[c])
        rest += 0.5 * (<double> high[c] + <double> high_end[c])
    log_T = fast_log2(T, logs.fast) if T > 1e-30 else 0.0
    log_rest = fast_log2(rest, logs.fast) if rest > 1e-30 else 0.0
    slope = log_T - log_rest
    bound = T * log_T + rest * log_rest - slope * T
    for c in range(n_classes):
        left = slope * low[c] - terms[c]
        if low_end[c] == low[c]:
            terms_end[c] = terms[c]
            bound += left
        else:
            terms_end[c] = _quick_x_log_x(low_end[c], logs) + _quick_x_log_x(high_end[c], logs)
            right = slope * low_end[c] - terms_end[c]
            bound += left if left < right else right
    return bound


cdef void _try_block(Scan* scan, Py_ssize_t first, Py_ssize_t end, float* low, float low_weight, double* terms,
                     Py_ssize_t n_classes, double min_cases, const Logs* logs, Scratch* scratch) noexcept nogil:
    # Cut after cut; `terms` has x log x of each class, of both sides together.
    cdef Py_ssize_t i, c
    cdef const Entry* order = scan.order
    cdef const Visit* visits = scratch.visits
    cdef float* high = low + n_classes
    cdef float w
    cdef double inside = 0.0, T = 0.0, rest = 0.0, term, info
    for c in range(n_classes):
        inside += terms[c]
        T += low[c]
        rest += high[c]
    for i in range(first, end):
        w = visits[i].weight
        c = visits[i].class_
        # What counts are the sums of the classes, rounded as they are; they add up to the weight of a side only nearly.
        T -= low[c]
        rest -= high[c]
        low[c] += w
        high[c] -= w
        T += low[c]
        rest += high[c]
        low_weight += w
        term = _quick_x_log_x(low[c], logs) + _quick_x_log_x(high[c], logs)
        inside += term - terms[c]
        terms[c] = term
        if i < scan.start:
            continue
        info = _quick_x_log_x(T, logs) + _quick_x_log_x(rest, logs) - inside
        if info < scan.limit and is_gap(scan.column, order[i].rank, order[i + 1].rank):
            _hold(scan, info, low, low_weight, i, n_classes, min_cases, logs, scratch)


cdef void _scan_many(Scan* scan, Py_ssize_t n_classes, double min_cases, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # Many cases in fractions, in release 8's floats: only blocks of cases in which a cut could win are looked into.
    cdef Py_ssize_t i, c, first, end, size = scan.block
    cdef const Visit* visits = scratch.visits
    cdef const float* low = scratch.marks + 1
    cdef float* sides = scratch.parts
    cdef float* high = scratch.parts + 2 * n_classes
    cdef float* high_end = high + n_classes
    cdef double* terms = scratch.terms
    cdef double* terms_end = scratch.terms + n_classes
    cdef double slack
    for c in range(n_classes):
        high[c] = sides[n_classes + c]
        terms[c] = _quick_x_log_x(high[c], logs)
    # Within a block every sum is rounded once a case, by 2^-24 of itself at most, and that is what the bound does not
    # see: the information changes by no more than that part of an entropy, and by a little where a sum is small.
    slack = (2 * size * 6e-8 * scan.known * (fast_log2(<double> n_classes, logs.fast) + 1)
             + 0.01 * n_classes + 1e-6 * scan.known)
    first = 0
    while first < scan.end:
        end = first + size
        for c in range(n_classes):
            high_end[c] = high[c]
        for i in range(first, min(end, scan.n_known)):
            high_end[visits[i].class_] -= visits[i].weight
        if (_block_bound(low, low + n_classes + 1, high, high_end, n_classes, terms, terms_end, logs)
                < scan.limit + slack and end > scan.start):
            for c in range(n_classes):
                sides[c] = low[c]
                sides[n_classes + c] = high[c]
            _try_block(scan, first, min(end, scan.end), sides, (low - 1)[0], terms, n_classes, min_cases, logs, scratch)
        high, high_end = high_end, high
        terms, terms_end = terms_end, terms
        low += n_classes + 1
        first = end
    _weigh_held(scan, n_classes, min_cases, logs, scratch)


cdef void _scan_few(Scan* scan, const Cases* cases, const real_t* weights, double min_cases,
                    const Logs* logs, real_t* low, Scratch* scratch) noexcept nogil:
    # The same for few cases, where sums are small: the four terms that a case changes are reckoned anew each time.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes
    cdef const Entry* order = scan.order
    cdef real_t* high = low + n_classes
    cdef real_t low_weight = 0.0, w
    cdef double* terms = scratch.terms
    cdef double inside = 0.0, T = 0.0, rest = 0.0, info, new_low, new_high
    for c in range(n_classes):
        rest += high[c]
        low[c] = 0.0
        terms[c] = 0.0
        terms[n_classes + c] = _quick_x_log_x(high[c], logs)
        inside += terms[n_classes + c]
    for i in range(scan.end):
        c = cases.classes[order[i].row]
        w = weights[order[i].row]
        T -= low[c]
        rest -= high[c]
        low[c] += w
        high[c] -= w
        T += low[c]
        rest += high[c]
        low_weight += w
        new_low = _quick_x_log_x(low[c], logs)
        new_high = _quick_x_log_x(high[c], logs)
        inside += (new_low - terms[c]) + (new_high - terms[n_classes + c])
        terms[c] = new_low
        terms[n_classes + c] = new_high
        if i < scan.start:
            continue
        info = _quick_x_log_x(T, logs) + _quick_x_log_x(rest, logs) - inside
        if info < scan.limit and is_gap(scan.column, order[i].rank, order[i + 1].rank):
            if real_t is float:
                _hold(scan, info, low, low_weight, i, n_classes, min_cases, logs, scratch)
            else:
                _weigh_cut(scan, low_weight, i, <int> n_classes, min_cases, logs, scratch)
                scan.limit = _info_limit(scan)
    if real_t is float:
        _weigh_held(scan, n_classes, min_cases, logs, scratch)


cdef inline void _note(float* mark, float low_weight, const float* sums, Py_ssize_t n_classes) noexcept nogil:
    cdef Py_ssize_t c
    mark[0] = low_weight
    for c in range(n_classes):
        mark[1 + c] = sums[c]


cdef inline Py_ssize_t _read(const Entry* order, Py_ssize_t n, const float* weights, const uint16_t* classes,
                             Py_ssize_t n_classes, Py_ssize_t size, float* sums, Visit* visits, float* marks,
                             int32_t* rows, const uint8_t* missing, Ahead* ahead, bint visiting, bint apart,
                             bint listing, bint looking) noexcept nogil:
    # Once through the known cases of an attribute in its order, looking up in no order what belongs to each: for the
    # scan that follows (`visiting`) their weights and classes, the sums before each block, and the number of gaps,
    # which is returned, unless all values are known to be `apart`; for the list (`listing`) the cases themselves and
    # what the next attribute has to know of them. A call has constants for the last four arguments, so that each use
    # has a loop of its own.
    cdef Py_ssize_t i, c, first = 0, gaps = 0, ahead_unknown = 0
    cdef int32_t row
    cdef float low_weight = 0.0, total = 0.0, w
    cdef double here, below = INFINITY
    cdef int32_t* unknown = NULL
    if listing:
        ahead_unknown = ahead.n_unknown
        unknown = ahead.unknown
        total = ahead.total
    while first < n:
        if visiting:
            _note(marks, low_weight, sums, n_classes)
            marks += n_classes + 1
        for i in range(first, min(first + size, n)):
            row = order[i].row
            w = weights[row]
            if visiting:
                c = classes[row]
                sums[c] += w
                low_weight += w
                visits[i].weight = w
                visits[i].class_ = <int32_t> c
                if not apart:
                    here = float_of_rank(order[i].rank)
                    gaps += below < here - NEAR
                    below = here
            if listing:
                total += w
                rows[i] = row
                if looking:
                    unknown[ahead_unknown] = row
                    ahead_unknown += missing[row]
        first += size
    if visiting:
        _note(marks, low_weight, sums, n_classes)
    if listing:
        ahead.total = total
        ahead.n_unknown = ahead_unknown
    return n - 1 if apart else gaps


cdef void find_unknown(const int32_t* rows, Py_ssize_t n, Ahead* ahead) noexcept nogil:
    # Which of these cases, that stand in the list already, have no value of the next attribute.
    cdef Py_ssize_t i
    if ahead.missing != NULL:
        for i in range(n):
            ahead.unknown[ahead.n_unknown] = rows[i]
            ahead.n_unknown += ahead.missing[rows[i]]


cdef void settle_known(const Entry* order, Py_ssize_t n, const float* weights, int32_t* rows,
                       Ahead* ahead) noexcept nogil:
    # Write the known cases of an attribute into the list in its order; go on with `ahead` from those before them.
    cdef Py_ssize_t i
    if weights == NULL:
        for i in range(n):
            rows[i] = order[i].row
        ahead.total += <float> n
        find_unknown(rows, n, ahead)
    elif ahead.missing != NULL:
        _read(order, n, weights, NULL, 0, n, NULL, NULL, NULL, rows, ahead.missing, ahead, False, True, True, True)
    else:
        _read(order, n, weights, NULL, 0, n, NULL, NULL, NULL, rows, NULL, ahead, False, True, True, False)


cdef void _range_of_short(Scan* scan, const Cases* cases, const float* weights, Scratch* scratch, int32_t* rows,
                          Ahead* ahead) noexcept nogil:
    # The same as for whole cases, and the class weights of all known cases behind `scratch.parts`. The list is settled
    # on the way if there is one.
    cdef Py_ssize_t c, n_classes = cases.n_classes, n = scan.n_known, block = scan.block, gaps
    cdef float* sums = scratch.parts + n_classes
    cdef const float* mark = scratch.marks
    cdef const Entry* order = scan.order
    cdef float least = <float> scan.min_split, most_low = <float> rounded(scan.known - scan.min_split, True)
    cdef float at_start, at_end
    for c in range(n_classes):
        sums[c] = 0.0
    if ahead == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     NULL, NULL, NULL, True, False, False, False)
    elif ahead.apart and ahead.missing == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, NULL, ahead, True, True, True, False)
    elif ahead.apart:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, ahead.missing, ahead, True, True, True, True)
    elif ahead.missing == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, NULL, ahead, True, False, True, False)
    else:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, ahead.missing, ahead, True, False, True, True)
    # The weight before each block tells in which of them the first and the last cut lie.
    scan.start = 0
    while scan.start + block < n and mark[n_classes + 1] < least:
        scan.start += block
        mark += n_classes + 1
    at_start = mark[0] + scratch.visits[scan.start].weight
    while at_start < least and scan.start < n - 1:
        scan.start += 1
        at_start += scratch.visits[scan.start].weight
    scan.end = (n - 1) // block * block
    mark = scratch.marks + scan.end // block * (n_classes + 1)
    while scan.end > 0 and mark[0] > most_low:
        scan.end -= block
        mark -= n_classes + 1
    at_end = mark[0] + scratch.visits[scan.end].weight
    while at_end <= most_low and scan.end < n - 1:
        scan.end += 1
        at_end += scratch.visits[scan.end].weight
    scan.end = max(scan.end, scan.start)
    if gaps == n - 1:
        scan.tries = scan.end - scan.start
    else:
        scan.tries = (gaps - _count_gaps(scan.column, order, 0, scan.start)
                      - _count_gaps(scan.column, order, scan.end, n - 1))
    if ahead != NULL:
        ahead.apart = gaps == n - 1


cdef void _range_of_long(Scan* scan, const Cases* cases, const double* weights, Scratch* scratch) noexcept nogil:
    # The same in doubles.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, n = scan.n_known, start = n - 1, end = n - 1
    cdef const Entry* order = scan.order
    cdef double* sums = scratch.sides + n_classes
    cdef double low_weight = 0.0, w, most_low = scan.known - scan.min_split
    for c in range(n_classes):
        sums[c] = 0.0
    for i in range(n):
        w = weights[order[i].row]
        sums[cases.classes[order[i].row]] += w
        low_weight += w
        start -= low_weight >= scan.min_split
        end -= low_weight > most_low
    # the weight never falls: so many cases stood at or behind the first that reached each bound
    scan.start = min(start + 1, n - 1)
    scan.end = max(min(end + 1, n - 1), scan.start)
    scan.tries = _count_gaps(scan.column, order, scan.start, scan.end)


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


cdef void _find_range(Scan* scan, const Cases* cases, const NodeView* node, Scratch* scratch, int32_t* rows,
                      Ahead* ahead) noexcept nogil:
    # Which cuts can be tried, how many they are, and the class weights on their high side before the first case.
    cdef int c, C = cases.n_classes
    if node.weights == NULL:
        _count_known_classes(scan, cases, node, scratch.sides + C)
        _range_of_whole(scan)
        scan.tries = _count_gaps(scan.column, scan.order, scan.start, scan.end)
        if ahead != NULL:
            settle_known(scan.order, scan.n_known, NULL, rows, ahead)
    elif node.weights.short_ != NULL:
        _range_of_short(scan, cases, node.weights.short_, scratch, rows, ahead)
        for c in range(C, 2 * C):
            scratch.sides[c] = scratch.parts[c]
    else:
        _range_of_long(scan, cases, node.weights.long_, scratch)


cdef Scored best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                           double min_cases, bint charged, const Logs* logs, Scratch* scratch, int32_t* rows,
                           Ahead* ahead) noexcept nogil:
    # The cut of greatest gain, less the cost of naming it among all cuts tried. With `ahead`, the known cases are also
    # written to `rows` in their order, as `settle_known` does; with or without a cut.
    cdef int C = cases.n_classes
    cdef Scan scan
    cdef double cost
    cdef double[2] branch
    cdef bint few
    scan.scored = no_test()
    scan.order = column.order + node.start
    scan.n_known = count_known(column, node)
    scan.known = rounded(totals.total - totals.unknown, cases.single)
    scan.column = column
    scan.unknown_rate = 0.0
    if scan.known > 0:
        scan.unknown_rate = rounded(1.0 - rounded(scan.known / totals.total, cases.single), cases.single)
    scan.min_split = rounded(0.10 * scan.known / C, cases.single)
    if at_most(scan.min_split, min_cases, logs.small):
        scan.min_split = min_cases
    elif scan.min_split - 25 > logs.small:
        scan.min_split = 25
    if logs.small > 0:
        # J48 wants so many cases, be they fractions, and asks for nothing but these on either side of a cut.
        few = <double> scan.n_known < 2 * scan.min_split - logs.small
        scan.min_split -= logs.small
        min_cases = 0.0
    else:
        few = scan.known < 2 * min_cases
    if few or scan.n_known < 2 or scan.known <= 0 or scan.unknown_rate >= 1:
        if ahead != NULL:
            settle_known(scan.order, scan.n_known, NULL if node.weights == NULL else node.weights.short_, rows, ahead)
        return scan.scored
    scan.block = block_size(scan.n_known, C)
    _find_range(&scan, cases, node, scratch, rows, ahead)
    if scan.tries == 0:
        return scan.scored
    # A cut has to gain more than it costs to name it.
    cost = rounded(log(<double> scan.tries) / LN2 / totals.total, cases.single) if charged else 0.0
    scan.based = node.weights == NULL or node.weights.short_ == NULL
    if scan.based:
        scan.base = threshold_base_info(scratch.sides + C, C, scan.known, logs)
    else:
        scan.base = _quick_info(scratch.sides + C, C, logs) / scan.known
    # In J48 it has to be better than the one before by more than a hair, from 0 on; but of cuts that gain much less than
    # the cost none matters.
    scan.best_gain = cost if logs.small == 0 else max(cost - 0.001, 0.0)
    scan.best_low = -1.0
    # Each figure of the exact gain is rounded a few times per class, by at most 2^-25 of K log2 K, or 2^-54 in double.
    scan.tolerance = 1e-8 + (4 * C + 24) * (6e-8 if cases.single else 2.3e-16) * max(
        fast_log2(scan.known, logs.fast) + 3, 1.0)
    scan.limit = _info_limit(&scan)
    scan.n_held = 0
    if node.weights == NULL:
        _scan_whole(&scan, cases, min_cases, logs, scratch)
    else:
        if node.weights.short_ == NULL:
            _scan_few(&scan, cases, node.weights.long_, min_cases, logs, scratch.sides, scratch)
        elif scan.n_known < FEW:
            _scan_few(&scan, cases, node.weights.short_, min_cases, logs, scratch.parts, scratch)
        else:
            _scan_many(&scan, C, min_cases, logs, scratch)
    if scan.best_low < 0:
        return scan.scored
    scan.scored.gain = rounded(scan.best_gain - cost, cases.single)
    if scan.scored.gain <= logs.small:
        return no_test()
    branch[0] = scan.best_low
    branch[1] = rounded(scan.known - scan.best_low, cases.single)
    scan.scored.info = split_info(branch, 2, totals.unknown, totals.total, logs)
    return scan.scored
