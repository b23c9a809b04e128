# Scores of leaves and bounds of subtrees, for each objective.

from ctree_ext.lattice.search_space cimport Level, SearchSpace
from ctree_ext.lattice.views cimport View

cdef double leaf_score(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil
cdef double side_leaf_score(SearchSpace space, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil
cdef double upper_bound(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil
cdef double side_upper_bound(SearchSpace space, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil
cdef void order_tests(SearchSpace space, Level* level) noexcept nogil
