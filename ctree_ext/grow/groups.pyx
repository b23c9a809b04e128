"""The best grouping of the values of a discrete attribute (release 8's option -s).

Every step joins the two blocks of values whose union gives the best test, so it looks at all pairs of n blocks. What is
exact in a test is two or three sums over all its blocks, rounded after each, and computing them anew for each pair would
take n^3 additions a step. Most pairs are ruled out by the same sums without rounding, of which only two terms are
replaced: how far rounding can lead away from them is known. For the others `rounded_sums` finds the exact sums without
adding all terms. So a step takes on the order of n^2, however many pairs are equally good.
"""

from libc.math cimport fabs, floor, log
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.interrupts cimport GO_ON, Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.numeric cimport LN2, NO_GAIN, Logs, at_least, rounded, x_log_x
from ctree_ext.grow.candidates cimport GainCandidate, no_gain
from ctree_ext.grow.counts cimport count_values
from ctree_ext.grow.criteria cimport (
    EPSILON, discrete_base_info, gain, gain_of_info, merit, split_info, split_info_of_sums, total_info,
)
from ctree_ext.grow.rounded_sums cimport sum_with_joined, sums_make_room, sums_start
from ctree_ext.grow.scratch cimport Grouping, NodeView, Scratch

cdef enum:
    MAX_REMEMBERED = 2048    # blocks; for more, the information in each pair would take too much memory
    WORK_PER_UNION = 256     # that is evaluated to the last bit

cdef double WHOLE_FLOATS = 2.0 ** 24     # up to here 32 bits count by ones
cdef double WHOLE_DOUBLES = 2.0 ** 53


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
    Grouping* sums           # what a test is judged by, per block


ctypedef struct Evaluation:
    double gain
    double split_info
    double merit


ctypedef struct Union:
    # Two blocks as one: the information in it, its weight, and x log x of that.
    double info
    double weight
    double log_weight


ctypedef struct Estimate:
    # The sums of a test without rounding, and how far rounding can lead away from them.
    double info
    double abs_info          # the same of absolute values, for terms may be negative
    double log_weight
    double abs_log_weight
    double weight
    double log_all           # x log x of `weight`
    double slack_of_all      # how far off it may be
    double slack             # relative to the sum of absolute values
    int n_with_cases         # how many blocks have the weight of a case


cdef Evaluation _evaluate(const Blocks* blocks, double min_cases) noexcept nogil:
    cdef Evaluation result
    result.gain = gain(blocks.counts, blocks.weight, blocks.n, blocks.n_classes, blocks.known, blocks.unknown_rate,
                       blocks.base, min_cases, blocks.logs)
    result.split_info = split_info(blocks.weight, blocks.n, blocks.unknown, blocks.total, blocks.logs)
    result.merit = _merit(blocks, &result)
    return result


cdef inline double _merit(const Blocks* blocks, const Evaluation* test) noexcept nogil:
    # EPSILON stands for the average gain, and is stored in 32 bits as that is: a gain of exactly nothing is not enough.
    return merit(test.gain, test.split_info, rounded(EPSILON, blocks.logs.single), blocks.gain_only, blocks.logs.single)


cdef void _move(Blocks* blocks, int source, int target) noexcept nogil:
    memcpy(blocks.counts + <Py_ssize_t> target * blocks.n_classes,
           blocks.counts + <Py_ssize_t> source * blocks.n_classes, blocks.n_classes * sizeof(double))
    blocks.weight[target] = blocks.weight[source]


cdef void _merge(Blocks* blocks, int i, int j) noexcept nogil:
    # Block j joins block i, and the last block takes the place of j.
    cdef int v, c, last = blocks.n - 1
    cdef double* own = blocks.counts + <Py_ssize_t> i * blocks.n_classes
    cdef const double* other = blocks.counts + <Py_ssize_t> j * blocks.n_classes
    for v in range(blocks.n_values):
        if blocks.block_of[v] == j:
            blocks.block_of[v] = i
        elif blocks.block_of[v] == last:
            blocks.block_of[v] = j
    for c in range(blocks.n_classes):
        own[c] = rounded(own[c] + other[c], blocks.logs.single)
    blocks.weight[i] = rounded(blocks.weight[i] + blocks.weight[j], blocks.logs.single)
    blocks.n = last
    if j != last:
        _move(blocks, last, j)


cdef bint _is_pure(const Blocks* blocks, int block, int c) noexcept nogil:
    return blocks.counts[<Py_ssize_t> block * blocks.n_classes + c] >= blocks.weight[block] - 0.1


cdef bint _merge_pure_blocks(Blocks* blocks) noexcept nogil:
    # Values whose cases are all of one class belong together.
    cdef int i = 0, j, c
    cdef bint merged = False
    while i < blocks.n - 1:
        c = 0
        while c < blocks.n_classes - 1 and blocks.counts[<Py_ssize_t> i * blocks.n_classes + c] < 0.1:
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


