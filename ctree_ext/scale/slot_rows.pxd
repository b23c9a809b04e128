# The blocks of a part with the cases at slots; for kernels that look at them slot by slot.

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.columns cimport Columns
from ctree_ext.scale.descent cimport Descent, Entries


cdef class Walk:
    cdef Memory memory
    cdef Columns columns
    cdef Descent descent
    cdef Entries entries
    cdef Watch watch
    cdef Py_ssize_t start
    cdef Py_ssize_t n

    cdef bint next(self) except -1 nogil
