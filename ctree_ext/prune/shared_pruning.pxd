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
    Py_ssize_t pending       # how many tasks of its branches are not done
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
    cdef list ready          # tasks that can be done now
    cdef object changed      # where threads wait for more of them

    cdef int add(self, int32_t node, int32_t* rows, Py_ssize_t n, Py_ssize_t parent) except -1
    cdef int open(self, Py_ssize_t k, Py_ssize_t least) except -1
    cdef int do(self, Pruner hand, Py_ssize_t k) except -1
