# What a chain records of its tree every so many steps.

from libc.stdint cimport int32_t, int64_t


ctypedef struct Record:
    double log_likelihood
    double log_posterior
    int32_t leaves
    int32_t depth
    int64_t tree                # in the bank, -1 if trees are not kept


ctypedef struct Records:
    Record* records
    Py_ssize_t n
    Py_ssize_t room


cdef int records_add(Records* records, Record record) noexcept nogil
cdef dict records_arrays(const Records* records)
cdef int records_take(Records* records, columns, Py_ssize_t n_trees) except -1
