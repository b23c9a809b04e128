"""Release 8's pessimistic estimate of the errors that a leaf will make beyond those on its own cases."""

from libc.math cimport exp, log, sqrt

from ctree_ext.base.numeric cimport rounded

cdef double[9] LEVELS = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
cdef double[9] DEVIATIONS = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]


cdef ErrorEstimate error_estimate(double confidence, bint single) noexcept nogil:
    cdef ErrorEstimate estimate
    cdef int i = 1
    cdef double z, cf = rounded(confidence, single)
    while i < 8 and cf > LEVELS[i]:
        i += 1
    z = rounded(DEVIATIONS[i - 1] + (DEVIATIONS[i] - DEVIATIONS[i - 1]) * (cf - LEVELS[i - 1])
                / (LEVELS[i] - LEVELS[i - 1]), single)
    estimate.confidence = cf
    estimate.k = rounded(z * z, single)
    estimate.single = single
    return estimate


cdef double extra_errors(double n, double e, const ErrorEstimate* estimate) noexcept nogil:
    # For n cases of which e are wrong.
    cdef double none, p, k = estimate.k
    cdef bint single = estimate.single
    if e < 1e-6:
        return rounded(n * (1 - exp(log(estimate.confidence) / n)), single)
    if e < 0.9999:
        none = rounded(n * (1 - exp(log(estimate.confidence) / n)), single)
        return rounded(none + rounded(e * rounded(extra_errors(n, 1.0, estimate) - none, single), single), single)
    if e + 0.5 >= n:
        return rounded(0.67 * rounded(n - e, single), single)
    p = (e + 0.5 + rounded(k / 2, single)
         + sqrt(k * ((e + 0.5) * (1 - (e + 0.5) / n) + rounded(k / 4, single)))) / rounded(n + k, single)
    p = rounded(p, single)
    return rounded(rounded(n * p, single) - e, single)


def pessimistic_errors(double n, double e, double confidence=0.25, bint single=True):
    """Errors to expect of a leaf with `n` cases, `e` of them wrong: e and the extra errors."""
    cdef ErrorEstimate estimate = error_estimate(confidence, single)
    if n <= 0:
        return 0.0
    return rounded(e + extra_errors(n, e, &estimate), single)
