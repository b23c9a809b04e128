# Divide the cases of a node among its branches, keeping their order.
#
# Cases whose tested value is unknown go down every branch. They are taken out (`kept`) and merged into each branch when
# its turn comes, in place: with U of them, the branches start after a gap of U, and a branch merged with them starts
# exactly where the part that is already grown ends.
#
#     [ gap of U | branch 0 | branch 1 | ... ]   ->   [ branch 0 + U | branch 1 | ... ]   ->   [ used | branch 1 + U | ... ]

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.grow.sorting cimport Entry

cdef enum:
    MAX_NARROW = 253    # branches that a byte can tell apart
    NARROW_DONE = 254    # of a case: its branch has been grown
    NARROW_UNKNOWN = 255

ctypedef fused side_t:
    uint8_t
    int32_t


cdef inline bint is_unknown(side_t side) noexcept nogil:
    if side_t is uint8_t:
        return side == NARROW_UNKNOWN
    else:
        return side < 0


cdef void partition_entries(Entry* entries, Py_ssize_t n, const side_t* side, int n_branches, const Py_ssize_t* sizes,
                            Py_ssize_t n_unknown, Entry* spare, Py_ssize_t* place, Entry* kept) noexcept nogil
cdef void partition_rows(int32_t* rows, Py_ssize_t n, const side_t* side, int n_branches, const Py_ssize_t* sizes,
                         Py_ssize_t n_unknown, int32_t* spare, Py_ssize_t* place, int32_t* kept) noexcept nogil
cdef void merge_entries(Entry* target, const Entry* kept, Py_ssize_t n_kept, const Entry* branch,
                        Py_ssize_t n) noexcept nogil
cdef void merge_rows(int32_t* target, const int32_t* kept, Py_ssize_t n_kept, const int32_t* branch,
                     Py_ssize_t n) noexcept nogil
