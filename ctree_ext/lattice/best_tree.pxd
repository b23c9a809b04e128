# The tree with the fewest errors, or the most probable one.

from ctree_ext.lattice.search_space cimport SearchSpace

cdef int best_root(SearchSpace space, double* low, double* high) except -1 nogil
cdef object best_subtree(SearchSpace space, Py_ssize_t depth)
cdef double score_subtree(SearchSpace space, Py_ssize_t depth, tree) except? -1