cdef double _info_of_union(const Blocks* blocks, int i, int j) noexcept nogil:
    cdef const double* one = blocks.counts + <Py_ssize_t> i * blocks.n_classes
    cdef const double* two = blocks.counts + <Py_ssize_t> j * blocks.n_classes
    cdef double* counts = blocks.sums.counts
    cdef int c
    for c in range(blocks.n_classes):
        counts[c] = rounded(one[c] + two[c], blocks.logs.single)
    return total_info(counts, blocks.n_classes, blocks.logs)


cdef inline Union _union(const Blocks* blocks, int i, int j) noexcept nogil:
    cdef const Grouping* sums = blocks.sums
    cdef Union union_
    union_.info = sums.joined[i * sums.stride + j] if sums.joined != NULL else _info_of_union(blocks, i, j)
    union_.weight = rounded(blocks.weight[i] + blocks.weight[j], blocks.logs.single)
    union_.log_weight = x_log_x(union_.weight, blocks.logs)
    return union_


cdef int _prepare_sums(Blocks* blocks, Memory memory, Watch* watch) except -1 nogil:
    # The terms of each block, and the information in each pair.
    cdef Grouping* sums = blocks.sums
    cdef int i, j
    cdef double whole = WHOLE_FLOATS if blocks.logs.single else WHOLE_DOUBLES, total = blocks.unknown
    sums_make_room(&sums.info, memory, blocks.n, blocks.logs.single)
    sums_make_room(&sums.log_weight, memory, blocks.n, blocks.logs.single)
    sums_make_room(&sums.weight, memory, blocks.n, blocks.logs.single)
    memory.resize(<void**> &sums.counts, blocks.n_classes, sizeof(double))
    sums.whole = floor(blocks.unknown) == blocks.unknown
    for i in range(blocks.n):
        sums.info.terms[i] = total_info(blocks.counts + <Py_ssize_t> i * blocks.n_classes, blocks.n_classes,
                                        blocks.logs)
        sums.log_weight.terms[i] = x_log_x(blocks.weight[i], blocks.logs)
        sums.weight.terms[i] = blocks.weight[i]
        sums.whole = sums.whole and floor(blocks.weight[i]) == blocks.weight[i]
        total += blocks.weight[i]
    sums.whole = sums.whole and total <= whole
    sums.joined = NULL
    if blocks.n > MAX_REMEMBERED:
        return 0
    if blocks.n > sums.room:
        memory.resize(<void**> &sums.pairs, <Py_ssize_t> blocks.n * blocks.n, sizeof(double))
        sums.room = blocks.n
    sums.stride = blocks.n
    for i in range(blocks.n):
        _go_on(watch, <Py_ssize_t> blocks.n * blocks.n_classes)
        for j in range(i + 1, blocks.n):
            sums.pairs[i * sums.stride + j] = sums.pairs[j * sums.stride + i] = _info_of_union(blocks, i, j)
    sums.joined = sums.pairs
    return 0


cdef void _merge_sums(Blocks* blocks, int i, int j, const Union* union_) noexcept nogil:
    # Blocks i and j are one now, and what was the last block stands in the place of j.
    cdef Grouping* sums = blocks.sums
    cdef int k, last = blocks.n
    sums.info.terms[i] = union_.info
    sums.info.terms[j] = sums.info.terms[last]
    sums.log_weight.terms[i] = union_.log_weight
    sums.log_weight.terms[j] = sums.log_weight.terms[last]
    sums.weight.terms[i] = union_.weight
    sums.weight.terms[j] = sums.weight.terms[last]
    if sums.joined == NULL:
        return
    for k in range(last):
        if k != j:
            sums.joined[k * sums.stride + j] = sums.joined[j * sums.stride + k] = sums.joined[last * sums.stride + k]
    for k in range(last):
        if k != i:
            sums.joined[k * sums.stride + i] = sums.joined[i * sums.stride + k] = _info_of_union(blocks, i, k)


