# The sum over all trees.

from ctree_ext.lattice.search_space cimport SearchSpace
from ctree_ext.lattice.views cimport View

cdef enum:
    CUT = -2               # of a sum that was stopped within the last two levels: what is known of it is that of its sides
    WIDE = 40_000_000      # a state of so much work is done in an order by which its best tests come first

cdef int sum_root(SearchSpace space, double* low, double* high) except -1 nogil
cdef bint is_explored(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil
cdef bint is_cut(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil
cdef double known_sum(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil


cdef inline bint is_wide(const View* view, Py_ssize_t levels) noexcept nogil:
    return levels == 2 and view.k * view.k * (view.n_words + 40) > WIDE
