"""The best test of a discrete attribute at a node, by a score: a branch per value, or one value against the others.

Of tests of the same score the first counts, in the order of values. A test needs two branches with cases.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.approximation cimport approximate_part, approximate_score, approximation_error
from ctree_ext.grow.candidates cimport ScoreCandidate, no_score
from ctree_ext.grow.counts cimport Cell, count_listed, count_values
from ctree_ext.grow.score_marks cimport MARKS, Divisions, begin_divisions, most_of_division, score_divisions
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch, ValueMatrix, count_present, has_tables
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.split_scores cimport (
    CHI_SQUARE, ScoreFunction, branch_score, branch_units, chi_square_of, score_of,
)


cdef ValueMatrix count_matrix(const Cases* cases, int attribute, const NodeView* node, Scratch* scratch) noexcept nogil:
    # An identifier has as many values as there are cases, and most nodes have few of them: then only values that occur
    # get a row.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes
    cdef Py_ssize_t i, row, r
    cdef int32_t code
    cdef int32_t* codes = <int32_t*> scratch.cells
    cdef double* counts = scratch.counts + C
    cdef double w
    cdef ValueMatrix matrix
    matrix.codes = NULL
    matrix.n_rows = n_values
    if node.cells != NULL and node.cell_of[attribute] >= 0:
        counts = <double*> node.cells + node.cell_of[attribute] + C
    elif n_values <= node.n and node.row_of != NULL and node.weights != NULL:
        count_listed(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], n_values, node.classes,
                     node.weights.long_, C, scratch.counts)
    elif n_values <= node.n:
        count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], n_values,
                     cases.classes, node.weights, C, scratch.cells, scratch.counts)
    else:
        matrix.codes = codes
        matrix.n_rows = 0
        for i in range(node.n):
            row = node.rows[i]
            code = cases.codes[attribute][row]
            if code < 0:
                continue
            r = <Py_ssize_t> scratch.tally[code] - 1
            if r < 0:
                r = matrix.n_rows
                matrix.n_rows += 1
                scratch.tally[code] = r + 1
                codes[r] = code
                memset(counts + r * C, 0, C * sizeof(double))
            w = weight_of(node.weights, i if node.row_of != NULL else row)
            counts[r * C + cases.classes[row]] += w
        for i in range(matrix.n_rows):
            scratch.tally[codes[i]] = 0.0
    sum_matrix(&matrix, counts, C, scratch)
    return matrix


cdef void sum_matrix(ValueMatrix* matrix, const double* counts, int n_classes, Scratch* scratch) noexcept nogil:
    # The matrix of these counts, whose rows are given: the sizes of rows, and in `scratch.sides` those of the columns.
    cdef Py_ssize_t r, C = n_classes
    cdef int c
    cdef double w
    matrix.counts = counts
    matrix.sizes = scratch.branch
    memset(scratch.sides, 0, C * sizeof(double))
    matrix.known = 0.0
    for r in range(matrix.n_rows):
        w = 0.0
        for c in range(n_classes):
            w += counts[r * C + c]
            scratch.sides[c] += counts[r * C + c]
        scratch.branch[r] = w
        matrix.known += w


cdef ScoreCandidate best_score_division(const ScoreSearch* search, const Cases* cases, int attribute,
                                        const NodeView* node, Scratch* scratch) noexcept nogil:
    cdef ValueMatrix matrix = count_matrix(cases, attribute, node, scratch)
    return score_division(search, &matrix, cases.n_classes, node, scratch)


cdef ScoreCandidate best_score_value(const ScoreSearch* search, const Cases* cases, int attribute,
                                     const NodeView* node, Scratch* scratch) noexcept nogil:
    cdef ValueMatrix matrix = count_matrix(cases, attribute, node, scratch)
    return score_value(search, &matrix, cases.n_values[attribute], cases.n_classes, node, scratch)


cdef ScoreCandidate score_division(const ScoreSearch* search, const ValueMatrix* matrix, int C, const NodeView* node,
                                   Scratch* scratch) noexcept nogil:
    # A branch per value: the one test of this kind.
    cdef const ScoreFunction* function = search.function
    cdef int r, enough = 0
    cdef int64_t units = 0
    cdef ScoreCandidate best = no_score()
    for r in range(matrix.n_rows):
        best.n_branches += matrix.sizes[r] > 0
        enough += matrix.sizes[r] > 0 and matrix.sizes[r] >= search.min_cases * ALMOST
    if enough < 2:
        return no_score()
    best.n_tests = 1
    best.n_present = count_present(scratch.sides, C)
    if has_tables(function, node):
        for r in range(matrix.n_rows):
            if matrix.sizes[r] > 0:
                units += branch_units(matrix.counts + <Py_ssize_t> r * C, C, node.below, function)
        units -= branch_units(scratch.sides, C, node.own, function)
        best.score = units * function.unit
        return best
    if node.marked:
        best.score = most_of_division(search, matrix, node, scratch)
    if not node.marked or best.score > scratch.floor:
        best.score = score_of(matrix.counts, matrix.n_rows, C, node.own, node.below, function, scratch.sides)
    return best


cdef double _approximate(const ScoreSearch* search, const ValueMatrix* matrix, Py_ssize_t row, int n_classes,
                         const NodeView* node, const double* classes) noexcept nogil:
    # What one value against the others scores, approximately and before the score of the node is subtracted.
    cdef const double* counts = matrix.counts + row * n_classes
    cdef double low = 0.0, high = 0.0
    cdef int c
    for c in range(n_classes):
        low += approximate_part(counts[c], search.function, node.below, search.fast)
        high += approximate_part(max(classes[c] - counts[c], 0.0), search.function, node.below, search.fast)
    return approximate_score(low, high, matrix.sizes[row], max(matrix.known - matrix.sizes[row], 0.0), search.function,
                             search.fast)


cdef double _worst_that_counts(const ScoreSearch* search, const ValueMatrix* matrix, int n_classes,
                               const NodeView* node, const Scratch* scratch) noexcept nogil:
    # Values that score less, approximately, are neither the best nor as good.
    cdef double best = -INFINITY
    cdef int r
    for r in range(matrix.n_rows):
        if is_test(search, matrix, r):
            best = max(best, _approximate(search, matrix, r, n_classes, node, scratch.sides))
    return best - 4 * (approximation_error(matrix.known, n_classes) + search.function.tie_tolerance)


cdef bint is_test(const ScoreSearch* search, const ValueMatrix* matrix, int row) noexcept nogil:
    # Whether there is enough on either side.
    return (0 < matrix.sizes[row] and search.min_cases * ALMOST <= matrix.sizes[row]
            and search.min_cases * ALMOST <= matrix.known - matrix.sizes[row]) and _others(matrix, row)


cdef ScoreCandidate score_value(const ScoreSearch* search, const ValueMatrix* matrix, int n_values, int C,
                                const NodeView* node, Scratch* scratch) noexcept nogil:
    # One value against the others. With two values both tests would be the same.
    cdef const ScoreFunction* function = search.function
    cdef int r, c, code
    cdef double* low = scratch.terms
    cdef double* high = scratch.terms + C
    cdef double score, base = 0.0, tie_tolerance = function.tie_tolerance, limit = -INFINITY
    cdef int64_t units
    cdef bint tabled
    cdef ScoreCandidate best
    if n_values <= 2:
        return score_division(search, matrix, C, node, scratch)
    best = no_score()
    if node.marked and matrix.codes == NULL:
        return _best_of_marked(search, matrix, C, node, scratch)
    tabled = has_tables(function, node)
    if tabled:
        base = branch_units(scratch.sides, C, node.own, function) * function.unit
        tie_tolerance = function.tie_units * function.unit
    elif function.kind != CHI_SQUARE:
        base = branch_score(scratch.sides, C, node.own, function)
        limit = _worst_that_counts(search, matrix, C, node, scratch)
    for r in range(matrix.n_rows):
        if not is_test(search, matrix, r):
            continue
        best.n_tests += 1
        if limit > -INFINITY and _approximate(search, matrix, r, C, node, scratch.sides) < limit:
            continue
        for c in range(C):
            low[c] = matrix.counts[<Py_ssize_t> r * C + c]
            high[c] = max(scratch.sides[c] - low[c], 0.0)
        if tabled:
            units = branch_units(low, C, node.below, function) + branch_units(high, C, node.below, function)
            score = units * function.unit - base
        elif function.kind == CHI_SQUARE:
            score = chi_square_of(low, 2, C, scratch.sides)
        else:
            score = (branch_score(low, C, node.below, function) + branch_score(high, C, node.below, function)) - base
        code = r if matrix.codes == NULL else matrix.codes[r]
        if (best.value < 0 or score > best.score + tie_tolerance
                or (score > best.score - tie_tolerance and code < best.value)):
            best.score = score
            best.value = code
    if best.value < 0:
        return no_score()
    best.n_branches = 2
    best.n_present = count_present(scratch.sides, C)
    return best


cdef ScoreCandidate _best_of_marked(const ScoreSearch* search, const ValueMatrix* matrix, int C, const NodeView* node,
                                    Scratch* scratch) noexcept nogil:
    # One value against the others, where cases are divided: approximate scores of many values at once rule most out.
    cdef const ScoreFunction* function = search.function
    cdef Py_ssize_t r, c
    cdef double* low = scratch.terms
    cdef double* high = scratch.terms + C
    cdef double score, base, limit
    cdef Cell* approximate = scratch.cells
    cdef ScoreCandidate best = no_score()
    limit = _score_values(search, matrix, C, node, scratch, &best.n_tests)
    if best.n_tests == 0:
        return best
    best.n_branches = 2
    best.n_present = count_present(scratch.sides, C)
    best.score = -INFINITY
    if limit == INFINITY:
        return best
    base = branch_score(scratch.sides, C, node.own, function)
    for r in range(matrix.n_rows):
        if not approximate[r].fraction >= limit:
            continue
        for c in range(C):
            low[c] = matrix.counts[r * C + c]
            high[c] = max(scratch.sides[c] - low[c], 0.0)
        score = (branch_score(low, C, node.below, function) + branch_score(high, C, node.below, function)) - base
        if best.value < 0 or score > best.score + function.tie_tolerance:
            best.score = score
            best.value = <int> r
    return best


cdef double _score_values(const ScoreSearch* search, const ValueMatrix* matrix, Py_ssize_t C, const NodeView* node,
                          Scratch* scratch, Py_ssize_t* n_tests) noexcept nogil:
    # The approximate score of each value against the others, in `scratch.cells`; what it has to be for the value to be
    # the best, or INFINITY where none would be good enough.
    cdef Divisions divisions
    cdef int32_t[MARKS] rows
    cdef Cell* approximate = scratch.cells
    cdef Py_ssize_t r, c, k
    cdef float best = -INFINITY
    begin_divisions(&divisions, search, node, scratch.sides, matrix.known)
    for r in range(matrix.n_rows):
        approximate[r].fraction = -INFINITY
        if is_test(search, matrix, <int> r):
            n_tests[0] += 1
            k = divisions.n
            rows[k] = <int32_t> r
            for c in range(C):
                divisions.low[c][k] = <float> (matrix.counts[r * C + c] * divisions.scale)
                divisions.high[c][k] = <float> ((scratch.sides[c] - matrix.counts[r * C + c]) * divisions.scale)
            divisions.below[k] = <float> (matrix.sizes[r] * divisions.scale)
            divisions.above[k] = <float> ((matrix.known - matrix.sizes[r]) * divisions.scale)
            divisions.n += 1
        if divisions.n and (divisions.n == MARKS or r == matrix.n_rows - 1):
            score_divisions(&divisions, search, node)
            for k in range(divisions.n):
                approximate[rows[k]].fraction = divisions.scores[k]
                best = max(best, divisions.scores[k])
            divisions.n = 0
    if best * divisions.weight - divisions.base + divisions.slack <= scratch.floor:
        return INFINITY
    return best - (2 * divisions.slack + 4 * search.function.tie_tolerance) / divisions.weight


cdef inline bint _others(const ValueMatrix* matrix, int row) noexcept nogil:
    # Whether any other value has a case; a difference of sums may be positive though none has.
    cdef int r
    if matrix.sizes[row] < matrix.known * (1 - 1e-6):
        return True
    for r in range(matrix.n_rows):
        if r != row and matrix.sizes[r] > 0:
            return True
    return False
