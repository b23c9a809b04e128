"""The list of a node's cases in release 8's own order."""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.bits cimport lowest_bit
from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.grow.partition cimport NARROW_DONE, NARROW_UNKNOWN
from ctree_ext.base.routing cimport branch_of
from ctree_ext.grow.sorting cimport Entry


cdef extern from "equal_bytes.h" nogil:
    uint64_t equal_bytes(const uint8_t* bytes, Py_ssize_t n, uint8_t wanted)


cdef extern from "caseplaces.h" nogil:
    Py_ssize_t places_up_to(const uint32_t* list_, Py_ssize_t n, uint32_t limit, uint32_t* places, uint32_t* found)
    void list_places()


list_places()
follow_processor(own_level())


cdef Py_ssize_t group_branch(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const Cases* cases, const Nodes* nodes,
                             Py_ssize_t node, int branch) noexcept nogil:
    # Swap the cases of one branch of a test (-1: outcome unknown) to the front of a segment; the place after them.
    cdef Py_ssize_t i
    cdef int32_t row
    for i in range(start, end):
        row = rows[i]
        if branch_of(cases, nodes, node, row) == branch:
            rows[i] = rows[start]
            rows[start] = row
            start += 1
    return start


cdef void note_by_position(const int32_t* rows, Py_ssize_t n, const uint8_t* side, uint8_t* by_position) noexcept nogil:
    # Copy what is noted per row into the order of the list.
    cdef Py_ssize_t i
    for i in range(n):
        by_position[i] = side[rows[i]]


cdef void group_by_position(int32_t* rows, uint8_t* by_position, Py_ssize_t start, Py_ssize_t end, uint8_t wanted,
                      Py_ssize_t n_wanted) noexcept nogil:
    # The same as `group_branch`, where the branch of every case is noted by position in the list, and it is known how
    # many cases take the wanted one. What is swapped to the back is never wanted, so places once found stay right.
    cdef Py_ssize_t i, first = start, found = start + n_wanted
    cdef uint64_t places
    cdef int32_t row
    while start < found:
        places = equal_bytes(by_position + first, end - first, wanted)
        while places:
            i = first + lowest_bit(places)
            places &= places - 1
            row = rows[i]
            rows[i] = rows[start]
            rows[start] = row
            by_position[i] = by_position[start]
            by_position[start] = wanted
            start += 1
        first += 64


cdef void bring_forward(int32_t* rows, const int32_t* places, Py_ssize_t n) noexcept nogil:
    # The same where the places of the wanted cases are known, in ascending order.
    cdef Py_ssize_t i
    cdef int32_t row
    for i in range(n):
        row = rows[places[i]]
        rows[places[i]] = rows[i]
        rows[i] = row


cdef void close_leaf(Py_ssize_t n_unknown, Py_ssize_t n, uint8_t* by_position) noexcept nogil:
    # After a branch that left the list unchanged: its cases of known outcome are done.
    memset(by_position + n_unknown, NARROW_DONE, n - n_unknown)


cdef void close_branch(int32_t* rows, Py_ssize_t n, const int32_t* unknown, Py_ssize_t n_unknown, uint8_t* side,
                       uint8_t* by_position) noexcept nogil:
    # After a branch whose subtree has sorted its part of the list and overwritten the notes: the cases of unknown
    # outcome move to the front again, the others are done.
    cdef Py_ssize_t i
    memset(by_position, NARROW_DONE, n)
    if n_unknown == 0:
        return
    for i in range(n):
        side[rows[i]] = NARROW_DONE
    for i in range(n_unknown):
        side[unknown[i]] = NARROW_UNKNOWN
    note_by_position(rows, n, side, by_position)
    group_by_position(rows, by_position, 0, n, NARROW_UNKNOWN, n_unknown)


cdef inline void _swap(uint32_t* list_, Py_ssize_t one, Py_ssize_t other) noexcept nogil:
    cdef uint32_t held = list_[one]
    list_[one] = list_[other]
    list_[other] = held


cdef Py_ssize_t _divide_at(uint32_t* list_, Py_ssize_t n, uint32_t from_, uint32_t to, uint32_t* lows,
                           uint32_t* places, Py_ssize_t* below) noexcept nogil:
    # Swap each case up to `to` with the first one above it; then, from the last of them back, each from `from_` on with
    # the last one that is not. How many are up to `to`, and how many of these are `below` the others.
    #
    # No step waits for a comparison, which would be mispredicted half the time: the cases up to `to` and their places are
    # collected, then the first one above takes the place of each.
    cdef Py_ssize_t i, n_low = places_up_to(list_, n, to, places, lows), n_equal = 0
    for i in range(n_low):
        list_[places[i]] = list_[i]
    if from_ < to:
        for i in range(n_low):
            places[n_equal] = <uint32_t> i
            n_equal += lows[i] >= from_
        for i in range(n_equal):
            _swap(lows, places[n_equal - 1 - i], n_low - 1 - i)
    memcpy(list_, lows, n_low * sizeof(uint32_t))
    below[0] = n_low - n_equal
    return n_low


