"""Divide the cases of a node among its branches, keeping their order."""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy, memmove

from ctree_ext.grow.sorting cimport Entry


cdef void _start_places(int n_branches, const Py_ssize_t* sizes, Py_ssize_t* place) noexcept nogil:
    cdef Py_ssize_t at = 0
    cdef int b
    for b in range(n_branches):
        place[b] = at
        at += sizes[b]


cdef void partition_entries(Entry* entries, Py_ssize_t n, const side_t* side, int n_branches, const Py_ssize_t* sizes,
                            Py_ssize_t n_unknown, Entry* spare, Py_ssize_t* place, Entry* kept) noexcept nogil:
    cdef Py_ssize_t i, low = 0, high = 0, unknown = 0
    cdef side_t s
    cdef Entry entry
    if n_branches == 2 and n_unknown == 0:
        # Without a jump: write to both sides, advance on one.
        for i in range(n):
            entry = entries[i]
            s = side[entry.row]
            entries[low] = entry
            spare[high] = entry
            low += 1 - s
            high += s
        memcpy(entries + low, spare, high * sizeof(Entry))
        return
    if n_branches == 2:
        # The same with a third side; `kept` has one place more than it needs.
        for i in range(n):
            entry = entries[i]
            s = side[entry.row]
            spare[low] = entry
            entries[high] = entry
            kept[unknown] = entry
            low += s == 0
            high += s == 1
            unknown += is_unknown(s)
        memmove(entries + n_unknown + low, entries, high * sizeof(Entry))
        memcpy(entries + n_unknown, spare, low * sizeof(Entry))
        return
    _start_places(n_branches, sizes, place)
    for i in range(n):
        entry = entries[i]
        s = side[entry.row]
        if is_unknown(s):
            kept[unknown] = entry
            unknown += 1
        else:
            spare[place[s]] = entry
            place[s] += 1
    memcpy(entries + n_unknown, spare, (n - n_unknown) * sizeof(Entry))


cdef void partition_rows(int32_t* rows, Py_ssize_t n, const side_t* side, int n_branches, const Py_ssize_t* sizes,
                         Py_ssize_t n_unknown, int32_t* spare, Py_ssize_t* place, int32_t* kept) noexcept nogil:
    cdef Py_ssize_t i, low = 0, high = 0, unknown = 0
    cdef side_t s
    cdef int32_t row
    if n_branches == 2 and n_unknown == 0:
        for i in range(n):
            row = rows[i]
            s = side[row]
            rows[low] = row
            spare[high] = row
            low += 1 - s
            high += s
        memcpy(rows + low, spare, high * sizeof(int32_t))
        return
    _start_places(n_branches, sizes, place)
    for i in range(n):
        row = rows[i]
        s = side[row]
        if is_unknown(s):
            kept[unknown] = row
            unknown += 1
        else:
            spare[place[s]] = row
            place[s] += 1
    memcpy(rows + n_unknown, spare, (n - n_unknown) * sizeof(int32_t))


cdef inline uint64_t _key(Entry entry) noexcept nogil:
    return <uint64_t> entry.rank << 32 | <uint64_t> entry.row


cdef void merge_entries(Entry* target, const Entry* kept, Py_ssize_t n_kept, const Entry* branch,
                        Py_ssize_t n) noexcept nogil:
    # Both are in order; `branch` begins n_kept places after `target`, so writing never overtakes reading. A few
    # entries are merged into many.
    cdef Py_ssize_t i, j = 0
    cdef uint64_t key
    for i in range(n_kept):
        key = _key(kept[i])
        while j < n and _key(branch[j]) < key:
            target[i + j] = branch[j]
            j += 1
        target[i + j] = kept[i]
    # what is left of the branch already lies where it belongs


cdef void merge_rows(int32_t* target, const int32_t* kept, Py_ssize_t n_kept, const int32_t* branch,
                     Py_ssize_t n) noexcept nogil:
    # The same for rows, in the order of the table.
    cdef Py_ssize_t i, j = 0
    for i in range(n_kept):
        while j < n and branch[j] < kept[i]:
            target[i + j] = branch[j]
            j += 1
        target[i + j] = kept[i]
