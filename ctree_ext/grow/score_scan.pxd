# A scan of the cases of a node in the order of a continuous attribute, for the best cut by a score.

from libc.stdint cimport int32_t, uint16_t, uint32_t

from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.sorting cimport Entry

cdef enum:
    FEW_CLASSES = 32   # with more, bounds cost too much


ctypedef struct Scan:
    # The state of a scan from cut to cut.
    const Entry* order
    const double* values     # of all cases, by row of the table
    const int32_t* row_of    # see `NodeView`
    Py_ssize_t n             # known cases
    double known             # their weight
    double least             # what each side must have
    double best
    Py_ssize_t place         # of the best cut: behind this case; -1 for none
    Py_ssize_t n_tests
    Py_ssize_t first         # if every case counts one: the cuts to try
    Py_ssize_t last
    bint apart               # no two cases have the same value
    int class_bits           # of the ranks, see `Sorted`
    uint32_t class_mask


cdef inline Py_ssize_t class_at(const Scan* scan, Py_ssize_t i, const uint16_t* classes) noexcept nogil:
    return scan.order[i].rank & scan.class_mask if scan.class_bits else classes[scan.order[i].row]


cdef inline int32_t row_at(const Scan* scan, Py_ssize_t i) noexcept nogil:
    # The row of the table.
    return scan.order[i].row if scan.row_of == NULL else scan.row_of[scan.order[i].row]


cdef inline double value_at(const Scan* scan, Py_ssize_t i) noexcept nogil:
    return scan.values[row_at(scan, i)]


cdef inline bint differ(const Scan* scan, Py_ssize_t i) noexcept nogil:
    # Whether the next case has another value.
    return (scan.order[i].rank ^ scan.order[i + 1].rank) > scan.class_mask


cdef inline Py_ssize_t tests_between(const ScoreSearch* search, const Scan* scan, Py_ssize_t i) noexcept nogil:
    # How many tests lie between a case and the next. Where thresholds are listed, all of them are tests, though they
    # divide the cases in the same way.
    if search.listed_thresholds:
        return <Py_ssize_t> (value_at(scan, i + 1) - value_at(scan, i))
    return differ(scan, i)
