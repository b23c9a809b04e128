"""The best grouping of the values of a discrete attribute (release 8's option -s)."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport Logs, rounded
from ctree_ext.grow.candidates cimport GainCandidate, no_gain
from ctree_ext.grow.counts cimport count_values
from ctree_ext.grow.criteria cimport EPSILON, discrete_base_info, gain, merit, split_info
from ctree_ext.grow.scratch cimport NodeView, Scratch


ctypedef struct Blocks:
    # Values in blocks: class counts and weight per block, and the block of each value (-1: hardly any cases).
    int n
    int n_values
    int n_classes
    double* counts
    double* weight
    int32_t* block_of
    double known
    double unknown
    double unknown_rate
    double total
    double base
    bint gain_only
    const Logs* logs


ctypedef struct Evaluation:
    double gain
    double split_info
    double merit


cdef Evaluation _evaluate(const Blocks* blocks, double min_cases) noexcept nogil:
    cdef Evaluation result
    result.gain = gain(blocks.counts, blocks.weight, blocks.n, blocks.n_classes, blocks.known, blocks.unknown_rate,
                       blocks.base, min_cases, blocks.logs)
    result.split_info = split_info(blocks.weight, blocks.n, blocks.unknown, blocks.total, blocks.logs)
    result.merit = merit(result.gain, result.split_info, EPSILON, blocks.gain_only, blocks.logs.single)
    return result


cdef void _move(Blocks* blocks, int source, int target) noexcept nogil:
    memcpy(blocks.counts + target * blocks.n_classes, blocks.counts + source * blocks.n_classes,
           blocks.n_classes * sizeof(double))
    blocks.weight[target] = blocks.weight[source]


cdef void _add(Blocks* blocks, int i, int j) noexcept nogil:
    # Block j joins block i, and the last block takes the place of j.
    cdef int c, C = blocks.n_classes
    for c in range(C):
        blocks.counts[i * C + c] = rounded(blocks.counts[i * C + c] + blocks.counts[j * C + c], blocks.logs.single)
    blocks.weight[i] = rounded(blocks.weight[i] + blocks.weight[j], blocks.logs.single)
    blocks.n -= 1
    if j != blocks.n:
        _move(blocks, blocks.n, j)


cdef void _merge(Blocks* blocks, int i, int j) noexcept nogil:
    cdef int v
    for v in range(blocks.n_values):
        if blocks.block_of[v] == j:
            blocks.block_of[v] = i
        elif blocks.block_of[v] == blocks.n - 1:
            blocks.block_of[v] = j
    _add(blocks, i, j)


cdef Evaluation _evaluate_merged(Blocks* blocks, int i, int j, double* saved, double min_cases) noexcept nogil:
    # `saved` is scratch for two rows of counts.
    cdef int C = blocks.n_classes, last = blocks.n - 1
    cdef double weight_i = blocks.weight[i], weight_j = blocks.weight[j]
    cdef Evaluation result
    memcpy(saved, blocks.counts + i * C, C * sizeof(double))
    memcpy(saved + C, blocks.counts + j * C, C * sizeof(double))
    _add(blocks, i, j)
    result = _evaluate(blocks, min_cases)
    blocks.n = last + 1
    memcpy(blocks.counts + i * C, saved, C * sizeof(double))
    memcpy(blocks.counts + j * C, saved + C, C * sizeof(double))
    blocks.weight[i] = weight_i
    blocks.weight[j] = weight_j
    return result


cdef bint _is_pure(const Blocks* blocks, int block, int c) noexcept nogil:
    return blocks.counts[block * blocks.n_classes + c] >= blocks.weight[block] - 0.1


cdef bint _merge_pure_blocks(Blocks* blocks) noexcept nogil:
    # Values whose cases are all of one class belong together.
    cdef int i = 0, j, c
    cdef bint merged = False
    while i < blocks.n - 1:
        c = 0
        while c < blocks.n_classes - 1 and blocks.counts[i * blocks.n_classes + c] < 0.1:
            c += 1
        if _is_pure(blocks, i, c):
            j = i + 1
            while j < blocks.n:
                if _is_pure(blocks, j, c):
                    _merge(blocks, i, j)
                    merged = True
                else:
                    j += 1
        i += 1
    return merged


cdef bint _merge_best_pair(Blocks* blocks, Evaluation* previous, double least_gain, double min_cases,
                           double* saved) noexcept nogil:
    # Join the two blocks whose union has the greatest merit; False where no union pays.
    cdef int i, j, best_i = -1, best_j = -1, sizeable = 0, barred = -1
    cdef Evaluation best, here
    best.merit = 0.0
    best.gain = -EPSILON
    best.split_info = 0.0
    for i in range(blocks.n):
        if blocks.weight[i] >= min_cases:
            sizeable += 1
    if sizeable < 3:
        barred = 0
        for i in range(1, blocks.n):
            if blocks.weight[i] > blocks.weight[barred]:
                barred = i
    for i in range(blocks.n - 1):
        for j in range(i + 1, blocks.n):
            if i == barred or j == barred:
                continue
            here = _evaluate_merged(blocks, i, j, saved, 1.0)
            if ((here.gain >= least_gain and best.gain < least_gain) or here.merit >= best.merit
                    or (best_i < 0 and (blocks.gain_only or sizeable < 2))):
                best = here
                best_i = i
                best_j = j
    if best_i < 0:
        return False
    if not blocks.gain_only and sizeable >= 2:
        if best.merit < previous.merit + 1e-5 or (best.merit == previous.merit and best.gain < previous.gain):
            return False
    _merge(blocks, best_i, best_j)
    previous[0] = best
    return True


cdef bint _blocks_of_values(Blocks* blocks, const Cases* cases, int attribute, const NodeView* node,
                            Scratch* scratch) noexcept nogil:
    # A block per value; False if hardly any value is known.
    cdef int n_values = cases.n_values[attribute], C = cases.n_classes, v, c
    cdef double* counts = scratch.counts
    count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], n_values,
                 cases.classes, node.weights, C, scratch.cells, counts)
    blocks.unknown = 0.0
    for c in range(C):
        blocks.unknown = rounded(blocks.unknown + counts[c], cases.single)
    blocks.n = n_values
    blocks.n_values = n_values
    blocks.n_classes = C
    blocks.counts = counts + C
    blocks.weight = scratch.branch
    for v in range(n_values):
        blocks.weight[v] = 0.0
        for c in range(C):
            blocks.weight[v] = rounded(blocks.weight[v] + blocks.counts[<Py_ssize_t> v * C + c], cases.single)
        blocks.block_of[v] = v
    blocks.known = rounded(node.cases - blocks.unknown, cases.single)
    if blocks.known < EPSILON:
        return False
    blocks.unknown_rate = rounded(blocks.unknown / node.cases, cases.single)
    blocks.total = node.cases
    blocks.base = discrete_base_info(blocks.counts, n_values, C, blocks.known, blocks.logs)
    return True


cdef bint _drop_empty_blocks(Blocks* blocks) noexcept nogil:
    # Only values with cases keep a block; whether there are others.
    cdef int v
    blocks.n = 0
    for v in range(blocks.n_values):
        if blocks.weight[v] <= 0.5:
            blocks.block_of[v] = -1
        else:
            if blocks.n != v:
                _move(blocks, v, blocks.n)
            blocks.block_of[v] = blocks.n
            blocks.n += 1
    return blocks.n < blocks.n_values


cdef GainCandidate best_groups(const Cases* cases, int attribute, const NodeView* node, double* min_cases,
                               bint gain_only, const Logs* logs, Scratch* scratch, int32_t* group) noexcept nogil:
    # Start from a block per value and join blocks while that pays; `group` receives the branch of each value.
    #
    # The original lowers its minimum to 1 in the meantime and forgets to restore it when no value is known at the node,
    # so `min_cases` is then 1 for the rest of the run; its trees cannot be reproduced without this.
    cdef GainCandidate best = no_gain()
    cdef Blocks blocks
    cdef Evaluation previous
    cdef double least_gain
    cdef bint any_missing
    cdef int v
    blocks.block_of = group
    blocks.gain_only = gain_only
    blocks.logs = logs
    if not _blocks_of_values(&blocks, cases, attribute, node, scratch):
        min_cases[0] = 1.0
        return best
    previous = _evaluate(&blocks, 1.0)
    any_missing = _drop_empty_blocks(&blocks)
    if _merge_pure_blocks(&blocks):
        previous = _evaluate(&blocks, 1.0)
    least_gain = rounded(previous.gain / 2, cases.single)
    while blocks.n > 2 and _merge_best_pair(&blocks, &previous, least_gain, min_cases[0], scratch.sides):
        pass
    if previous.merit <= 0:
        return best
    best.gain = gain(blocks.counts, blocks.weight, blocks.n, blocks.n_classes, blocks.known, blocks.unknown_rate,
                     blocks.base, min_cases[0], logs)
    best.split_info = previous.split_info
    best.n_groups = blocks.n
    if any_missing:
        for v in range(blocks.n_values):
            if group[v] < 0:
                group[v] = blocks.n
        best.n_groups += 1
    return best
