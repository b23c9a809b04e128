# One owner for the memory of a kernel; memory.pyx explains how to use it.

ctypedef struct Block:
    # Stands before every block. Four words, so that what follows is aligned as malloc aligns it.
    Block* previous
    Block* next
    size_t n_bytes
    size_t unused


ctypedef struct Pool:
    # All blocks that are in use. A struct of zeros is an empty pool.
    Block* last
    Py_ssize_t n_blocks
    size_t n_bytes


cdef void* pool_raw(Pool* pool, Py_ssize_t n, size_t size) noexcept nogil
cdef void* pool_zeroed(Pool* pool, Py_ssize_t n, size_t size) noexcept nogil
cdef bint pool_resize(Pool* pool, void** block, Py_ssize_t n, size_t size) noexcept nogil
cdef void pool_release(Pool* pool, void* block) noexcept nogil
cdef void pool_free(Pool* pool) noexcept nogil


cdef class Memory:
    cdef Pool pool
    cdef void* raw(self, Py_ssize_t n, size_t size) except NULL nogil
    cdef void* zeroed(self, Py_ssize_t n, size_t size) except NULL nogil
    cdef int resize(self, void** block, Py_ssize_t n, size_t size) except -1 nogil
    cdef void release(self, void* block) noexcept nogil
