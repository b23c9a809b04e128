# A tree under construction: growable flat arrays, one entry a node, the branches of a node side by side.

from libc.stdint cimport int8_t, int32_t, int64_t

from ctree_ext.base.memory cimport Pool

cdef enum Test:
    LEAF = 0
    THRESHOLD = 1  # x <= threshold, then x > threshold
    VALUES = 2     # a branch per value
    GROUPS = 3     # a branch per group of values


ctypedef struct Nodes:
    Pool pool                # the memory of all that follows
    Py_ssize_t n
    Py_ssize_t room
    int n_classes
    int8_t* test
    int32_t* attribute
    double* threshold
    int32_t* first_branch
    int32_t* n_branches
    Py_ssize_t* group_start  # where in `group` the branches of the values of a GROUPS test are listed
    int32_t* group_length    # how many values there are
    int32_t* best            # the class a leaf here would predict
    double* cases
    double* errors
    double* counts           # n_classes per node
    int64_t* n_tests         # how many tests a node could have had; 0 where nobody counted
    Py_ssize_t n_group
    Py_ssize_t group_room
    int32_t* group           # value code -> branch, -1 for none


cdef int nodes_init(Nodes* nodes, int n_classes) noexcept nogil
cdef void nodes_free(Nodes* nodes) noexcept nogil
cdef Py_ssize_t nodes_reserve(Nodes* nodes, Py_ssize_t count) noexcept nogil
cdef Py_ssize_t nodes_add(Nodes* nodes, Py_ssize_t count) noexcept nogil
cdef Py_ssize_t nodes_add_group(Nodes* nodes, Py_ssize_t n_values) noexcept nogil
cdef void nodes_make_leaf(Nodes* nodes, Py_ssize_t node) noexcept nogil
cdef bint nodes_collapse(Nodes* nodes, Py_ssize_t node, bint single) noexcept nogil
cdef void nodes_copy_test(Nodes* nodes, Py_ssize_t target, Py_ssize_t source) noexcept nogil
cdef void nodes_place(Nodes* nodes, Py_ssize_t target, const Nodes* other, Py_ssize_t offset,
                      Py_ssize_t group_offset) noexcept nogil
cdef int nodes_graft(Nodes* nodes, Py_ssize_t target, const Nodes* other) noexcept nogil
cdef object nodes_export(const Nodes* nodes)
cdef int nodes_import(Nodes* nodes, arrays, int n_classes) except -1
