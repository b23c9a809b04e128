"""The frames of a walk over a tree, each with the memory that it needs while its node is at work.

A frame is a struct whose first field is a `Pool`. What is taken from this pool is freed when the frame is popped, or when
the stack goes. Pushing may move the frames: pointers to them are good until the next push.
"""

from libc.string cimport memset

from ctree_ext.base.memory cimport Pool, pool_free, pool_resize


cdef class FrameStack:
    def __cinit__(self, size_t frame_size):
        self.frame_size = frame_size

    def __dealloc__(self):
        while self.n:
            self.pop()
        pool_free(&self.pool)

    cdef void* push(self) except NULL nogil:
        # A frame of zeros on top.
        cdef void* frame
        cdef Py_ssize_t capacity
        if self.n == self.capacity:
            capacity = max(2 * self.capacity, 64)
            if not pool_resize(&self.pool, <void**> &self.frames, capacity, self.frame_size):
                with gil:
                    raise MemoryError
            self.capacity = capacity
        frame = self.frames + self.n * self.frame_size
        memset(frame, 0, self.frame_size)
        self.n += 1
        return frame

    cdef void* top(self) noexcept nogil:
        return self.frames + (self.n - 1) * self.frame_size

    cdef void pop(self) noexcept nogil:
        pool_free(<Pool*> self.top())
        self.n -= 1
