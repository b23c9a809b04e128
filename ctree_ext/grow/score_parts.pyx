"""The best threshold by a score at a node where cases count in fractions.

An approximate score, from a fast logarithm, rules cuts out; those that could win are evaluated anew. Where all weights
are whole numbers of a unit, sums of them are exact: then the classes below any cut are known without a step per case,
and whole blocks of cases are ruled out by a bound.
"""

from libc.math cimport INFINITY, log2
from libc.stdint cimport uint16_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport LN2, fast_log2
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.approximation cimport approximate_part, approximate_score, approximation_error
from ctree_ext.grow.score_fine cimport scan_fine
from ctree_ext.grow.score_marks cimport MARKED_CASES, scan_marks
from ctree_ext.grow.score_scan cimport FEW_CLASSES, Scan, class_at, differ, tests_between, value_at
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch, block_size
from ctree_ext.grow.sorting cimport Entry
from ctree_ext.grow.split_scores cimport CHI_SQUARE, N_GAIN, ScoreFunction, branch_score, chi_square_of


cdef void scan_parts(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil:
    if node.units != NULL:
        scan_fine(search, scan, cases, node, scratch)
    elif node.lanes != NULL and scan.n <= MARKED_CASES:
        scan_marks(search, scan, cases, node, scratch)
    elif cases.unit > 0 and node.weights != NULL and cases.n_classes <= FEW_CLASSES:
        _scan_blocks(search, scan, cases, node, scratch)
    else:
        _scan_each(search, scan, cases, node, scratch)


cdef double slack_of(const Scan* scan, Py_ssize_t n_classes) noexcept nogil:
    # How far an approximate score may be off, to whose sums one number per case is added.
    return approximation_error(scan.known, n_classes) + 1e-15 * scan.n * scan.known * (log2(scan.known + 2) + 1)


cdef void _scan_each(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil:
    # Cut by cut: an approximate sum rules out most of them.
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
    slack = slack_of(scan, C)
    limit = scratch.floor - slack
    for c in range(C):
        low[c] = 0.0
        low_parts[c] = 0.0
        high[c] = classes[c]
        high_parts[c] = approximate_part(high[c], function, node.below, search.fast)
        high_sum += high_parts[c]
    for i in range(scan.n - 1):
        row = order[i].row
        c = class_at(scan, i, node.classes)
        w = weight_of(node.weights, row)
        low[c] += w
        high[c] = max(high[c] - w, 0.0)
        T += w
        rest = max(rest - w, 0.0)
        low_sum -= low_parts[c]
        high_sum -= high_parts[c]
        low_parts[c] = approximate_part(low[c], function, node.below, search.fast)
        high_parts[c] = approximate_part(high[c], function, node.below, search.fast)
        low_sum += low_parts[c]
        high_sum += high_parts[c]
        if not differ(scan, i) or T < scan.least * ALMOST or rest < scan.least * ALMOST:
            continue
        if search.counting:
            scan.n_tests += tests_between(search, scan, i)
        if approximate_score(low_sum, high_sum, T, rest, function, search.fast) - base <= limit:
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


cdef inline void _copy(Cut* cut, const Cut* other, Py_ssize_t n_classes) noexcept nogil:
    cdef Py_ssize_t c
    cut.T = other.T
    for c in range(n_classes):
        cut.low[c] = other.low[c]
        cut.parts[c] = other.parts[c]
        cut.parted[c] = other.parted[c]


cdef inline double _part_of(Cut* cut, Py_ssize_t c, const ScoreSearch* search, const Block* block,
                            const NodeView* node) noexcept nogil:
    # What a class adds on both sides, computed anew if it has changed.
    if cut.parted[c] != cut.low[c]:
        cut.parted[c] = cut.low[c]
        cut.parts[c] = (approximate_part(cut.low[c], search.function, node.below, search.fast)
                        + approximate_part(block.classes[c] - cut.low[c], search.function, node.below, search.fast))
    return cut.parts[c]


cdef inline double _slope(double x, const ScoreFunction* function, const double* fast) noexcept nogil:
    # How fast the term of a branch grows with its weight, but for a constant.
    cdef double less = 0.0, inverse, square
    if function.kind == N_GAIN:
        return fast_log2(x, fast)
    x += function.prior_weight
    while x < 8:
        less += 1.0 / x
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    return (LN2 * fast_log2(x, fast) - 0.5 * inverse
            - square * (1.0 / 12 - square * (1.0 / 120 - square / 252)) - less)


cdef inline void _add_block(const Scan* scan, const Block* block, const uint16_t* classes, Py_ssize_t n_classes,
                            Py_ssize_t start, Py_ssize_t end, Cut* cut) noexcept nogil:
    # Add the cases of a block to the sums below a cut, alternating between two sets of sums: an addition does not have
    # to wait for the one before, which is usually of the same class.
    cdef double[FEW_CLASSES] second
    cdef Py_ssize_t i = start, c
    for c in range(n_classes):
        second[c] = 0.0
    while i + 1 < end:
        cut.low[class_at(scan, i, classes)] += block.weights[scan.order[i].row]
        second[class_at(scan, i + 1, classes)] += block.weights[scan.order[i + 1].row]
        i += 2
    if i < end:
        cut.low[class_at(scan, i, classes)] += block.weights[scan.order[i].row]
    cut.T = 0.0
    for c in range(n_classes):
        cut.low[c] += second[c]
        cut.T += cut.low[c]


cdef inline double _bound(const ScoreSearch* search, const Scan* scan, const Block* block, const NodeView* node,
                          Py_ssize_t n_classes, Cut* first, Cut* last) noexcept nogil:
    # No cut between two others scores more. With T below a cut, l of a class, it scores sum h(l) - G(T), both convex. G
    # lies above its tangent in the middle, of slope s; what is left, h(l) - s l per class, is greatest at one of the two
    # ends.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t c
    cdef double T = 0.5 * (first.T + last.T), slope, bound, left, right
    slope = _slope(T, function, search.fast) - _slope(scan.known - T, function, search.fast)
    bound = slope * T + approximate_score(0.0, 0.0, T, scan.known - T, function, search.fast) - block.base
    for c in range(n_classes):
        left = _part_of(first, c, search, block, node) - slope * first.low[c]
        right = _part_of(last, c, search, block, node) - slope * last.low[c]
        bound += left if left > right else right
    return bound


cdef inline double _bound_chi_square(const Scan* scan, const Block* block, Py_ssize_t n_classes, const Cut* first,
                                     const Cut* last) noexcept nogil:
    # The same of chi-square, which is N² sum d² / n / (T (N - T)), where d = l - n T / N is how many cases of a class are
    # more below the cut than expected.
    cdef double N = scan.known, sum_ = 0.0, more, less, share, product
    cdef Py_ssize_t c
    for c in range(n_classes):
        share = block.classes[c] / N
        more = last.low[c] - share * first.T
        less = share * last.T - first.low[c]
        more = more if more > less else less
        sum_ += more * more * block.inverses[c]
    product = min(first.T * (N - first.T), last.T * (N - last.T))
    return N * N * sum_ / product if product > 0 else INFINITY


cdef inline double _chi_square(const Scan* scan, const Block* block, Py_ssize_t n_classes,
                               const Cut* cut) noexcept nogil:
    # Approximately.
    cdef double N = scan.known, sum_ = 0.0, more
    cdef Py_ssize_t c
    for c in range(n_classes):
        more = cut.low[c] - block.classes[c] / N * cut.T
        sum_ += more * more * block.inverses[c]
    return N * N * sum_ / (cut.T * (N - cut.T))


cdef inline double _approximate(const ScoreSearch* search, const Scan* scan, const Block* block, const NodeView* node,
                                Py_ssize_t n_classes, Cut* cut) noexcept nogil:
    # The score of a cut.
    cdef Py_ssize_t c
    cdef double sum_ = 0.0
    if search.function.kind == CHI_SQUARE:
        return _chi_square(scan, block, n_classes, cut)
    for c in range(n_classes):
        sum_ += _part_of(cut, c, search, block, node)
    return approximate_score(sum_, 0.0, cut.T, scan.known - cut.T, search.function, search.fast) - block.base


cdef void try_cuts(const ScoreSearch* search, Scan* scan, Block* block, const Cases* cases, const NodeView* node,
                   Py_ssize_t start, Py_ssize_t end, Cut* cut, Scratch* scratch) noexcept nogil:
    # Try the cuts after the cases from `start` to before `end`.
    cdef Py_ssize_t i, c, C = cases.n_classes
    cdef double least = scan.least * ALMOST, w, score
    cdef double* high = scratch.terms + C
    for i in range(start, end):
        w = block.weights[scan.order[i].row]
        cut.low[class_at(scan, i, node.classes)] += w
        cut.T += w
        if not differ(scan, i) or cut.T < least or scan.known - cut.T < least:
            continue
        if search.counting:
            scan.n_tests += tests_between(search, scan, i)
        if _approximate(search, scan, block, node, C, cut) <= block.limit:
            continue
        memcpy(scratch.terms, cut.low, C * sizeof(double))
        for c in range(C):
            high[c] = block.classes[c] - cut.low[c]
        if search.function.kind == CHI_SQUARE:
            score = chi_square_of(scratch.terms, 2, <int> C, block.classes)
        else:
            score = (branch_score(cut.low, <int> C, node.below, search.function)
                     + branch_score(high, <int> C, node.below, search.function) - block.base)
        if scan.place < 0 or score > scan.best + search.function.tie_tolerance:
            scan.place = i
            scan.best = score
            block.limit = score + search.function.tie_tolerance - block.slack


cdef Py_ssize_t tests_in(const ScoreSearch* search, const Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    # How many tests the cuts after these cases are.
    cdef Py_ssize_t i, tests = 0
    if search.listed_thresholds:
        return <Py_ssize_t> (value_at(scan, end) - value_at(scan, start))
    if scan.apart:
        return end - start
    for i in range(start, end):
        tests += differ(scan, i)
    return tests


cdef void _scan_blocks(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                       Scratch* scratch) noexcept nogil:
    cdef Py_ssize_t c, C = cases.n_classes, start, end = 0, closer = 0
    cdef Py_ssize_t size = block_size(scan.n, C), part = max(size // 4, 4)
    cdef bint chi_square = search.function.kind == CHI_SQUARE, inside
    cdef double bound, least = scan.least * ALMOST
    cdef Cut[2] cuts
    cdef Cut* first = &cuts[0]
    cdef Cut* last = &cuts[1]
    cdef Block block
    block.classes = scratch.sides
    block.weights = node.weights.long_
    block.base = 0.0 if chi_square else branch_score(scratch.sides, <int> C, node.own, search.function)
    block.slack = slack_of(scan, C)
    block.limit = scratch.floor - block.slack
    first.T = 0.0
    for c in range(C):
        first.low[c] = 0.0
        first.parted[c] = -1.0
        if chi_square:
            block.inverses[c] = 1.0 / block.classes[c] if block.classes[c] > 0 else 0.0
    _copy(last, first, C)
    while end < scan.n - 1 and scan.known - first.T >= least:
        start = end
        end = min(start + (part if start < closer else size), scan.n - 1)
        _add_block(scan, &block, node.classes, C, start, end, last)
        # whether all cuts of the block leave enough on either side
        inside = first.T >= least and scan.known - last.T >= least
        if last.T < least:
            bound = -INFINITY
        elif search.counting and not inside:
            bound = INFINITY
        elif chi_square:
            bound = _bound_chi_square(scan, &block, C, first, last)
        else:
            bound = _bound(search, scan, &block, node, C, first, last)
        if bound <= block.limit:
            if search.counting and inside:
                scan.n_tests += tests_in(search, scan, start, end)
            _copy(first, last, C)
        elif start >= closer and bound < INFINITY:
            # perhaps not all of its parts can have a cut that wins
            closer = end
            end = start
            _copy(last, first, C)
        else:
            try_cuts(search, scan, &block, cases, node, start, end, first, scratch)
            _copy(last, first, C)
