# The frames of a walk over a tree: trees can be deeper than a machine stack.

from ctree_ext.base.memory cimport Pool


cdef class FrameStack:
    cdef Pool pool
    cdef char* frames
    cdef Py_ssize_t n
    cdef Py_ssize_t capacity
    cdef size_t frame_size

    cdef void* push(self) except NULL nogil
    cdef void* top(self) noexcept nogil
    cdef void pop(self) noexcept nogil
