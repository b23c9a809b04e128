"""The best test of a discrete attribute at a node, and what searches share."""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.counts cimport Cell, count_values
from ctree_ext.grow.criteria cimport discrete_base_info, gain, gain_ratio, split_info
from ctree_ext.base.numeric cimport NO_GAIN, Logs, rounded
from ctree_ext.base.weights cimport weight_of


cdef int scratch_init(Scratch* scratch, int most_values, int n_classes, Py_ssize_t most_cases) noexcept nogil:
    memset(scratch, 0, sizeof(Scratch))
    scratch.counts = <double*> malloc(<size_t> (most_values + 2) * n_classes * sizeof(double))
    scratch.cells = <Cell*> malloc(<size_t> (most_values + 2) * n_classes * sizeof(Cell))
    scratch.branch = <double*> malloc((most_values + 2) * sizeof(double))
    scratch.tally = <double*> calloc(most_values + 2, sizeof(double))
    scratch.sides = <double*> malloc(2 * n_classes * sizeof(double))
    scratch.terms = <double*> malloc(2 * n_classes * sizeof(double))
    scratch.whole = <int32_t*> malloc(2 * n_classes * sizeof(int32_t))
    scratch.parts = <float*> malloc(4 * n_classes * sizeof(float))
    scratch.held_sides = <float*> malloc(MAX_HELD * 2 * n_classes * sizeof(float))
    scratch.marks = <float*> malloc((most_cases // block_size(most_cases, n_classes) + MAX_BLOCK + 2) * (n_classes + 1)
                                    * sizeof(float))
    if (scratch.counts == NULL or scratch.cells == NULL or scratch.branch == NULL or scratch.tally == NULL or scratch.sides == NULL
            or scratch.terms == NULL or scratch.whole == NULL or scratch.parts == NULL or scratch.marks == NULL
            or scratch.held_sides == NULL):
        scratch_free(scratch)
        return -1
    return 0


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    free(scratch.counts)
    free(scratch.cells)
    free(scratch.branch)
    free(scratch.tally)
    free(scratch.sides)
    free(scratch.terms)
    free(scratch.whole)
    free(scratch.parts)
    free(scratch.marks)
    free(scratch.held_sides)
    memset(scratch, 0, sizeof(Scratch))


cdef Scored no_test() noexcept nogil:
    cdef Scored scored
    scored.gain = NO_GAIN
    scored.info = 0.0
    scored.below = 0
    scored.above = 0
    scored.n_groups = 0
    scored.low_row = -1
    scored.high_row = -1
    scored.value = -1
    scored.branches = 0
    scored.present = 0
    scored.n_tests = 0
    return scored


cdef bint _too_scattered(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                         Scratch* scratch) noexcept nogil:
    # Whether no two values have `min_cases`, found without a look at all values: an attribute that numbers the cases has
    # as many as there are cases, and most nodes have few of them. What is near the bound is left to the exact sums.
    cdef Py_ssize_t i
    cdef int32_t code
    cdef int enough = 0
    cdef double bound = min_cases * (1 - 1e-4), before
    if cases.n_values[attribute] <= node.n:
        return False
    for i in range(node.n):
        code = cases.codes[attribute][node.rows[i]]
        if code >= 0:
            before = scratch.tally[code]
            scratch.tally[code] = before + weight_of(node.weights, node.rows[i])
            enough += before < bound <= scratch.tally[code]
    for i in range(node.n):
        code = cases.codes[attribute][node.rows[i]]
        if code >= 0:
            scratch.tally[code] = 0.0
    return enough < 2 and bound > 0


cdef double _count(const Cases* cases, int attribute, const NodeView* node, Scratch* scratch,
                   double* unknown) noexcept nogil:
    # The class weights of each value behind those of the unknown, the weight of each value, and of all known ones.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes, v, c
    cdef double* counts = scratch.counts
    cdef double* branch = scratch.branch
    count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], n_values,
                 cases.classes, node.weights, C, scratch.cells, counts)
    unknown[0] = 0.0
    for c in range(C):
        unknown[0] = rounded(unknown[0] + counts[c], cases.single)
    counts += C
    for v in range(n_values):
        branch[v] = 0.0
        for c in range(C):
            branch[v] = rounded(branch[v] + counts[<Py_ssize_t> v * C + c], cases.single)
    return rounded(node.cases - unknown[0], cases.single)


cdef Scored best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases, const Logs* logs,
                        Scratch* scratch) noexcept nogil:
    # One branch per value.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes
    cdef double unknown, base, known
    cdef const double* counts = scratch.counts + C
    cdef Scored scored = no_test()
    if _too_scattered(cases, attribute, node, min_cases, scratch):
        return scored
    known = _count(cases, attribute, node, scratch, &unknown)
    if known <= logs.small:
        return scored
    base = discrete_base_info(counts, n_values, C, known, logs)
    scored.gain = gain(counts, scratch.branch, n_values, C, known, rounded(unknown / node.cases, cases.single), base,
                       min_cases, logs)
    if scored.gain != NO_GAIN:
        scored.info = split_info(scratch.branch, n_values, unknown, node.cases, logs)
    return scored


cdef Scored best_single_value(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                              const Logs* logs, Scratch* scratch, int32_t* group) noexcept nogil:
    # One value against the others, the best by gain ratio, the first of equals; `group` is the branch of each.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes, v, c, best = -1
    cdef double unknown, base, g, info, ratio, best_ratio = 0.0, known = _count(cases, attribute, node, scratch, &unknown)
    cdef const double* counts = scratch.counts + C
    cdef double* sides = scratch.sides
    cdef double[2] branch
    cdef Scored scored = no_test()
    if known <= logs.small:
        return scored
    base = discrete_base_info(counts, n_values, C, known, logs)
    for c in range(C):
        scratch.terms[c] = 0.0
        for v in range(n_values):
            scratch.terms[c] = rounded(scratch.terms[c] + counts[<Py_ssize_t> v * C + c], cases.single)
    for v in range(n_values):
        branch[0] = scratch.branch[v]
        branch[1] = rounded(known - branch[0], cases.single)
        for c in range(C):
            sides[c] = counts[<Py_ssize_t> v * C + c]
            sides[C + c] = rounded(scratch.terms[c] - sides[c], cases.single)
        g = gain(sides, branch, 2, C, known, rounded(unknown / node.cases, cases.single), base, min_cases, logs)
        if g == NO_GAIN:
            continue
        info = split_info(branch, 2, unknown, node.cases, logs)
        ratio = gain_ratio(g, info, logs.small)
        if best < 0 or ratio - best_ratio > logs.small:
            best = v
            best_ratio = ratio
            scored.gain = g
            scored.info = info
            scored.n_groups = 2
    for v in range(n_values):
        group[v] = v != best
    return scored