cdef bint _quicksort(uint32_t* list_, uint32_t* lows, uint32_t* places, const uint32_t* ties, Py_ssize_t n,
                     Py_ssize_t first, Py_ssize_t last, int64_t* steps) noexcept nogil:
    # The quicksort whose order among equal values is release 8's, found by trying the usual ones: the last case is the
    # pivot, cases up to its value go to the front, those equal to it next to it. A case is given by its place in sorted
    # order; `ties` counts the cases up to each that equal their predecessor. A segment without equal values can only
    # end up in order. False if it runs out of steps.
    cdef Py_ssize_t i, above, equal
    cdef uint32_t from_, to
    while first < last:
        if ties[last] == ties[first]:
            for i in range(first, last + 1):
                list_[i] = <uint32_t> i
            return True
        steps[0] -= last - first
        if steps[0] < 0:
            return False
        # the places of all cases that are equal to the pivot
        from_ = list_[last]
        to = from_
        while from_ > 0 and ties[from_] > ties[from_ - 1]:
            from_ -= 1
        while to + 1 < n and ties[to + 1] > ties[to]:
            to += 1
        if from_ <= first and to >= last:
            return True  # nothing but equal values: each is swapped with itself
        above = first + _divide_at(list_ + first, last - first, from_, to, lows, places, &equal)
        equal += first - 1
        _swap(list_, above, last)
        # The two parts are independent; sorting the smaller one first keeps the recursion shallow.
        if equal - first < last - above:
            if not _quicksort(list_, lows, places, ties, n, first, equal, steps):
                return False
            first = above + 1
        else:
            if not _quicksort(list_, lows, places, ties, n, above + 1, last, steps):
                return False
            last = equal
    return True


cdef bint sort_known(int32_t* rows, Py_ssize_t n, Entry* order, uint32_t* place_of, uint32_t* ties,
                     Entry* spare) noexcept nogil:
    # Given a segment of the list, and the same cases in the order of a column: where some have equal values, `order`
    # takes over release 8's order among them, which its sort of the segment decides. The segment itself is scratch then,
    # as are `place_of`, per row of the table, and `ties`, per case. Returns whether there are equal values.
    #
    # On cases that are already in order this sort takes quadratic time, as the original's does. Beyond the limit, which
    # a few thousand cases do not reach, equal values stay in the order of their rows.
    cdef Py_ssize_t i
    cdef int64_t steps = 20000000
    cdef uint32_t n_ties = 0
    cdef uint32_t* list_ = <uint32_t*> spare
    ties[0] = 0
    for i in range(1, n):
        n_ties += order[i].rank == order[i - 1].rank
        ties[i] = n_ties
    if n_ties == 0:
        return False
    for i in range(n):
        place_of[order[i].row] = <uint32_t> i
    for i in range(n):
        list_[i] = place_of[rows[i]]
    steps = max(steps, <int64_t> (16 * n * log2(<double> n)))
    # from here on, the places of cases are scratch
    if _quicksort(list_, list_ + n, place_of, ties, n, 0, n - 1, &steps):
        for i in range(n):
            rows[i] = order[list_[i]].row
        for i in range(n):
            order[i].row = rows[i]
    return True


def sorted_list(const int32_t[::1] rows, const uint32_t[::1] ranks):
    """The rows sorted by their ranks (``ranks[row]``), equal ones as release 8 leaves them."""
    cdef Py_ssize_t n = rows.shape[0], i
    result = np.array(rows, dtype=np.int32)
    by_rank = np.asarray(rows)[np.argsort(np.asarray(ranks)[np.asarray(rows)], kind="stable")].astype(np.int32)
    cdef int32_t[::1] list_ = result, sorted_rows = by_rank
    cdef uint32_t[::1] place_of = np.zeros(ranks.shape[0] + 1, dtype=np.uint32), ties = np.zeros(n + 1, dtype=np.uint32)
    cdef Memory memory = Memory()
    cdef Entry* order = <Entry*> memory.raw(2 * n, sizeof(Entry))
    for i in range(n):
        order[i].row = sorted_rows[i]
        order[i].rank = ranks[sorted_rows[i]]
    if n:
        sort_known(&list_[0], n, order, &place_of[0], &ties[0], order + n)
    for i in range(n):
        list_[i] = order[i].row
    return result
