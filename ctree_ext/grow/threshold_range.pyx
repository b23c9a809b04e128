"""Which cuts of a continuous attribute can be tried at a node, found in one pass over its cases in their order.

The same pass writes the cases to release 8's list, if there is one: fetching the data of a case, whose rows come in
random order, costs more than everything that is done with them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport rounded
from ctree_ext.grow.scratch cimport NodeView, Scratch, Visit
from ctree_ext.grow.sorting cimport NEAR, UNKNOWN_RANK, Entry, Sorted, float_of_rank, is_gap

cdef enum:
    FEW = 48       # whole cases below which bounds of blocks cost more than they bring


cdef Py_ssize_t _count_gaps(const Sorted* column, const Entry* order, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    # How many cuts there are after the cases from `start` to before `end`.
    cdef Py_ssize_t i, gaps = 0
    cdef double here, above
    cdef uint32_t step, most_near = column.most_near
    if column.spaced:
        for i in range(start, end):
            gaps += order[i].rank != order[i + 1].rank
        return gaps
    if column.distinct64 != NULL:
        for i in range(start, end):
            step = order[i + 1].rank - order[i].rank
            gaps += step > most_near
            if step - 1 < most_near:  # not 0
                gaps += is_gap(column, order[i].rank, order[i + 1].rank)
        return gaps
    if start < end:
        here = float_of_rank(order[start].rank)
        for i in range(start, end):
            above = float_of_rank(order[i + 1].rank)
            gaps += here < above - NEAR
            here = above
    return gaps


cdef void _range_of_integers(ThresholdScan* scan) noexcept nogil:
    # The cuts that leave enough cases on either side: after case `start` up to before case `end`.
    scan.start = max(<Py_ssize_t> scan.min_split - 1, 0)
    while scan.start + 1 < scan.min_split:
        scan.start += 1
    scan.end = scan.n_known - 1
    while scan.end > scan.start and scan.end > scan.known - scan.min_split:
        scan.end -= 1


ctypedef fused real_t:
    float
    double


cdef inline void _note(real_t* mark, real_t low_weight, const real_t* sums, Py_ssize_t n_classes) noexcept nogil:
    cdef Py_ssize_t c
    mark[0] = low_weight
    for c in range(n_classes):
        mark[1 + c] = sums[c]


cdef inline Py_ssize_t _read(const Entry* order, Py_ssize_t n, const float* weights, const uint16_t* classes,
                             Py_ssize_t n_classes, Py_ssize_t size, float* sums, Visit* visits, float* marks,
                             int32_t* rows, const uint8_t* missing, NextColumn* next_column, bint visiting, bint apart,
                             bint listing, bint looking) noexcept nogil:
    # One pass over the known cases of an attribute in its order. For the scan that follows (`visiting`) it collects
    # their weights and classes, the sums before each block, and the number of gaps, which is returned unless all values
    # are known to be `apart`; for the list (`listing`) the cases themselves and what the next attribute needs to know
    # about them. The last four arguments are constants in every call, so that each use gets its own loop.
    cdef Py_ssize_t i, c, first = 0, gaps = 0, n_unknown = 0, place = 0
    cdef int32_t row
    cdef float low_weight = 0.0, total = 0.0, w
    cdef double here, below = INFINITY
    cdef int32_t* unknown = NULL
    if listing:
        n_unknown = next_column.n_unknown
        unknown = next_column.unknown
        total = next_column.total
        place = rows - next_column.rows
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
                    unknown[n_unknown] = <int32_t> (place + i)
                    n_unknown += missing[row]
        first += size
    if visiting:
        _note(marks, low_weight, sums, n_classes)
    if listing:
        next_column.total = total
        next_column.n_unknown = n_unknown
    return n - 1 if apart else gaps


cdef void note_unknown(const int32_t* rows, Py_ssize_t n, NextColumn* next_column) noexcept nogil:
    # Which of these cases, already in the list, have no value of the next attribute.
    cdef Py_ssize_t i, place = rows - next_column.rows
    if next_column.missing != NULL:
        for i in range(n):
            next_column.unknown[next_column.n_unknown] = <int32_t> (place + i)
            next_column.n_unknown += next_column.missing[rows[i]]


cdef void list_known(const Entry* order, Py_ssize_t n, const float* weights, int32_t* rows,
                     NextColumn* next_column) noexcept nogil:
    # Write the known cases of an attribute to the list in its order, and add them to `next_column`.
    cdef Py_ssize_t i
    if weights == NULL:
        for i in range(n):
            rows[i] = order[i].row
        next_column.total += <float> n
        note_unknown(rows, n, next_column)
    elif next_column.missing != NULL:
        _read(order, n, weights, NULL, 0, n, NULL, NULL, NULL, rows, next_column.missing, next_column, False, True, True,
              True)
    else:
        _read(order, n, weights, NULL, 0, n, NULL, NULL, NULL, rows, NULL, next_column, False, True, True, False)


cdef void _find_ends(ThresholdScan* scan, Py_ssize_t n_classes, const real_t* marks, const real_t* weights,
                     double most) noexcept nogil:
    # The weight before each block shows in which blocks the first and the last cut lie; there is none once more than
    # `most` is below.
    cdef Py_ssize_t n = scan.n_known, block = scan.block
    cdef const Entry* order = scan.order
    cdef const real_t* mark = marks
    cdef real_t least = <real_t> scan.min_split, most_low = <real_t> most
    cdef real_t at_start, at_end
    scan.start = 0
    while scan.start + block < n and mark[n_classes + 1] < least:
        scan.start += block
        mark += n_classes + 1
    at_start = mark[0] + weights[order[scan.start].row]
    while at_start < least and scan.start < n - 1:
        scan.start += 1
        at_start += weights[order[scan.start].row]
    scan.end = (n - 1) // block * block
    mark = marks + scan.end // block * (n_classes + 1)
    while scan.end > 0 and mark[0] > most_low:
        scan.end -= block
        mark -= n_classes + 1
    at_end = mark[0] + weights[order[scan.end].row]
    while at_end <= most_low and scan.end < n - 1:
        scan.end += 1
        at_end += weights[order[scan.end].row]
    scan.end = max(scan.end, scan.start)


cdef void _range_of_floats(ThresholdScan* scan, const Cases* cases, const float* weights, Scratch* scratch,
                           int32_t* rows, NextColumn* next_column) noexcept nogil:
    # The same as for integer weights, and the class weights of all known cases behind `scratch.fractions`. The list is
    # brought into order on the way if there is one.
    cdef Py_ssize_t c, n_classes = cases.n_classes, n = scan.n_known, block = scan.block, gaps
    cdef float* sums = scratch.fractions + n_classes
    cdef const Entry* order = scan.order
    for c in range(n_classes):
        sums[c] = 0.0
    if next_column == NULL and scan.apart:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     NULL, NULL, NULL, True, True, False, False)
    elif next_column == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     NULL, NULL, NULL, True, False, False, False)
    elif scan.apart and next_column.missing == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, NULL, next_column, True, True, True, False)
    elif scan.apart:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, next_column.missing, next_column, True, True, True, True)
    elif next_column.missing == NULL:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, NULL, next_column, True, False, True, False)
    else:
        gaps = _read(order, n, weights, cases.classes, n_classes, block, sums, scratch.visits, scratch.marks,
                     rows, next_column.missing, next_column, True, False, True, True)
    _find_ends(scan, n_classes, scratch.marks, weights, rounded(scan.known - scan.min_split, True))
    scan.apart = gaps == n - 1
    if scan.apart:
        scan.n_cuts = scan.end - scan.start
    else:
        scan.n_cuts = (gaps - _count_gaps(scan.column, order, 0, scan.start)
                      - _count_gaps(scan.column, order, scan.end, n - 1))


cdef void _range_of_doubles(ThresholdScan* scan, const Cases* cases, const double* weights,
                            Scratch* scratch) noexcept nogil:
    # The same in doubles.
    cdef Py_ssize_t i, c, n_classes = cases.n_classes, n = scan.n_known, first = 0
    cdef const Entry* order = scan.order
    cdef double* sums = scratch.sides + n_classes
    cdef double* marks = scratch.long_marks
    cdef double low_weight = 0.0, w
    for c in range(n_classes):
        sums[c] = 0.0
    while first < n:
        _note(marks, low_weight, sums, n_classes)
        marks += n_classes + 1
        for i in range(first, min(first + scan.block, n)):
            w = weights[order[i].row]
            sums[cases.classes[order[i].row]] += w
            low_weight += w
        first += scan.block
    _note(marks, low_weight, sums, n_classes)
    _find_ends(scan, n_classes, scratch.long_marks, weights, scan.known - scan.min_split)
    scan.n_cuts = scan.end - scan.start
    if not scan.apart:
        scan.n_cuts = _count_gaps(scan.column, order, scan.start, scan.end)
        scan.apart = (scan.n_cuts == scan.end - scan.start
                      and _count_gaps(scan.column, order, 0, scan.start) == scan.start
                      and _count_gaps(scan.column, order, scan.end, n - 1) == n - 1 - scan.end)


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


cdef void _count_known_classes(const ThresholdScan* scan, const Cases* cases, const NodeView* node,
                               double* counts) noexcept nogil:
    # Where every case counts one.
    cdef Py_ssize_t i
    cdef int c
    if scan.n_known == node.n:
        for c in range(cases.n_classes):
            counts[c] = node.counts[c]
        return
    memset(counts, 0, cases.n_classes * sizeof(double))
    for i in range(scan.n_known):
        counts[cases.classes[scan.order[i].row]] += 1.0


cdef inline Py_ssize_t _sum_blocks(const ThresholdScan* scan, const uint16_t* classes, Py_ssize_t n_classes,
                                   int32_t* sums, bint packed, bint spaced, bint floats) noexcept nogil:
    # The class counts of each block of known cases, and how many gaps there are in all. Up to eight classes are counted
    # in the bytes of one number, for an addition to memory has to wait for the last one. The last three arguments are
    # constants in every call.
    cdef const Entry* order = scan.order
    cdef Py_ssize_t i, c, first = 0, end, n = scan.n_known, size = scan.block, gaps = 0
    cdef uint64_t counts
    cdef double here, below = INFINITY
    cdef uint32_t rank
    rank = order[0].rank
    while first < n:
        end = min(first + size, n)
        counts = 0
        if not packed:
            memset(sums, 0, n_classes * sizeof(int32_t))
        for i in range(first, end):
            if packed:
                counts += <uint64_t> 1 << 8 * classes[order[i].row]
            else:
                sums[classes[order[i].row]] += 1
            if spaced:
                gaps += order[i].rank != rank
                rank = order[i].rank
            elif floats:
                here = float_of_rank(order[i].rank)
                gaps += below < here - NEAR
                below = here
            else:
                gaps += is_gap(scan.column, rank, order[i].rank)
                rank = order[i].rank
        if packed:
            for c in range(n_classes):
                sums[c] = counts >> 8 * c & 255
        sums += n_classes
        first = end
    return gaps


cdef void _sum_integers(ThresholdScan* scan, const Cases* cases, Scratch* scratch) noexcept nogil:
    # The number of cuts, and the class counts of each block in `scratch.sums`.
    cdef Py_ssize_t C = cases.n_classes, gaps
    cdef bint packed = C <= 8 and scan.block <= 255
    if scan.column.spaced and packed:
        gaps = _sum_blocks(scan, cases.classes, C, scratch.sums, True, True, False)
    elif scan.column.distinct64 == NULL and packed:
        gaps = _sum_blocks(scan, cases.classes, C, scratch.sums, True, False, True)
    elif packed:
        gaps = _sum_blocks(scan, cases.classes, C, scratch.sums, True, False, False)
    else:
        gaps = _sum_blocks(scan, cases.classes, C, scratch.sums, False, False, False)
    scan.n_cuts = (gaps - _count_gaps(scan.column, scan.order, 0, scan.start)
                   - _count_gaps(scan.column, scan.order, scan.end, scan.n_known - 1))


cdef void find_range(ThresholdScan* scan, const Cases* cases, const NodeView* node, Scratch* scratch, int32_t* rows,
                     NextColumn* next_column) noexcept nogil:
    # Which cuts can be tried, how many there are, and the class weights of all known cases in the high side of
    # `scratch`.
    cdef int c, C = cases.n_classes
    if node.weights == NULL:
        _count_known_classes(scan, cases, node, scratch.sides + C)
        _range_of_integers(scan)
        scan.in_blocks = scan.n_known >= FEW
        if scan.in_blocks:
            _sum_integers(scan, cases, scratch)
        else:
            scan.n_cuts = _count_gaps(scan.column, scan.order, scan.start, scan.end)
        if next_column != NULL:
            list_known(scan.order, scan.n_known, NULL, rows, next_column)
    elif node.weights.short_ != NULL:
        _range_of_floats(scan, cases, node.weights.short_, scratch, rows, next_column)
        for c in range(C, 2 * C):
            scratch.sides[c] = scratch.fractions[c]
    else:
        _range_of_doubles(scan, cases, node.weights.long_, scratch)
