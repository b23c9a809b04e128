# Fisher's exact test as release 8 has it; fisher.pyx explains how.

cdef class FisherTest:
    cdef Py_ssize_t most       # the largest number of cases
    cdef Py_ssize_t step       # every so many factorials are in the table
    cdef double[::1] table

    cdef double log_factorial(self, Py_ssize_t n) noexcept nogil
    cdef double log_term(self, Py_ssize_t i, Py_ssize_t above, Py_ssize_t below, Py_ssize_t wrong,
                         double margins) noexcept nogil
    cdef double sum_of_terms(self, Py_ssize_t above, Py_ssize_t wrong_above, Py_ssize_t below,
                             Py_ssize_t wrong) noexcept nogil
