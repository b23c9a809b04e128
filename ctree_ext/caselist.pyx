"""The list of a node's cases in release 8's own order."""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ctree_ext.cases cimport Cases
from ctree_ext.nodes cimport Nodes
from ctree_ext.partition cimport NARROW_DONE, NARROW_UNKNOWN
from ctree_ext.routing cimport branch_of, note_sides
from ctree_ext.sorting cimport Entry


cdef Py_ssize_t group_branch(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const Cases* cases, const Nodes* nodes,
                             Py_ssize_t node, int branch) noexcept nogil:
    # Swap the cases of one branch of a test (-1: outcome unknown) to the front of a stretch; the place behind them.
    cdef Py_ssize_t i
    cdef int32_t row
    for i in range(start, end):
        row = rows[i]
        if branch_of(cases, nodes, node, row) == branch:
            rows[i] = rows[start]
            rows[start] = row
            start += 1
    return start


cdef void group_by_side(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const uint8_t* side,
                        uint8_t wanted) noexcept nogil:
    # The same, where the branch of every row has been noted. Without a jump that the processor would have to guess:
    # a case that stays is written back where it was.
    cdef Py_ssize_t i
    cdef int32_t row, front
    cdef bint swap
    for i in range(start, end):
        row = rows[i]
        front = rows[start]
        swap = side[row] == wanted
        rows[start] = row if swap else front
        rows[i] = front if swap else row
        start += swap


cdef void group_unknown_again(int32_t* rows, Py_ssize_t n, const Cases* cases, const Nodes* nodes, Py_ssize_t node,
                              uint8_t* side) noexcept nogil:
    # After a branch, whose subtree has used `side` for its own: its cases are done, those of unknown outcome come to
    # the front again.
    cdef Py_ssize_t i
    note_sides(cases, nodes, node, rows, n, side)
    group_by_side(rows, 0, n, side, NARROW_UNKNOWN)
    for i in range(n):
        if side[rows[i]] != NARROW_UNKNOWN:
            side[rows[i]] = NARROW_DONE


cdef void group_unknown(int32_t* rows, Py_ssize_t n, const Entry* unknown, Py_ssize_t n_unknown,
                        uint8_t* flag) noexcept nogil:
    # Swap the cases listed as unknown to the front. `flag` is working memory, per row.
    cdef Py_ssize_t i, front = 0
    cdef int32_t row
    for i in range(n):
        flag[rows[i]] = 0
    for i in range(n_unknown):
        flag[unknown[i].row] = 1
    for i in range(n):
        row = rows[i]
        if flag[row]:
            rows[i] = rows[front]
            rows[front] = row
            front += 1


cdef bint _quicksort(uint64_t* list_, const Entry* order, const uint32_t* ties, Py_ssize_t first, Py_ssize_t last,
                     int64_t* steps) noexcept nogil:
    # The sort whose order among equal values is release 8's, found by trial among the usual ones: the last case is
    # the pivot, cases up to its value go to the front, those equal to it next to it. An entry is a rank, its upper
    # half, and a row. A stretch without equal values, where `ties` does not grow, can only end as `order` has it.
    # False if out of steps.
    cdef Py_ssize_t i, above, equal, n_equal
    cdef uint64_t pivot, here, there
    cdef bint low
    while first < last:
        if ties[last] == ties[first]:
            for i in range(first, last + 1):
                list_[i] = <uint64_t> order[i].rank << 32 | <uint64_t> order[i].row
            return True
        steps[0] -= last - first
        if steps[0] < 0:
            return False
        pivot = list_[last] >> 32
        above = first
        n_equal = 0
        for i in range(first, last):
            # without a jump: swap with itself where it stays
            here = list_[i]
            there = list_[above]
            low = (here >> 32) <= pivot
            n_equal += (here >> 32) == pivot
            list_[above] = here if low else there
            list_[i] = there if low else here
            above += low
        equal = above - 1
        if n_equal:
            for i in range(above - 1, first - 1, -1):
                if list_[i] >> 32 == pivot:
                    here = list_[i]
                    list_[i] = list_[equal]
                    list_[equal] = here
                    equal -= 1
        here = list_[above]
        list_[above] = list_[last]
        list_[last] = here
        # The two parts do not touch each other; the smaller first keeps the recursion shallow.
        if equal - first < last - above:
            if not _quicksort(list_, order, ties, first, equal, steps):
                return False
            first = above + 1
        else:
            if not _quicksort(list_, order, ties, above + 1, last, steps):
                return False
            last = equal
    return True


cdef void sort_known(int32_t* rows, Py_ssize_t n, Entry* order, uint32_t* rank_of, uint32_t* ties,
                     Entry* spare) noexcept nogil:
    # Sort a stretch of the list by a column whose sorted entries for the same cases are `order`. Without equal values
    # these are the result; with some, the original's sort decides, and `order` takes its order among them. `rank_of`
    # and `ties` are working memory, per row of the table and per case.
    #
    # On cases that stand in order already that sort takes quadratic time, as does the original. Past the limit, which
    # some thousand cases do not reach, equal values stay in the order of their rows.
    cdef Py_ssize_t i
    cdef int64_t steps = 20000000
    cdef uint64_t* list_ = <uint64_t*> spare
    ties[0] = 0
    for i in range(1, n):
        ties[i] = ties[i - 1] + (order[i].rank == order[i - 1].rank)
    if n and ties[n - 1]:
        for i in range(n):
            rank_of[order[i].row] = order[i].rank
        for i in range(n):
            list_[i] = <uint64_t> rank_of[rows[i]] << 32 | <uint64_t> rows[i]
        steps = max(steps, <int64_t> (16 * n * log2(<double> n)))
        if _quicksort(list_, order, ties, 0, n - 1, &steps):
            for i in range(n):
                order[i].rank = <uint32_t> (list_[i] >> 32)
                order[i].row = <int32_t> <uint32_t> list_[i]
    for i in range(n):
        rows[i] = order[i].row


def sorted_list(const int32_t[::1] rows, const uint32_t[::1] ranks):
    """The rows sorted by their ranks (``ranks[row]``), equal ones as release 8 leaves them."""
    cdef Py_ssize_t n = rows.shape[0], i
    result = np.array(rows, dtype=np.int32)
    by_rank = np.asarray(rows)[np.argsort(np.asarray(ranks)[np.asarray(rows)], kind="stable")].astype(np.int32)
    cdef int32_t[::1] list_ = result, sorted_rows = by_rank
    cdef uint32_t[::1] rank_of = np.zeros(ranks.shape[0] + 1, dtype=np.uint32), ties = np.zeros(n + 1, dtype=np.uint32)
    cdef Entry* order = <Entry*> malloc(2 * max(n, 1) * sizeof(Entry))
    if order == NULL:
        raise MemoryError
    for i in range(n):
        order[i].row = sorted_rows[i]
        order[i].rank = ranks[sorted_rows[i]]
    if n:
        sort_known(&list_[0], n, order, &rank_of[0], &ties[0], order + n)
    free(order)
    return result
