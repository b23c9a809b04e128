"""One owner for the memory of a kernel, instead of a `free` for every `malloc`.

A class keeps a `Memory`, or a function makes one for the time of a call. It hands out blocks and frees them all when it
goes, also when an exception ends the call or the construction of the class:

    cdef Memory memory

    def __cinit__(self, Py_ssize_t n):
        self.memory = Memory()
        self.counts = <int32_t*> self.memory.zeroed(n, sizeof(int32_t))
        self.scores = <double*> self.memory.raw(n, sizeof(double))

    cdef int grow(self, Py_ssize_t room) except -1 nogil:
        self.memory.resize(<void**> &self.scores, room, sizeof(double))     # what is new is not zeroed
        self.memory.release(self.counts)                                    # earlier than the others; NULL is no block
        self.counts = NULL

These methods work with and without the GIL and raise MemoryError, also where `n * size` is more than can be addressed. In
`noexcept nogil` code, and in structs that own blocks, use the functions on the pool, `&self.memory.pool` or one of the
struct's own: `pool_raw` and `pool_zeroed` return NULL, `pool_resize` returns False and leaves the block as it was.
A pool that belongs to no `Memory` is freed by `pool_free`, after which it is empty.

A block of no elements has an address, too. A pool is not locked: give each thread its own.
"""

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

cdef extern from *:
    """
    #if defined(__GLIBC__)
    #include <malloc.h>
    static void ctree_map_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }
    #else
    static void ctree_map_large_blocks(void) {}
    #endif
    """
    void ctree_map_large_blocks() noexcept nogil

cdef size_t MAX_BYTES = (<size_t> -1) // 2


cdef inline size_t _bytes(Py_ssize_t n, size_t size) noexcept nogil:
    # For the elements and what stands before them; 0 if that is too much.
    if n < 0 or (size and <size_t> n > (MAX_BYTES - sizeof(Block)) // size):
        return 0
    return sizeof(Block) + <size_t> n * size


cdef inline void* _add(Pool* pool, Block* block, size_t n_bytes) noexcept nogil:
    if block == NULL:
        return NULL
    block.previous = pool.last
    block.next = NULL
    block.n_bytes = n_bytes
    if pool.last != NULL:
        pool.last.next = block
    pool.last = block
    pool.n_blocks += 1
    pool.n_bytes += n_bytes
    return block + 1


cdef void* pool_raw(Pool* pool, Py_ssize_t n, size_t size) noexcept nogil:
    cdef size_t n_bytes = _bytes(n, size)
    return NULL if n_bytes == 0 else _add(pool, <Block*> malloc(n_bytes), n_bytes)


cdef void* pool_zeroed(Pool* pool, Py_ssize_t n, size_t size) noexcept nogil:
    cdef size_t n_bytes = _bytes(n, size)
    return NULL if n_bytes == 0 else _add(pool, <Block*> calloc(1, n_bytes), n_bytes)


cdef bint pool_resize(Pool* pool, void** block, Py_ssize_t n, size_t size) noexcept nogil:
    # NULL becomes a new block.
    cdef size_t n_bytes = _bytes(n, size), before
    cdef Block* moved
    if block[0] == NULL:
        block[0] = pool_raw(pool, n, size)
        return block[0] != NULL
    if n_bytes == 0:
        return False
    before = (<Block*> block[0] - 1).n_bytes
    moved = <Block*> realloc(<Block*> block[0] - 1, n_bytes)
    if moved == NULL:
        return False
    moved.n_bytes = n_bytes
    pool.n_bytes += n_bytes - before
    if moved.previous != NULL:
        moved.previous.next = moved
    if moved.next != NULL:
        moved.next.previous = moved
    else:
        pool.last = moved
    block[0] = moved + 1
    return True


cdef void pool_release(Pool* pool, void* block) noexcept nogil:
    cdef Block* released
    if block == NULL:
        return
    released = <Block*> block - 1
    if released.previous != NULL:
        released.previous.next = released.next
    if released.next != NULL:
        released.next.previous = released.previous
    else:
        pool.last = released.previous
    pool.n_blocks -= 1
    pool.n_bytes -= released.n_bytes
    free(released)


cdef void pool_free(Pool* pool) noexcept nogil:
    cdef Block* block = pool.last
    cdef Block* previous
    while block != NULL:
        previous = block.previous
        free(block)
        block = previous
    memset(pool, 0, sizeof(Pool))


cdef class Memory:
    """Blocks of memory that live as long as this object, unless they are released earlier."""

    def __dealloc__(self):
        pool_free(&self.pool)

    cdef void* raw(self, Py_ssize_t n, size_t size) except NULL nogil:
        cdef void* block = pool_raw(&self.pool, n, size)
        if block == NULL:
            with gil:
                raise MemoryError
        return block

    cdef void* zeroed(self, Py_ssize_t n, size_t size) except NULL nogil:
        cdef void* block = pool_zeroed(&self.pool, n, size)
        if block == NULL:
            with gil:
                raise MemoryError
        return block

    cdef int resize(self, void** block, Py_ssize_t n, size_t size) except -1 nogil:
        if not pool_resize(&self.pool, block, n, size):
            with gil:
                raise MemoryError
        return 0

    cdef void release(self, void* block) noexcept nogil:
        pool_release(&self.pool, block)

    @property
    def n_blocks(self):
        """Blocks in use."""
        return self.pool.n_blocks

    @property
    def n_bytes(self):
        """Bytes in use, with the 32 that stand before each block (16 on 32-bit systems)."""
        return self.pool.n_bytes


def map_large_blocks():
    """Have the system take back every block of a megabyte or more as soon as it is freed.

    Otherwise glibc puts large blocks among the others once one was freed, and keeps what is free between them. For a
    program that does one thing after the other; it holds for the whole process. Elsewhere than with glibc it does nothing.
    """
    ctree_map_large_blocks()


cdef class BlockTrial:
    """A `Memory` that Python can reach, for tests: blocks are known by number, and can be read and written."""

    cdef Memory memory
    cdef list blocks   # addresses and bytes

    def __init__(self):
        self.memory = Memory()
        self.blocks = []

    def add(self, Py_ssize_t n, Py_ssize_t size, bint zeroed=False):
        """Ask for a block; its number."""
        cdef void* block
        block = self.memory.zeroed(n, size) if zeroed else self.memory.raw(n, size)
        self.blocks.append((<size_t> block, n * size))
        return len(self.blocks) - 1

    def resize(self, Py_ssize_t number, Py_ssize_t n, Py_ssize_t size):
        cdef void* block = <void*> <size_t> self.blocks[number][0]
        self.memory.resize(&block, n, size)
        self.blocks[number] = (<size_t> block, n * size)

    def release(self, Py_ssize_t number):
        self.memory.release(<void*> <size_t> self.blocks[number][0])
        self.blocks[number] = (0, 0)

    def write(self, Py_ssize_t number, bytes content):
        """Replace the first bytes of a block."""
        cdef Py_ssize_t i
        cdef unsigned char* block = <unsigned char*> <size_t> self.blocks[number][0]
        for i in range(min(len(content), self.blocks[number][1])):
            block[i] = content[i]

    def read(self, Py_ssize_t number):
        """What is in a block."""
        cdef const char* block = <const char*> <size_t> self.blocks[number][0]
        return block[:self.blocks[number][1]]

    def address(self, Py_ssize_t number):
        return self.blocks[number][0]

    @property
    def n_blocks(self):
        return self.memory.n_blocks

    @property
    def n_bytes(self):
        return self.memory.n_bytes
