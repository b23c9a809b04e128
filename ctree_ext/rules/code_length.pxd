# Code lengths in bits: what it takes to tell the exceptions to a set of rules.

cdef double log2_of(double x) noexcept nogil
cdef double exceptions(Py_ssize_t n, double log_n, Py_ssize_t covered, Py_ssize_t wrong,
                       Py_ssize_t missed) noexcept nogil


cdef inline double as_float(double x) noexcept nogil:
    # Rounded to 32 bits.
    return <double> <float> x