cdef Estimate _estimate(const Blocks* blocks) noexcept nogil:
    # Of the blocks as they are.
    cdef const Grouping* sums = blocks.sums
    cdef Estimate all_
    cdef double unit = (2.0 ** -24 if blocks.logs.single else 2.0 ** -53) + 2.0 ** -52, share
    cdef int i
    all_.info = all_.abs_info = 0.0
    all_.log_weight = x_log_x(blocks.unknown, blocks.logs)
    all_.abs_log_weight = fabs(all_.log_weight)
    all_.weight = blocks.unknown
    all_.n_with_cases = 0
    for i in range(blocks.n):
        all_.info += sums.info.terms[i]
        all_.abs_info += fabs(sums.info.terms[i])
        all_.log_weight += sums.log_weight.terms[i]
        all_.abs_log_weight += fabs(sums.log_weight.terms[i])
        all_.weight += sums.weight.terms[i]
        all_.n_with_cases += at_least(blocks.weight[i], 1.0, blocks.logs.small)
    # Of n additions each is off by half a unit in the last place of a sum; the additions here are among them.
    share = (blocks.n + 8) * unit
    all_.slack = share / (1 - share) if share < 0.5 else 1e100
    all_.log_all = x_log_x(all_.weight, blocks.logs)
    all_.slack_of_all = 0.0
    if not sums.whole:
        # the derivative of x log2 x, times the slack
        all_.slack_of_all = all_.slack * (all_.weight * (fabs(log(all_.weight)) / LN2 + 3) + fabs(all_.log_all))
    return all_


cdef inline bint _may_exceed(const Blocks* blocks, const Estimate* all_, int i, int j, const Union* union_,
                             const Evaluation* best, double least_gain) noexcept nogil:
    # Whether joining the two could be better than `best`. All that follows the sums is monotone, rounding too.
    cdef const Grouping* sums = blocks.sums
    cdef double info = all_.info - sums.info.terms[i] - sums.info.terms[j] + union_.info
    cdef double most, log_weight, least_split
    if best.merit <= NO_GAIN:
        return True
    info -= all_.slack * (all_.abs_info + fabs(union_.info))
    most = max(NO_GAIN, gain_of_info(info, blocks.known, blocks.unknown_rate, blocks.base, blocks.logs))
    if most >= least_gain and best.gain < least_gain:
        return True
    if blocks.gain_only:
        return most >= best.merit
    if most < 0:
        return False
    log_weight = all_.log_weight - sums.log_weight.terms[i] - sums.log_weight.terms[j] + union_.log_weight
    log_weight += all_.slack * (all_.abs_log_weight + fabs(union_.log_weight)) + all_.slack_of_all
    least_split = rounded(rounded(all_.log_all - log_weight, blocks.logs.single) / blocks.total, blocks.logs.single)
    return least_split <= EPSILON or rounded(most / least_split, blocks.logs.single) >= best.merit


cdef Evaluation _evaluate_union(const Blocks* blocks, const Estimate* all_, int i, int j, const Union* union_,
                                Memory memory) noexcept nogil:
    # What `_evaluate` would say once they are joined, with a minimum of one case.
    cdef Grouping* sums = blocks.sums
    cdef const Logs* logs = blocks.logs
    cdef double info, log_weight, weight = all_.weight
    cdef int n_with_cases = (all_.n_with_cases - at_least(blocks.weight[i], 1.0, logs.small)
                             - at_least(blocks.weight[j], 1.0, logs.small)
                             + at_least(union_.weight, 1.0, logs.small))
    cdef Evaluation result
    result.gain = NO_GAIN
    if blocks.known > 0 and n_with_cases >= 2:
        info = sum_with_joined(&sums.info, i, j, union_.info, memory)
        result.gain = gain_of_info(info, blocks.known, blocks.unknown_rate, blocks.base, logs)
    log_weight = sum_with_joined(&sums.log_weight, i, j, union_.log_weight, memory)
    if not sums.whole:
        weight = sum_with_joined(&sums.weight, i, j, union_.weight, memory)
    result.split_info = split_info_of_sums(log_weight, weight, blocks.total, logs)
    result.merit = _merit(blocks, &result)
    return result


cdef int _go_on(Watch* watch, Py_ssize_t work) except -1 nogil:
    # Let Ctrl-C end the work; where several threads share it, by the flag that one of them sets.
    if check_after(watch, work) != GO_ON:
        with gil:
            raise KeyboardInterrupt
    return 0


