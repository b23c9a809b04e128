# Sampled trees in flat arrays: of each tree the tests, every node before its branches, and the class counts of its leaves.

from libc.stdint cimport int32_t, int64_t


ctypedef struct Bank:
    int n_classes
    Py_ssize_t n_trees
    Py_ssize_t trees_room
    Py_ssize_t n_nodes
    Py_ssize_t nodes_room
    Py_ssize_t n_leaves
    Py_ssize_t leaves_room
    int64_t* node_start         # by tree its first node, and n_nodes at the end
    int64_t* leaf_start
    int32_t* tests              # -1 for a leaf
    double* counts              # by leaf and class


cdef int bank_init(Bank* bank, int n_classes) noexcept nogil
cdef void bank_free(Bank* bank) noexcept nogil
cdef int bank_add_node(Bank* bank, int32_t test, const double* counts) noexcept nogil
cdef int bank_close_tree(Bank* bank) noexcept nogil
cdef dict bank_arrays(const Bank* bank)
cdef int bank_take(Bank* bank, arrays, int32_t n_tests) except -1
