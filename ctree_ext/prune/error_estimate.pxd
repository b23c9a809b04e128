# Release 8's pessimistic estimate of the errors a leaf will make.

ctypedef struct ErrorEstimate:
    double confidence
    double k       # square of the normal deviate that belongs to the confidence, by interpolation
    bint single

cdef ErrorEstimate error_estimate(double confidence, bint single) noexcept nogil
cdef double extra_errors(double n, double e, const ErrorEstimate* estimate) noexcept nogil
