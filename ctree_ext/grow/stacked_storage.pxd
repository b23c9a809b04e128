# Cases that are numbered anew at every node, for where they are divided and sums are exact.

from libc.stdint cimport int32_t, uint16_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.frames cimport Frame
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.storage cimport CaseStorage


cdef bint can_be_stacked(const Cases* cases) noexcept nogil


cdef class StackedStorage(CaseStorage):
    cdef Py_ssize_t capacity     # of the stack
    cdef uint16_t* classes       # on the stack: of each case its class, and what it counts
    cdef double* stacked_weights
    cdef int32_t* spare_rows     # of the node being divided, the cases as they were
    cdef uint16_t* spare_classes
    cdef double* spare_weights
    cdef int32_t* place          # of each case of the node being divided, its place in its branch

    # Discrete values in the order of rows, so that those of a case lie together
    cdef uint16_t* lines         # per row and attribute, the first of the cells of the value
    cdef int n_lined             # attributes that are in the lines
    cdef double* cells           # class weights of their values at a node
    cdef Py_ssize_t n_cells
    cdef Py_ssize_t* cell_of     # per attribute, the first of its cells; -1 if it has none

    cdef void sides_by_place(self, Frame* frame, int attribute, Py_ssize_t n_below) noexcept nogil
    cdef int write_lines(self) except -1
    cdef int take_node(self, StackedStorage original, const Frame* frame) except -1
    cdef void tabulate(self, NodeView* view) noexcept nogil
    cdef int reserve(self, Py_ssize_t needed) except -1 nogil
    cdef void add_unknown(self, Frame* frame, double* counts, double* cases) noexcept nogil