cdef int _merge_best_pair(Blocks* blocks, Evaluation* previous, double least_gain, double min_cases, Memory memory,
                          Watch* watch) except -1 nogil:
    # Join the two blocks whose union has the greatest merit; 0 where no union pays.
    cdef Grouping* sums = blocks.sums
    cdef int i, j, best_i = -1, best_j = -1, sizeable = 0, barred = -1
    cdef Evaluation best, here
    cdef Estimate all_ = _estimate(blocks)
    cdef Union union_
    cdef bint must_merge
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
    must_merge = blocks.gain_only or sizeable < 2
    sums_start(&sums.info, blocks.n, 0.0)
    sums_start(&sums.log_weight, blocks.n, rounded(x_log_x(blocks.unknown, blocks.logs), blocks.logs.single))
    sums_start(&sums.weight, blocks.n, blocks.unknown)
    for i in range(blocks.n - 1):
        _go_on(watch, <Py_ssize_t> blocks.n * 4 * (1 if sums.joined != NULL else blocks.n_classes))
        for j in range(i + 1, blocks.n):
            if i == barred or j == barred:
                continue
            union_ = _union(blocks, i, j)
            if not ((best_i < 0 and must_merge)
                    or _may_exceed(blocks, &all_, i, j, &union_, &best, least_gain)):
                continue
            here = _evaluate_union(blocks, &all_, i, j, &union_, memory)
            watch.work += WORK_PER_UNION
            if ((here.gain >= least_gain and best.gain < least_gain) or here.merit >= best.merit
                    or (best_i < 0 and must_merge)):
                best = here
                best_i = i
                best_j = j
    if best_i < 0:
        return 0
    if not blocks.gain_only and sizeable >= 2:
        if best.merit < previous.merit + 1e-5 or (best.merit == previous.merit and best.gain < previous.gain):
            return 0
    union_ = _union(blocks, best_i, best_j)
    _merge(blocks, best_i, best_j)
    _merge_sums(blocks, best_i, best_j, &union_)
    previous[0] = best
    return 1


cdef bint _blocks_of_values(Blocks* blocks, int n_values, int C, double total, Scratch* scratch) noexcept nogil:
    # A block per value; False if hardly any value is known.
    cdef int v, c
    cdef double* counts = scratch.counts
    cdef bint single = blocks.logs.single
    blocks.unknown = 0.0
    for c in range(C):
        blocks.unknown = rounded(blocks.unknown + counts[c], single)
    blocks.n = n_values
    blocks.n_values = n_values
    blocks.n_classes = C
    blocks.counts = counts + C
    blocks.weight = scratch.branch
    for v in range(n_values):
        blocks.weight[v] = 0.0
        for c in range(C):
            blocks.weight[v] = rounded(blocks.weight[v] + blocks.counts[<Py_ssize_t> v * C + c], single)
        blocks.block_of[v] = v
    blocks.known = rounded(total - blocks.unknown, single)
    if blocks.known < EPSILON:
        return False
    blocks.unknown_rate = rounded(blocks.unknown / total, single)
    blocks.total = total
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


cdef int best_groups(GainCandidate* best, const Cases* cases, int attribute, const NodeView* node, double* min_cases,
                     bint gain_only, const Logs* logs, Scratch* scratch, int32_t* group, Memory memory,
                     Watch* watch) except -1 nogil:
    # Start from a block per value and join blocks while that pays; `group` receives the branch of each value.
    count_values(node.rows, node.n, cases.codes[attribute], cases.short_codes[attribute], cases.n_values[attribute],
                 cases.classes, node.weights, cases.n_classes, scratch.cells, scratch.counts)
    return test_of_groups(best, cases.n_values[attribute], cases.n_classes, node.cases, min_cases, gain_only, logs,
                          scratch, group, memory, watch)


cdef int test_of_groups(GainCandidate* best, int n_values, int C, double total, double* min_cases, bint gain_only,
                        const Logs* logs, Scratch* scratch, int32_t* group, Memory memory,
                        Watch* watch) except -1 nogil:
    # The same where the class weights, unknown values first, are in `scratch.counts`.
    #
    # The original lowers its minimum to 1 in the meantime and forgets to restore it when no value is known at the node,
    # so `min_cases` is then 1 for the rest of the run; its trees cannot be reproduced without this.
    cdef Blocks blocks
    cdef Evaluation previous
    cdef double least_gain
    cdef bint any_missing
    cdef int v
    best[0] = no_gain()
    blocks.block_of = group
    blocks.gain_only = gain_only
    blocks.logs = logs
    blocks.sums = &scratch.grouping
    if not _blocks_of_values(&blocks, n_values, C, total, scratch):
        min_cases[0] = 1.0
        return 0
    previous = _evaluate(&blocks, 1.0)
    any_missing = _drop_empty_blocks(&blocks)
    if _merge_pure_blocks(&blocks):
        previous = _evaluate(&blocks, 1.0)
    least_gain = rounded(previous.gain / 2, logs.single)
    if blocks.n > 2:
        _prepare_sums(&blocks, memory, watch)
        while blocks.n > 2 and _merge_best_pair(&blocks, &previous, least_gain, min_cases[0], memory, watch):
            watch.work += blocks.n_values
    if previous.merit <= 0:
        return 0
    best.gain = gain(blocks.counts, blocks.weight, blocks.n, blocks.n_classes, blocks.known, blocks.unknown_rate,
                     blocks.base, min_cases[0], logs)
    best.split_info = previous.split_info
    best.n_groups = blocks.n
    if any_missing:
        for v in range(blocks.n_values):
            if group[v] < 0:
                group[v] = blocks.n
        best.n_groups += 1
    return 0
