"""The best test of a discrete attribute at a node, by gain: a branch per value, or one value against the others."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ctree_ext.base.bits cimport lowest_bit
from ctree_ext.base.cases cimport Cases, code_of
from ctree_ext.base.numeric cimport NO_GAIN, Logs, at_least, rounded
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.candidates cimport GainCandidate, no_gain
from ctree_ext.grow.counts cimport Cell, count_cells, count_values
from ctree_ext.grow.criteria cimport (
    discrete_base_info, gain, gain_of_info, gain_ratio, split_info, split_info_of_sums,
)
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef enum:
    FEW_VALUES = 63  # with one bit more for the unknown


cdef bint _too_scattered(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                         Scratch* scratch) noexcept nogil:
    # Whether no two values have `min_cases`, found without visiting all values: an identifier has as many values as
    # there are cases, and most nodes have few of them. What is near the bound is left to the exact sums.
    cdef Py_ssize_t i
    cdef int32_t code
    cdef int enough = 0
    cdef double bound = min_cases * (1 - 1e-4), before
    if cases.n_values[attribute] <= node.n:
        return False
    for i in range(node.n):
        code = code_of(cases, attribute, node.rows[i])
        if code >= 0:
            before = scratch.tally[code]
            scratch.tally[code] = before + weight_of(node.weights, node.rows[i])
            enough += before < bound <= scratch.tally[code]
    for i in range(node.n):
        code = code_of(cases, attribute, node.rows[i])
        if code >= 0:
            scratch.tally[code] = 0.0
    return enough < 2 and bound > 0


cdef void _count(const Cases* cases, int attribute, const NodeView* node, Scratch* scratch) noexcept nogil:
    # The class weights of each value, after those of the unknown ones.
    count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], cases.n_values[attribute],
                 cases.classes, node.weights, cases.n_classes, scratch.cells, scratch.counts)


cdef double _sum(int n_values, int n_classes, double total, const Logs* logs, Scratch* scratch,
                 double* unknown) noexcept nogil:
    # The weight of each value, of the unknown ones, and of all known ones.
    cdef int v, c
    cdef const double* counts = scratch.counts
    cdef double* branch = scratch.branch
    unknown[0] = 0.0
    for c in range(n_classes):
        unknown[0] = rounded(unknown[0] + counts[c], logs.single)
    counts += n_classes
    for v in range(n_values):
        branch[v] = 0.0
        for c in range(n_classes):
            branch[v] = rounded(branch[v] + counts[<Py_ssize_t> v * n_classes + c], logs.single)
    return rounded(total - unknown[0], logs.single)


cdef GainCandidate best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                               const Logs* logs, Scratch* scratch) noexcept nogil:
    # One branch per value.
    cdef int n_values = cases.n_values[attribute]
    cdef bint few = n_values <= FEW_VALUES and cases.short_codes[attribute] != NULL
    if node.weights == NULL and few and node.n < 4 * n_values:
        return _of_few_cases(cases, cases.short_codes[attribute], n_values, node, min_cases, logs, scratch)
    if _too_scattered(cases, attribute, node, min_cases, scratch):
        return no_gain()
    if node.weights == NULL and cases.short_codes[attribute] != NULL:
        count_cells(node.rows, node.n, cases.short_codes[attribute], n_values, cases.classes, cases.n_classes,
                    scratch.cells)
        return _of_cells(n_values, 0, cases.n_classes, node, min_cases, logs, scratch)
    _count(cases, attribute, node, scratch)
    return test_of_values(cases.n_values[attribute], cases.n_classes, node.cases, min_cases, logs, scratch)


ctypedef struct ValueSums:
    # What the values visited so far add up to.
    double info              # left in their branches
    double sizes             # n log n of their numbers of cases, and of the unknown
    int reasonable           # how many have enough cases


cdef inline void _add_value(ValueSums* sums, const Cell* cells, int C, double min_cases,
                            const Logs* logs) noexcept nogil:
    # Whole counts of one value, class by class; without cases it adds nothing.
    cdef int32_t total = 0
    cdef double inside = 0.0
    cdef int c
    for c in range(C):
        total += cells[c].integer
        inside = rounded(inside + logs.integer[cells[c].integer], logs.single)
    if total == 0:
        return
    sums.reasonable += at_least(total, min_cases, logs.small)
    sums.info = rounded(sums.info + rounded(logs.integer[total] - inside, logs.single), logs.single)
    sums.sizes = rounded(sums.sizes + logs.integer[total], logs.single)


cdef GainCandidate _of_cells(int n_values, uint64_t present, int C, const NodeView* node, double min_cases,
                             const Logs* logs, Scratch* scratch) noexcept nogil:
    # `test_of_values` where every case counts one, from whole counts, those of unknown values first. `present` are the
    # values that cases have, as bits, unknown first; 0: any.
    cdef const Cell* cells = scratch.cells
    cdef ValueSums sums
    cdef double known, inside = 0.0, base
    cdef Py_ssize_t unknown = 0
    cdef int v, c
    cdef GainCandidate best = no_gain()
    for c in range(C):
        unknown += cells[c].integer
        inside += logs.integer[<Py_ssize_t> node.counts[c] - cells[c].integer]
    known = node.cases - unknown
    if known <= 0:
        return best
    sums.info = 0.0
    sums.sizes = rounded(logs.integer[unknown], logs.single)
    sums.reasonable = 0
    if present:
        present &= ~<uint64_t> 1
        while present:
            _add_value(&sums, cells + lowest_bit(present) * C, C, min_cases, logs)
            present &= present - 1
    else:
        for v in range(1, n_values + 1):
            _add_value(&sums, cells + <Py_ssize_t> v * C, C, min_cases, logs)
    if sums.reasonable < 2:
        return best
    base = rounded((logs.integer[<Py_ssize_t> known] - inside) / known, logs.single)
    best.gain = gain_of_info(sums.info, known, rounded(unknown / node.cases, logs.single), base, logs)
    best.split_info = split_info_of_sums(sums.sizes, node.cases, node.cases, logs)
    return best


cdef GainCandidate _of_few_cases(const Cases* cases, const uint8_t* codes, int n_values, const NodeView* node,
                                 double min_cases, const Logs* logs, Scratch* scratch) noexcept nogil:
    # Where every case counts one, and few cases have few of the values: only these are visited.
    cdef Py_ssize_t i, C = cases.n_classes
    cdef const int32_t* rows = node.rows
    cdef const uint16_t* classes = cases.classes
    cdef Cell* cells = scratch.cells
    cdef uint64_t present = 0
    memset(cells, 0, (n_values + 1) * C * sizeof(Cell))
    for i in range(node.n):
        present |= <uint64_t> 1 << codes[rows[i]]
        cells[codes[rows[i]] * C + classes[rows[i]]].integer += 1
    if present & (present - 1) == 0:
        return no_gain()
    return _of_cells(n_values, present, cases.n_classes, node, min_cases, logs, scratch)


cdef GainCandidate test_of_values(int n_values, int C, double total, double min_cases, const Logs* logs,
                                  Scratch* scratch) noexcept nogil:
    # The same where the class weights, unknown values first, are in `scratch.counts`.
    cdef double unknown, base
    cdef double known = _sum(n_values, C, total, logs, scratch, &unknown)
    cdef const double* counts = scratch.counts + C
    cdef GainCandidate best = no_gain()
    if known <= logs.small:
        return best
    base = discrete_base_info(counts, n_values, C, known, logs)
    best.gain = gain(counts, scratch.branch, n_values, C, known, rounded(unknown / total, logs.single), base, min_cases,
                     logs)
    if best.gain != NO_GAIN:
        best.split_info = split_info(scratch.branch, n_values, unknown, total, logs)
    return best


cdef GainCandidate best_single_value(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                                     const Logs* logs, Scratch* scratch, int32_t* group) noexcept nogil:
    # One value against the others, the best by gain ratio, the first of equals; `group` is the branch of each.
    _count(cases, attribute, node, scratch)
    return test_of_single_value(cases.n_values[attribute], cases.n_classes, node.cases, min_cases, logs, scratch, group)


cdef GainCandidate test_of_single_value(int n_values, int C, double total, double min_cases, const Logs* logs,
                                        Scratch* scratch, int32_t* group) noexcept nogil:
    # The same where the class weights, unknown values first, are in `scratch.counts`.
    cdef int v, c, best_value = -1
    cdef double unknown, base, g, info, ratio, best_ratio = 0.0
    cdef double known = _sum(n_values, C, total, logs, scratch, &unknown)
    cdef const double* counts = scratch.counts + C
    cdef double* sides = scratch.sides
    cdef double[2] branch
    cdef GainCandidate best = no_gain()
    if known <= logs.small:
        return best
    base = discrete_base_info(counts, n_values, C, known, logs)
    for c in range(C):
        scratch.terms[c] = 0.0
        for v in range(n_values):
            scratch.terms[c] = rounded(scratch.terms[c] + counts[<Py_ssize_t> v * C + c], logs.single)
    for v in range(n_values):
        branch[0] = scratch.branch[v]
        branch[1] = rounded(known - branch[0], logs.single)
        for c in range(C):
            sides[c] = counts[<Py_ssize_t> v * C + c]
            sides[C + c] = rounded(scratch.terms[c] - sides[c], logs.single)
        g = gain(sides, branch, 2, C, known, rounded(unknown / total, logs.single), base, min_cases, logs)
        if g == NO_GAIN:
            continue
        info = split_info(branch, 2, unknown, total, logs)
        ratio = gain_ratio(g, info, logs.small)
        if best_value < 0 or ratio - best_ratio > logs.small:
            best_value = v
            best_ratio = ratio
            best.gain = g
            best.split_info = info
            best.n_groups = 2
    for v in range(n_values):
        group[v] = v != best_value
    return best
