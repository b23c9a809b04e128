"""The best threshold on a continuous attribute at a node, by gain.

An approximate gain, kept up to date from cut to cut, rules most cuts out; only the few that could still win are
evaluated in release 8's own arithmetic.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, uint8_t, uint16_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport LN2, Logs, at_most, fast_log2, rounded
from ctree_ext.grow.candidates cimport GainCandidate, no_gain
from ctree_ext.grow.criteria cimport gain, split_info, threshold_base_info
from ctree_ext.grow.scratch cimport APART, MAX_HELD, NodeView, Scratch, Visit, block_size
from ctree_ext.grow.sorting cimport Entry, Sorted, is_gap
from ctree_ext.grow.threshold_range cimport NextColumn, ThresholdScan, count_known, find_range, list_known

cdef enum:
    FEW = 16       # see _scan_few
    FEW_CUTS = 8   # with a cut for this many cases or more, each is tried: bounds would take longer

cdef double MAX_DRIFT = 0.001  # see _drift_of_high: bounds that are off by more, relatively, rule out too little


cdef inline double _info_limit(const ThresholdScan* scan) noexcept nogil:
    # A cut whose information after the split (times the known weight) exceeds this cannot beat the best so far.
    return scan.known * (scan.base - (scan.best_gain - scan.tolerance) / (1.0 - scan.unknown_rate))


cdef inline bint _has_both_sides(const ThresholdScan* scan, double low, const Logs* logs) noexcept nogil:
    # Whether both sides of a cut have the weight of `min_cases`, which may be more than the 25 cases after which cuts
    # begin. Without it a cut gains nothing, so that others must not be measured by it.
    return low >= scan.min_cases and rounded(scan.known - low, logs.single) >= scan.min_cases


cdef void _evaluate_cut(ThresholdScan* scan, double low, Py_ssize_t place, int n_classes, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # The exact gain, rounded as in release 8, of the cut after a case; the class weights on either side are in
    # `scratch`.
    cdef double[2] branch
    cdef double g
    branch[0] = low
    branch[1] = rounded(scan.known - low, logs.single)
    g = gain(scratch.sides, branch, 2, n_classes, scan.known, scan.unknown_rate, scan.base, scan.min_cases, logs)
    # release 8 compares what is left of gains after the cost: two that differ in the last bit may round to the same
    if g - scan.best_gain > logs.small and (
            logs.small > 0 or rounded(g - scan.cost, logs.single) > rounded(scan.best_gain - scan.cost, logs.single)):
        scan.best_gain = g
        scan.best_low = low
        scan.best.below = scan.order[place].rank
        scan.best.above = scan.order[place + 1].rank


cdef void _evaluate_held(ThresholdScan* scan, Py_ssize_t n_classes, const Logs* logs,
                      Scratch* scratch) noexcept nogil:
    # Evaluate those of the cuts put aside that can still win.
    cdef Py_ssize_t k, c
    cdef const float* sides = scratch.held_sides
    if scan.n_held and not scan.base_is_exact:
        scan.base = threshold_base_info(scratch.sides + n_classes, <int> n_classes, scan.known, logs)
        scan.base_is_exact = True
    for k in range(scan.n_held):
        if scan.held_info[k] < scan.limit:
            for c in range(2 * n_classes):
                scratch.sides[c] = sides[c]
            _evaluate_cut(scan, scan.held_low[k], scan.held_place[k], <int> n_classes, logs, scratch)
        sides += 2 * n_classes
    scan.n_held = 0
    scan.limit = min(scan.limit, _info_limit(scan))


cdef void _hold(ThresholdScan* scan, double info, const float* sides, float low, Py_ssize_t place, Py_ssize_t n_classes,
                const Logs* logs, Scratch* scratch) noexcept nogil:
    # Put a cut aside: an exact gain takes as long as ten approximate ones, and a better cut usually makes it
    # unnecessary.
    cdef float* held
    cdef Py_ssize_t c
    cdef double limit = info + 2 * scan.known * scan.tolerance / (1.0 - scan.unknown_rate)
    if not _has_both_sides(scan, low, logs):
        return
    if limit < scan.limit:
        scan.limit = limit
        # if the last can no longer win, usually none can, for each was better than those before it
        while scan.n_held and scan.held_info[scan.n_held - 1] >= limit:
            scan.n_held -= 1
    if scan.n_held == MAX_HELD:
        _evaluate_held(scan, n_classes, logs, scratch)
    held = scratch.held_sides + scan.n_held * 2 * n_classes
    for c in range(2 * n_classes):
        held[c] = sides[c]
    scan.held_info[scan.n_held] = info
    scan.held_low[scan.n_held] = low
    scan.held_place[scan.n_held] = place
    scan.n_held += 1


cdef void _try_integers(ThresholdScan* scan, const Cases* cases, Py_ssize_t first, Py_ssize_t end, int32_t* low,
                        const Logs* logs, Scratch* scratch) noexcept nogil:
    # Try each cut after the cases from `first` to before `end`, where every case counts one: integer counts, table
    # look-ups, one class changing at a time. Keeping the sum of n log n over both sides up to date takes one or two
    # nanoseconds a case. `low` and, behind it, the high side are those before the first, and after the last in the end.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, start = scan.start
    cdef const Entry* order = scan.order
    cdef const uint16_t* classes = cases.classes
    cdef const double* table = logs.integer
    cdef const double* rest = logs.integer + scan.n_known
    cdef int32_t* high = low + n_classes
    cdef int32_t l, h
    cdef double both = 0.0, limit = scan.limit, info
    for i in range(first, min(start, end)):
        c = classes[order[i].row]
        low[c] += 1
        high[c] -= 1
    for c in range(n_classes):
        both += table[low[c]] + table[high[c]]
    for i in range(max(first, start), end):
        c = classes[order[i].row]
        l = low[c]
        h = high[c]
        both += (table[l + 1] - table[l]) - (table[h] - table[h - 1])
        low[c] = l + 1
        high[c] = h - 1
        info = table[i + 1] + rest[-i - 1] - both
        if info < limit and is_gap(scan.column, order[i].rank, order[i + 1].rank):
            _meet_integers(scan, info, low, i, n_classes, logs, scratch)
            limit = scan.limit


cdef void _meet_integers(ThresholdScan* scan, double info, const int32_t* low, Py_ssize_t place, Py_ssize_t n_classes,
                         const Logs* logs, Scratch* scratch) noexcept nogil:
    # A cut that may win. In J48, where it has to beat the best before it by SMALL, that is decided at once.
    cdef Py_ssize_t c
    if logs.small == 0 and logs.single:
        for c in range(2 * n_classes):
            scratch.fractions[c] = <float> low[c]
        _hold(scan, info, scratch.fractions, <float> (place + 1), place, n_classes, logs, scratch)
        return
    for c in range(2 * n_classes):
        scratch.sides[c] = low[c]
    _evaluate_cut(scan, place + 1, place, <int> n_classes, logs, scratch)
    scan.limit = _info_limit(scan)


cdef double _integer_bound(Py_ssize_t middle, Py_ssize_t n_known, const int32_t* low, const int32_t* sums,
                           Py_ssize_t n_classes, const Logs* logs) noexcept nogil:
    # A lower bound on the information that any cut in a block leaves, as in `_block_bound`: `low` has the class counts
    # on either side before it, `sums` those in it, `middle` is a cut in it.
    cdef const double* table = logs.integer
    cdef const int32_t* high = low + n_classes
    cdef double slope, bound, left, right
    cdef Py_ssize_t c
    slope = fast_log2(<double> middle, logs.fast) - fast_log2(<double> (n_known - middle), logs.fast)
    bound = table[middle] + table[n_known - middle] - slope * middle
    for c in range(n_classes):
        left = slope * low[c] - table[low[c]] - table[high[c]]
        right = slope * (low[c] + sums[c]) - table[low[c] + sums[c]] - table[high[c] - sums[c]]
        bound += left if left < right else right
    return bound


cdef void _look_ahead(ThresholdScan* scan, Py_ssize_t n_classes, int32_t* low, const Logs* logs,
                      const Scratch* scratch) noexcept nogil:
    # The cuts at the ends of blocks show how little information a cut can leave, so that fewer blocks are tried.
    cdef Py_ssize_t c, end = scan.block
    cdef const int32_t* sums = scratch.sums
    cdef const double* table = logs.integer
    cdef int32_t* high = low + n_classes
    cdef double info, margin = 2 * scan.known * scan.tolerance / (1.0 - scan.unknown_rate)
    while end <= scan.end:
        info = table[end] + table[scan.n_known - end]
        for c in range(n_classes):
            low[c] += sums[c]
            high[c] -= sums[c]
            info -= table[low[c]] + table[high[c]]
        if (info + margin < scan.limit and end > scan.start and _has_both_sides(scan, <double> end, logs)
                and is_gap(scan.column, scan.order[end - 1].rank, scan.order[end].rank)):
            scan.limit = info + margin
        sums += n_classes
        end += scan.block
    for c in range(n_classes):
        high[c] += low[c]
        low[c] = 0


cdef void _scan_integers(ThresholdScan* scan, const Cases* cases, const Logs* logs,
                      Scratch* scratch) noexcept nogil:
    # Every case counts one. Of many cases, only blocks in which a cut could win are tried.
    cdef Py_ssize_t c, first = 0, end, n_classes = cases.n_classes
    cdef int32_t* low = scratch.integers
    cdef int32_t* high = scratch.integers + n_classes
    cdef const int32_t* sums = scratch.sums
    cdef double slack = 1e-6 + 1e-13 * logs.integer[scan.n_known]  # the rounding of the sums
    for c in range(n_classes):
        low[c] = 0
        high[c] = <int32_t> scratch.sides[n_classes + c]
    if not scan.in_blocks:
        _try_integers(scan, cases, 0, scan.end, low, logs, scratch)
        first = scan.end
    elif logs.small == 0 and logs.single:
        _look_ahead(scan, n_classes, low, logs, scratch)
    while first < scan.end:
        end = min(first + scan.block, scan.n_known)
        if end > scan.start and _integer_bound((first + end) // 2, scan.n_known, low, sums, n_classes,
                                               logs) < scan.limit + slack:
            if end > scan.end:
                _try_integers(scan, cases, first, scan.end, low, logs, scratch)
                break
            _try_integers(scan, cases, first, end, low, logs, scratch)
        else:
            for c in range(n_classes):
                low[c] += sums[c]
                high[c] -= sums[c]
        sums += n_classes
        first = end
    for c in range(n_classes):
        scratch.sides[n_classes + c] = low[c] + high[c]
    _evaluate_held(scan, n_classes, logs, scratch)


cdef inline double _approximate_x_log_x(double x, const Logs* logs) noexcept nogil:
    return x * fast_log2(x, logs.fast) if x > 1e-30 else 0.0


ctypedef fused real_t:
    float
    double


cdef double _approximate_info(const double* counts, Py_ssize_t n_classes, const Logs* logs) noexcept nogil:
    cdef double total = 0.0, inside = 0.0
    cdef Py_ssize_t c
    for c in range(n_classes):
        total += counts[c]
        inside += _approximate_x_log_x(counts[c], logs)
    return _approximate_x_log_x(total, logs) - inside


cdef double _block_bound(const real_t* low, const real_t* low_end, const real_t* high, const real_t* high_end,
                         Py_ssize_t n_classes, double* terms, double* terms_end, const Logs* logs) noexcept nogil:
    # A lower bound on the information (times the known weight) that any cut between two others leaves, given the class
    # weights on either side of those two. `terms` has x log x of the first; `terms_end` receives that of the second.
    #
    # With T the weight below a cut and l that of each class below it, the information is F(T) - sum g(l), both convex.
    # F lies above its tangent in the middle, of slope s; what remains, s l - g(l) per class, is concave and so has its
    # minimum at one of the two ends.
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
            terms_end[c] = _approximate_x_log_x(low_end[c], logs) + _approximate_x_log_x(high_end[c], logs)
            right = slope * low_end[c] - terms_end[c]
            bound += left if left < right else right
    return bound


cdef void _try_block(ThresholdScan* scan, Py_ssize_t first, Py_ssize_t end, float* low, float low_weight, double* terms,
                     Py_ssize_t n_classes, const Logs* logs, Scratch* scratch) noexcept nogil:
    # Try each cut of a block; `terms` has x log x of each class, summed over both sides. Where a class is the only one
    # that changed since the last cut, only its term is computed anew.
    cdef Py_ssize_t i, c
    cdef const Entry* order = scan.order
    cdef const Visit* visits = scratch.visits
    cdef float* high = low + n_classes
    cdef float w
    cdef double inside = 0.0, T = 0.0, rest = 0.0, term, info
    cdef bint several = True
    for i in range(first, end):
        w = visits[i].weight
        c = visits[i].class_
        if several:
            low[c] += w
            high[c] -= w
            low_weight += w
            if i < scan.start or not is_gap(scan.column, order[i].rank, order[i + 1].rank):
                continue
            several = False
            T = rest = inside = 0.0
            for c in range(n_classes):
                T += low[c]
                rest += high[c]
                terms[c] = _approximate_x_log_x(low[c], logs) + _approximate_x_log_x(high[c], logs)
                inside += terms[c]
        else:
            # The class sums count as they are rounded; they add up to the weight of a side only approximately.
            T -= low[c]
            rest -= high[c]
            low[c] += w
            high[c] -= w
            T += low[c]
            rest += high[c]
            low_weight += w
            if not is_gap(scan.column, order[i].rank, order[i + 1].rank):
                several = True
                continue
            term = _approximate_x_log_x(low[c], logs) + _approximate_x_log_x(high[c], logs)
            inside += term - terms[c]
            terms[c] = term
        info = _approximate_x_log_x(T, logs) + _approximate_x_log_x(rest, logs) - inside
        if info < scan.limit:
            _hold(scan, info, low, low_weight, i, n_classes, logs, scratch)


cdef void _scan_many(ThresholdScan* scan, Py_ssize_t n_classes, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # Many cases with fractional weights, in release 8's floats: only blocks in which a cut could win are scanned.
    # The bounds take the high side for what the low one leaves, where rounding cannot make that differ by much: then
    # most cases need not be taken off it one after another, each waiting for the one before.
    cdef Py_ssize_t i, c, end, first = 0, reached = 0, size = scan.block
    cdef const Visit* visits = scratch.visits
    cdef const float* low = scratch.marks + 1
    cdef const float* low_end
    cdef float* sides = scratch.fractions
    cdef float* exact_high = scratch.fractions + n_classes
    cdef float* high = scratch.fractions + 2 * n_classes
    cdef float* high_end = high + n_classes
    cdef double* total = scratch.highs
    cdef double* terms = scratch.terms
    cdef double* terms_end = scratch.terms + n_classes
    cdef double slack, drift = _drift_of_high(scan, n_classes, logs)
    cdef bint is_near = drift < MAX_DRIFT * scan.known and scan.known < 2.0 ** 24
    if FEW_CUTS * scan.n_cuts < scan.n_known:
        for c in range(n_classes):
            sides[c] = 0.0
        _try_block(scan, 0, scan.end, sides, 0.0, terms, n_classes, logs, scratch)
        _evaluate_held(scan, n_classes, logs, scratch)
        return
    for c in range(n_classes):
        total[c] = exact_high[c]
        high[c] = exact_high[c]
        terms[c] = _approximate_x_log_x(high[c], logs)
    # Within a block every sum is rounded once per case, by at most 2^-24 of itself, which the bound does not see: the
    # information changes by no more than that fraction of an entropy, plus a little where a sum is small.
    slack = (2 * size * 6e-8 * scan.known * (fast_log2(<double> n_classes, logs.fast) + 1)
             + 0.01 * n_classes + 1e-6 * scan.known)
    if is_near:
        slack += drift
    while first < scan.end:
        end = min(first + size, scan.n_known)
        low_end = low + n_classes + 1
        if is_near:
            for c in range(n_classes):
                high_end[c] = <float> (total[c] - low_end[c])
        else:
            for c in range(n_classes):
                high_end[c] = high[c]
            for i in range(first, end):
                high_end[visits[i].class_] -= visits[i].weight
        if (_block_bound(low, low_end, high, high_end, n_classes, terms, terms_end, logs) < scan.limit + slack
                and end > scan.start):
            for i in range(reached, first if is_near else reached):
                exact_high[visits[i].class_] -= visits[i].weight
            reached = min(end, scan.end)
            for c in range(n_classes):
                sides[c] = low[c]
                exact_high[c] = exact_high[c] if is_near else high[c]
            _try_block(scan, first, reached, sides, (low - 1)[0], terms, n_classes, logs, scratch)
        high, high_end = high_end, high
        terms, terms_end = terms_end, terms
        low = low_end
        first = end
    _evaluate_held(scan, n_classes, logs, scratch)


cdef double _drift_of_high(const ThresholdScan* scan, Py_ssize_t n_classes, const Logs* logs) noexcept nogil:
    # By how much the information can differ where the class weights above a cut are taken for what those below it leave
    # of all, instead of being added up in release 8's floats. Up to 2^24 these count by ones, so both sums are rounded only
    # where a fraction is added or taken away, or where a sum comes to the next power of two, each time by at most 2^-24 of
    # the class; if class weights differ by e in all, the information does by at most e (log2 C + log2 (K / e + 1) + 1 / ln 2).
    cdef double e = (2.0 * scan.n_fractional + 25) * 6e-8 * scan.known
    return e * (fast_log2(n_classes * (scan.known / e + 1), logs.fast) + 1.5)


cdef void _scan_doubles(ThresholdScan* scan, const Cases* cases, const double* weights, const Logs* logs,
                        Scratch* scratch) noexcept nogil:
    # The same in doubles. They differ so little from sums without rounding that bounds take the high side for what the
    # low one leaves; it is added up only as far as the last block that is tried.
    cdef Py_ssize_t i, c, first = 0, end, reached = 0, C = cases.n_classes
    cdef const double* low = scratch.long_marks + 1
    cdef const double* low_end
    cdef double* high = scratch.highs
    cdef double* high_end = scratch.highs + C
    cdef double* total = scratch.highs + 2 * C
    cdef double* exact_high = scratch.sides + C
    cdef double* terms = scratch.terms
    cdef double* terms_end = scratch.terms + C
    cdef double slack = 1e-6 + 1e-8 * scan.known + 2e-14 * C * scan.n_known * scan.known
    if FEW_CUTS * scan.n_cuts < scan.n_known:
        for c in range(C):
            scratch.sides[c] = 0.0
        _try_doubles(scan, cases, weights, 0, scan.end, 0.0, terms, logs, scratch)
        return
    for c in range(C):
        total[c] = exact_high[c]
        high[c] = total[c]
        terms[c] = _approximate_x_log_x(total[c], logs)
    while first < scan.end:
        end = min(first + scan.block, scan.n_known)
        low_end = low + C + 1
        for c in range(C):
            high_end[c] = total[c] - low_end[c]
        if (_block_bound(low, low_end, high, high_end, C, terms, terms_end, logs) < scan.limit + slack
                and end > scan.start):
            for i in range(reached, first):
                exact_high[cases.classes[scan.order[i].row]] -= weights[scan.order[i].row]
            reached = min(end, scan.end)
            for c in range(C):
                scratch.sides[c] = low[c]
            _try_doubles(scan, cases, weights, first, reached, (low - 1)[0], terms, logs, scratch)
        high, high_end = high_end, high
        terms, terms_end = terms_end, terms
        low = low_end
        first = end


cdef void _try_doubles(ThresholdScan* scan, const Cases* cases, const double* weights, Py_ssize_t first, Py_ssize_t end,
                       double low_weight, double* terms, const Logs* logs, Scratch* scratch) noexcept nogil:
    # `_try_block` in doubles, where `scratch.sides` has the class weights before the block. In J48 a cut has to beat the
    # best before it by SMALL, which is decided at once.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes
    cdef const Entry* order = scan.order
    cdef double* low = scratch.sides
    cdef double* high = scratch.sides + n_classes
    cdef double inside = 0.0, T = 0.0, rest = 0.0, term, info, w
    cdef bint several = True
    for i in range(first, end):
        c = cases.classes[order[i].row]
        w = weights[order[i].row]
        low[c] += w
        high[c] -= w
        T += w
        rest -= w
        low_weight += w
        if i < scan.start or not is_gap(scan.column, order[i].rank, order[i + 1].rank):
            several = True
            continue
        if several:
            several = False
            T = rest = inside = 0.0
            for c in range(n_classes):
                T += low[c]
                rest += high[c]
                terms[c] = _approximate_x_log_x(low[c], logs) + _approximate_x_log_x(high[c], logs)
                inside += terms[c]
        else:
            term = _approximate_x_log_x(low[c], logs) + _approximate_x_log_x(high[c], logs)
            inside += term - terms[c]
            terms[c] = term
        info = _approximate_x_log_x(T, logs) + _approximate_x_log_x(rest, logs) - inside
        if info < scan.limit:
            _evaluate_cut(scan, low_weight, i, <int> n_classes, logs, scratch)
            scan.limit = min(scan.limit, _info_limit(scan))


cdef void _scan_few(ThresholdScan* scan, const Cases* cases, const real_t* weights,
                    const Logs* logs, real_t* low, Scratch* scratch) noexcept nogil:
    # The same for few cases, where sums are small: the four terms that a case changes are computed anew each time.
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
        terms[n_classes + c] = _approximate_x_log_x(high[c], logs)
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
        new_low = _approximate_x_log_x(low[c], logs)
        new_high = _approximate_x_log_x(high[c], logs)
        inside += (new_low - terms[c]) + (new_high - terms[n_classes + c])
        terms[c] = new_low
        terms[n_classes + c] = new_high
        if i < scan.start:
            continue
        info = _approximate_x_log_x(T, logs) + _approximate_x_log_x(rest, logs) - inside
        if info < scan.limit and is_gap(scan.column, order[i].rank, order[i + 1].rank):
            if real_t is float:
                _hold(scan, info, low, low_weight, i, n_classes, logs, scratch)
            else:
                _evaluate_cut(scan, low_weight, i, <int> n_classes, logs, scratch)
                scan.limit = _info_limit(scan)
    if real_t is float:
        _evaluate_held(scan, n_classes, logs, scratch)


cdef bint _has_enough_cases(ThresholdScan* scan, const Cases* cases, Totals totals, double min_cases,
                            double small) noexcept nogil:
    # What each side of a cut must have, and whether the known cases are enough for two such sides.
    cdef bint enough
    scan.known = rounded(totals.total - totals.unknown, cases.single)
    scan.unknown_rate = 0.0
    if scan.known > 0:
        scan.unknown_rate = rounded(1.0 - rounded(scan.known / totals.total, cases.single), cases.single)
    scan.min_split = rounded(0.10 * scan.known / cases.n_classes, cases.single)
    if at_most(scan.min_split, min_cases, small):
        scan.min_split = min_cases
    elif scan.min_split - 25 > small:
        scan.min_split = 25
    if small > 0:
        # J48 counts cases, even fractional ones, and requires nothing else on either side of a cut.
        enough = <double> scan.n_known >= 2 * scan.min_split - small
        scan.min_split -= small
        scan.min_cases = 0.0
    else:
        enough = scan.known >= 2 * min_cases
        scan.min_cases = min_cases
    return enough and scan.n_known >= 2 and scan.known > 0 and scan.unknown_rate < 1


cdef void _scan_cuts(ThresholdScan* scan, const Cases* cases, const NodeView* node, double cost, const Logs* logs,
                     Scratch* scratch) noexcept nogil:
    # The cut of greatest gain, if it gains more than the cost.
    cdef int C = cases.n_classes
    scan.base_is_exact = node.weights == NULL or node.weights.short_ == NULL
    if scan.base_is_exact:
        scan.base = threshold_base_info(scratch.sides + C, C, scan.known, logs)
    else:
        scan.base = _approximate_info(scratch.sides + C, C, logs) / scan.known
    # In J48 a cut has to beat the one before by more than SMALL, starting from 0; but cuts that gain much less than the
    # cost do not matter.
    scan.cost = cost
    scan.best_gain = cost if logs.small == 0 else max(cost - 0.001, 0.0)
    scan.best_low = -1.0
    # Each term of the exact gain is rounded a few times per class, by at most 2^-25 of K log2 K, or 2^-54 in double.
    scan.tolerance = 1e-8 + (4 * C + 24) * (6e-8 if cases.single else 2.3e-16) * max(
        fast_log2(scan.known, logs.fast) + 3, 1.0)
    scan.limit = _info_limit(scan)
    scan.n_held = 0
    if node.weights == NULL:
        _scan_integers(scan, cases, logs, scratch)
    elif scan.n_known < FEW and node.weights.short_ == NULL:
        _scan_few(scan, cases, node.weights.long_, logs, scratch.sides, scratch)
    elif scan.n_known < FEW:
        _scan_few(scan, cases, node.weights.short_, logs, scratch.fractions, scratch)
    elif node.weights.short_ == NULL:
        _scan_doubles(scan, cases, node.weights.long_, logs, scratch)
    else:
        _scan_many(scan, C, logs, scratch)


cdef GainCandidate best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                                  double min_cases, bint mdl_correction, const Logs* logs, Scratch* scratch,
                                  uint8_t* tie_state, int32_t* rows, NextColumn* next_column) noexcept nogil:
    # The cut of greatest gain, less the cost of encoding the choice among all cuts tried. With `next_column`, the known
    # cases are also written to `rows` in their order, as `list_known` does, whether there is a cut or not. `tie_state`,
    # unless NULL, tells a `TieState` of the values, and is told.
    cdef ThresholdScan scan
    cdef double cost
    cdef double[2] branch
    scan.best = no_gain()
    scan.column = column
    scan.order = column.order + node.start
    scan.n_known = count_known(column, node)
    scan.n_fractional = min(node.n_fractional, scan.n_known)
    if not _has_enough_cases(&scan, cases, totals, min_cases, logs.small):
        if next_column != NULL:
            list_known(scan.order, scan.n_known, NULL if node.weights == NULL else node.weights.short_, rows,
                       next_column)
        return scan.best
    scan.block = block_size(scan.n_known, cases.n_classes)
    scan.apart = tie_state != NULL and tie_state[0] == APART
    find_range(&scan, cases, node, scratch, rows, next_column)
    if scan.apart and tie_state != NULL:
        tie_state[0] = APART
    if scan.n_cuts == 0:
        return scan.best
    cost = rounded(log(<double> scan.n_cuts) / LN2 / totals.total, cases.single) if mdl_correction else 0.0
    _scan_cuts(&scan, cases, node, cost, logs, scratch)
    if scan.best_low < 0:
        return scan.best
    scan.best.gain = rounded(scan.best_gain - cost, cases.single)
    if scan.best.gain <= logs.small:
        return no_gain()
    branch[0] = scan.best_low
    branch[1] = rounded(scan.known - scan.best_low, cases.single)
    scan.best.split_info = split_info(branch, 2, totals.unknown, totals.total, logs)
    return scan.best
