# Cases of some blocks with their slots, to be counted together; batch.pyx explains it.

from libc.stdint cimport int64_t, uint16_t, uint32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.columns cimport Columns
from ctree_ext.scale.descent cimport Descent, Entries

cdef enum:
    BATCH = 1048576   # rows or entries, about: so many that counts stay in the cache while an attribute is counted


ctypedef struct Batch:
    Py_ssize_t start       # the first row
    Py_ssize_t n_rows
    bint weighted
    Py_ssize_t n           # entries
    uint32_t* keys         # slot * classes + class
    uint32_t* rows         # from `start`; NULL: all of them, in their order
    int64_t* weights       # NULL: all count one
    Py_ssize_t n_dropped   # of the rows: they are in no slot, and their key is slots * classes


cdef class Batches:
    cdef Memory memory
    cdef Columns columns
    cdef Descent descent
    cdef Entries entries
    cdef Batch batch
    cdef Py_ssize_t next_row
    cdef bint waiting             # a block that is routed, but in no batch
    cdef Py_ssize_t block_start
    cdef Py_ssize_t block_size
    cdef uint32_t* keys
    cdef uint32_t* rows
    cdef int64_t* weights
    cdef Py_ssize_t room
    cdef uint16_t* classes
    cdef Py_ssize_t class_room
    cdef uint32_t* few_keys
    cdef uint32_t* few_rows

    cdef bint next(self) except -1 nogil
    cdef int without_dropped(self, Batch* few) except -1 nogil
    cdef int _add_block(self) except -1 nogil
    cdef int _make_room(self, Py_ssize_t room, bint weighted) except -1 nogil
