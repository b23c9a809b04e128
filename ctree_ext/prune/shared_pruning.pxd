# Error-based pruning by several threads.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.prune.release8 cimport Pruner


ctypedef struct Task:
    # A node that is pruned once its branches are.
    int32_t node
    int32_t* rows
    Py_ssize_t n
    Py_ssize_t parent        # the task of the node above; -1 for the root
    double as_leaf
    Py_ssize_t* sizes        # cases in each branch; NULL where the whole subtree is one task


cdef class SharedPruning:
    cdef Pruner lead
    cdef int n_threads
    cdef Memory memory
    cdef Task* tasks
    cdef Py_ssize_t n_tasks
    cdef Py_ssize_t room
    cdef volatile int stop   # set to make every thread give up
    cdef list hands          # pruners that are not in use
    cdef object error        # what made the first of the tasks fail

    cdef int add(self, int32_t node, int32_t* rows, Py_ssize_t n, Py_ssize_t parent) except -1
    cdef Pruner new_hand(self)
    cdef int start(self, Pruner hand, const Task* task) except -1
    cdef int open(self, Py_ssize_t k, Py_ssize_t least) except -1
    cdef int do(self, Pruner hand, Py_ssize_t k) except -1
