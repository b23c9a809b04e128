# What a chain records of its tree every so many steps.

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.memory cimport Pool


ctypedef struct Record:
    double log_likelihood
    double log_posterior
    int32_t leaves
    int32_t depth
    int64_t tree                # its place among the stored trees, -1 if these are not kept


ctypedef struct Records:
    Pool* pool                  # where its memory comes from
    Record* records
    Py_ssize_t n
    Py_ssize_t max_records      # that there is room for


cdef int records_add(Records* records, Record record) noexcept nogil
cdef dict records_arrays(const Records* records)
cdef int records_restore(Records* records, columns, Py_ssize_t n_trees) except -1
