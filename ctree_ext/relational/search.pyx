"""Scoring all conditions on one column in one pass over the rows that a term stands for.

Rows come in the order of their examples, and examples are counted, never rows. Of a discrete column, a stamp for each value
says in which example it was last seen. Of a continuous column the least and the greatest value of each example decide:
there is a row with x <= t if and only if the least is.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.split_scores cimport CHI_SQUARE, branch_score, branch_units
from ctree_ext.relational.language cimport ALL_VALUES, ONLY_ABOVE, ONLY_AT_MOST, Coded
from ctree_ext.relational.query_test cimport ABOVE, AT_MOST, EQUALS, NO_CONDITION

cdef enum:
    FEW = 24                 # keys that are sorted by insertion
    DIGITS = 256


cdef int search_init(Search* search, Memory memory, Py_ssize_t n_examples, Py_ssize_t most_rows) except -1:
    # Scratch for a tree of so many examples; a table has at most so many rows.
    cdef Scratch* scratch = &search.scratch
    cdef Py_ssize_t codes = search.words.most_codes + 1
    scratch.stamp = <int64_t*> memory.zeroed(codes, sizeof(int64_t))
    scratch.n_yes = <int32_t*> memory.raw(codes, sizeof(int32_t))
    if search.closing:
        scratch.row_stamp = <int64_t*> memory.zeroed(most_rows, sizeof(int64_t))
        scratch.n_agreeing = <int32_t*> memory.raw(most_rows, sizeof(int32_t))
    scratch.counts = <double*> memory.raw(codes, search.n_classes * sizeof(double))
    scratch.least = <uint64_t*> memory.raw(n_examples, sizeof(uint64_t))
    scratch.greatest = <uint64_t*> memory.raw(n_examples, sizeof(uint64_t))
    scratch.sorting = <uint64_t*> memory.raw(max(n_examples, codes), sizeof(uint64_t))
    scratch.branches = <double*> memory.raw(2 * search.n_classes, sizeof(double))
    scratch.running = <double*> memory.raw(search.n_classes, sizeof(double))
    return 0


cdef void search_begin(Search* search, const double* totals, Py_ssize_t n_examples) noexcept nogil:
    # Nothing has been found yet for a node with these class weights.
    search.n_examples = n_examples
    search.totals = totals
    search.n_tests = 0
    search.found = False
    memset(&search.current, 0, sizeof(search.current))
    if search.by_units:
        search.node_units = branch_units(totals, search.n_classes, search.function.terms, search.function)
    elif search.function.kind != CHI_SQUARE:
        search.node_score = branch_score(totals, search.n_classes, search.function.terms, search.function)


cdef inline double _weight(const Search* search, int32_t example) noexcept nogil:
    return 1.0 if search.weights == NULL else search.weights[example]


cdef void score_step(Search* search, const int32_t* example, Py_ssize_t n) noexcept nogil:
    # The current steps without a condition: the test holds for examples that have a row.
    cdef double* yes = search.scratch.running
    cdef Py_ssize_t i, n_yes = 0
    cdef int32_t last = -1
    memset(yes, 0, search.n_classes * sizeof(double))
    for i in range(n):
        if example[i] != last:
            last = example[i]
            yes[search.classes[last]] += _weight(search, last)
            n_yes += 1
    search.current.op = NO_CONDITION
    consider(search, yes, n_yes)


cdef void score_column(Search* search, int column, const int32_t* rows, const int32_t* example, Py_ssize_t n,
                       bint of_example) noexcept nogil:
    # All conditions of a column. Where there is one row for each example, `of_example`, half of them are enough: the
    # others are the same with branches exchanged.
    cdef const Coded* coded = &search.words.coded[column]
    cdef Scratch* scratch = &search.scratch
    cdef Py_ssize_t n_known
    cdef bint one
    search.current.column = column
    if coded.levels == NULL:
        one = of_example and coded.n_levels == 2 and coded.directions != ALL_VALUES
        _score_values(search, coded, rows, example, n, 1 if one else coded.n_levels)
        return
    n_known = _extremes(search, coded, rows, example, n)
    if coded.directions != ONLY_ABOVE:
        _score_thresholds(search, coded, scratch.least, n_known, AT_MOST)
    if coded.directions == ONLY_ABOVE or (coded.directions != ONLY_AT_MOST and not of_example):
        _score_thresholds(search, coded, scratch.greatest, n_known, ABOVE)


cdef void _score_values(Search* search, const Coded* coded, const int32_t* rows, const int32_t* example, Py_ssize_t n,
                        int n_tried) noexcept nogil:
    cdef Scratch* scratch = &search.scratch
    cdef int64_t* stamp = scratch.stamp
    cdef int64_t before = scratch.mark, mark = scratch.mark
    cdef int n_classes = search.n_classes
    cdef Py_ssize_t i, n_found = 0
    cdef int32_t last = -1, code, cls = 0
    cdef double weight = 1.0
    for i in range(n):
        if example[i] != last:
            last = example[i]
            cls = search.classes[last]
            weight = _weight(search, last)
            mark += 1
        if rows[i] < 0:
            continue
        code = coded.codes[rows[i]]
        if code < 0 or stamp[code] == mark:
            continue
        if stamp[code] <= before:
            memset(scratch.counts + <Py_ssize_t> code * n_classes, 0, n_classes * sizeof(double))
            scratch.n_yes[code] = 0
            scratch.sorting[n_found] = <uint64_t> code
            n_found += 1
        stamp[code] = mark
        scratch.counts[<Py_ssize_t> code * n_classes + cls] += weight
        scratch.n_yes[code] += 1
    scratch.mark = mark
    search.current.op = EQUALS
    if n_found * 8 < coded.n_levels and n_found <= FEW:
        _insert(scratch.sorting, n_found)
        for i in range(n_found):
            code = <int32_t> scratch.sorting[i]
            if code < n_tried:
                search.current.code = code
                consider(search, scratch.counts + <Py_ssize_t> code * n_classes, scratch.n_yes[code])
        return
    for code in range(n_tried):
        if stamp[code] > before:
            search.current.code = code
            consider(search, scratch.counts + <Py_ssize_t> code * n_classes, scratch.n_yes[code])


cdef Py_ssize_t _extremes(Search* search, const Coded* coded, const int32_t* rows, const int32_t* example,
                          Py_ssize_t n) noexcept nogil:
    # The least and the greatest code of each example that has any.
    cdef Scratch* scratch = &search.scratch
    cdef Py_ssize_t i = 0, found = 0
    cdef int32_t last, code, low, high
    while i < n:
        last = example[i]
        low = coded.n_codes
        high = -1
        while i < n and example[i] == last:
            if rows[i] >= 0:
                code = coded.codes[rows[i]]
                if code >= 0:
                    if code < low:
                        low = code
                    if code > high:
                        high = code
            i += 1
        if high >= 0:
            scratch.least[found] = <uint64_t> low << 32 | <uint64_t> last
            scratch.greatest[found] = <uint64_t> high << 32 | <uint64_t> last
            found += 1
    return found


cdef void _score_cuts(Search* search, const Coded* coded, const uint64_t* keys, Py_ssize_t n, int op) noexcept nogil:
    # Thresholds that are the same at all nodes.
    cdef Scratch* scratch = &search.scratch
    cdef int n_classes = search.n_classes, c
    cdef int32_t code, example
    cdef Py_ssize_t i, n_yes = 0 if op == AT_MOST else n
    cdef double sign = 1.0 if op == AT_MOST else -1.0
    memset(scratch.counts, 0, coded.n_codes * n_classes * sizeof(double))
    memset(scratch.n_yes, 0, coded.n_codes * sizeof(int32_t))
    memset(scratch.running, 0, n_classes * sizeof(double))
    for i in range(n):
        code = <int32_t> (keys[i] >> 32)
        example = <int32_t> keys[i]
        scratch.counts[<Py_ssize_t> code * n_classes + search.classes[example]] += _weight(search, example)
        scratch.n_yes[code] += 1
    if op == ABOVE:
        for code in range(coded.n_codes):
            for c in range(n_classes):
                scratch.running[c] += scratch.counts[<Py_ssize_t> code * n_classes + c]
    search.current.op = op
    for code in range(coded.n_levels):
        for c in range(n_classes):
            scratch.running[c] += sign * scratch.counts[<Py_ssize_t> code * n_classes + c]
        n_yes += scratch.n_yes[code] if op == AT_MOST else -scratch.n_yes[code]
        search.current.code = code
        consider(search, scratch.running, n_yes)


cdef void _score_thresholds(Search* search, const Coded* coded, uint64_t* keys, Py_ssize_t n, int op) noexcept nogil:
    # Every threshold that divides the examples differently, or those of the column.
    cdef Scratch* scratch = &search.scratch
    cdef double* running = scratch.running
    cdef Py_ssize_t i
    cdef int32_t code, example
    cdef double sign = 1.0 if op == AT_MOST else -1.0
    if coded.listed:
        _score_cuts(search, coded, keys, n, op)
        return
    _sort(keys, scratch.sorting, n, coded.n_codes)
    memset(running, 0, search.n_classes * sizeof(double))
    if op == ABOVE:
        for i in range(n):
            example = <int32_t> keys[i]
            running[search.classes[example]] += _weight(search, example)
    search.current.op = op
    for i in range(n):
        code = <int32_t> (keys[i] >> 32)
        example = <int32_t> keys[i]
        running[search.classes[example]] += sign * _weight(search, example)
        if i + 1 == n or <int32_t> (keys[i + 1] >> 32) != code:
            search.current.code = code
            consider(search, running, i + 1 if op == AT_MOST else n - i - 1)


cdef void _insert(uint64_t* keys, Py_ssize_t n) noexcept nogil:
    # Sort a few keys.
    cdef Py_ssize_t i, j
    cdef uint64_t key
    for i in range(1, n):
        key = keys[i]
        j = i
        while j and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


cdef void _sort(uint64_t* keys, uint64_t* room, Py_ssize_t n, int n_codes) noexcept nogil:
    # By their upper halves, which are less than `n_codes`: digit by digit, from the lowest.
    cdef Py_ssize_t[256] start
    cdef Py_ssize_t i, sum_, count
    cdef int digit, shift = 32
    cdef uint64_t* source = keys
    cdef uint64_t* goal = room
    cdef uint64_t* swapped
    if n <= FEW:
        _insert(keys, n)
        return
    while n_codes > 0:
        memset(start, 0, sizeof(start))
        for i in range(n):
            start[(source[i] >> shift) & (DIGITS - 1)] += 1
        sum_ = 0
        for digit in range(DIGITS):
            count = start[digit]
            start[digit] = sum_
            sum_ += count
        for i in range(n):
            digit = <int> ((source[i] >> shift) & (DIGITS - 1))
            goal[start[digit]] = source[i]
            start[digit] += 1
        swapped = source
        source = goal
        goal = swapped
        shift += 8
        n_codes >>= 8
    if source != keys:
        memcpy(keys, source, n * sizeof(uint64_t))
