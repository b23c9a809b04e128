# Sampled trees in flat arrays: of each tree the tests, every node before its branches, and the class counts of its leaves.

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.memory cimport Pool


ctypedef struct StoredTrees:
    Pool* pool                  # where its memory comes from
    int n_classes
    Py_ssize_t n_trees
    Py_ssize_t n_nodes
    Py_ssize_t n_leaves
    Py_ssize_t max_trees        # that there is room for
    Py_ssize_t max_nodes
    Py_ssize_t max_leaves
    int64_t* node_start         # by tree its first node, and n_nodes at the end
    int64_t* leaf_start
    int32_t* tests              # -1 for a leaf
    double* counts              # by leaf and class


cdef int store_init(StoredTrees* stored, Pool* pool, int n_classes) noexcept nogil
cdef int store_add_node(StoredTrees* stored, int32_t test, const double* counts) noexcept nogil
cdef int store_close_tree(StoredTrees* stored) noexcept nogil
cdef dict store_arrays(const StoredTrees* stored)
cdef int store_restore(StoredTrees* stored, arrays, int32_t n_tests) except -1
